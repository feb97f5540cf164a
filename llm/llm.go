// Package llm says what a language model is: messages, tools and a streaming
// client. It knows nothing of workbenches or documents.
//
//	client := openai.New(openai.Options{BaseURL: url})
//	resp, err := client.Chat(ctx, llm.Request{Key: key, Model: "gpt-5", Messages: messages, Tools: tools,
//		Stream: true, OnDelta: func(text string) { fmt.Print(text) }})
//
// Wrap adds to what a client does with each request, such as counting it.
//
// Implementations: llm/openai (any OpenAI-compatible endpoint), llm/anthropic
// (Anthropic's Messages) and llm/responses (OpenAI's Responses), of which llm/api
// chooses one, and llm/pseudo (the built-in offline model); llm/replay serves recorded conversations to them over real HTTP. All pass the suite in llm/llmtest.
package llm

import (
	"context"
	"encoding/json"
)

// Role of a message's author.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // tool: the call this answers
	// Images come after the content, in messages of users and tools. A model that takes
	// none gets words in their place.
	Images []Image `json:"images,omitempty"`
}

// Tool is a function the model may call (L-01).
type Tool struct {
	Type     string      `json:"type"` // "function"
	Function FunctionDef `json:"function"`
}

// FunctionDef describes a callable function; Parameters is a JSON Schema.
type FunctionDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// ToolCall is a call the model asks for (L-01). Arguments is the JSON text the
// model wrote, which may be malformed.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // "function"
	Function FunctionCall `json:"function"`

	// Keep is what the endpoint that made the call wants back with it, such as a
	// signature or the reasoning before it. It goes with the call wherever that
	// goes; only the client that gave it reads it. "" is nothing.
	Keep string `json:"-"`
}

// FunctionCall is the function part of a ToolCall.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ChatResponse is one complete answer of a model (L-01).
type ChatResponse struct {
	Content      string     `json:"content"`
	ToolCalls    []ToolCall `json:"tool_calls,omitempty"`
	FinishReason string     `json:"finish_reason"`

	Reasoning string `json:"-"` // reasoning text some endpoints send beside the content
	Usage     Usage  `json:"-"`
	// Limit is the longest answer that was asked for because of WithLimit, in
	// tokens; 0: what was asked for anyway was no longer, or the endpoint takes no
	// limit.
	Limit int `json:"-"`
	// CutBefore is how many answers to the same request were cut, by a limit or the
	// end of a budget's time, before this one and are not used; Usage has what they
	// took as well.
	CutBefore int `json:"-"`
}

// Cut reports whether an answer ended because of WithLimit. One that ended much
// earlier met another end, such as that of the window.
func (r ChatResponse) Cut() bool {
	return r.Limit > 0 && r.FinishReason == "length" && (r.Usage.CompletionTokens == 0 || r.Usage.CompletionTokens >= r.Limit/2)
}

// Usage counts tokens as the endpoint reported them; zero when it did not.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int // of PromptTokens, read from the endpoint's cache
	WrittenTokens    int // of PromptTokens, written into the endpoint's cache, where it charges for that
}

// Plus returns what both took.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens, u.CachedTokens + v.CachedTokens, u.WrittenTokens + v.WrittenTokens}
}

// Request asks a model for one answer (L-02, L-03).
type Request struct {
	Key      string // of the API; "": none
	Model    string
	Messages []Message
	Tools    []Tool

	// Stream asks for the answer as it is written. Only then are OnDelta and OnCall
	// called: OnDelta with each non-empty piece of text in order, OnCall with each
	// complete call once, in index order, before Chat returns. Both may be nil. They
	// are called from one goroutine at a time.
	Stream  bool
	OnDelta func(text string)
	// OnThought is called with each piece of reasoning text, where the endpoint
	// sends some; nil: nobody reads it.
	OnThought func(text string)
	OnCall    func(ToolCall)
}

// Client is a model endpoint. Implementations are safe for concurrent use.
//
// Errors are *Error but for ctx.Err() passing through wrapped in one of kind
// KindCanceled. When a stream breaks after it began, the ChatResponse carries
// the text so far, never an incomplete tool call (L-07).
type Client interface {
	Chat(ctx context.Context, r Request) (ChatResponse, error)
}

// Wrap returns a client that passes each request to send, which sends it on to next
// as it is or changed, once, several times or not at all.
func Wrap(next Client, send func(ctx context.Context, r Request, next Client) (ChatResponse, error)) Client {
	return wrapped{next, send}
}

type wrapped struct {
	next Client
	send func(ctx context.Context, r Request, next Client) (ChatResponse, error)
}

// Chat implements Client.
func (w wrapped) Chat(ctx context.Context, r Request) (ChatResponse, error) {
	return w.send(ctx, r, w.next)
}
