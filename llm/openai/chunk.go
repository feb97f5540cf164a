package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The types of this file decode what endpoints send without ever failing on
// the kind of a value: a field of another kind than expected reads as absent.

// chunk is one event of a stream, or a whole answer.
type chunk struct {
	Choices choices    `json:"choices"`
	Usage   *tokens    `json:"usage"`
	Error   rawMessage `json:"error"`

	// fields of errors that stand alone
	Object  text       `json:"object"`
	Type    text       `json:"type"`
	Message rawMessage `json:"message"`
	Detail  rawMessage `json:"detail"`

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
	Index   number     `json:"index"`
	Delta   *part      `json:"delta"`
	Message *part      `json:"message"`
	Text    text       `json:"text"` // of endpoints that answer like the older completions
	Finish  text       `json:"finish_reason"`
	Error   rawMessage `json:"error"`
}

// counts gives the index of the choice to the call it holds, if that has none
// itself and stands without a list: so Portkey passes on Cohere's calls.
func (ch *choice) counts() {
	if ch.Delta == nil || len(ch.Delta.ToolCalls) != 1 {
		return
	}
	if f := &ch.Delta.ToolCalls[0]; f.alone && !f.Index.set {
		f.Index = ch.Index
	}
}

// part is a delta or a message.
type part struct {
	Content          text      `json:"content"`
	Refusal          text      `json:"refusal"`
	ReasoningContent text      `json:"reasoning_content"`
	Reasoning        text      `json:"reasoning"`
	Details          rawList   `json:"reasoning_details"` // OpenRouter
	ToolCalls        fragments `json:"tool_calls"`
	FunctionCall     *function `json:"function_call"` // before tools there were functions
}

// fragment is a piece of a tool call, or a whole one.
type fragment struct {
	Index    number   `json:"index"`
	ID       text     `json:"id"`
	Function function `json:"function"`
	// Extra is what Gemini wants back with the call: its signature
	Extra rawMessage `json:"extra_content"`
	// some endpoints leave out the function level
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`

	alone bool // it stood without a list around it
}

type function struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
	// Signature is Extra in the form of Portkey
	Signature text `json:"thought_signature"`
}

type tokens struct {
	Prompt     number `json:"prompt_tokens"`
	Completion number `json:"completion_tokens"`
	Input      number `json:"input_tokens"`
	Output     number `json:"output_tokens"`
	Total      number `json:"total_tokens"`

	// tokens of the prompt that came out of a cache, by the endpoint's dialect
	Details struct {
		Cached number `json:"cached_tokens"`
	} `json:"prompt_tokens_details"` // OpenAI
	CacheHit  number `json:"prompt_cache_hit_tokens"`     // DeepSeek
	CacheRead number `json:"cache_read_input_tokens"`     // Anthropic, which does not count them as tokens of the prompt
	CacheMade number `json:"cache_creation_input_tokens"` // the same
	Cached    number `json:"cached_tokens"`               // Moonshot
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

func (l *choices) UnmarshalJSON(b []byte) error { return unmarshalList((*[]choice)(l), b) }

type fragments []fragment

func (l *fragments) UnmarshalJSON(b []byte) error {
	err := unmarshalList((*[]fragment)(l), b)
	if b[0] == '{' && err == nil {
		(*l)[0].alone = true
	}
	return err
}

type rawList []json.RawMessage

func (l *rawList) UnmarshalJSON(b []byte) error {
	return unmarshalList((*[]json.RawMessage)(l), b)
}
