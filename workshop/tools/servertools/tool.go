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
	Name        string          // SERVER__TOOL, as the model calls it
	Server      string          // as the person named it
	Own         string          // as the server names it
	Title       string          // for people; may be ""
	Description string          // for the model
	Schema      json.RawMessage // of the arguments, an object
	ReadOnly    bool            // the server says that it changes nothing
	Destructive bool            // the server does not say that it deletes and replaces nothing
	// Hash tells it from another tool of its name: it changes with everything that a
	// model is told of it.
	Hash string
	// Timeout is the longest that a call may take; 0 is that of every tool.
	Timeout time.Duration
}

// asLLM returns the tool in the form of requests.
func (t Tool) asLLM() llm.Tool {
	return llm.Tool{Type: "function", Function: llm.FunctionDef{Name: t.Name, Description: t.Description, Parameters: t.Schema}}
}

// Problem says why the tools of a server are not offered.
type Problem struct {
	Server string `json:"server"`
	State  string `json:"state"`  // such as failed, signin or approval
	Reason string `json:"reason"` // for people; may quote the server
}

// Result is what a server answered to a call.
type Result struct {
	Text    string
	Failed  bool // the tool says that it failed; Text says why
	Images  []Image
	Notes   []string // what was left out or cut, in words
	Message string   // what the person is to know; "" for nothing
}

// Image is an image of a result.
type Image struct {
	MIME string
	Data []byte
}
