package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/openai"
)

var hello = []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}

func limits(body map[string]any) [2]any {
	return [2]any{body["max_tokens"], body["max_completion_tokens"]}
}

// A budget's limit goes to the endpoint in the parameter it takes, and only
// where it is lower than what would be asked for (DESIGN 6).
func TestLimitOfAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		rule    models.Settings
		limit   int
		answers []string
		want    [][2]any // max_tokens and max_completion_tokens of the requests
		said    int      // ChatResponse.Limit
	}{
		"none":                 {want: [][2]any{{nil, nil}}},
		"none, but configured": {rule: models.Settings{SendLimit: 50}, want: [][2]any{{50.0, nil}}},
		"sent":                 {limit: 700, want: [][2]any{{700.0, nil}}, said: 700},
		"newer parameter":      {rule: models.Settings{LimitParam: "max_completion_tokens"}, limit: 700, want: [][2]any{{nil, 700.0}}, said: 700},
		"lower than is asked":  {rule: models.Settings{SendLimit: 900}, limit: 700, want: [][2]any{{700.0, nil}}, said: 700},
		"never raised":         {rule: models.Settings{SendLimit: 600}, limit: 700, want: [][2]any{{600.0, nil}}},
		"more than it gives":   {rule: models.Settings{MaxOutput: 600}, limit: 700, want: [][2]any{{nil, nil}}},
		"the other parameter": {limit: 700, answers: []string{`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`},
			want: [][2]any{{700.0, nil}, {nil, 700.0}}, said: 700},
		"the older parameter": {rule: models.Settings{LimitParam: "max_completion_tokens"}, limit: 700, answers: []string{`{"detail":"Extra inputs are not permitted: max_completion_tokens"}`},
			want: [][2]any{{nil, 700.0}, {700.0, nil}}, said: 700},
		"neither": {limit: 700, answers: []string{`{"error":"unknown field max_tokens"}`, `{"error":"unknown field max_completion_tokens"}`},
			want: [][2]any{{700.0, nil}, {nil, 700.0}, {nil, nil}}},
		"higher than it gives": {limit: 70_000, answers: []string{`{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"}}`},
			want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"higher, with one configured": {rule: models.Settings{SendLimit: 90_000}, limit: 70_000, answers: []string{"{\"error\":{\"message\":\"`max_tokens` must be less than or equal to `8192`\"}}", `{"error":"x"}`},
			want: [][2]any{{70_000.0, nil}, {90_000.0, nil}}},
		"higher, as a range":         {limit: 70_000, answers: []string{`{"error":{"message":"max_tokens must be between 1 and 8192"}}`}, want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"higher, with a lower bound": {limit: 70_000, answers: []string{`{"error":{"message":"max_tokens should be greater than 0 and at most 8192"}}`}, want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"higher, Bedrock": {limit: 70_000, answers: []string{`{"message":"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."}`},
			want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"higher, Cohere": {limit: 70_000, answers: []string{`{"message":"too many tokens: max tokens must be less than or equal to 4096"}`}, want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"higher, Gemini": {limit: 70_000, answers: []string{`{"error":{"message":"Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 8193 (exclusive)."}}`},
			want: [][2]any{{70_000.0, nil}, {nil, nil}}},
		"counted as a rate, Groq": {limit: 30_000, answers: []string{`{"error":{"message":"Request too large for model llama in organization org on tokens per minute (TPM): Limit 12000, Requested 33000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`},
			want: [][2]any{{30_000.0, nil}, {nil, nil}}},
		"counted as a rate, OpenAI": {limit: 30_000, answers: []string{`{"error":{"message":"Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 33000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`},
			want: [][2]any{{30_000.0, nil}, {nil, nil}}},
		"beside the request in a window": {limit: 7_000, answers: []string{`{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (2000 in the messages, 7000 in the completion)."}}`},
			want: [][2]any{{7_000.0, nil}, {nil, nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			end := &capture{answers: c.answers}
			client := end.client(t, models.Rule{Model: "m", Settings: c.rule})
			resp, err := client.Chat(llm.WithLimit(t.Context(), c.limit), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
			if name != "higher, with one configured" {
				require.NoError(t, err)
			}
			var got [][2]any
			for _, b := range end.bodies {
				got = append(got, limits(b))
			}
			require.Equal(t, c.want, got)
			require.Equal(t, c.said, resp.Limit)
		})
	}
}

// What an endpoint said of limits is kept: a parameter that it does not know for
// all requests, a value that is too high for those as high.
func TestLimitIsLearned(t *testing.T) {
	ask := func(c *openai.Client, limit int) int {
		resp, err := c.Chat(llm.WithLimit(t.Context(), limit), llm.Request{Key: "k", Model: "m", Messages: hello})
		require.NoError(t, err)
		return resp.Limit
	}
	end := &capture{answers: []string{`{"error":"max_tokens is too large: the model supports at most 8192"}`}}
	c := end.client(t)
	require.Zero(t, ask(c, 70_000))
	require.Zero(t, ask(c, 80_000))
	require.Equal(t, 500, ask(c, 500))
	require.Equal(t, [2]any{500.0, nil}, limits(end.bodies[3]))
	require.Len(t, end.bodies, 4)

	end = &capture{answers: []string{`{"error":"unrecognized parameter: max_tokens"}`}}
	c = end.client(t)
	require.Equal(t, 500, ask(c, 500))
	require.Equal(t, 400, ask(c, 400))
	require.Equal(t, [2]any{nil, 400.0}, limits(end.bodies[2]))

	// One that is too low for the reasoning says nothing of higher ones.
	end = &capture{answers: []string{`{"error":"max_tokens must be greater than thinking.budget_tokens, whose maximum is 4096"}`}}
	c = end.client(t)
	require.Equal(t, 500, ask(c, 500), "in the other parameter")
}

// Models whose names the client's library knows take the newer parameter only.
func TestLimitOfAModelByName(t *testing.T) {
	end := &capture{answers: []string{`{"error":"unknown field max_completion_tokens"}`}}
	c := end.client(t)
	resp, err := c.Chat(llm.WithLimit(t.Context(), 500), llm.Request{Key: "k", Model: "gpt-5", Messages: hello})
	require.NoError(t, err)
	require.Zero(t, resp.Limit)
	require.Equal(t, [][2]any{{nil, 500.0}, {nil, nil}}, [][2]any{limits(end.bodies[0]), limits(end.bodies[1])})
}

// An answer counts as cut by the limit when it came near it.
func TestCutAnswers(t *testing.T) {
	length := func(limit, took int) llm.ChatResponse {
		return llm.ChatResponse{FinishReason: "length", Limit: limit, Usage: llm.Usage{CompletionTokens: took}}
	}
	require.True(t, length(500, 500).Cut())
	require.True(t, length(500, 0).Cut(), "the endpoint does not count")
	require.False(t, length(500, 20).Cut(), "the window ended")
	require.False(t, length(0, 500).Cut())
	require.False(t, llm.ChatResponse{FinishReason: "stop", Limit: 500, Usage: llm.Usage{CompletionTokens: 500}}.Cut())
}

// Reasoning that stands only in the sum of tokens is counted with the answer.
func TestReasoningInTheTotal(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":525}}`)
	}))
	defer srv.Close()
	resp, err := openai.New(openai.Options{BaseURL: srv.URL}).Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello})
	require.NoError(t, err)
	require.Equal(t, llm.Usage{PromptTokens: 20, CompletionTokens: 505}, resp.Usage)
}
