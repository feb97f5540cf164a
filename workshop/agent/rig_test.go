package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// rig is a real workbench with the real tools; only the model is scripted.
type rig struct {
	t      testing.TB
	home   *workshop.Home
	dir    string // the data folder
	root   string // the user's folder
	wb     *workshop.Workbench
	cfg    Config
	events *recorder
}

// recorder keeps events, and may act on them.
type recorder struct {
	mu   sync.Mutex
	list []Event
	on   func(Event)
}

func (r *recorder) Emit(e Event) {
	r.mu.Lock()
	r.list = append(r.list, e)
	on := r.on
	r.mu.Unlock()
	if on != nil {
		on(e)
	}
}

// methods are the names of the events so far, runs of deltas as one.
func (r *recorder) methods() []string {
	var out []string
	for _, e := range r.list {
		m := strings.TrimPrefix(e.Method, "Workshop")
		if m == "Usage" {
			continue // after every request
		}
		if m == "AssistantStreamDelta" && len(out) > 0 && out[len(out)-1] == m {
			continue
		}
		out = append(out, m)
	}
	return out
}

// params are the params of the events of a method.
func params[T any](r *recorder) []T {
	var out []T
	for _, e := range r.list {
		if p, ok := e.Params.(T); ok {
			out = append(out, p)
		}
	}
	return out
}

func newRig(t testing.TB, files map[string]string) *rig {
	r := &rig{t: t, dir: t.TempDir(), root: t.TempDir(), events: &recorder{}}
	for name, content := range files {
		p := filepath.Join(r.root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	r.open()
	t.Cleanup(func() { r.home.Close() })
	return r
}

// shortened is a catalogue whose descriptions take as much room as they took when the
// figures of these tests were chosen, however many operations there are.
type shortened struct{ *tools.Catalogue }

const shortenedTokens = 17_500

func (c shortened) Tools() []llm.Tool { return shortenedTools() }

var shortenedTools = sync.OnceValue(func() []llm.Tool {
	list := slices.Clone(catalogue.Workshop().Tools())
	for i := range list {
		if name := list[i].Function.Name; name == "pptx_operations" || name == "docx_operations" {
			list[i].Function.Parameters = json.RawMessage(`{"type":"object"}`)
		}
	}
	last := &list[len(list)-1].Function
	for tokens.OfTools(list) < shortenedTokens {
		last.Description += strings.Repeat(" word", 100)
	}
	return list
})

func (r *rig) open() {
	var err error
	r.home, err = workshop.OpenHome(r.dir, workshop.Options{})
	require.NoError(r.t, err)
	r.wb, err = r.home.OpenFolder(context.Background(), r.root)
	require.NoError(r.t, err)
	r.cfg = Config{Workbench: r.wb, Catalogue: shortened{catalogue.Workshop()}, Tools: ToolsFull, Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}),
		Model: "scripted", Provider: "test", Events: r.events, Log: r.cfg.Log, Limits: r.cfg.Limits,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 }}
}

// reopen is a restart of the program.
func (r *rig) reopen() {
	require.NoError(r.t, r.home.Close())
	r.open()
}

// say stores a message of the user and returns its id.
func (r *rig) say(text string) string {
	c := r.wb.Conversation()
	id := c.NewMessageID("u-")
	require.NoError(r.t, c.Append(workshop.Record{Type: workshop.TypeUser, MessageID: id, Role: "user", Text: text, CreatedAt: time.Now().UTC()}))
	return id
}

func (r *rig) run(client llm.Client, text string) (Result, error) {
	return r.runCtx(context.Background(), client, text)
}

func (r *rig) runCtx(ctx context.Context, client llm.Client, text string) (Result, error) {
	r.cfg.Client = client
	return Run(ctx, r.cfg, r.say(text))
}

func (r *rig) records() []workshop.Record {
	rs, err := r.wb.Conversation().Records()
	require.NoError(r.t, err)
	return rs
}

// results are the contents of the tool results of the conversation.
func (r *rig) results() []string {
	var out []string
	for _, rec := range r.records() {
		if rec.Type == workshop.TypeToolResult {
			out = append(out, rec.Content)
		}
	}
	return out
}

func (r *rig) published(name string) string {
	b, err := os.ReadFile(filepath.Join(r.root, name))
	require.NoError(r.t, err)
	return string(b)
}

// script is a model that gives prepared replies.
type script struct {
	replies  []reply
	requests [][]llm.Message
	tools    []llm.Tool
	keys     []string
}

type reply func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error)

func play(replies ...reply) *script { return &script{replies: replies} }

func (s *script) Chat(ctx context.Context, req llm.Request) (llm.ChatResponse, error) {
	onDelta := req.OnDelta
	if onDelta == nil {
		onDelta = func(string) {}
	}
	n := len(s.requests)
	s.requests = append(s.requests, append([]llm.Message(nil), req.Messages...))
	s.tools, s.keys = req.Tools, append(s.keys, req.Key)
	if err := ctx.Err(); err != nil {
		return llm.ChatResponse{}, &llm.Error{Kind: llm.KindCanceled, Message: "canceled", Err: err}
	}
	if n >= len(s.replies) {
		n = len(s.replies) - 1 // the last reply goes on for ever
	}
	resp, err := s.replies[n](ctx, onDelta)
	for _, c := range resp.ToolCalls {
		if req.OnCall != nil && err == nil {
			req.OnCall(c)
		}
	}
	return resp, err
}

// says streams a text word by word and is done.
func says(text string) reply {
	return func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		for _, w := range strings.SplitAfter(text, " ") {
			onDelta(w)
		}
		return llm.ChatResponse{Content: text, FinishReason: "stop"}, nil
	}
}

// calls asks for tools: name, arguments, name, arguments …
func calls(nameArgs ...string) reply { return saysAndCalls("", nameArgs...) }

var callNumber int

func saysAndCalls(text string, nameArgs ...string) reply {
	return func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		resp, err := says(text)(ctx, onDelta)
		resp.FinishReason = "tool_calls"
		for i := 0; i < len(nameArgs); i += 2 {
			callNumber++
			resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("tc-%d", callNumber), Type: "function",
				Function: llm.FunctionCall{Name: nameArgs[i], Arguments: nameArgs[i+1]}})
		}
		return resp, err
	}
}

func fails(kind llm.Kind, after time.Duration) reply {
	return func(context.Context, func(string)) (llm.ChatResponse, error) {
		return llm.ChatResponse{}, &llm.Error{Kind: kind, Message: string(kind), RetryAfter: after}
	}
}

func code(err error) string {
	if e, ok := err.(*runerr.Error); ok {
		return e.Code
	}
	return fmt.Sprintf("%T", err)
}

type response = llm.ChatResponse

func toolCall(name, args string) llm.ToolCall {
	return llm.ToolCall{ID: "c", Type: "function", Function: llm.FunctionCall{Name: name, Arguments: args}}
}

func (r *rig) logTo(w io.Writer) { r.cfg.Log = slog.New(slog.NewTextHandler(w, nil)) }
