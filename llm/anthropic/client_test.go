package anthropic_test

import (
	"context"
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
	"atelier/llm/anthropic"
	"atelier/llm/endpoint"
	"atelier/llm/llmtest"
	"atelier/llm/models"
	"atelier/llm/replay"
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

// The thinking before a call goes back with it as it came, before the text that came
// after it, to the same model only.
func TestThinkingGoesBack(t *testing.T) {
	srv := served(t, `-- model-1 --
{"type":"message_start","message":{}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Reading."}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"redacted_thinking","data":"aGlk"}}
{"type":"content_block_stop","index":2}
{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}}
{"type":"content_block_stop","index":3}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
-- model-* --
`+ok)
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL})
	ms := []llm.Message{{Role: llm.RoleUser, Content: "Read it."}}
	resp, err := c.Chat(t.Context(), llm.Request{Model: "claude-opus-5", Messages: ms, Tools: readTool, Stream: true})
	require.NoError(t, err)
	ms = append(ms, llm.Message{Role: llm.RoleAssistant, Content: resp.Content, ToolCalls: resp.ToolCalls}, llm.Message{Role: llm.RoleTool, ToolCallID: "toolu_1", Content: "text"})
	for n, model := range []string{"claude-opus-5", "claude-sonnet-5"} {
		_, err = c.Chat(t.Context(), llm.Request{Model: model, Messages: ms, Tools: readTool, Stream: true})
		require.NoError(t, err)
		sent, err := json.Marshal(body(t, srv, n+2)["messages"].([]any)[1].(map[string]any)["content"])
		require.NoError(t, err)
		if n == 0 {
			require.JSONEq(t, `[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"text","text":"Reading."},{"type":"redacted_thinking","data":"aGlk"},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}]`, string(sent))
			continue
		}
		require.JSONEq(t, `[{"type":"text","text":"Reading."},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}]`, string(sent))
	}
}

// A signature that is not taken, or an answer without thinking before a call, is no end:
// the request goes without, and the next one begins as before.
func TestThinkingThatIsRefused(t *testing.T) {
	srv := served(t, `-- model-1 --
{"status":400,"body":{"error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `+"`signature` in `thinking`"+` block"}}}
-- model-2 --
{"status":400,"body":{"error":{"type":"invalid_request_error","message":"messages.1.content.0.type: Expected `+"`thinking` or `redacted_thinking`, but found `tool_use`"+`"}}}
-- model-* --
`+ok)
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL})
	call := llm.ToolCall{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: "{}"}, Keep: `{"host":"127.0.0.1","model":"claude-sonnet-4-5","api":"anthropic","lead":[{"type":"thinking","thinking":"old","signature":"x"}]}`}
	ms := []llm.Message{{Role: llm.RoleUser, Content: "Read."}, {Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{call}}, {Role: llm.RoleTool, ToolCallID: "c1", Content: "text"}}
	for range 2 {
		_, err := c.Chat(llm.WithEffort(t.Context(), "low"), llm.Request{Model: "claude-sonnet-4-5", Messages: ms, Tools: readTool})
		require.NoError(t, err)
	}
	require.Contains(t, string(srv.Requests()[0].Body), `"old"`)
	require.NotContains(t, string(srv.Requests()[1].Body), `"old"`)
	require.Contains(t, body(t, srv, 2), "thinking")
	require.NotContains(t, body(t, srv, 3), "thinking")
	require.Contains(t, string(srv.Requests()[3].Body), `"old"`)
	require.Contains(t, body(t, srv, 4), "thinking")
	require.Empty(t, c.Refused("claude-sonnet-4-5"))
}

// Thinking is asked for in the form that the model takes, and another where that is
// refused; none goes with a temperature.
func TestEffort(t *testing.T) {
	srv := served(t, "-- model-* --\n"+ok)
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL})
	n := 0
	ask := func(c *anthropic.Client, srv *replay.Server, model, effort string) map[string]any {
		_, err := c.Chat(llm.WithEffort(t.Context(), effort), llm.Request{Model: model, Messages: llmtest.LongAsk[:2]})
		require.NoError(t, err)
		n = len(srv.Requests())
		return body(t, srv, n)
	}
	got := ask(c, srv, "claude-opus-5", "high")
	require.Equal(t, map[string]any{"type": "adaptive"}, got["thinking"])
	require.Equal(t, map[string]any{"effort": "high"}, got["output_config"])
	got = ask(c, srv, "claude-sonnet-4-5", "medium")
	require.Equal(t, map[string]any{"type": "enabled", "budget_tokens": 10240.0}, got["thinking"])
	require.NotContains(t, got, "temperature")
	got = ask(c, srv, "claude-sonnet-4-5", "")
	require.NotContains(t, got, "thinking")
	require.Equal(t, 0.0, got["temperature"])

	srv = served(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\""}}}
-- model-* --
`+ok)
	c = anthropic.New(endpoint.Options{BaseURL: srv.URL})
	require.Equal(t, map[string]any{"type": "adaptive"}, ask(c, srv, "claude-next", "low")["thinking"])
	require.Equal(t, 2, n)
	require.Equal(t, map[string]any{"type": "adaptive"}, ask(c, srv, "claude-next", "low")["thinking"])
	require.Equal(t, 3, n, "it is remembered")

	srv = served(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"thinking is not supported by this model"}}}
-- model-2 --
{"status":400,"body":{"error":{"message":"thinking is not supported by this model"}}}
-- model-* --
`+ok)
	c = anthropic.New(endpoint.Options{BaseURL: srv.URL})
	require.NotContains(t, ask(c, srv, "claude-3-haiku", "low"), "thinking")
	require.Equal(t, 3, n)
}

// Breakpoints of the cache end the tools, the system prompt and the last two turns of
// the user, four at most. A single question marks no turn.
func TestCacheBreakpoints(t *testing.T) {
	srv := served(t, "-- model-* --\n"+ok)
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL})
	var ms []llm.Message
	for i := range 5 {
		id := fmt.Sprint("c", i)
		ms = append(ms, llm.Message{Role: llm.RoleUser, Content: "Go on."}, llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Function: llm.FunctionCall{Name: "read_file"}}}},
			llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: "text"})
	}
	ms = append([]llm.Message{{Role: llm.RoleSystem, Content: "Be brief."}}, ms...)
	_, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: ms, Tools: append(readTool, readTool...)})
	require.NoError(t, err)
	text := string(srv.Requests()[0].Body)
	require.Equal(t, 4, strings.Count(text, "cache_control"))
	got := body(t, srv, 1)
	marked := func(v any) bool {
		list := v.([]any)
		return list[len(list)-1].(map[string]any)["cache_control"] != nil
	}
	require.True(t, marked(got["tools"]))
	require.True(t, marked(got["system"]))
	turns := got["messages"].([]any)
	require.True(t, marked(turns[len(turns)-1].(map[string]any)["content"]))
	require.True(t, marked(turns[len(turns)-3].(map[string]any)["content"]))

	_, err = c.Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk[:2]})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(srv.Requests()[1].Body), "cache_control"), "the system prompt only")
}

// What is read from the cache and written into it are parts of the prompt.
func TestUsage(t *testing.T) {
	srv := served(t, `-- model --
{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":70,"cache_creation_input_tokens":25,"output_tokens":1}}}
{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}
`)
	resp, err := anthropic.New(endpoint.Options{BaseURL: srv.URL}).Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk[:2]})
	require.NoError(t, err)
	require.Equal(t, llm.Usage{PromptTokens: 100, CompletionTokens: 9, CachedTokens: 70, WrittenTokens: 25}, resp.Usage)
}

// A budget's limit lowers the longest answer, never raises it (DESIGN 6).
func TestLimitOfAnAnswer(t *testing.T) {
	srv := served(t, "-- model-* --\n"+ok)
	table := models.Builtin().With(models.Rule{Model: "small", Settings: models.Settings{MaxOutput: 600}})
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL, Models: &table})
	for i, want := range []struct {
		model       string
		limit, sent int
		told        int
	}{{"m", 700, 700, 700}, {"small", 700, 600, 0}, {"small", 0, 600, 0}, {"claude-opus-5", 0, 128_000, 0}} {
		resp, err := c.Chat(llm.WithLimit(t.Context(), want.limit), llm.Request{Model: want.model, Messages: llmtest.LongAsk[:2]})
		require.NoError(t, err)
		require.Equal(t, float64(want.sent), body(t, srv, i+1)["max_tokens"])
		require.Equal(t, want.told, resp.Limit)
	}
}

// The key goes in the API's own header; other endpoints than Anthropic's get it as
// OpenAI's do as well. The list of models is asked for in the same way.
func TestHeaders(t *testing.T) {
	var got []*http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"claude-opus-5","display_name":"Claude Opus 5","max_input_tokens":1000000,"max_tokens":128000,"capabilities":{"image_input":{"supported":true},"effort":{"supported":true}}}],"has_more":false}`)
	}))
	defer srv.Close()
	for _, base := range []string{srv.URL, srv.URL + "/v1/messages", srv.URL + "/api/anthropic"} {
		c := anthropic.New(endpoint.Options{BaseURL: base})
		list, err := c.Models(t.Context(), "sk-ant-1")
		require.NoError(t, err)
		yes := true
		require.Equal(t, []endpoint.Listed{{ID: "claude-opus-5", Window: 1_000_000, MaxOutput: 128_000, Images: &yes}}, list)
	}
	require.Equal(t, "/v1/models", got[0].URL.Path)
	require.Equal(t, "/v1/models", got[1].URL.Path)
	require.Equal(t, "/api/anthropic/v1/models", got[2].URL.Path)
	require.Equal(t, "sk-ant-1", got[0].Header.Get("X-Api-Key"))
	require.Equal(t, "Bearer sk-ant-1", got[0].Header.Get("Authorization"))
	require.NotEmpty(t, got[0].Header.Get("Anthropic-Version"))

	var own http.Header
	c := anthropic.New(endpoint.Options{HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		require.Equal(t, "https://api.anthropic.com/v1/messages", r.URL.String())
		own = r.Header
		return nil, io.EOF
	})}})
	_, err := c.Chat(t.Context(), llm.Request{Key: "sk-ant-1", Model: "m", Messages: llmtest.LongAsk[:2]})
	require.ErrorContains(t, err, "can't reach api.anthropic.com")
	require.Equal(t, "sk-ant-1", own.Get("X-Api-Key"))
	require.Empty(t, own.Get("Authorization"))
	require.Equal(t, llm.KindNoKey, c.Ready("").(*llm.Error).Kind)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A refusal of images is remembered.
func TestImagesAreRefusedOnce(t *testing.T) {
	srv := served(t, `-- model-1 --
{"status":400,"body":{"error":{"message":"this model does not support image input"}}}
-- model-* --
`+ok)
	yes := true
	table := models.Builtin().With(models.Rule{Model: "seer", Settings: models.Settings{Images: &yes}})
	c := anthropic.New(endpoint.Options{BaseURL: srv.URL, Models: &table})
	for range 2 {
		_, err := c.Chat(t.Context(), llm.Request{Model: "seer", Messages: llmtest.WithImages(llmtest.LongAsk)})
		require.NoError(t, err)
	}
	require.Len(t, srv.Requests(), 3)
	require.Equal(t, 2, llm.CountImages(srv.Requests()[0].Messages))
	require.Zero(t, llm.CountImages(srv.Requests()[2].Messages))
	require.False(t, c.Settings("seer").TakesImages())
	require.Equal(t, []string{models.RepairNoImages}, c.Refused("seer"))
}

// Calls without a result get one, results without a call become text, and the user
// has the first word and the last.
func TestTurns(t *testing.T) {
	srv := served(t, "-- model --\n"+ok)
	ms := []llm.Message{{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c1", Function: llm.FunctionCall{Name: "read_file", Arguments: "[1"}}}},
		{Role: llm.RoleTool, ToolCallID: "gone", Content: "late"}, {Role: llm.RoleAssistant, Content: "Done."}}
	_, err := anthropic.New(endpoint.Options{BaseURL: srv.URL}).Chat(t.Context(), llm.Request{Model: "m", Messages: ms})
	require.NoError(t, err)
	require.Equal(t, []llm.Message{{Role: "user", Content: "(The conversation goes on.)"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{"malformed_arguments":"[1"}`}}}},
		{Role: "tool", ToolCallID: "c1", Content: "(no result)"}, {Role: "user", Content: "late"}, {Role: "assistant", Content: "Done."}, {Role: "user", Content: "Go on."}}, srv.Requests()[0].Messages)
}

// An answer over a limit, one that falls silent and one that the caller gives up end
// with an error of their kind.
func TestAnswersThatDoNotEnd(t *testing.T) {
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + strings.Repeat("and on ", 100) + `"}}` + "\n"
	calls := strings.Repeat(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"read_file","input":{}}}`+"\n", 5)
	for name, tc := range map[string]struct {
		script string
		kind   llm.Kind
		words  string
	}{
		"text":      {text, llm.KindTooLarge, "more than 100 bytes of text"},
		"calls":     {calls, llm.KindTooLarge, "more than 3 tool calls"},
		"arguments": {`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"read_file","input":{"a":"` + strings.Repeat("b", 200) + `"}}}` + "\n" + `{"type":"content_block_stop","index":0}` + "\n", llm.KindTooLarge, "arguments"},
		"silence":   {"{\"type\":\"message_start\",\"message\":{}}\n{\"hang\":true}\n", llm.KindNetwork, "nothing came from it"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := served(t, "-- model --\n"+tc.script)
			c := anthropic.New(endpoint.Options{BaseURL: srv.URL, IdleTimeout: 100 * time.Millisecond, Limits: llm.AnswerLimits{Text: 100, Arguments: 100, Calls: 3}})
			resp, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: llmtest.LongAsk[:2], Stream: true})
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tc.kind, e.Kind)
			require.Contains(t, e.Message, tc.words)
			require.True(t, e.Sent)
			require.LessOrEqual(t, len(resp.Content), 100)
			require.Empty(t, resp.ToolCalls)
		})
	}
	srv := served(t, "-- model --\n{\"text\":\"one\"}\n{\"hang\":true}\n")
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := anthropic.New(endpoint.Options{BaseURL: srv.URL}).Chat(ctx, llm.Request{Model: "m", Messages: llmtest.LongAsk[:2], Stream: true, OnDelta: func(string) { cancel() }})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindCanceled, e.Kind)
	require.True(t, e.Emitted)
	require.Equal(t, "one", resp.Content)
}

// D-21: a recording plays again to a client of the same API.
func TestD21RecordAndReplay(t *testing.T) {
	srv := served(t, `-- model-1 --
{"reasoning":"hm"}
{"text":"Reading."}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
{"usage":{"prompt_tokens":10,"completion_tokens":3}}
-- model-2 --
{"status":429,"headers":{"Retry-After":"3"},"body":{"error":{"type":"rate_limit_error","message":"slow down"}}}
`)
	ask := func(base string, c *http.Client) (got []any) {
		client := anthropic.New(endpoint.Options{BaseURL: base, HTTPClient: c})
		for range 2 {
			resp, err := client.Chat(t.Context(), llm.Request{Key: "sk-ant-abcdefghijklmnop", Model: "m", Messages: llmtest.LongAsk[:2], Tools: readTool, Stream: true})
			got = append(got, resp, fmt.Sprint(err))
		}
		return got
	}
	rec := replay.NewRecorder(nil)
	first := ask(srv.URL, &http.Client{Transport: rec})
	require.Equal(t, "Reading.", first[0].(llm.ChatResponse).Content)
	fixture := rec.Fixture("hi")
	require.NotContains(t, string(fixture), "sk-ant-abcdefghijklmnop")
	require.Equal(t, first, ask(served(t, string(fixture)).URL, nil))
}

// Streams of garbage end with an answer or an error.
func TestGarbage(t *testing.T) {
	llmtest.Garbage(t, []string{`{"type":"message_start","message":{"usage":{"input_tokens":5}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"list_files","input":{"a":1}}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"thinking"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}}`, `{"type":"content_block_stop","index":1}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`,
		`{"type":"message_stop"}`, `{"type":"message","content":[{"type":"text","text":"c"}],"stop_reason":"end_turn"}`, `{"type":"error","error":{"type":"api_error"}}`, `{"content":1}`},
		func(url string) llm.Client { return anthropic.New(endpoint.Options{BaseURL: url}) })
}
