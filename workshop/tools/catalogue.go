package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/llm"
	"atelier/workshop"
)

// Catalogue is how one kind of client sees the tools: their names, the order
// they are listed in, and the form of results.
type Catalogue struct {
	name  string
	tools []listed
	find  map[string]*Tool // by the catalogue's name
}

type listed struct {
	name string
	tool *Tool
}

// workshopNames maps the workshop catalogue's names to canonical ones (A-19,
// W-30), in the order models see them.
var workshopNames = [][2]string{
	{"list_files", "list"},
	{"get_file_info", "info"},
	{"read_file", "read"},
	{"write_text_file", "write"},
	{"xlsx_operations", "xlsx_operations"},
	{"docx_operations", "docx_operations"},
	{"pptx_operations", "pptx_operations"},
	{"table_describe", "table_describe"},
	{"table_stats", "table_stats"},
	{"table_read_rows", "table_read_rows"},
	{"table_query", "table_query"},
	{"table_export", "table_export"},
	{"table_update_from_export", "table_update_from_export"},
	{"get_segments", "get_segments"},
	{"put_translations", "put_translations"},
	{"recall_tool_result", "recall_tool_result"},
}

// Workshop is the catalogue of agent runs: results are text, failures begin
// with "Error: ".
func Workshop(r *Registry) *Catalogue {
	c := &Catalogue{name: "workshop", find: map[string]*Tool{}}
	for _, n := range workshopNames {
		t, err := r.Lookup(n[1])
		if err != nil {
			continue // a registry may hold fewer tools
		}
		c.tools = append(c.tools, listed{n[0], t})
		c.find[n[0]] = t
	}
	return c
}

// Name is the catalogue's own name.
func (c *Catalogue) Name() string { return c.name }

// Tools lists the tools in OpenAI's function format.
func (c *Catalogue) Tools() []llm.Tool {
	out := make([]llm.Tool, 0, len(c.tools))
	for _, l := range c.tools {
		params, err := json.Marshal(l.tool.Schema)
		if err != nil {
			panic(fmt.Sprintf("tools: the schema of %s: %v", l.name, err))
		}
		out = append(out, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: l.name, Description: l.tool.Description, Parameters: params}})
	}
	return out
}

// Effect is what the tool of that name can do; ok is false when there is none.
func (c *Catalogue) Effect(name string) (e Effect, ok bool) {
	if t := c.find[name]; t != nil {
		return t.Effect, true
	}
	return "", false
}

// Result is the outcome of a call.
type Result struct {
	Text      string          // what the model gets; failures begin with "Error: "
	Success   bool            //
	Fault     *workshop.Fault // set on failure
	Full      string          // the text before it was shortened
	Truncated bool            // Text is not all of Full
	Path      string          // the call's path argument, if it has one
}

// Call runs a tool. It always returns a result: an unknown tool, malformed
// arguments and panics are failures like any other (W-06…W-08).
func (c *Catalogue) Call(ctx context.Context, env *Env, name string, args json.RawMessage) (r Result) {
	r.Path = PathOf(args)
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a tool panicked", "tool", name, "panic", p, "stack", string(debug.Stack()))
			c.fail(&r, workshop.Faultf(workshop.Internal, "internal error in %s", name))
		}
	}()
	t := c.find[name]
	if t == nil {
		c.fail(&r, workshop.Faultf(workshop.NotFound, "unknown tool: %s", name))
		return r
	}
	data, err := t.call(ctx, env, args)
	if err != nil {
		c.fail(&r, toFault(ctx, err))
		return r
	}
	text, ok := data.(string)
	if !ok {
		b, err := compact(data)
		if err != nil {
			c.fail(&r, workshop.AsFault(err))
			return r
		}
		text = string(b)
	}
	r.Success, r.Full = true, text
	r.Text, r.Truncated = shorten(ctx, env, name, string(args), text)
	return r
}

func (c *Catalogue) fail(r *Result, f *workshop.Fault) {
	r.Success, r.Fault = false, f
	r.Full = "Error: " + f.Message
	if f.Hint != "" {
		r.Full += " (" + f.Hint + ")"
	}
	r.Text = r.Full
	if len(r.Text) > 4<<10 { // an error never fills a model's context
		r.Text, r.Truncated = cutRunes(r.Text, 4<<10)+"…", true
	}
}

// PathOf is the path argument of a call, "" when it has none (I-20).
func PathOf(args json.RawMessage) string {
	var a struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	return a.Path
}

// toFault maps the errors of formats to faults.
func toFault(ctx context.Context, err error) *workshop.Fault {
	var fe *formats.Error
	var fault *workshop.Fault
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &fe):
		switch fe.Code {
		case formats.CodeInvalid:
			return &workshop.Fault{Code: workshop.Invalid, Message: fe.Error(), Err: err}
		case formats.CodeNotFound:
			return &workshop.Fault{Code: workshop.NotFound, Message: fe.Error(), Err: err}
		}
		return &workshop.Fault{Code: workshop.Invalid, Message: "FILE_READ_FAILED: " + fe.Error(), Err: err}
	case ctx.Err() != nil:
		return &workshop.Fault{Code: workshop.Internal, Message: "the call was stopped before it was done", Retryable: true, Err: err}
	}
	return workshop.AsFault(err)
}

// compact encodes a result without escaping what HTML would need escaped.
func compact(v any) ([]byte, error) {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(sb.String(), "\n")), nil
}

// shorten cuts a result to the limit at a line, keeps the whole in the log and
// ends the text with how to get the rest (W-18).
func shorten(ctx context.Context, env *Env, tool, args, text string) (string, bool) {
	limit := env.resultMax()
	if len(text) <= limit {
		return text, false
	}
	const note = 200 // room for the last line
	head := cutRunes(text, max(limit-note, limit/2))
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	rest := "read a smaller part"
	if env.LogResult != nil {
		if id, err := env.LogResult(ctx, tool, args, text, true); err == nil {
			rest = fmt.Sprintf(`call recall_tool_result {"entry_id":%d,"offset":%d} or read a smaller part`, id, utf8.RuneCountInString(head))
		}
	}
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + fmt.Sprintf("... (%d of %d bytes left out; for the rest %s)", len(text)-len(head), len(text), rest), true
}

// cutRunes is the longest prefix of s that has at most n bytes and cuts no rune.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
