package approvals

import (
	"slices"
	"strings"
)

// Outside describes a call of a tool of another program, whose effects are not in the
// draft, for the person who is asked.
type Outside struct {
	Server      string `json:"server"`                // as the person named it
	Tool        string `json:"tool"`                  // as the server names it
	Title       string `json:"title,omitempty"`       // of the tool, for people
	Description string `json:"description,omitempty"` // of the tool, shortened
	Arguments   string `json:"arguments"`             // of the call, JSON; shortened where it is long
	Cut         bool   `json:"cut,omitempty"`         // arguments were shortened
	Destructive bool   `json:"destructive,omitempty"` // the server says that the tool may delete or replace something
	ReadOnly    bool   `json:"read_only,omitempty"`   // the server says that the tool changes nothing
	// Changed: the tool was allowed for good, and is another one now.
	Changed bool `json:"changed,omitempty"`
	// Hash is that of what the server says the tool is: its description, arguments
	// and annotations.
	Hash string `json:"-"`
}

// serverMark is between the names of a server and its tool.
const serverMark = "__"

func (o *Outside) hash() string {
	if o == nil {
		return ""
	}
	return o.Hash
}

// outside returns the rules that count for a tool of another program: of those that
// allow, only ones whose pattern names such tools, since the others were made for
// changes in a draft; and behind them that the person is asked, unless the tool only
// reads.
func (p Policy) outside(readOnly bool) Policy {
	out := slices.DeleteFunc(slices.Clone(p), func(r Rule) bool { return r.Action == Allow && !strings.Contains(r.Tool, serverMark) })
	if !readOnly {
		out = append(out, Rule{Action: Ask})
	}
	return out
}

// asOutside returns what the person is told of the call; nil for a tool of the
// catalogue. g.mu is held.
func (g *Gate) asOutside() *Outside {
	if g.call.Outside == nil {
		return nil
	}
	o := *g.call.Outside
	o.Changed = slices.ContainsFunc(g.granted, func(gr Grant) bool { return gr.Tool == g.call.Tool && gr.Of != "" && gr.Of != o.Hash })
	return &o
}
