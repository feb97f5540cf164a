package toolservers

import (
	"context"
	"encoding/json"
	"time"
)

// Scope is where a call comes from. The zero value has the servers of the data folder.
type Scope struct {
	Workbench string // id, for the egress log
	Folder    string // absolute path; its .atelier/mcp.json counts, and servers with roots see it
	// Restricted leaves out .atelier/mcp.json, for servers whose users must not start
	// processes.
	Restricted bool
}

// Where the entry of a server comes from.
const (
	FromUser   = "user"   // mcp.json of the data folder
	FromFolder = "folder" // .atelier/mcp.json of the folder
)

// State says how a server is.
type State string

// The states of a server.
const (
	Off           State = "off"            // disabled in the entry
	Invalid       State = "invalid"        // the entry cannot be used, Why says why
	Hidden        State = "hidden"         // the data folder has a server of that name
	NeedsApproval State = "needs_approval" // an entry of the folder that nobody approved
	Changed       State = "changed"        // an entry of the folder that was changed after it was approved
	Declined      State = "declined"       // an entry of the folder that a person declined
	Idle          State = "idle"           // ready to be started, or started again
	Starting      State = "starting"
	Ready         State = "ready"
	NeedsSignIn   State = "needs_sign_in"
	Failed        State = "failed" // did not start or ended; Why says why, and RetryAt when it is tried again
)

// Server is one server as it is now. Values of env, of headers and of oauth are left out,
// and addresses have no user, query or fragment; only Entry has what a file of a folder
// says.
type Server struct {
	Name     string        `json:"name"`
	Source   string        `json:"source"` // FromUser or FromFolder
	State    State         `json:"state"`
	Why      string        `json:"why,omitempty"`      // for a person, where State needs a reason
	RetryAt  time.Time     `json:"retry_at,omitzero"`  // of Failed
	Hash     string        `json:"hash"`               // of the entry, for Pool.Decide
	Kind     string        `json:"kind"`               // "stdio" or "http"
	Command  []string      `json:"command,omitempty"`  // of a stdio server, with its arguments, before variables are filled in
	Cwd      string        `json:"cwd,omitempty"`      // of a stdio server
	URL      string        `json:"url,omitempty"`      // of an http server
	Env      []string      `json:"env,omitempty"`      // names only
	Headers  []string      `json:"headers,omitempty"`  // names only
	Roots    bool          `json:"roots"`              // it may know the folder
	Timeout  time.Duration `json:"-"`                  // of a call
	SignedIn bool          `json:"signed_in"`          // tokens of it are kept
	Title    string        `json:"title,omitempty"`    // as it calls itself, once connected
	Version  string        `json:"version,omitempty"`  // as it calls itself, once connected
	Protocol string        `json:"protocol,omitempty"` // revision, once connected
	Restarts int           `json:"restarts"`           // since this process began
	// Entry is the entry of a folder as its file has it, before variables are filled in:
	// a person who approves it has to see all of it. nil for servers of the data folder.
	Entry json.RawMessage `json:"entry,omitempty"`
	Notes []string        `json:"notes,omitempty"` // for a person: members that are not known, values that were corrected
}

// Listing is what the configuration has.
type Listing struct {
	Servers  []Server  `json:"servers"`  // by name, those of the data folder first
	Problems []Problem `json:"problems"` // files that cannot be read, with where and what to do
}

// Problem is a part of the configuration that does not count.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 0 where it concerns the whole file
	What string `json:"what"`
}

// Tool is one tool of a server. Its texts are bounded and have no hidden characters.
type Tool struct {
	Name        string          `json:"name"`            // for the model: SERVER__TOOL, 1 to 64 of [a-zA-Z0-9_-]
	Server      string          `json:"server"`          // as configured
	Tool        string          `json:"tool"`            // as the server calls it
	Title       string          `json:"title,omitempty"` // for a person
	Description string          `json:"description"`     // at most MaxDescription bytes
	Schema      json.RawMessage `json:"input_schema"`    // of the arguments: a JSON object with "type":"object", at most MaxSchema bytes
	// ReadOnly, Destructive, Idempotent and OpenWorld are what the server says of it,
	// with the defaults of the protocol: false, true, false, true.
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
	// Hash is of name, description, schema and annotations as the server sent them.
	Hash string `json:"hash"`
	// Approval is "" when nobody approved the tool with Pool.ApproveTool, "same" when it
	// is as it was approved, else "changed".
	Approval string        `json:"approval,omitempty"`
	Timeout  time.Duration `json:"-"`               // of a call, as the server's entry has it
	Notes    []string      `json:"notes,omitempty"` // what was cut, renamed or left out
}

// What Tool.Approval can be beside "".
const (
	ApprovedSame    = "same"
	ApprovedChanged = "changed"
)

// Toolset is the tools of all servers of a scope that could be reached.
type Toolset struct {
	Tools  []Tool    // by Name
	Failed []Failure // servers without tools, and why; in order of names
	Notes  []string  // for a person: tools that were left out, servers that started again
	// Version changes whenever Tools does.
	Version string
}

// Failure is a server whose tools are not there.
type Failure struct {
	Server string
	State  State
	Why    string // for a person, with what to do
	Err    error  // an *Error, or that of the context for Starting
}

// Call is one call of a tool.
type Call struct {
	Server    string          // as configured
	Tool      string          // as the server calls it
	Arguments json.RawMessage // a JSON object; nil is {}
	Timeout   time.Duration   // 0: that of the entry. Time in which Ask waits does not count
	// Hash, if it is not "", is that of the Tool that was offered: a tool that has
	// changed meanwhile is not called, the error is of ToolChanged.
	Hash string
	// Progress is told what the server says of its progress, not more often than every
	// 100 ms; nil tells nobody. It must not block.
	Progress func(Progress)
	// Ask asks the person what the server asks (elicitation); nil declines.
	Ask func(context.Context, Question) (Answer, error)
}

// Progress is what a server says of a call under way.
type Progress struct {
	Done, Total float64 // Total is 0 where it is not known
	Message     string  // bounded, without hidden characters
}

// Question is what a server asks the person during a call (elicitation).
type Question struct {
	Server  string
	Message string
	Schema  json.RawMessage // of the answer's content: a flat object; nil for an address
	URL     string          // to be opened by the person, "" for a form
}

// Answer is the person's answer.
type Answer struct {
	Action  string         // accept, decline or cancel
	Content map[string]any // for accept of a form
}

// Result is what a tool answered.
type Result struct {
	Text       string          // all text, in order; what is an image or a link is named in it
	Structured json.RawMessage // structured content: a JSON value; nil where there is none
	Images     []Image
	Links      []Link
	IsError    bool     // the tool says that it failed; Text says why
	Cut        []string // what was left out, each a sentence; nil when nothing was
	BytesOut   int      // of the arguments
	BytesIn    int      // of the answer
	Elapsed    time.Duration
}

// Image is one image of a result.
type Image struct {
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte
}

// Link is a resource that a result names without its content.
type Link struct {
	URI, Name, Title, Description, MIME string
	Size                                int64 // 0 where it is not known
}

// Bounds of what is taken from a server.
const (
	MaxServers     = 64        // of a configuration file
	MaxTools       = 1000      // of one server
	MaxListing     = 16 << 20  // bytes of the list of tools of one server
	MaxDescription = 4 << 10   // bytes of a description
	MaxSchema      = 32 << 10  // bytes of a schema
	MaxSchemaDepth = 24        // nested objects and arrays of a schema
	MaxText        = 1 << 20   // bytes of the text of a result
	MaxStructured  = 1 << 20   // bytes of structured content
	MaxImages      = 16        // of a result
	MaxImageBytes  = 8 << 20   // of all images of a result
	MaxLinks       = 100       // of a result
	MaxMessage     = 32 << 20  // bytes of one message of a server
	MaxArguments   = 1 << 20   // bytes of the arguments of a call
	MaxConfig      = 256 << 10 // bytes of mcp.json
)
