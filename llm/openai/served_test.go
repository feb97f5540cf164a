package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/models"
	"atelier/llm/openai"
)

// What servers say is in the forms of Ollama 0.17, llama.cpp's server and LM
// Studio 0.3.
func TestServedWindow(t *testing.T) {
	const ps = `{"models":[{"name":"other:latest","model":"other:latest","context_length":8192},{"name":"m:latest","model":"m:latest","context_length":4096}]}`
	for name, tc := range map[string]struct {
		says  map[string]string // by method and path
		model string
		want  int
	}{
		"Ollama, loaded":         {map[string]string{"GET /api/ps": ps}, "m", 4096},
		"Ollama, with a tag":     {map[string]string{"GET /api/ps": ps}, "other:latest", 8192},
		"Ollama, no such model":  {map[string]string{"GET /api/ps": ps, "GET /v1/models": `{"data":[{"id":"x","context_length":9}]}`}, "x", 0},
		"Ollama of old":          {map[string]string{"GET /api/ps": `{"models":[{"name":"m:latest"}]}`, "POST /api/generate": `{"done":true}`}, "m", 0},
		"Ollama, same weights":   {map[string]string{"GET /api/ps": ps, "POST /api/generate": `{"model":"twin","done":true,"done_reason":"load"}`}, "twin", 4096},
		"llama.cpp":              {map[string]string{"GET /props": `{"default_generation_settings":{"id":0,"n_ctx":12288}}`, "GET /v1/models": `{"data":[{"id":"m","meta":{"n_ctx_train":131072}}]}`}, "m", 12288},
		"LM Studio":              {map[string]string{"GET /api/v0/models/a/m": `{"id":"a/m","state":"loaded","max_context_length":131072,"loaded_context_length":6000}`}, "a/m", 6000},
		"LM Studio, not loaded":  {map[string]string{"GET /api/v0/models/m": `{"id":"m","state":"not-loaded","max_context_length":131072}`, "GET /v1/models": `{"data":[{"id":"m"}]}`}, "m", 0},
		"vLLM":                   {map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_model_len":32768}]}`}, "m", 32768},
		"pages for every path":   {map[string]string{"*": "<html>"}, "m", 0},
		"JSON for every path":    {map[string]string{"*": `{"models":7,"default_generation_settings":[]}`}, "m", 0},
		"null for every path":    {map[string]string{"*": `null`}, "m", 0},
		"nothing for every path": {nil, "m", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := tc.says[r.Method+" "+r.URL.Path]
				if !ok {
					body, ok = tc.says["*"]
				}
				if !ok {
					w.WriteHeader(http.StatusNotFound)
				}
				_, _ = io.WriteString(w, body)
			}))
			defer s.Close()
			require.Equal(t, tc.want, openai.New(openai.Options{BaseURL: s.URL}).ServedWindow(t.Context(), "", tc.model))
		})
	}
}

// A model that Ollama has not loaded is loaded, as the next request would do,
// since only then it is known with which window.
func TestServedWindowLoads(t *testing.T) {
	loaded := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /api/ps":
			if loaded {
				_, _ = io.WriteString(w, `{"models":[{"name":"m:latest","context_length":4096}]}`)
				return
			}
			_, _ = io.WriteString(w, `{"models":[]}`)
		case "POST /api/generate":
			b, _ := io.ReadAll(r.Body)
			require.JSONEq(t, `{"model":"m","stream":false}`, string(b))
			loaded = true
			_, _ = io.WriteString(w, `{"model":"m","done":true,"done_reason":"load"}`)
		case "POST /api/show":
			_, _ = io.WriteString(w, `{"capabilities":["completion","vision"]}`)
		default:
			t.Error("asked for", r.URL.Path)
		}
	}))
	defer s.Close()
	c := openai.New(openai.Options{BaseURL: s.URL})
	require.False(t, c.Settings("m").TakesImages())
	require.Equal(t, 4096, c.ServedWindow(t.Context(), "", "m"))
	require.True(t, c.Settings("m").TakesImages(), "Ollama says so")
	require.Zero(t, openai.New(openai.Options{BaseURL: strings.Replace(s.URL, "http://", "ftp://", 1)}).ServedWindow(t.Context(), "", "m"))
}

// Tools that a template of llama.cpp does not know are left out of the prompt in
// silence, so they are written into the text as soon as the server says so, and
// no longer when it was started anew with a template that knows them (L-08).
func TestServedTemplateWithoutTools(t *testing.T) {
	knows := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/props" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"default_generation_settings":{"n_ctx":8192},"chat_template_caps":{"supports_tools":%v,"supports_tool_calls":%v}}`, knows, knows)
	}))
	defer s.Close()
	c := openai.New(openai.Options{BaseURL: s.URL})
	require.Empty(t, c.Refused("m"))
	require.Equal(t, 8192, c.ServedWindow(t.Context(), "", "m"))
	require.Equal(t, []string{models.RepairTextTools}, c.Refused("m"))
	require.Empty(t, c.Refused("other"))
	knows = true
	require.Equal(t, 8192, c.ServedWindow(t.Context(), "", "m"))
	require.Empty(t, c.Refused("m"))
}
