// Package brief offers the tools of a catalogue to models with little room for
// their descriptions: every tool, each in a few words, and one more that gives
// the rest when it is asked.
//
//	c := brief.For(catalogue.Workshop(), func(tool string) bool { return tool == "xlsx_operations" })
//	c.Tools() // about a third of the tokens: operations on workbooks as usage lines
//	c = brief.Of(catalogue.Workshop())
//	c.Tools() // about a fifth: everyday operations, the others by name
//
// Calls are those of the whole catalogue: what a short description leaves out is
// still taken.
package brief

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// DescribeTool is the tool that says what short descriptions leave out.
const DescribeTool = "describe_tool"

// Whole is a catalogue; *tools.Catalogue is one.
type Whole interface {
	Tools() []llm.Tool
	Effect(name string) (effect tools.Effect, ok bool)
	Call(ctx context.Context, env *tools.Env, name string, args json.RawMessage) tools.Result
}

// Catalogue is a whole one in short.
type Catalogue struct {
	Whole
	whole map[string]llm.Tool
	short []llm.Tool
}

// Of returns c in short.
func Of(c Whole) *Catalogue {
	return kept(c, "short", func() *Catalogue {
		return with(c, func(t llm.Tool) llm.Tool { return shorten(t, true) })
	})
}

// For returns c in short, but for the tools with operations that used names: these list
// all their operations with the members. Of the operations of other tools only common
// ones are named.
func For(c Whole, used func(tool string) bool) *Catalogue {
	key := "for"
	for _, t := range c.Tools() {
		if used(t.Function.Name) {
			key += " " + t.Function.Name
		}
	}
	return kept(c, key, func() *Catalogue {
		return with(c, func(t llm.Tool) llm.Tool {
			if used(t.Function.Name) {
				return outline(t)
			}
			return shorten(t, false)
		})
	})
}

// kept returns what make returned for a catalogue and a key before: each message of a
// person needs it, and it takes longer than the rest of a request.
func kept(c Whole, key string, make func() *Catalogue) *Catalogue {
	whole, ok := c.(*tools.Catalogue)
	if !ok {
		return make()
	}
	return whole.Kept("brief: "+key, func() any { return make() }).(*Catalogue)
}

// with returns c with its tools described by describe.
func with(c Whole, describe func(llm.Tool) llm.Tool) *Catalogue {
	s := &Catalogue{Whole: c, whole: map[string]llm.Tool{}}
	for _, t := range c.Tools() {
		s.whole[t.Function.Name] = t
		s.short = append(s.short, describe(t))
	}
	s.short = append(s.short, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: DescribeTool,
		Description: "All that a tool takes, or some of its operations. Ask before you use what its short description does not explain.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"tool":{"type":"string"},"ops":{"type":"array","items":{"type":"string"}}},"required":["tool"]}`)}})
	return s
}

// Tools lists the tools in short.
func (s *Catalogue) Tools() []llm.Tool { return slices.Clone(s.short) }

// Resolve returns the name a tool has in the whole catalogue.
func (s *Catalogue) Resolve(name string) string {
	if c, ok := s.Whole.(interface{ Resolve(string) string }); ok && name != DescribeTool {
		return c.Resolve(name)
	}
	return name
}

// Canonical returns the name a tool goes by everywhere, for rules about it.
func (s *Catalogue) Canonical(name string) string {
	if c, ok := s.Whole.(interface{ Canonical(string) string }); ok && name != DescribeTool {
		return c.Canonical(name)
	}
	return name
}

// Effect returns what the tool of that name can do.
func (s *Catalogue) Effect(name string) (tools.Effect, bool) {
	if name == DescribeTool {
		return tools.Read, true
	}
	return s.Whole.Effect(name)
}

// Call carries out a call of any tool of the whole catalogue, and DescribeTool.
func (s *Catalogue) Call(ctx context.Context, env *tools.Env, name string, args json.RawMessage) tools.Result {
	if name != DescribeTool {
		return s.Whole.Call(ctx, env, name, args)
	}
	var a struct {
		Tool string `json:"tool"`
		Ops  list   `json:"ops"`
	}
	var f *workshop.Fault
	if err := json.Unmarshal(args, &a); err != nil {
		f = workshop.Faultf(workshop.Invalid, "invalid arguments: %s", err)
	}
	t, ok := s.whole[s.Resolve(strings.TrimSpace(a.Tool))]
	if f == nil && !ok {
		f = workshop.Unknownf("unknown tool: %s", textclip.Bytes(a.Tool, 100)).OnField("tool")
	}
	text := ""
	if f == nil {
		text, f = describe(t, a.Ops)
	}
	if f != nil {
		text = "Error: " + f.Message
		return tools.Result{Text: text, Full: text, Fault: f, Data: text}
	}
	r := tools.Result{Text: text, Full: text, Success: true, Data: text}
	if max := env.Max(); len(text) > max {
		const note = "\n... (cut: ask for some of the ops)"
		r.Text, r.Truncated = textclip.Bytes(text, max-len(note))+note, true
	}
	return r
}

// list is a list of words; one word counts as a list of one.
type list []string

func (l *list) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = strings.FieldsFunc(one, func(c rune) bool { return c == ',' || c == ' ' })
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}
