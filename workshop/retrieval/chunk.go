package retrieval

import (
	"context"
	"strings"

	"atelier/workshop"
)

// The sources of a chunk (F-30).
const (
	SourceSnippet = "rag-snippet" // a part of the file
	SourceFull    = "rag-full"    // the whole file
)

// Chunk is a passage of a document (F-30). It has no hash, so it cannot be
// the base of an edit; the file has to be read first (F-32, F-33).
type Chunk struct {
	DocPath    workshop.DocPath `json:"docPath"`
	ChunkPath  string           `json:"chunkPath"` // DocPath#place: #section:…, #sheet:Sales!A1:J50, #slide:3, #page:2, #method:X (T-18)
	Source     string           `json:"source"`    // SourceSnippet or SourceFull
	IsFullFile bool             `json:"isFullFile"`
	StartLine  int              `json:"startLine"` // 1-based, inclusive, in the extracted text (F-31)
	EndLine    int              `json:"endLine"`
	Content    string           `json:"content"`
	Score      float64          `json:"score,omitempty"` // for this query; higher is better
	// Path is the file in the workbench, "" if the provider does not know it.
	Path workshop.Path `json:"-"`
}

// Validate checks the rules of F-30 and F-31 for a chunk from a provider.
func (c Chunk) Validate() error {
	bad := func(format string, args ...any) error {
		return workshop.Faultf(workshop.Invalid, "a chunk of %q is not valid: "+format, append([]any{c.DocPath}, args...)...)
	}
	folded, err := workshop.ParseDocPath(string(c.DocPath))
	switch {
	case err != nil:
		return bad("%w", err)
	case folded != c.DocPath:
		return bad("the docPath is not in lower case")
	case c.ChunkPath != string(c.DocPath) && !strings.HasPrefix(c.ChunkPath, string(c.DocPath)+"#"):
		return bad("the chunkPath %q does not begin with it", c.ChunkPath)
	case c.Source != SourceSnippet && c.Source != SourceFull:
		return bad("the source %q is neither %s nor %s", c.Source, SourceSnippet, SourceFull)
	case c.IsFullFile != (c.Source == SourceFull):
		return bad("source %s does not go with isFullFile %v", c.Source, c.IsFullFile)
	case c.StartLine < 1 || c.EndLine < c.StartLine:
		return bad("it has the lines %d to %d", c.StartLine, c.EndLine)
	}
	return nil
}

// Kind selects one of the two tools: documents or source code.
type Kind string

// The kinds; the zero value means both.
const (
	Docs Kind = "docs"
	Code Kind = "code"
)

// Filters restrict a search; the zero value searches everything.
type Filters struct {
	Kind Kind
	// Docs, if not empty, are the documents to search. A document that does
	// not exist has no results.
	Docs []workshop.DocPath
	// Dir is the folder to search; "" is everything.
	Dir   workshop.Path
	Limit int // 0 is DefaultLimit; at most MaxLimit
}

// Limits for the number of chunks that a search returns.
const (
	DefaultLimit = 10
	MaxLimit     = 100
)

func (f Filters) limit() int {
	if f.Limit <= 0 {
		return DefaultLimit
	}
	return min(f.Limit, MaxLimit)
}

// Provider finds chunks for a query (F-35).
type Provider interface {
	Search(ctx context.Context, query string, f Filters) ([]Chunk, error)
}

// Checked returns a Provider that refuses invalid chunks of p: a mismatch of
// source and isFullFile must not get into a conversation (F-30).
func Checked(p Provider) Provider { return checked{p} }

type checked struct{ Provider }

func (c checked) Search(ctx context.Context, query string, f Filters) ([]Chunk, error) {
	chunks, err := c.Provider.Search(ctx, query, f)
	if err != nil {
		return nil, err
	}
	for _, ch := range chunks {
		if err := ch.Validate(); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}
