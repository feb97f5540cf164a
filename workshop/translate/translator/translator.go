package translator

import (
	"context"

	"atelier/formats"
)

// Translator translates batches of segments. Implementations are safe for
// concurrent use.
type Translator interface {
	// Name is for reports and part of a translation's recipe: "gpt-5",
	// "pseudo", "apertium eng-spa".
	Name() string
	// Size is how much one batch may hold.
	Size() Size
	// Translate asks for the batch's targets and hands each to accept as it
	// comes. accept's error is the reason a target was refused, which an engine
	// that can ask again tells the translator; a segment may so be offered more
	// than once, or never. The error is set when the engine itself failed; what
	// was accepted before stays. accept is called from one goroutine at a time.
	Translate(ctx context.Context, b Batch, accept func(id, target string) error) (Usage, error)
}

// Size bounds a batch; a single segment may be longer than Chars.
type Size struct {
	Segments, Chars int
}

// Batch is a run of segments of one document.
type Batch struct {
	From, To     string // BCP 47; From "" when unknown
	Document     string // its name, for context
	Segments     []Segment
	Instructions string // the user's, such as "address the reader formally"
}

// Segment is a segment to translate with what helps to do it well.
type Segment struct {
	formats.Segment
	Before, After string       // neighbouring text in the document, "" when there is none
	Suggestions   []Suggestion // translations of similar texts, best first
	Terms         []Term       // of the glossary, that stand in the text
	Keep          []string     // parts of the text that must stay as they are
}

// Suggestion is a translation of a similar text.
type Suggestion struct {
	Source, Target string
	Score          float64 // likeness, 0 to 1
}

// Term is a term of the glossary.
type Term struct {
	Source, Target, Note string
	Forbidden            bool // Target must not be used
}

// Usage is what a batch took. Tokens are as the endpoint reported them, zero
// when it did not.
type Usage struct {
	Requests         int `json:"requests"`
	ToolCalls        int `json:"tool_calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CachedTokens     int `json:"cached_tokens,omitempty"`
	WrittenTokens    int `json:"written_tokens,omitempty"` // of PromptTokens, into the endpoint's cache
	CompletionTokens int `json:"completion_tokens"`
}

// Add sums usages.
func (u *Usage) Add(v Usage) {
	u.Requests += v.Requests
	u.ToolCalls += v.ToolCalls
	u.PromptTokens += v.PromptTokens
	u.CachedTokens += v.CachedTokens
	u.WrittenTokens += v.WrittenTokens
	u.CompletionTokens += v.CompletionTokens
}
