package engine_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
)

// apiServer plays script in every form, and lists models to those who come with the key
// in header.
func apiServer(t *testing.T, script, header string) (base string, srv *replay.Server) {
	f, err := replay.Parse([]byte(script))
	require.NoError(t, err)
	srv, err = replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/models") {
			srv.ServeHTTP(w, r)
			return
		}
		if r.Header.Get(header) == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"big"},{"id":"small"}]}`)
	}))
	t.Cleanup(front.Close)
	return front.URL, srv
}

// A provider is asked in the API that its entry names: validated, listed and tried out.
func TestAPIOfAProvider(t *testing.T) {
	for api, want := range map[string]struct{ header, path string }{
		"":          {"Authorization", "/v1/chat/completions"},
		"chat":      {"Authorization", "/v1/chat/completions"},
		"anthropic": {"X-Api-Key", "/v1/messages"},
		"responses": {"Authorization", "/v1/responses"},
	} {
		t.Run("api "+api, func(t *testing.T) {
			base, srv := apiServer(t, "-- model-* --\n{\"text\":\"1 2 \"}\n{\"text\":\"3\"}\n{\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}\n", want.header)
			e := newEngine(t, func(o *engine.Options) {
				o.Providers = []engine.Provider{{ID: "house", BaseURL: base, API: api, APIKey: "key-0123456789", Models: []string{"big"}}}
			})
			require.True(t, must(t, e, "ProvidersValidate", obj{"provider_id": "house"})["ok"].(bool))
			require.Equal(t, want.path, srv.Requests()[0].Path)
			require.Equal(t, "big", srv.Requests()[0].Model)
			list := must(t, e, "ModelsList", obj{"provider_id": "house"})["models"].([]any)
			require.Len(t, list, 2)
			status := must(t, e, "ProvidersGetStatus", obj{})["providers"].([]any)
			if api == "" {
				api = "chat"
			}
			require.Equal(t, api, status[1].(obj)["api"])
			checks := map[string]string{}
			for _, c := range must(t, e, "ModelsProbe", obj{"model_id": "house:big"})["checks"].([]any) {
				checks[c.(obj)["name"].(string)] = c.(obj)["status"].(string)
			}
			for _, name := range []string{"reachable", "listed", "key", "streaming", "usage"} {
				require.Equal(t, "ok", checks[name], name)
			}
		})
	}
	_, err := engine.New(engine.Options{Home: t.TempDir(), Providers: []engine.Provider{{ID: "house", BaseURL: "http://h", API: "smoke"}}})
	require.ErrorContains(t, err, `the provider "house": api: "smoke" is none of the APIs chat, anthropic, responses`)
	_, err = engine.New(engine.Options{Home: t.TempDir(), API: "smoke"})
	require.ErrorContains(t, err, `api: "smoke" is none of the APIs chat, anthropic, responses`)
}
