package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/llmtest"
	"atelier/llm/models"
	"atelier/llm/openai"
	"atelier/llm/replay"
)

// A model's reasoning goes back with its calls where the endpoint wants that,
// and to nobody else.
func TestReasoningGoesBack(t *testing.T) {
	const answer = `{"reasoning":"Look "}
{"reasoning":"first."}
{"call":{"id":"c1","name":"read_file","arguments":{"path":"a.txt"}}}
`
	for _, tc := range []struct{ first, second, want string }{
		{"deepseek-v4-pro", "deepseek-v4-pro", `"reasoning_content":"Look first."`},
		{"deepseek-v4-pro", "kimi-k2.6", `"reasoning_content":"(not kept)"`},
		{"deepseek-v4-pro", "gpt-4o", ""},
		{"gpt-4o", "deepseek-v4-pro", `"reasoning_content":"(not kept)"`},
		{"gpt-4o", "gpt-4o", ""},
	} {
		srv := serveText(t, "-- model-1 --\n"+answer+"-- model-2 --\n{\"text\":\"ok\"}\n")
		c := openai.New(openai.Options{BaseURL: srv.URL})
		body := goOn(t, c, srv, tc.first, tc.second)
		if tc.want == "" {
			require.NotContains(t, body, "reasoning")
			continue
		}
		require.Contains(t, body, tc.want)
	}
}

// Gemini's signature of a call goes back to Gemini, not to another endpoint.
func TestSignaturesGoBack(t *testing.T) {
	const answer = `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"c2ln"}},"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}
`
	fixture := "-- model-1 --\n" + answer + "-- model-2 --\n{\"text\":\"ok\"}\n"
	srv := serveText(t, fixture)
	require.Contains(t, goOn(t, openai.New(openai.Options{BaseURL: srv.URL}), srv, "gemini-3-pro", "gemini-3-pro"),
		`"extra_content":{"google":{"thought_signature":"c2ln"}}`)
	srv = serveText(t, fixture)
	require.NotContains(t, goOn(t, openai.New(openai.Options{BaseURL: srv.URL}), srv, "gemini-3-pro", "gpt-5"), "c2ln")

	// and in the form of Portkey 1.15.2
	srv = serveText(t, "-- model-1 --\n"+`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}","thought_signature":"c2ln"}}]},"index":0,"finish_reason":"STOP"}]}`+"\n-- model-2 --\n{\"text\":\"ok\"}\n")
	body := goOn(t, openai.New(openai.Options{BaseURL: srv.URL}), srv, "gemini-3-pro", "gemini-3-pro")
	require.Contains(t, body, `"thought_signature":"c2ln"`)
	require.Contains(t, body, `"name":"read_file"`)
	require.NotContains(t, body, "extra_content")

	// an answer in one piece has it too
	c := serving(t, 200, "application/json", `{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)
	resp, err := c.Chat(t.Context(), llm.Request{Model: "gemini-3-pro", Messages: llmtest.LongAsk, Tools: readTool})
	require.NoError(t, err)
	require.Contains(t, resp.ToolCalls[0].Keep, "c2ln")
}

// OpenRouter's blocks of reasoning go back whole, in order, with the id the call
// has now.
func TestReasoningDetailsGoBack(t *testing.T) {
	fixture := `-- model-1 --
{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"Look ","index":0,"format":"google-gemini-v1"}]}}]}
{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"first.","index":0,"signature":null}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"tool 1","type":"function","function":{"name":"read_file","arguments":"{}"}}]}}]}
{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"c2ln","id":"tool 1","index":0,"format":"google-gemini-v1"}]}}]}
{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
-- model-2 --
{"text":"ok"}
`
	table := models.Builtin().With(models.Rule{Model: "google/gemini*", Settings: models.Settings{CallIDs: models.CallIDsAny}})
	srv := serveText(t, fixture)
	body := goOn(t, openai.New(openai.Options{BaseURL: srv.URL, Models: &table}), srv, "google/gemini-3-pro", "google/gemini-3-pro")
	var req struct {
		Messages []struct {
			Details   []map[string]any      `json:"reasoning_details"`
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &req))
	id := req.Messages[1].ToolCalls[0].ID
	require.Regexp(t, `^call_[0-9a-f]+$`, id)
	require.Equal(t, []map[string]any{
		{"type": "reasoning.text", "text": "Look first.", "index": 0.0, "format": "google-gemini-v1", "signature": nil},
		{"type": "reasoning.encrypted", "data": "c2ln", "id": id, "index": 0.0, "format": "google-gemini-v1"},
	}, req.Messages[1].Details)
	srv = serveText(t, fixture)
	require.NotContains(t, goOn(t, openai.New(openai.Options{BaseURL: srv.URL}), srv, "google/gemini-3-pro", "other"), "reasoning")
}

// What was learnt of a model holds for the next request, for no other model, and
// is listed.
func TestRepairsAreLearnt(t *testing.T) {
	c := capture{answers: []string{`{"error":"System role not supported"}`, `{"error":"Conversation roles must alternate user/assistant"}`}}
	client := c.client(t)
	ask := func(model string) {
		_, err := client.Chat(t.Context(), llm.Request{Model: model, Messages: llmtest.LongAsk, Tools: readTool, Stream: true})
		require.NoError(t, err)
	}
	ask("a")
	require.Len(t, c.bodies, 3)
	require.Equal(t, []string{models.RepairNoSystem, models.RepairRoles}, client.Refused("a"))
	ask("a")
	require.Len(t, c.bodies, 4)
	require.Equal(t, c.bodies[2], c.bodies[3])
	ask("b")
	require.Len(t, c.bodies, 5)
	require.Contains(t, fmt.Sprint(c.bodies[4]), "system")
	require.Empty(t, client.Refused("b"))
}

// Words about several calls at once are about that parameter, not about tools.
func TestParallelCallsRefusedInWords(t *testing.T) {
	no := false
	c := capture{answers: []string{`{"error":{"message":"Parallel tool calls are not supported."}}`}}
	client := c.client(t, models.Rule{Model: "m", Settings: models.Settings{Parallel: &no}})
	_, err := client.Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk, Tools: readTool, Stream: true})
	require.NoError(t, err)
	require.Contains(t, c.bodies[0], "parallel_tool_calls")
	require.NotContains(t, c.bodies[1], "parallel_tool_calls")
	require.Contains(t, c.bodies[1], "tools")
}

// A rule of the table may name repairs, so that nothing is refused first.
func TestRepairsOfTheTable(t *testing.T) {
	var rule models.Rule
	require.NoError(t, json.Unmarshal([]byte(`{"model":"mine","repairs":["text_tools","no_system"]}`), &rule))
	var c capture
	_, err := c.client(t, rule).Chat(t.Context(), llm.Request{Model: "mine", Messages: llmtest.LongAsk, Tools: readTool, Stream: true})
	require.NoError(t, err)
	require.Len(t, c.bodies, 1)
	require.NotContains(t, c.bodies[0], "tools")
	require.NotContains(t, fmt.Sprint(c.bodies[0]), "system")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"model":"mine","repairs":["glue"]}`), &rule), "glue")
}

// An endpoint that refuses everything with the words of every repair is asked
// once for each, and no more.
func TestRepairsEnd(t *testing.T) {
	all := `does not support tools. system role not supported. system message must be at the beginning. roles must alternate. invalid schema for function. function_response.name is empty. ` +
		`missing a thought_signature. reasoning_content must be passed back. reasoning_content unsupported. text content is empty. content field required. only supports single tool-calls. ` +
		`cannot use tools with stream. temperature stream_options tool_choice parallel_tool_calls max_tokens reasoning_effort tool call id must be`
	c := capture{}
	for range 100 {
		c.answers = append(c.answers, all)
	}
	client := c.client(t, models.Rule{Model: "x", Settings: models.Settings{SendLimit: 5, Effort: "low"}})
	_, err := client.Chat(t.Context(), llm.Request{Model: "x", Messages: llmtest.LongAsk, Tools: readTool, Stream: true})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindInvalid, e.Kind)
	require.Less(t, len(c.bodies), 22)
	require.Empty(t, client.Refused("x"), "what did not help is forgotten")
}

func TestPlainSchemaOfCircles(t *testing.T) {
	var props []string
	for i := range 40 {
		props = append(props, fmt.Sprintf(`"p%d":{"$ref":"#"}`, i))
	}
	var c capture
	rule := models.Rule{Model: "m", Settings: models.Settings{Repairs: models.RepairSchemas}}
	tools := []llm.Tool{{Type: "function", Function: llm.FunctionDef{Name: "t", Parameters: json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `}}`)}}}
	_, err := c.client(t, rule).Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk, Tools: tools, Stream: true})
	require.NoError(t, err)
	b, err := json.Marshal(c.bodies[0])
	require.NoError(t, err)
	require.Less(t, len(b), 1<<20)
	require.NotContains(t, string(b), "$ref")
}

var readTool = []llm.Tool{{Type: "function", Function: llm.FunctionDef{Name: "read_file", Description: "reads", Parameters: json.RawMessage(llmtest.LongSchema)}}}

func serveText(t *testing.T, fixture string) *replay.Server {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return srv
}

// goOn asks first, gives the call's result to second, and returns the body of
// that request.
func goOn(t *testing.T, c *openai.Client, srv *replay.Server, first, second string) string {
	t.Helper()
	ms := []llm.Message{{Role: llm.RoleUser, Content: "Read it."}}
	resp, err := c.Chat(t.Context(), llm.Request{Model: first, Messages: ms, Tools: readTool, Stream: true})
	require.NoError(t, err)
	require.Len(t, resp.ToolCalls, 1)
	ms = append(ms, llm.Message{Role: llm.RoleAssistant, ToolCalls: resp.ToolCalls}, llm.Message{Role: llm.RoleTool, ToolCallID: "c1", Content: "text"})
	_, err = c.Chat(t.Context(), llm.Request{Model: second, Messages: ms, Tools: readTool, Stream: true})
	require.NoError(t, err)
	return string(srv.Requests()[1].Body)
}

// What the model was told is known where its answer is read.
func TestRepeatedCallOverHTTP(t *testing.T) {
	const call = `<tool_call>{"name":"read_file","arguments":{"path":"b.txt"}}</tool_call>`
	for told, want := range map[string]int{"Dear " + call: 0, "Dear": 1} {
		srv := serveText(t, "-- model-1 --\n{\"text\":"+fmt.Sprintf("%q", "It says:\n"+call)+"}\n")
		c := openai.New(openai.Options{BaseURL: srv.URL})
		resp, err := c.Chat(t.Context(), llm.Request{Model: "qwen3", Messages: []llm.Message{{Role: llm.RoleUser, Content: "Read a.txt."},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{"path":"a.txt"}`}}}},
			{Role: llm.RoleTool, ToolCallID: "c1", Content: told}}, Tools: readTool, Stream: true})
		require.NoError(t, err)
		require.Len(t, resp.ToolCalls, want)
		if want == 0 {
			require.Equal(t, "It says:\n"+call, resp.Content)
		}
	}
}

// A call of a model without tools that cannot be read is not its answer.
func TestUnreadableCallOverHTTP(t *testing.T) {
	srv := serveText(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"registry.ollama.ai/library/gemma2 does not support tools"}}}
-- model-2 --
{"text":"<tool_call>{\"name\":\"paint\",\"arguments\":{}}</tool_call>"}
`)
	c := openai.New(openai.Options{BaseURL: srv.URL})
	resp, err := c.Chat(t.Context(), llm.Request{Model: "gemma2", Messages: llmtest.LongAsk, Tools: readTool, Stream: true})
	require.NoError(t, err)
	require.Len(t, resp.ToolCalls, 1)
	require.Equal(t, "paint", resp.ToolCalls[0].Function.Name)
}
