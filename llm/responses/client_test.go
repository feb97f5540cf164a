package responses_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/llmtest"
	"atelier/llm/models"
	"atelier/llm/replay"
	"atelier/llm/responses"
)

var readTool = []llm.Tool{{Type: "function", Function: llm.FunctionDef{Name: "read_file", Description: "reads", Parameters: json.RawMessage(llmtest.LongSchema)}}}

// body returns the body of request n, from 1.
func body(t *testing.T, srv *replay.Server, n int) map[string]any {
	t.Helper()
	require.GreaterOrEqual(t, len(srv.Requests()), n)
	var b map[string]any
	require.NoError(t, json.Unmarshal(srv.Requests()[n-1].Body, &b))
	return b
}

const ok = "{\"text\":\"x\"}\n"

// Encrypted reasoning goes back with the calls after it, in its place, to the same
// model only; what is not encrypted does not, since nothing is stored.
func TestReasoningGoesBack(t *testing.T) {
	srv := served(t, `-- model-1 --
{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","summary":[],"encrypted_content":"ZW5j"}}
{"type":"response.output_text.delta","output_index":1,"delta":"Reading."}
{"type":"response.output_item.done","output_index":2,"item":{"id":"rs_2","type":"reasoning","summary":[]}}
{"type":"response.output_item.done","output_index":3,"item":{"id":"rs_3","type":"reasoning","summary":[],"encrypted_content":"bW9yZQ=="}}
{"type":"response.output_item.done","output_index":4,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"read_file","arguments":"{}"}}
{"type":"response.completed","response":{"status":"completed"}}
-- model-* --
`+ok)
	c := responses.New(endpoint.Options{BaseURL: srv.URL})
	ms := []llm.Message{{Role: llm.RoleUser, Content: "Read it."}}
	resp, err := c.Chat(t.Context(), llm.Request{Model: "gpt-5.4", Messages: ms, Tools: readTool, Stream: true})
	require.NoError(t, err)
	ms = append(ms, llm.Message{Role: llm.RoleAssistant, Content: resp.Content, ToolCalls: resp.ToolCalls}, llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Content: "text"})
	for n, model := range []string{"gpt-5.4", "gpt-5.2"} {
		_, err = c.Chat(t.Context(), llm.Request{Model: model, Messages: ms, Tools: readTool, Stream: true})
		require.NoError(t, err)
		sent, err := json.Marshal(body(t, srv, n+2)["input"])
		require.NoError(t, err)
		lead, kept := `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"ZW5j"},`, `{"id":"rs_3","type":"reasoning","summary":[],"encrypted_content":"bW9yZQ=="},`
		if n > 0 {
			lead, kept = "", ""
		}
		require.JSONEq(t, `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Read it."}]},`+lead+
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Reading."}]},`+kept+
			`{"type":"function_call","call_id":"call_1","name":"read_file","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"text"}]`, string(sent))
	}
}

// Reasoning that the endpoint cannot read any more is left out of the request.
func TestReasoningThatIsRefused(t *testing.T) {
	srv := served(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"The encrypted content for item rs_1 could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}}
-- model-* --
`+ok)
	c := responses.New(endpoint.Options{BaseURL: srv.URL})
	call := llm.ToolCall{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: "{}"}, Keep: `{"host":"127.0.0.1","model":"m","api":"responses","lead":[{"type":"reasoning","summary":[],"encrypted_content":"old"}]}`}
	_, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Content: "Read."}, {Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{call}}, {Role: llm.RoleTool, ToolCallID: "c1", Content: "text"}}})
	require.NoError(t, err)
	require.Contains(t, string(srv.Requests()[0].Body), `"old"`)
	require.NotContains(t, string(srv.Requests()[1].Body), `"old"`)
	require.Empty(t, c.Refused("m"))
}

// The effort, a budget's limit and what is set for the model go into the request; what
// the endpoint says of limits is kept.
func TestOptionsOfTheModel(t *testing.T) {
	srv := served(t, `-- model-2 --
{"status":400,"body":{"error":{"message":"max_output_tokens is too large: 70000. This model supports at most 8192 completion tokens."}}}
-- model-1 --
`+ok+"-- model-* --\n"+ok)
	no := false
	table := models.Builtin().With(models.Rule{Model: "m", Settings: models.Settings{Parallel: &no}})
	c := responses.New(endpoint.Options{BaseURL: srv.URL, Models: &table})
	ask := func(model string, limit int) llm.ChatResponse {
		resp, err := c.Chat(llm.WithLimit(llm.WithEffort(t.Context(), "low"), limit), llm.Request{Model: model, Messages: llmtest.LongAsk[:2], Tools: readTool})
		require.NoError(t, err)
		return resp
	}
	require.Equal(t, 500, ask("m", 500).Limit)
	got := body(t, srv, 1)
	require.Equal(t, 500.0, got["max_output_tokens"])
	require.Equal(t, map[string]any{"effort": "low"}, got["reasoning"])
	require.Equal(t, false, got["parallel_tool_calls"])
	require.Equal(t, "auto", got["tool_choice"])
	require.Equal(t, false, got["store"])
	require.Equal(t, 0.0, got["temperature"])

	require.Zero(t, ask("m", 70_000).Limit, "no answer can be as long")
	require.NotContains(t, body(t, srv, 3), "max_output_tokens")
	require.Zero(t, ask("m", 60_000).Limit)
	require.Len(t, srv.Requests(), 4)
	require.Equal(t, 400, ask("m", 400).Limit)

	ask("gpt-5.4", 0)
	got = body(t, srv, 6)
	require.NotContains(t, got, "temperature")
	require.NotContains(t, got, "max_output_tokens")
}

// A refusal of images is remembered.
func TestImagesAreRefusedOnce(t *testing.T) {
	srv := served(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"this model does not support image input"}}}
-- model-* --
`+ok)
	yes := true
	table := models.Builtin().With(models.Rule{Model: "seer", Settings: models.Settings{Images: &yes}})
	c := responses.New(endpoint.Options{BaseURL: srv.URL, Models: &table})
	for range 2 {
		_, err := c.Chat(t.Context(), llm.Request{Model: "seer", Messages: llmtest.WithImages(llmtest.LongAsk)})
		require.NoError(t, err)
	}
	require.Len(t, srv.Requests(), 3)
	require.Equal(t, 2, llm.CountImages(srv.Requests()[0].Messages))
	require.Zero(t, llm.CountImages(srv.Requests()[2].Messages))
	require.False(t, c.Settings("seer").TakesImages())
}

// An endpoint whose words ask for every change is asked once for each, and no more.
func TestRepairsEnd(t *testing.T) {
	srv := served(t, `-- model-* --
{"status":400,"body":{"error":{"message":"input[1].output expected a string. at most one image. does not support image input. temperature include parallel_tool_calls max_output_tokens invalid schema for function reasoning"}}}
`)
	yes := true
	table := models.Builtin().With(models.Rule{Model: "m", Settings: models.Settings{Images: &yes, Effort: "low", Parallel: &yes, SendLimit: 5}})
	c := responses.New(endpoint.Options{BaseURL: srv.URL, Models: &table})
	_, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.WithImages(llmtest.LongAsk), Tools: readTool})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindInvalid, e.Kind)
	require.LessOrEqual(t, len(srv.Requests()), 10)
	require.Empty(t, c.Refused("m"), "what did not help is forgotten")
}

// An answer over a limit, one that falls silent and one that the caller gives up end
// with an error of their kind.
func TestAnswersThatDoNotEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		kind   llm.Kind
		words  string
	}{
		"text":      {`{"type":"response.output_text.delta","delta":"` + strings.Repeat("and on ", 100) + `"}` + "\n", llm.KindTooLarge, "more than 100 bytes of text"},
		"reasoning": {`{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"` + strings.Repeat("x", 200) + `"}}` + "\n", llm.KindTooLarge, "reasoning included"},
		"arguments": {`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"read_file","arguments":"` + strings.Repeat("x", 200) + `"}}` + "\n", llm.KindTooLarge, "arguments"},
		"silence":   {"{\"type\":\"response.created\"}\n{\"hang\":true}\n", llm.KindNetwork, "nothing came from it"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := served(t, "-- model --\n"+tc.script)
			c := responses.New(endpoint.Options{BaseURL: srv.URL, IdleTimeout: 100 * time.Millisecond, Limits: llm.AnswerLimits{Text: 100, Arguments: 100, Calls: 3}})
			resp, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk[:2], Stream: true})
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tc.kind, e.Kind)
			require.Contains(t, e.Message, tc.words)
			require.LessOrEqual(t, len(resp.Content), 100)
			require.Empty(t, resp.ToolCalls)
		})
	}
	srv := served(t, "-- model --\n{\"text\":\"one\"}\n{\"hang\":true}\n")
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := responses.New(endpoint.Options{BaseURL: srv.URL}).Chat(ctx, llm.Request{Model: "m", Messages: llmtest.LongAsk[:2], Stream: true, OnDelta: func(string) { cancel() }})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindCanceled, e.Kind)
	require.Equal(t, "one", resp.Content)
}

// D-21: a recording plays again to a client of the same API. Usage has what was read
// from the cache.
func TestD21RecordAndReplay(t *testing.T) {
	srv := served(t, `-- model-1 --
{"reasoning":"hm"}
{"text":"Reading."}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
{"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}
-- model-2 --
{"status":503,"body":{"error":{"message":"down"}}}
`)
	ask := func(base string, c *http.Client) (got []any) {
		client := responses.New(endpoint.Options{BaseURL: base, HTTPClient: c})
		for range 2 {
			resp, err := client.Chat(t.Context(), llm.Request{Key: "sk-abcdefghijklmnopqrstuv", Model: "m", Messages: llmtest.LongAsk[:2], Tools: readTool, Stream: true})
			got = append(got, resp, fmt.Sprint(err))
		}
		return got
	}
	rec := replay.NewRecorder(nil)
	first := ask(srv.URL, &http.Client{Transport: rec})
	require.Equal(t, llm.Usage{PromptTokens: 10, CompletionTokens: 3, CachedTokens: 4}, first[0].(llm.ChatResponse).Usage)
	require.Equal(t, "hm", first[0].(llm.ChatResponse).Reasoning)
	fixture := rec.Fixture("hi")
	require.NotContains(t, string(fixture), "sk-abcdefghijklmnopqrstuv")
	require.Equal(t, first, ask(served(t, string(fixture)).URL, nil))
}

// Streams of garbage end with an answer or an error.
func TestGarbage(t *testing.T) {
	llmtest.Garbage(t, []string{`{"type":"response.created","response":{"status":"in_progress"}}`, `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c","name":"list_files"}}`, `{"type":"response.output_text.delta","output_index":0,"delta":"a"}`,
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}`, `{"type":"response.output_item.done","output_index":2,"item":{"type":"reasoning","encrypted_content":"e","summary":[{"text":"s"}]}}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"f","name":"list_files","arguments":"{}"}}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"text":"t"}]}}`,
		`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":1}}}`, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`,
		`{"type":"response.failed","response":{"error":{"message":"m"}}}`, `{"object":"response","output":[{"type":"function_call","name":"list_files"}]}`, `{"error":"x"}`},
		func(url string) llm.Client { return responses.New(endpoint.Options{BaseURL: url}) })
}
