package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/llm/endpoint"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// calls puts tool calls together from fragments (L-04), whatever of index, id
// and name the endpoint sends.
type calls struct {
	declared map[string]bool // names of the tools of the request
	asked    int             // messages in the request: makes generated ids differ between requests
	all      []*call         // in order of appearance
	size     int             // bytes of ids, names, arguments and extras
	longest  int             // bytes of the longest name
	repeats  int             // fragments that added nothing
}

// call is a tool call under construction.
type call struct {
	index       endpoint.Number
	id, name    string
	args        strings.Builder
	shape       sse.Balance // of args
	placeholder bool        // args are an {} that real arguments may replace
	varies      bool        // every fragment has another id
	extra       rawMessage  // what the endpoint wants back with it
}

// add takes the next fragment.
func (c *calls) add(f fragment) {
	if f.Function.Name == "" {
		f.Function.Name = f.Name
	}
	if f.Function.Arguments == "" {
		f.Function.Arguments = f.Arguments
	}
	f.Function.Name = endpoint.Text(strings.TrimSpace(string(f.Function.Name)))
	if f.Extra == nil && f.Function.Signature != "" {
		f.Extra = rawMessage(asJSON(string(f.Function.Signature)))
	}
	if f.ID == "" && f.Function == (function{}) && f.Extra == nil {
		return // only a type or an index: says nothing
	}
	cl := c.find(f)
	if cl == nil {
		cl = &call{index: f.Index}
		c.all = append(c.all, cl)
	}
	before, known := cl.size(), cl.size() > 0
	cl.merge(f, c.declared)
	if known && cl.size() <= before {
		c.repeats++
	}
	c.size += cl.size() - before
	c.longest = max(c.longest, len(cl.name))
}

func (cl *call) size() int { return len(cl.id) + len(cl.name) + cl.args.Len() + len(cl.extra) }

// find returns the call that f continues, nil when f begins one.
func (c *calls) find(f fragment) *call {
	var cl *call
	for _, o := range slices.Backward(c.all) {
		switch {
		case f.Index.Set && o.index.Set && o.index.N != f.Index.N:
			continue // an id used twice: the index tells them apart
		case f.ID != "" && o.id == string(f.ID):
			return o
		case cl == nil && (o.index.Set == f.Index.Set || o == c.all[len(c.all)-1]):
			cl = o // same index, or no index: the latest
		}
	}
	if cl == nil || c.begins(cl, f) {
		return nil
	}
	return cl
}

// begins reports whether f, which has the index of cl or none, and an id that
// is new or none, is a call of its own.
func (c *calls) begins(cl *call, f fragment) bool {
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	newID := f.ID != "" && cl.id != "" && !cl.varies
	otherName := name != "" && cl.name != "" && name != cl.name
	switch {
	case cl.shape.Done() && !cl.placeholder:
		// cl can take no more arguments. A last fragment may repeat its name or
		// its arguments, or have an id of its own.
		if newID {
			return name != "" || args != "" && !f.Index.Set
		}
		return otherName || name != "" && args != ""
	case otherName:
		// Another tool, unless it is the next piece of the name.
		return newID || c.declared[cl.name] && c.declared[name]
	default:
		// A new id (and the same name) on every chunk goes on, unless cl may be
		// complete: it has an empty object, or none before whole arguments.
		return newID && name != "" && (cl.placeholder || !cl.shape.Started() && closed(args))
	}
}

func closed(args string) bool {
	var b sse.Balance
	b.Feed([]byte(args))
	return b.Done()
}

func (cl *call) merge(f fragment, declared map[string]bool) {
	if cl.id == "" {
		cl.id = string(f.ID)
	}
	cl.varies = cl.varies || f.ID != "" && cl.id != string(f.ID)
	if !cl.index.Set {
		cl.index = f.Index
	}
	if f.Extra != nil {
		cl.extra = f.Extra
	}
	cl.name = mergeName(cl.name, string(f.Function.Name), declared)
	args := string(f.Function.Arguments)
	blank := strings.TrimSpace(args) == ""
	switch {
	case args == "", cl.shape.Done() && (blank || strings.TrimSpace(args) == "{}" || args == cl.args.String()):
		// nothing, or sent once more at the end
	case cl.placeholder:
		cl.args.Reset()
		cl.shape = sse.Balance{}
		cl.append(args)
	default:
		cl.append(args)
	}
}

func (cl *call) append(args string) {
	cl.args.WriteString(args)
	cl.shape.Feed([]byte(args))
	cl.placeholder = cl.args.Len() < 8 && strings.TrimSpace(cl.args.String()) == "{}"
}

// mergeName joins a name with the next piece of it: a repetition, the name so
// far, or its continuation.
func mergeName(old, next string, declared map[string]bool) string {
	switch {
	case next == "" || old == next && !declared[old+next] || declared[old] && !declared[old+next]:
		return old
	case strings.HasPrefix(next, old):
		return next
	default:
		return old + next
	}
}

// take returns the calls in index order, repaired: each has an id of its own
// and JSON arguments when what came can be read as such. cut says that the
// answer ended at the model's length limit: a last call without arguments is
// then incomplete and left out.
func (c *calls) take(cut bool) []llm.ToolCall {
	if n := len(c.all); cut && n > 0 && !c.all[n-1].shape.Started() {
		c.all = c.all[:n-1]
	}
	seen := map[int]bool{}
	ordered := true
	for _, cl := range c.all {
		ordered = ordered && cl.index.Set && !seen[cl.index.N]
		seen[cl.index.N] = true
	}
	if ordered {
		slices.SortStableFunc(c.all, func(a, b *call) int { return a.index.N - b.index.N })
	}
	var out []llm.ToolCall
	ids := map[string]bool{}
	for i, cl := range c.all {
		id := cl.id
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", c.asked, i)
		}
		for n, base := 2, id; ids[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		ids[id] = true
		out = append(out, llm.ToolCall{ID: id, Type: "function", Keep: string(cl.extra), Function: llm.FunctionCall{Name: cl.name, Arguments: repairArguments(cl.args.String())}})
	}
	return out
}

// repairArguments unwraps arguments that were encoded twice and gives absent
// ones as an empty object. Malformed ones stay as the model wrote them.
func repairArguments(args string) string {
	for range 3 {
		switch t := strings.TrimSpace(args); {
		case t == "" || t == "null":
			return "{}"
		case t[0] != '"':
			return args
		}
		var inner string
		if json.Unmarshal([]byte(args), &inner) != nil {
			return args
		}
		if t := strings.TrimSpace(inner); t != "" && t[0] != '{' && t[0] != '"' {
			return args // a plain string
		}
		args = inner
	}
	return args
}
