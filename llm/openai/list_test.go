package openai_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/openai"
)

func takes(images bool) *bool { return &images }

func TestModels(t *testing.T) {
	for body, want := range map[string][]endpoint.Listed{
		`{"object":"list","data":[{"id":"gpt-5"},{"id":"gpt-5-mini","object":"model"}]}`:                                                                     {{ID: "gpt-5"}, {ID: "gpt-5-mini"}},
		`{"data":[{"id":"a/b","context_length":1000,"top_provider":{"max_completion_tokens":50}},{"id":"c","top_provider":{"max_completion_tokens":null}}]}`: {{ID: "a/b", Window: 1000, MaxOutput: 50}, {ID: "c"}},
		`{"data":[{"id":"v","max_model_len":"4096"}]}`:                                                                                                       {{ID: "v", Window: 4096}},
		`[{"id":"t","context_length":8}]`:                                                                                                                    {{ID: "t", Window: 8}},
		`{"models":[{"name":"models/gemini-2.5-pro"}]}`:                                                                                                      {{ID: "gemini-2.5-pro"}},
		`{"data":[{"id":"l","meta":{"n_ctx_train":32768}},{}]}`:                                                                                              {{ID: "l", Window: 32768}},
		`{"data":[{"id":"s","architecture":{"input_modalities":["text","image"]}},{"id":"b","architecture":{"input_modalities":["text"]}},{"id":"m","capabilities":{"vision":true}},{"id":"o","capabilities":["x"]}]}`: {{ID: "s", Images: takes(true)}, {ID: "b", Images: takes(false)}, {ID: "m", Images: takes(true)}, {ID: "o"}},
		`{"data":[]}`: nil,
	} {
		got, err := serving(t, 200, "application/json", body).Models(t.Context(), "")
		require.NoError(t, err, body)
		require.Equal(t, want, got, body)
	}
	for _, tc := range []struct {
		status int
		body   string
		kind   llm.Kind
	}{{200, "<html>", llm.KindUnavailable}, {200, `{"data":3}`, llm.KindUnavailable}, {401, `{"error":{"message":"bad key k-secret-k"}}`, llm.KindUnauthorized}, {404, "", llm.KindInvalid}} {
		_, err := serving(t, tc.status, "application/json", tc.body).Models(t.Context(), "k-secret-k")
		var e *llm.Error
		require.True(t, errors.As(err, &e), tc.body)
		require.Equal(t, tc.kind, e.Kind)
		require.NotContains(t, err.Error(), "k-secret-k")
	}
	_, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:1"}).Models(t.Context(), "")
	require.ErrorIs(t, err, &llm.Error{Kind: llm.KindNetwork})
}
