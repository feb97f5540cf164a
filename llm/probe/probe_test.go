package probe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/openai"
	"atelier/llm/probe"
)

// endpoint is one with faults to find.
type endpoint struct {
	key      string // wanted; "" is any
	list     string // answer to GET /models; "" is 404
	inText   bool   // writes calls into the text
	deaf     bool   // makes no calls at all
	single   bool   // makes one call at a time
	refuses  string // a parameter
	window   int    // tokens, about four bytes each
	cuts     bool   // cuts long requests in silence
	words    string // how it refuses long ones
	noUsage  bool
	thinks   bool   // writes reasoning into the text, its opening tag in the prompt
	toolless bool   // takes no tools, but its model follows instructions about them
	eyes     string // what it does with images: "" does not see them, "sees", "refuses"
	requests int
	loaded   int // the window that it says, as Ollama does
}

type request struct {
	Messages []llm.Message
	Tools    []any
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		if r.URL.Path == "/api/ps" && e.loaded > 0 {
			fmt.Fprintf(w, `{"models":[{"name":"m:latest","context_length":%d}]}`, e.loaded)
			return
		}
		w.WriteHeader(404)
		return
	}
	e.requests++
	refuse := func(status int, msg string) {
		w.WriteHeader(status)
		b, _ := json.Marshal(map[string]any{"error": map[string]string{"message": msg}})
		w.Write(b)
	}
	if e.key != "" && r.Header.Get("Authorization") != "Bearer "+e.key {
		refuse(401, "wrong key "+r.Header.Get("Authorization"))
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		if e.list == "" {
			refuse(404, "not here")
			return
		}
		io.WriteString(w, e.list)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var keys map[string]any
	var req request
	if json.Unmarshal(body, &keys) != nil || json.Unmarshal(body, &req) != nil {
		refuse(400, "no JSON")
		return
	}
	if keys["tools"] != nil && e.toolless {
		refuse(400, "m does not support tools")
		return
	}
	if _, sent := keys[e.refuses]; sent {
		refuse(400, "Unsupported value: '"+e.refuses+"'")
		return
	}
	if e.eyes == "refuses" && llm.CountImages(req.Messages) > 0 {
		refuse(400, "m does not support image input")
		return
	}
	tokens := len(body) / 4
	if e.window > 0 && tokens > e.window {
		if !e.cuts {
			refuse(400, e.words)
			return
		}
		tokens = e.window
	}
	e.answer(w, req, tokens)
}

func (e *endpoint) answer(w io.Writer, req request, tokens int) {
	delta := func(v any) {
		b, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": v}}})
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	text := func(list ...string) {
		for _, s := range list {
			delta(map[string]any{"content": s})
		}
	}
	asked := req.Messages[0].Content
	last := req.Messages[len(req.Messages)-1]
	cut := e.window > 0 && e.cuts && tokens >= e.window
	switch {
	case e.eyes == "sees" && len(last.Images) > 0:
		text("Bl", "ue.")
	case cut:
		text("I don't ", "know.")
	case last.Role == "tool":
		_, rest, _ := strings.Cut(last.Content, "delivery code: ")
		text("It is ", strings.Fields(rest)[0])
	case e.toolless && strings.Contains(asked, "<tools>"):
		if _, rest, ok := strings.Cut(last.Content, "delivery code: "); ok {
			text("It is ", strings.Fields(rest)[0])
			break
		}
		call := `<tool_call>{"name":"look_up_stock","arguments":{"article":"A-17"}}</tool_call>`
		text(call, "\n"+call)
	case e.thinks && len(req.Tools) == 0:
		text("Counting. </th", "ink>1 2 ", "3")
	case len(req.Tools) == 0 || e.deaf:
		text("1 2 ", "3")
	case e.inText:
		text(`<tool_call>{"name":"look_up_stock",`, `"arguments":{"article":"A-17"}}</tool_call>`)
	default:
		n := 1
		if strings.Contains(asked, "B-4") && !e.single {
			n = 2
		}
		for i := range n {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": fmt.Sprint("c", i),
				"function": map[string]any{"name": "look_up_stock", "arguments": `{"article":"A-17"}`}}}})
		}
	}
	if !e.noUsage {
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":3}}\n\n", tokens)
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

func run(t *testing.T, e *endpoint, key string, rules ...models.Rule) (probe.Report, map[string]probe.Check) {
	srv := httptest.NewServer(e)
	defer srv.Close()
	table := models.Builtin().With(rules...)
	r := probe.Run(t.Context(), probe.Options{Endpoint: openai.Options{BaseURL: srv.URL, Models: &table, IdleTimeout: time.Minute}, Key: key, Model: "m", Overflow: e.words != "" || e.cuts})
	by := map[string]probe.Check{}
	for _, c := range r.Checks {
		require.NotContains(t, by, c.Name)
		by[c.Name] = c
	}
	return r, by
}

func TestAGoodEndpoint(t *testing.T) {
	r, by := run(t, &endpoint{list: `{"data":[{"id":"m","max_model_len":40000}]}`, window: 40000, words: "This model's maximum context length is 40000 tokens"}, "")
	require.False(t, r.Failed(), "%+v", r)
	for _, name := range []string{"reachable", "listed", "window", "key", "streaming", "usage", "tool calls", "parallel calls", "tool results", "overflow", "parameters"} {
		require.Equal(t, probe.OK, by[name].Status, "%+v", by[name])
	}
	require.Equal(t, 40_000, r.Rule.Window)
	require.Equal(t, "127.0.0.1", r.Rule.Endpoint)
	require.NoError(t, r.Rule.Check())

	again, _ := run(t, &endpoint{list: `{"data":[{"id":"m","max_model_len":40000}]}`}, "", *r.Rule)
	require.Nil(t, again.Rule, "the table says it now")
}

func TestWhatIsWrongIsFound(t *testing.T) {
	for _, tc := range []struct {
		name   string
		e      endpoint
		check  string
		status probe.Status
		detail string
	}{
		{"wrong key", endpoint{key: "right"}, "key", probe.Fail, "401"},
		{"no list", endpoint{}, "reachable", probe.OK, "without a list"},
		{"unlisted", endpoint{list: `{"data":[{"id":"other"}]}`}, "listed", probe.Note, "may be wrong"},
		{"calls in text", endpoint{inText: true}, "tool calls", probe.Note, "text_tool_calls"},
		{"no calls", endpoint{deaf: true}, "tool calls", probe.Fail, "1 2 3"},
		{"one at a time", endpoint{single: true}, "parallel calls", probe.Note, "one call"},
		{"no temperature", endpoint{refuses: "temperature"}, "parameters", probe.Note, "temperature"},
		{"no usage", endpoint{noUsage: true}, "usage", probe.Note, "no token counts"},
		{"cuts", endpoint{window: 1200, cuts: true}, "tool results", probe.Fail, "larger window"},
		{"cuts", endpoint{window: 30000, cuts: true}, "overflow", probe.Fail, "in silence"},
		{"loaded with little", endpoint{list: `{"data":[{"id":"m:latest"}]}`, loaded: 4096}, "window", probe.Fail, "OLLAMA_CONTEXT_LENGTH"},
		{"loaded with some", endpoint{list: `{"data":[{"id":"m:latest"}]}`, loaded: 16384}, "window", probe.Note, "16384"},
		{"listed with a tag", endpoint{list: `{"data":[{"id":"m:latest"}]}`, loaded: 65536}, "listed", probe.OK, "m is in the list"},
		{"odd words", endpoint{window: 30000, words: "no."}, "overflow", probe.Fail, "not understood"},
	} {
		r, by := run(t, &tc.e, "secret-key-0123")
		require.Equal(t, tc.status, by[tc.check].Status, "%s: %+v", tc.name, r)
		require.Contains(t, by[tc.check].Detail, tc.detail, tc.name)
		require.Equal(t, tc.status == probe.Fail, r.Failed(), "%s: %+v", tc.name, r)
		require.NotContains(t, fmt.Sprint(r), "secret-key-0123") // L-11
	}
}

// What is proposed is what helps: with it, the check passes.
func TestTheProposalHelps(t *testing.T) {
	r, _ := run(t, &endpoint{inText: true, refuses: "temperature"}, "")
	require.True(t, *r.Rule.InText)
	require.Equal(t, models.Omitted, r.Rule.Heat)
	again, by := run(t, &endpoint{inText: true, refuses: "temperature"}, "", *r.Rule)
	require.Equal(t, probe.OK, by["tool calls"].Status)
	require.Equal(t, probe.OK, by["parameters"].Status)
	require.Nil(t, again.Rule)
}

// An endpoint without tools is worked with, and the entry for it is proposed.
func TestNoTools(t *testing.T) {
	r, by := run(t, &endpoint{toolless: true}, "")
	require.False(t, r.Failed(), "%+v", r)
	for _, name := range []string{"tool calls", "parallel calls", "tool results"} {
		require.Equal(t, probe.OK, by[name].Status, "%+v", by[name])
	}
	require.Contains(t, by["parameters"].Detail, models.RepairTextTools)
	require.Equal(t, models.Repairs(models.RepairTextTools), r.Rule.Repairs)
	again, by := run(t, &endpoint{toolless: true}, "", *r.Rule)
	require.Equal(t, probe.OK, by["parameters"].Status)
	require.Nil(t, again.Rule)
}

func TestReasoningWithoutItsOpeningTag(t *testing.T) {
	r, by := run(t, &endpoint{thinks: true}, "")
	require.Equal(t, probe.Note, by["reasoning"].Status)
	require.Equal(t, models.Repairs(models.RepairReasoning), r.Rule.Repairs)
	again, by := run(t, &endpoint{thinks: true}, "", *r.Rule)
	require.NotContains(t, by, "reasoning")
	require.Nil(t, again.Rule)
}

// A model that sees is found, and so is one that the table says of wrongly that it does.
func TestImages(t *testing.T) {
	r, by := run(t, &endpoint{eyes: "sees"}, "")
	require.Equal(t, probe.OK, by["images"].Status)
	require.True(t, r.Rule.TakesImages())
	again, _ := run(t, &endpoint{eyes: "sees"}, "", *r.Rule)
	require.Nil(t, again.Rule)
	yes := true
	for _, eyes := range []string{"", "refuses"} {
		r, by = run(t, &endpoint{eyes: eyes}, "")
		require.Equal(t, probe.Note, by["images"].Status)
		require.Nil(t, r.Rule, "it counts as blind anyway")
		r, _ = run(t, &endpoint{eyes: eyes}, "", models.Rule{Model: "m", Settings: models.Settings{Images: &yes}})
		require.False(t, *r.Rule.Images)
	}
}

func TestNobodyThere(t *testing.T) {
	r := probe.Run(t.Context(), probe.Options{Endpoint: openai.Options{BaseURL: "http://127.0.0.1:1"}, Model: "m"})
	require.True(t, r.Failed())
	require.Len(t, r.Checks, 1, "%+v", r)
}
