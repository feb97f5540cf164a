package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/openai"
)

// capture is an endpoint that keeps each request's body and answers with the
// next of its answers, then with "ok".
type capture struct {
	bodies  []map[string]any
	answers []string // error bodies, sent with status 400
}

func (c *capture) client(t *testing.T, rules ...models.Rule) *openai.Client {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		b, _ := io.ReadAll(r.Body)
		if json.Unmarshal(b, &body) != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		c.bodies = append(c.bodies, body)
		if n := len(c.bodies); n <= len(c.answers) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, c.answers[n-1])
			return
		}
		io.WriteString(w, chunks(`{"content":"ok"}`))
	}))
	t.Cleanup(srv.Close)
	table := models.Builtin().With(rules...)
	return openai.New(openai.Options{BaseURL: srv.URL, Models: &table})
}

// foreign is a conversation that another provider began.
var foreign = []llm.Message{
	{Role: llm.RoleUser, Content: "Go on."},
	{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
		{ID: "functions.read_file:0", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{}`}},
		{ID: "toolu_01A09q90qw90lq917835lq9-and-more-than-forty", Type: "function", Function: llm.FunctionCall{Name: "read_file", Arguments: `{}`}}}},
	{Role: llm.RoleTool, ToolCallID: "functions.read_file:0", Content: "a"},
	{Role: llm.RoleTool, ToolCallID: "toolu_01A09q90qw90lq917835lq9-and-more-than-forty", Content: "b"},
	{Role: llm.RoleUser, Content: "And now?"},
}

// ids are the ids of the calls and those of the results of a request.
func ids(body map[string]any) (calls, results []string) {
	for _, m := range body["messages"].([]any) {
		m := m.(map[string]any)
		if list, ok := m["tool_calls"].([]any); ok {
			for _, c := range list {
				calls = append(calls, c.(map[string]any)["id"].(string))
			}
		}
		if id, ok := m["tool_call_id"].(string); ok {
			results = append(results, id)
		}
	}
	return calls, results
}

func send(t *testing.T, c *openai.Client, model string) {
	t.Helper()
	tools := []llm.Tool{{Type: "function", Function: llm.FunctionDef{Name: "read_file"}}}
	resp, err := c.Chat(t.Context(), llm.Request{Model: model, Messages: foreign, Tools: tools, Stream: true})
	require.NoError(t, err)
	require.Equal(t, "ok", resp.Content)
}

func TestSettingsShapeTheRequest(t *testing.T) { // L-10
	no := false
	var c capture
	client := c.client(t,
		models.Rule{Model: "warm", Settings: models.Settings{Heat: models.Temperature{Set: true, Value: 0.7}, SendLimit: 900, Parallel: &no, Effort: "low"}},
		models.Rule{Model: "gpt-5*", Settings: models.Settings{SendLimit: 800}})
	send(t, client, "warm")
	send(t, client, "gpt-5-mini")
	send(t, client, "unknown")
	require.Len(t, c.bodies, 3)
	for key, want := range map[string]any{"temperature": 0.7, "max_tokens": 900.0, "parallel_tool_calls": false, "reasoning_effort": "low"} {
		require.Equal(t, want, c.bodies[0][key], key)
		require.NotContains(t, c.bodies[1], key)
	}
	require.Equal(t, 800.0, c.bodies[1]["max_completion_tokens"])
	require.Equal(t, 0.0, c.bodies[2]["temperature"])
	require.NotContains(t, c.bodies[2], "parallel_tool_calls")
	require.NotContains(t, c.bodies[2], "max_tokens")
}

func TestRefusedSettingsAreLeftOutOnce(t *testing.T) {
	c := capture{answers: []string{`{"error":{"message":"Unsupported parameter: 'reasoning_effort'"}}`}}
	client := c.client(t, models.Rule{Model: "m", Settings: models.Settings{Effort: "high"}})
	send(t, client, "m")
	send(t, client, "m")
	require.Len(t, c.bodies, 3)
	require.Equal(t, "high", c.bodies[0]["reasoning_effort"])
	require.NotContains(t, c.bodies[1], "reasoning_effort")
	require.NotContains(t, c.bodies[2], "reasoning_effort", "it is remembered")
}

// A conversation goes on with another provider: its call ids take that one's
// form, and each result keeps to its call.
func TestCallIDsOfAnotherProvider(t *testing.T) {
	for _, tc := range []struct{ model, form string }{{"claude-sonnet-4-5", `^[A-Za-z0-9_-]{1,40}$`}, {"mistral-large", `^[A-Za-z0-9]{9}$`}} {
		var c capture
		client := c.client(t)
		send(t, client, tc.model)
		calls, results := ids(c.bodies[0])
		require.Equal(t, calls, results)
		require.Len(t, calls, 2)
		require.NotEqual(t, calls[0], calls[1])
		for _, id := range calls {
			require.Regexp(t, tc.form, id)
		}
		send(t, client, tc.model)
		again, _ := ids(c.bodies[1])
		require.Equal(t, calls, again, "the endpoint's cache goes on working")
	}
}

// An endpoint nothing is known of says that it wants another form.
func TestRefusedCallIDs(t *testing.T) {
	for _, words := range []string{
		`Tool call id was functions.read_file:0 but must be a-z, A-Z, 0-9, with a length of 9.`,
		`messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
		`Invalid 'messages[1].tool_calls[1].id': string too long. Expected a string with maximum length 40`,
	} {
		b, err := json.Marshal(map[string]any{"object": "error", "message": words})
		require.NoError(t, err)
		c := capture{answers: []string{string(b)}}
		client := c.client(t)
		send(t, client, "unknown")
		require.Len(t, c.bodies, 2, words)
		calls, _ := ids(c.bodies[0])
		require.Equal(t, "functions.read_file:0", calls[0], "as they were")
		calls, results := ids(c.bodies[1])
		require.Equal(t, calls, results)
		require.Regexp(t, `^[A-Za-z0-9]{9}$`, calls[0])
	}
}

func TestCachedTokens(t *testing.T) {
	for _, u := range []string{`"prompt_tokens_details":{"cached_tokens":7}`, `"prompt_cache_hit_tokens":7`, `"cache_read_input_tokens":7`, `"cached_tokens":7`} {
		c := serving(t, 200, "text/event-stream", chunks(`{"content":"x"}`, `raw:data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1,`+u+"}}\n\n"))
		resp, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: foreign, Stream: true})
		require.NoError(t, err)
		require.Equal(t, llm.Usage{PromptTokens: 10, CompletionTokens: 1, CachedTokens: 7}, resp.Usage)
	}
}

// A run that was stopped after a tool result goes on with a message of the
// user, which some endpoints refuse.
func TestRefusedOrderOfRoles(t *testing.T) {
	for _, words := range []string{`Unexpected role 'user' after role 'tool'`, `Conversation roles must alternate user/assistant/user/assistant/...`} {
		c := capture{answers: []string{`{"object":"error","message":"` + words + `","code":3230}`}}
		client := c.client(t)
		_, err := client.Chat(t.Context(), llm.Request{Model: "m", Messages: append(foreign[:len(foreign):len(foreign)],
			llm.Message{Role: llm.RoleUser, Content: "Well?"}), Stream: true})
		require.NoError(t, err)
		var roles []string
		var last string
		for _, m := range c.bodies[1]["messages"].([]any) {
			roles = append(roles, m.(map[string]any)["role"].(string))
			last, _ = m.(map[string]any)["content"].(string)
		}
		require.Equal(t, []string{"user", "assistant", "tool", "tool", "assistant", "user"}, roles)
		require.Equal(t, "And now?\n\nWell?", last, "nothing the user said is lost")
		require.Len(t, c.bodies[0]["messages"], 6, "others get it as it was")
	}
	require.Equal(t, "And now?", foreign[len(foreign)-1].Content)
}
