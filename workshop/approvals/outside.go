package approvals

import (
	"slices"
	"strings"

	"atelier/workshop"
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
// reads, or allowed has it.
func (p Policy) outside(readOnly bool, allowed Policy) Policy {
	out := slices.DeleteFunc(slices.Clone(p), func(r Rule) bool { return r.Action == Allow && !strings.Contains(r.Tool, serverMark) })
	if out = append(out, allowed...); !readOnly {
		out = append(out, Rule{Action: Ask})
	}
	return out
}

// mostPatterns bounds those of Outsides.
const mostPatterns = 100

// Outsides returns rules that allow tools of other programs by patterns of their names,
// such as github__get_*. Each must name such tools.
func Outsides(patterns []string) (Policy, error) {
	if len(patterns) > mostPatterns {
		return nil, workshop.Faultf(workshop.Invalid, "there are %d patterns of tools; %d is the most", len(patterns), mostPatterns).OnField("allow_tools")
	}
	var p Policy
	for _, name := range patterns {
		if !strings.Contains(name, serverMark) {
			return nil, workshop.Faultf(workshop.Invalid, "%q names no tool of another program: a pattern is such as github__get_*", name).OnField("allow_tools")
		}
		p = append(p, Rule{Tool: name, Action: Allow})
	}
	if err := p.Check(); err != nil {
		return nil, workshop.AsFault(err).OnField("allow_tools")
	}
	return p, nil
}

// Allow allows tools of other programs for the run, where no rule of the store is about
// them. A nil run allows everything.
func (r *Run) Allow(p Policy) {
	if r != nil {
		r.allowed = p
	}
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
