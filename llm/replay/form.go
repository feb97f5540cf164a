package replay

import (
	"encoding/json"
	"strings"

	"atelier/llm"
)

// form is the wire form of an API. Scripts are written as chat completions; a form
// turns their chunks into its own events, and its requests into messages and tools.
type form interface {
	// events returns what stands for a chunk in the stream, framed.
	events(data []byte) []string
	// end returns what ends the stream, framed.
	end() []string
	// read reads a request.
	read(body []byte, r *Request) error
}

// formOf returns the form that requests to a path have; nil for an unknown path.
func formOf(path string) form {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chatForm{}
	case strings.HasSuffix(path, "/messages"):
		return &messagesForm{}
	case strings.HasSuffix(path, "/responses"):
		return &responsesForm{}
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return &geminiForm{path: path}
	}
	return nil
}

// chatForm is that of chat completions.
type chatForm struct{}

func (chatForm) events(data []byte) []string { return []string{"data: " + string(data) + "\n\n"} }

func (chatForm) end() []string { return []string{"data: [DONE]\n\n"} }

func (chatForm) read(body []byte, r *Request) error { return json.Unmarshal(body, r) }

// named frames an event that has a name.
func named(name string, v any) string {
	data, ok := v.([]byte)
	if !ok {
		data = encode(v)
	}
	return "event: " + name + "\ndata: " + string(data) + "\n\n"
}

// scripted is a chunk of a script as other forms need it.
type scripted struct {
	Type    string          `json:"type"` // of an event that is in another form already
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Delta  delta   `json:"delta"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"written_tokens"` // of our scripts; no API of OpenAI's says it
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// object is a JSON object.
type object = map[string]any

// message adds up the parts of a message of a request.
type message struct {
	texts  []string
	images []llm.Image
}

func (m *message) empty() bool { return len(m.texts) == 0 && len(m.images) == 0 }

// as returns the message.
func (m *message) as(role, call string) llm.Message {
	return llm.Message{Role: role, Content: strings.Join(m.texts, "\n"), ToolCallID: call, Images: m.images}
}
