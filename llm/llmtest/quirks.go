package llmtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/replay"
)

// vectorKey is the key of every vector; KEY in a vector stands for it.
const vectorKey = "secret-0123456789-key"

// vectorRequest is a vector's request section.
type vectorRequest struct {
	Stream        *bool          `json:"stream"`          // default true
	TextToolCalls bool           `json:"text_tool_calls"` // the option of this name
	Tools         []string       `json:"tools"`           // default read_file and list_files
	Long          bool           `json:"long"`            // the conversation of LongAsk
	Images        bool           `json:"images"`          // with an image in each of its results; the table says that the model takes them
	Repairs       models.Repairs `json:"repairs"`         // that the table has for the model
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

// Endpoint is what a vector's client asks.
type Endpoint struct {
	URL           string
	Models        *models.Table
	TextToolCalls bool
}

// Quirks runs every vector of a folder over real HTTP. A vector has the fixture
// language's model sections, a want section, and a request section if the request is
// not the usual one; llm/openai/testdata/quirks/README.md describes them.
func Quirks(t *testing.T, folder string, client func(Endpoint) llm.Client) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			runVector(t, []byte(strings.ReplaceAll(string(b), "KEY", vectorKey)), client)
		})
	}
}

func runVector(t *testing.T, file []byte, makeClient func(Endpoint) llm.Client) {
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
	table := models.Builtin().With(models.Rule{Model: "test-model", Settings: models.Settings{Repairs: req.Repairs, Images: &req.Images}})
	client := makeClient(Endpoint{srv.URL, &table, req.TextToolCalls})

	got := ask(t, client, req)
	require.Zero(t, srv.Unused(), "an answer was not asked for")
	got.compare(t, want)
	for _, f := range a.Files {
		if f.Name == "sent" {
			checkSent(t, srv.Requests(), string(f.Data))
		}
	}
}

// checkSent holds the requests against lines "NUMBER has TEXT" and "NUMBER lacks
// TEXT"; TEXT is of the request's JSON, without blanks, keys in order.
func checkSent(t *testing.T, requests []replay.Request, lines string) {
	for line := range strings.Lines(lines) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		verb, text, ok := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		require.True(t, ok && err == nil && n >= 1 && n <= len(requests), "%d requests; line %s", len(requests), line)
		var body any
		require.NoError(t, json.Unmarshal(requests[n-1].Body, &body))
		var sb strings.Builder
		enc := json.NewEncoder(&sb)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(body))
		switch verb {
		case "has":
			require.Contains(t, sb.String(), text, "request %d", n)
		case "lacks":
			require.NotContains(t, sb.String(), text, "request %d", n)
		default:
			require.Fail(t, "a line of sent says has or lacks", line)
		}
	}
}

// LongAsk is a conversation with everything that some endpoint refuses, and a
// tool whose schema has what some do not know.
var LongAsk = []llm.Message{
	{Role: llm.RoleSystem, Content: "Be brief."},
	{Role: llm.RoleUser, Content: "Read both."},
	{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
		{ID: "callaaaa1", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{"path":"a.txt"}`}},
		{ID: "callbbbb2", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{"path":"b.txt"}`}}}},
	{Role: llm.RoleTool, ToolCallID: "callaaaa1", Content: "first text"},
	{Role: llm.RoleTool, ToolCallID: "callbbbb2", Content: ""},
	{Role: llm.RoleUser, Content: "And now?"},
}

// LongSchema is rich in keywords.
const LongSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["path"],"properties":{
	"path":{"type":"string","description":"which","pattern":"^.+$","maxLength":4000},
	"line":{"type":["integer","null"],"minimum":1},
	"cells":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/cell"},{"type":"null"}]}},
	"mode":{"oneOf":[{"const":"a"},{"const":"b"}]},
	"any":{"description":"anything"}},
	"$defs":{"cell":{"type":"object","properties":{"value":{"type":"string","format":"date"},"kind":{"enum":["x","y",""]}},"required":["value","gone"]}}}`

// WithImages gives each tool result an image.
func WithImages(messages []llm.Message) []llm.Message {
	out := slices.Clone(messages)
	for i := range out {
		if out[i].Role == llm.RoleTool {
			name := "page of " + out[i].ToolCallID
			out[i].Images = []llm.Image{{Name: name, MIME: "image/png", Data: []byte(name), Width: 10, Height: 20}}
		}
	}
	return out
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
	if req.Long && len(tools) > 0 {
		tools[0].Function.Parameters = json.RawMessage(LongSchema)
	}
	messages := []llm.Message{{Role: llm.RoleUser, Content: "Go on."}}
	if req.Long {
		messages = LongAsk
	}
	if req.Images {
		messages = WithImages(LongAsk)
	}
	got := &answered{stream: req.Stream == nil || *req.Stream}
	if !got.stream {
		got.resp, got.err = client.Chat(t.Context(), llm.Request{Key: vectorKey, Model: "test-model", Messages: messages, Tools: tools})
		return got
	}
	got.resp, got.err = client.Chat(t.Context(), llm.Request{Key: vectorKey, Model: "test-model", Messages: messages, Tools: tools, Stream: true, OnDelta: func(d string) { got.deltas = append(got.deltas, d) }, OnCall: func(c llm.ToolCall) { got.calls = append(got.calls, c) }})
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
