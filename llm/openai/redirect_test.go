package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/openai"
)

// A redirect to another port or host goes nowhere, whatever its status and the
// request, and takes neither documents nor keys along.
func TestRedirectsElsewhere(t *testing.T) {
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		io.WriteString(w, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],"data":[{"id":"m","max_model_len":9}]}`)
	}))
	defer other.Close()
	for _, status := range []int{300, 301, 302, 303, 304, 305, 306, 307, 308} {
		for name, to := range map[string]string{
			"port": other.URL, "host": strings.Replace(other.URL, "127.0.0.1", "localhost", 1), "scheme": strings.Replace(other.URL, "http:", "https:", 1), "nowhere": "",
		} {
			var asked atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if to != "" {
					w.Header().Set("Location", to+r.URL.Path+"?token=hush&key="+r.Header.Get("X-Gateway-Token"))
				}
				w.WriteHeader(status)
			}))
			c := openai.New(openai.Options{BaseURL: srv.URL + "/key-key-key", Headers: map[string]string{"x-gateway-token": "hush-hush"}})
			asks := map[string]func() error{
				"stream": func() error {
					_, err := c.Chat(t.Context(), llm.Request{Key: "key-key-key", Model: "m", Messages: hello, Stream: true})
					return err
				},
				"whole": func() error {
					_, err := c.Chat(t.Context(), llm.Request{Key: "key-key-key", Model: "m", Messages: hello})
					return err
				},
				"models": func() error { _, err := c.Models(t.Context(), "key-key-key"); return err },
			}
			for ask, do := range asks {
				what := fmt.Sprintf("%d to another %s, %s", status, name, ask)
				err := do()
				var e *llm.Error
				require.True(t, errors.As(err, &e), "%s: %v", what, err)
				require.Equal(t, llm.KindInvalid, e.Kind, what)
				require.Equal(t, status, e.Status, what)
				require.False(t, e.Retryable(), what)
				require.Contains(t, e.Message, "redirect", what)
				require.NotContains(t, err.Error(), "hush", what)
				require.NotContains(t, err.Error(), "key-key-key", what)
				if to != "" {
					require.Contains(t, e.Message, "redirects to "+to+"/", what)
				}
			}
			require.EqualValues(t, len(asks), asked.Load(), "each is asked once")
			require.Zero(t, c.ServedWindow(t.Context(), "key-key-key", "m"))
			srv.Close()
		}
	}
	require.Zero(t, reached.Load())
}

// Within an endpoint a redirect that keeps the request is followed, one that
// drops its body is an error, and one in a circle ends.
func TestRedirectsWithin(t *testing.T) {
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/there/"):
			b, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(b))
			io.WriteString(w, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],"data":[{"id":"m"}]}`)
		case strings.HasPrefix(r.URL.Path, "/307/"):
			http.Redirect(w, r, "/there/"+r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/301/"):
			http.Redirect(w, r, "/there/"+r.URL.Path, http.StatusMovedPermanently)
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusPermanentRedirect)
		}
	}))
	defer srv.Close()
	at := func(path string) *openai.Client { return openai.New(openai.Options{BaseURL: srv.URL + path}) }
	resp, err := at("/307").Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello})
	require.NoError(t, err)
	require.Equal(t, "ok", resp.Content)
	require.Contains(t, bodies[0], `"temperature"`, "the whole request arrives")
	_, err = at("/301").Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello, Stream: true})
	require.ErrorContains(t, err, "redirects to "+srv.URL+"/there/")
	list, err := at("/301").Models(t.Context(), "k")
	require.NoError(t, err)
	require.Len(t, list, 1)
	for _, err := range []error{func() error {
		_, err := at("/circle").Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: hello})
		return err
	}(), func() error { _, err := at("/circle").Models(t.Context(), "k"); return err }()} {
		var e *llm.Error
		require.True(t, errors.As(err, &e), "%v", err)
		require.Contains(t, e.Message, "redirects more than five times")
		require.False(t, e.Retryable())
	}
}
