package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"atelier/llm/endpoint"
)

// The types of this file decode what endpoints send without ever failing on
// the kind of a value: a field of another kind than expected reads as absent.

// chunk is one event of a stream, or a whole answer.
type chunk struct {
	Choices choices    `json:"choices"`
	Usage   *tokens    `json:"usage"`
	Error   rawMessage `json:"error"`

	// fields of errors that stand alone
	Object  endpoint.Text `json:"object"`
	Type    endpoint.Text `json:"type"`
	Message rawMessage    `json:"message"`
	Detail  rawMessage    `json:"detail"`

	// of other interfaces than Chat Completions
	Candidates rawMessage `json:"candidates"`
	Done       *bool      `json:"done"`
}

// otherForm names the interface that an answer is of when it is not Chat
// Completions: "" when it is, or nobody knows. Gateways pass on what the model's
// provider sends where they are not told to translate.
func (c *chunk) otherForm() string {
	switch kind := string(c.Type); {
	case len(c.Choices) > 0 || len(c.Error) > 0:
		return ""
	case kind == "message_start" || kind == "message" && len(c.Message) == 0 && c.Object == "":
		return "Anthropic's Messages"
	case strings.HasPrefix(kind, "response.") || c.Object == "response":
		return "OpenAI's Responses"
	case len(c.Candidates) > 0:
		return "Gemini's generateContent"
	case c.Done != nil && len(c.Message) > 0:
		return "Ollama's own"
	}
	return ""
}

type choice struct {
	Index   endpoint.Number `json:"index"`
	Delta   *part           `json:"delta"`
	Message *part           `json:"message"`
	Text    endpoint.Text   `json:"text"` // of endpoints that answer like the older completions
	Finish  endpoint.Text   `json:"finish_reason"`
	Error   rawMessage      `json:"error"`
}

// counts gives the index of the choice to the call it holds, if that has none
// itself and stands without a list: so Portkey passes on Cohere's calls.
func (ch *choice) counts() {
	if ch.Delta == nil || len(ch.Delta.ToolCalls) != 1 {
		return
	}
	if f := &ch.Delta.ToolCalls[0]; f.alone && !f.Index.Set {
		f.Index = ch.Index
	}
}

// part is a delta or a message.
type part struct {
	Content          endpoint.Text `json:"content"`
	Refusal          endpoint.Text `json:"refusal"`
	ReasoningContent endpoint.Text `json:"reasoning_content"`
	Reasoning        endpoint.Text `json:"reasoning"`
	Details          rawList       `json:"reasoning_details"` // OpenRouter
	ToolCalls        fragments     `json:"tool_calls"`
	FunctionCall     *function     `json:"function_call"` // before tools there were functions
}

// fragment is a piece of a tool call, or a whole one.
type fragment struct {
	Index    endpoint.Number `json:"index"`
	ID       endpoint.Text   `json:"id"`
	Function function        `json:"function"`
	// Extra is what Gemini wants back with the call: its signature
	Extra rawMessage `json:"extra_content"`
	// some endpoints leave out the function level
	Name      endpoint.Text `json:"name"`
	Arguments arguments     `json:"arguments"`

	alone bool // it stood without a list around it
}

type function struct {
	Name      endpoint.Text `json:"name"`
	Arguments arguments     `json:"arguments"`
	// Signature is Extra in the form of Portkey
	Signature endpoint.Text `json:"thought_signature"`
}

type tokens struct {
	Prompt     endpoint.Number `json:"prompt_tokens"`
	Completion endpoint.Number `json:"completion_tokens"`
	Input      endpoint.Number `json:"input_tokens"`
	Output     endpoint.Number `json:"output_tokens"`
	Total      endpoint.Number `json:"total_tokens"`

	// tokens of the prompt that came out of a cache, by the endpoint's dialect
	Details struct {
		Cached endpoint.Number `json:"cached_tokens"`
	} `json:"prompt_tokens_details"` // OpenAI
	CacheHit  endpoint.Number `json:"prompt_cache_hit_tokens"`     // DeepSeek
	CacheRead endpoint.Number `json:"cache_read_input_tokens"`     // Anthropic, which does not count them as tokens of the prompt
	CacheMade endpoint.Number `json:"cache_creation_input_tokens"` // the same
	Cached    endpoint.Number `json:"cached_tokens"`               // Moonshot
}

// rawMessage is a JSON value; null, false, "" and {} read as absent.
type rawMessage []byte

func (m *rawMessage) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null", "false", `""`, "{}":
		*m = nil
	default:
		*m = bytes.Clone(b)
	}
	return nil
}

// arguments are the text of a call's arguments; an object instead of a string
// reads as its JSON.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(a))
	case '{', '[':
		var c bytes.Buffer
		if err := json.Compact(&c, b); err != nil {
			return err
		}
		*a = arguments(c.String())
	}
	return nil
}

// choices and fragments are lists; one object alone counts as a list of one,
// anything else as empty.
type choices []choice

func (l *choices) UnmarshalJSON(b []byte) error { return endpoint.UnmarshalList((*[]choice)(l), b) }

type fragments []fragment

func (l *fragments) UnmarshalJSON(b []byte) error {
	err := endpoint.UnmarshalList((*[]fragment)(l), b)
	if b[0] == '{' && err == nil {
		(*l)[0].alone = true
	}
	return err
}

type rawList []json.RawMessage

func (l *rawList) UnmarshalJSON(b []byte) error {
	return endpoint.UnmarshalList((*[]json.RawMessage)(l), b)
}
