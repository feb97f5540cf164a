package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools/virtual"
)

// Catalogue is how one kind of client sees the tools: under which names, with
// which arguments and paths, and how results and failures are worded.
type Catalogue struct {
	style    Style
	bindings []Binding
	find     map[string]Binding // by the catalogue's name
	tools    func() []llm.Tool  // made when first asked for
	kept     sync.Map           // of Kept
}

// Style is what the bindings of a catalogue have in common.
type Style struct {
	Name string
	// Missing words that a required argument is absent; nil: "x is required".
	Missing func(field string) string
	// Failure gives the value that stands for a failure of a tool in the place
	// of a result; nil: failures are text that begins with "Error: ".
	Failure func(*Env, string, *workshop.Fault) any
	// Virtual shows the virtual files of Env beside those of its view (B-08).
	Virtual bool
	// Aliases are other names that a client may call tools by (C-01).
	Aliases map[string]string
}

// NewCatalogue makes a catalogue; a name that is bound twice is an error.
func NewCatalogue(style Style, bindings ...Binding) (*Catalogue, error) {
	c := &Catalogue{style: style, bindings: bindings, find: map[string]Binding{}}
	for _, b := range bindings {
		if _, ok := c.find[b.Name]; ok {
			return nil, fmt.Errorf("the catalogue %s has the tool %s twice", style.Name, b.Name)
		}
		c.find[b.Name] = b
	}
	for alias, name := range style.Aliases {
		if b, ok := c.find[name]; ok {
			c.find[alias] = b
		}
	}
	c.tools = sync.OnceValue(c.describe)
	return c, nil
}

// Reading returns the catalogue without the tools that change files.
func (c *Catalogue) Reading() *Catalogue {
	out := &Catalogue{style: c.style, find: map[string]Binding{}}
	for _, b := range c.bindings {
		if b.Tool.Effect != Write {
			out.bindings = append(out.bindings, b)
		}
	}
	for name, b := range c.find {
		if b.Tool.Effect != Write {
			out.find[name] = b
		}
	}
	out.tools = sync.OnceValue(out.describe)
	return out
}

// Name returns the catalogue's own name.
func (c *Catalogue) Name() string { return c.style.Name }

// Bindings lists the tools in the order models see them.
func (c *Catalogue) Bindings() []Binding { return c.bindings }

// Tools lists the tools in OpenAI's function format. The schemas are made once and
// shared: they are not to be changed.
func (c *Catalogue) Tools() []llm.Tool { return slices.Clone(c.tools()) }

// describe makes the list of Tools, which takes about 10 ms.
func (c *Catalogue) describe() []llm.Tool {
	out := make([]llm.Tool, 0, len(c.bindings))
	for _, b := range c.bindings {
		params, err := json.Marshal(b.Schema)
		if err != nil {
			panic(fmt.Sprintf("tools: the schema of %s: %v", b.Name, err))
		}
		out = append(out, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: b.Name, Description: b.Description, Parameters: params}})
	}
	return out
}

// Kept returns what was made of the tools for a key before, or makes it; it is kept as
// long as the catalogue. The caller has few keys. Make may run more than once at the
// same time; one of its values is kept.
func (c *Catalogue) Kept(key string, make func() any) any {
	if v, ok := c.kept.Load(key); ok {
		return v
	}
	v, _ := c.kept.LoadOrStore(key, make())
	return v
}

// Resolve returns the name that a tool has in the catalogue, also when it is called
// by another one (C-01); name itself when there is no such tool.
func (c *Catalogue) Resolve(name string) string {
	if b, ok := c.find[name]; ok {
		return b.Name
	}
	return name
}

// Canonical returns the name that a tool of the catalogue goes by everywhere; name
// itself when there is no such tool.
func (c *Catalogue) Canonical(name string) string {
	if b, ok := c.find[name]; ok {
		return b.Tool.Name
	}
	return name
}

// Effect returns what the tool of that name can do; ok is false when there is none.
func (c *Catalogue) Effect(name string) (e Effect, ok bool) {
	if b, ok := c.find[name]; ok {
		return b.Tool.Effect, true
	}
	return "", false
}

// Result is the outcome of a call.
type Result struct {
	Text      string          // what a model gets
	Data      any             // the same as a value, for clients that take JSON; on failure what Style.Failure gives
	Success   bool            //
	Fault     *workshop.Fault // set on failure
	Full      string          // the text before it was shortened
	Truncated bool            // Text is not all of Full
	Path      string          // the call's path argument, if it has one
	// Unchanged: the call of a tool that can change files has changed none.
	Unchanged bool
	// Images belong to the result; a model that sees gets them with Text.
	Images []llm.Image
}

// Imager is a result with images.
type Imager interface{ ToolImages() []llm.Image }

// Call runs a tool. It always returns a result: an unknown tool, malformed
// arguments and panics are failures like any other (W-06…W-08).
func (c *Catalogue) Call(ctx context.Context, env *Env, name string, args json.RawMessage) (r Result) {
	r.Path = PathOf(args)
	ctx, span := c.traced(ctx, name)
	defer func() {
		if !r.Success {
			span.Fail(codeOf(r))
		}
		span.End()
	}()
	defer func() {
		if p := recover(); p != nil {
			session, conversation := env.Session.IDs()
			slog.Error("a tool panicked", "tool", name, "session", session, "conversation", conversation, "panic", p, "stack", string(debug.Stack()))
			c.fail(env, name, &r, workshop.Faultf(workshop.Internal, "internal error in %s", name))
		}
	}()
	b, ok := c.find[name]
	if !ok {
		c.fail(env, name, &r, workshop.Unknownf("unknown tool: %s", name))
		return r
	}
	if err := b.guard(env); err != nil {
		c.fail(env, name, &r, c.worded(workshop.AsFault(err)))
		return r
	}
	env, err := c.seen(env)
	if err != nil {
		c.fail(env, name, &r, workshop.AsFault(err))
		return r
	}
	own := *env.guarded()
	own.unchanged = &r.Unchanged
	env = &own
	data, err := b.gated(ctx, env, args)
	if err != nil {
		c.fail(env, name, &r, c.worded(FaultOf(ctx, err)))
		return r
	}
	if im, ok := data.(Imager); ok {
		r.Images = im.ToolImages()
	}
	text, err := textOf(data)
	ignored := b.ignored(args)
	plain, isText := data.(string)
	if err == nil {
		data, text, err = naming(ignored, b.Tool.Effect, data, text)
	}
	if err != nil {
		c.fail(env, name, &r, workshop.AsFault(err))
		return r
	}
	r.Success, r.Data, r.Full = true, data, text
	if _, ok := c.find[recallName]; !ok && env.LogResult != nil {
		own.LogResult = nil // the model cannot page through the log
	}
	if isText && len(ignored) > 0 && b.Tool.Effect == Read {
		text = plain // its parts are those of the file's text
	}
	r.Text, r.Truncated = shorten(ctx, env, name, string(args), data, text, ignored)
	return r
}

// seen returns what the catalogue's tools work on.
func (c *Catalogue) seen(env *Env) (*Env, error) {
	if !c.style.Virtual || env.Virtual == nil {
		return env, nil
	}
	fs, err := env.Virtual()
	more := *env
	more.View = virtual.Over(env.View, fs...)
	if g, ok := env.Gate.(interface {
		View(workshop.View) workshop.View
	}); ok && len(fs) > 0 { // rules are about virtual files too
		more.View = g.View(more.View)
	}
	return &more, err
}

// guarded returns env with a view that does not open what is kept from a model: the
// one place that all tools of all catalogues go through. It is the outermost, so
// that nobody is asked about what is refused anyway.
func (e *Env) guarded() *Env {
	if e.Guard == nil {
		return e
	}
	out := *e
	out.View = e.Guard.View(e.View)
	if e.Published != nil {
		out.Published = e.Guard.View(e.Published)
	}
	return &out
}

// Texter is a result whose text for a model is not its JSON.
type Texter interface{ ToolText() string }

func textOf(data any) (string, error) {
	switch d := data.(type) {
	case string:
		return d, nil
	case Texter:
		return d.ToolText(), nil
	}
	b, err := Compact(data)
	return string(b), err
}

// worded gives a fault the catalogue's own words.
func (c *Catalogue) worded(f *workshop.Fault) *workshop.Fault {
	if m, ok := f.Err.(missing); ok && c.style.Missing != nil {
		other := *f
		other.Message = c.style.Missing(string(m))
		return &other
	}
	if p, ok := f.Err.(planRefusal); ok && c.find[exitName].Tool == nil {
		other := *f
		other.Message = p.byHand()
		return &other
	}
	return f
}

func (c *Catalogue) fail(env *Env, name string, r *Result, f *workshop.Fault) {
	r.Success, r.Fault = false, f
	if c.style.Failure != nil {
		r.Data = c.style.Failure(env, c.Resolve(name), f)
		if b, err := Compact(r.Data); err == nil {
			r.Text, r.Full = string(b), string(b)
			return
		}
	}
	r.Full = "Error: " + f.Message
	if f.Hint != "" {
		r.Full += " (" + f.Hint + ")"
	}
	r.Text = r.Full
	if len(r.Text) > 4<<10 { // an error never fills a model's context
		r.Text, r.Truncated = textclip.Bytes(r.Text, 4<<10)+"…", true
	}
}

// HasPayloads reports whether failures are results in a form of the catalogue's
// own (Style.Failure).
func (c *Catalogue) HasPayloads() bool { return c.style.Failure != nil }

// FaultOf returns an error of a tool as a fault; errors of formats keep their sense.
func FaultOf(ctx context.Context, err error) *workshop.Fault {
	var fe *formats.Error
	var fault *workshop.Fault
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, new(*budget.WaitError)), formats.Passing(err):
		return &workshop.Fault{Code: workshop.Internal, Message: err.Error(), Retryable: true, Err: err}
	case errors.As(err, &fe):
		switch fe.Code {
		case formats.CodeInvalid:
			return &workshop.Fault{Code: workshop.Invalid, Message: fe.Error(), Err: err}
		case formats.CodeNotFound:
			return &workshop.Fault{Code: workshop.NotFound, Message: fe.Error(), Err: err}
		}
		return &workshop.Fault{Code: workshop.Invalid, Message: "FILE_READ_FAILED: " + fe.Error(), Err: err}
	case ctx.Err() != nil:
		message := "the call was canceled before it was done"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			message = "the call reached the time limit of a tool call (--tool-timeout) before it was done; ask for less at once, or raise the limit"
		}
		return &workshop.Fault{Code: workshop.Internal, Message: message, Retryable: true, Err: err}
	}
	return workshop.AsFault(err)
}

// Compact encodes a result without escaping what HTML would need escaped.
func Compact(v any) ([]byte, error) {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(sb.String(), "\n")), nil
}

// Shortener is a result that can be given in part and say so in its own
// members. A part is no longer than limit as JSON where that is possible.
type Shortener interface{ Shorten(limit int) any }

// shorten makes a result fit: by itself where it can, else to its head, with
// the whole in the log and with how to get the rest (W-18, W-42). What it makes
// names the arguments that were ignored.
func shorten(ctx context.Context, env *Env, tool, args string, data any, text string, ignored []string) (string, bool) {
	limit := env.Max()
	if whole, ok := data.(string); ok && len(whole) <= limit {
		return whole, false
	} else if !ok && len(text) <= limit {
		return text, false
	}
	if s, ok := data.(Shortener); ok {
		if short, err := textOf(s.Shorten(limit)); err == nil && len(short) <= limit {
			return short, true
		}
	}
	part := firstPart(ctx, env, tool, args, text, ignored...)
	part.Ignored = ignored
	b, err := Compact(part)
	if err != nil {
		return textclip.Bytes(text, limit), true
	}
	return string(b), true
}

// firstPart returns the part of a text that there is room for beside said, with the
// whole in the log and with how to get the rest.
func firstPart(ctx context.Context, env *Env, tool, args, text string, said ...string) Part {
	entry := int64(0)
	if env.LogResult != nil {
		if id, err := env.LogResult(ctx, tool, args, text, true); err == nil {
			entry = id
		}
	}
	const next = `recall_tool_result {"entry_id":%d,"offset":%d}, or read a smaller part`
	return pageOf(env.Room(append([]string{next}, said...)...), text, 0, utf8.RuneCountInString(text), func(offset int) string {
		if entry == 0 {
			return "read a smaller part"
		}
		return fmt.Sprintf(next, entry, offset)
	})
}
