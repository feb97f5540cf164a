package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/openai"
)

// Headers that a gateway wants go with every request, questions beside the chat
// included, and a secret among them is in no error (L-11).
func TestHeadersOfAGateway(t *testing.T) {
	paths := map[string]bool{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths[r.URL.Path] = true
		if r.Header.Get("X-Gateway-Provider") != "anthropic" {
			t.Error(r.URL.Path, "came without the header")
		}
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"not for `+r.Header.Get("X-Gateway-Token")+`"}`)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
	}))
	defer srv.Close()
	list := map[string]string{"x-gateway-provider": "anthropic", "x-gateway-token": "Bearer hush-hush"}
	require.NoError(t, endpoint.CheckHeaders(list))
	require.Equal(t, []string{"hush-hush"}, endpoint.SecretHeaders(list))
	require.Equal(t, []string{"dXNlcjpwYXNz"}, endpoint.SecretHeaders(map[string]string{"x-upstream-auth": " Basic dXNlcjpwYXNz ", "x-key": " "}))
	c := openai.New(openai.Options{BaseURL: srv.URL, Headers: list})
	require.Zero(t, c.ServedWindow(t.Context(), "", "m"))
	_, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Content: "Hi."}}})
	require.ErrorContains(t, err, "not for")
	require.NotContains(t, err.Error(), "hush")
	require.True(t, paths["/v1/chat/completions"] && paths["/v1/models"] && paths["/props"], "%v", paths)
}

// Headers that cannot be sent, or are the program's own, are refused by name.
func TestBadHeaders(t *testing.T) {
	for want, list := range map[string]map[string]string{
		"no name of a header": {"x y": "v"}, "api_key_env": {"authorization": "Bearer k"}, "line break": {"X-Ok": "a\r\nX-More: b"}, `"" is no name`: {"": "v"},
	} {
		require.ErrorContains(t, endpoint.CheckHeaders(list), want)
	}
}
