package servertools

import (
	"encoding/json"
	"strings"
	"time"

	"atelier/llm"
)

// Mark is between the names of a server and its tool: SERVER__TOOL.
const Mark = "__"

// IsName reports whether a name has the form of a server's tool. No tool of a catalogue
// has it.
func IsName(name string) bool { return strings.Contains(name, Mark) }

// Tool is a tool of a server.
type Tool struct {
	Name        string          `json:"name"`                  // SERVER__TOOL, as the model calls it
	Server      string          `json:"server"`                // as the person named it
	Own         string          `json:"tool"`                  // as the server names it
	Title       string          `json:"title,omitempty"`       // for people; may be ""
	Description string          `json:"description"`           // for the model
	Schema      json.RawMessage `json:"schema"`                // of the arguments, an object
	ReadOnly    bool            `json:"read_only,omitempty"`   // the server says that it changes nothing
	Destructive bool            `json:"destructive,omitempty"` // the server does not say that it deletes and replaces nothing
	// Hash tells it from another tool of its name: it changes with everything that a
	// model is told of it.
	Hash string `json:"hash"`
	// Timeout is the longest that a call may take; 0 is that of every tool.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// asLLM returns the tool in the form of requests.
func (t Tool) asLLM() llm.Tool {
	schema, rest := offered(t.Schema)
	description := t.Description
	if rest != "" {
		description += "\nThe arguments also have to fit: " + rest
	}
	return llm.Tool{Type: "function", Function: llm.FunctionDef{Name: t.Name, Description: description, Parameters: schema}}
}

// Problem says why the tools of a server are not offered.
type Problem struct {
	Server string `json:"server"`
	State  string `json:"state"`  // such as failed, signin or approval
	Reason string `json:"reason"` // for people; may quote the server
}

// Starting is the state of a server that is not there yet.
const Starting = "starting"

// Result is what a server answered to a call.
type Result struct {
	Text   string   `json:"text"`
	Failed bool     `json:"failed,omitempty"` // the tool says that it failed; Text says why
	Images []Image  `json:"images,omitempty"`
	Notes  []string `json:"notes,omitempty"` // what was left out or cut, in words
}

// Image is an image of a result.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}
