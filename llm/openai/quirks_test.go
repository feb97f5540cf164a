package openai_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"atelier/llm"
	"atelier/llm/openai"
	"atelier/llm/replay"
)

// vectorKey is the key of every vector; KEY in a vector stands for it.
const vectorKey = "secret-0123456789-key"

// vectorRequest is a vector's request section.
type vectorRequest struct {
	Stream        *bool    `json:"stream"`          // default true
	TextToolCalls bool     `json:"text_tool_calls"` // the option of this name
	Tools         []string `json:"tools"`           // default read_file and list_files
}

// vectorWant is a vector's want section.
type vectorWant struct {
	Content      string       `json:"content"`
	Reasoning    string       `json:"reasoning"`
	ToolCalls    []vectorCall `json:"tool_calls"`
	FinishReason string       `json:"finish_reason"`
	Usage        []int        `json:"usage"`  // tokens of prompt and completion
	Deltas       []string     `json:"deltas"` // the pieces the text came in
	Error        *vectorError `json:"error"`
}

type vectorCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type vectorError struct {
	Kind         llm.Kind `json:"kind"`
	Status       int      `json:"status"`
	RetryAfterMS int64    `json:"retry_after_ms"`
	Contains     string   `json:"contains"`
	Emitted      *bool    `json:"emitted"`
}

// TestQuirks runs every vector of testdata/quirks over real HTTP (L-02…L-08,
// L-11, W-15). A vector has the fixture language's model sections, a want
// section, and a request section if the request is not the usual one.
func TestQuirks(t *testing.T) {
	files, err := filepath.Glob("testdata/quirks/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			runVector(t, []byte(strings.ReplaceAll(string(b), "KEY", vectorKey)))
		})
	}
}

func runVector(t *testing.T, file []byte) {
	a := txtar.Parse(file)
	require.NotEmpty(t, strings.TrimSpace(string(a.Comment)), "a vector says what it is about")
	req := vectorRequest{Tools: []string{"read_file", "list_files"}}
	var want *vectorWant
	for _, f := range a.Files {
		switch f.Name {
		case "request":
			strict(t, f.Data, &req)
		case "want":
			want = &vectorWant{}
			strict(t, f.Data, want)
		}
	}
	require.NotNil(t, want, "a vector has a want section")
	fixture, err := replay.Parse(file)
	require.NoError(t, err)
	srv, err := replay.NewServer(fixture, replay.Options{})
	require.NoError(t, err)
	defer srv.Close()
	client := openai.New(openai.Options{BaseURL: srv.URL, TextToolCalls: req.TextToolCalls, IdleTimeout: time.Minute})

	got := ask(t, client, req)
	require.Zero(t, srv.Unused(), "an answer was not asked for")
	got.compare(t, want)
}

// answered is what a client gave.
type answered struct {
	resp   llm.ChatResponse
	err    error
	deltas []string
	calls  []llm.ToolCall
	stream bool
}

func ask(t *testing.T, client llm.Client, req vectorRequest) *answered {
	var tools []llm.Tool
	for _, n := range req.Tools {
		tools = append(tools, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: n, Parameters: json.RawMessage(`{"type":"object"}`)}})
	}
	messages := []llm.Message{{Role: llm.RoleUser, Content: "Go on."}}
	got := &answered{stream: req.Stream == nil || *req.Stream}
	if !got.stream {
		got.resp, got.err = client.ChatWithTools(t.Context(), vectorKey, "test-model", messages, tools)
		return got
	}
	got.resp, got.err = client.StreamChatWithTools(t.Context(), vectorKey, "test-model", messages, tools,
		func(d string) { got.deltas = append(got.deltas, d) }, func(c llm.ToolCall) { got.calls = append(got.calls, c) })
	return got
}

func (a *answered) compare(t *testing.T, want *vectorWant) {
	if want.Error == nil {
		require.NoError(t, a.err)
	} else {
		want.Error.compare(t, a.err)
	}
	require.Equal(t, want.Content, a.resp.Content)
	require.Equal(t, want.Reasoning, a.resp.Reasoning)
	require.Equal(t, want.FinishReason, a.resp.FinishReason)
	var calls []vectorCall
	for _, c := range a.resp.ToolCalls {
		require.Equal(t, "function", c.Type)
		calls = append(calls, vectorCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	require.Equal(t, want.ToolCalls, calls)
	if want.Usage != nil {
		require.Equal(t, want.Usage, []int{a.resp.Usage.PromptTokens, a.resp.Usage.CompletionTokens})
	}
	if !a.stream {
		return
	}
	require.Equal(t, a.resp.ToolCalls, a.calls, "each call is delivered once, in order")
	require.Equal(t, want.Content, strings.Join(a.deltas, ""))
	require.NotContains(t, a.deltas, "")
	if want.Deltas != nil {
		require.Equal(t, want.Deltas, a.deltas)
	}
}

func (want *vectorError) compare(t *testing.T, err error) {
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, want.Kind, e.Kind, "%v", err)
	require.Equal(t, want.Status, e.Status)
	require.Equal(t, want.RetryAfterMS, e.RetryAfter.Milliseconds())
	require.Contains(t, e.Message, want.Contains)
	if want.Emitted != nil {
		require.Equal(t, *want.Emitted, e.Emitted)
	}
	for err := error(e); err != nil; {
		require.NotContains(t, err.Error(), vectorKey)
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
}

func strict(t *testing.T, b []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(v))
}
