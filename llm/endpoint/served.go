package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxServed bounds what a server says of what it serves.
const maxServed = 4 << 20

// askServed is how long one such question may take, and loadServed loading a
// model, which the first request would have to wait for too.
const (
	askServed  = 5 * time.Second
	loadServed = 5 * time.Minute
)

// ServedWindow returns the window, in tokens, with which a server on this machine or
// network has model loaded: often smaller than the model's own, and what is
// longer is cut without a word by some (Ollama, LM Studio). 0: it does not say.
//
// Asked are the servers' own interfaces beside /v1: Ollama's /api/ps, for which
// a model that is not loaded gets loaded, llama.cpp's /props, LM Studio's
// /api/v0/models, and for all others the list of models, in which vLLM and
// OpenRouter say it.
func (c *Base) ServedWindow(ctx context.Context, apiKey, model string) int {
	if c.err != nil || model == "" {
		return 0
	}
	if root, ok := strings.CutSuffix(c.At.Base, "/v1"); ok && c.At.local {
		s := served{c, ctx, strings.TrimSpace(apiKey), root}
		for _, ask := range []func(string) (int, bool){s.ollama, s.llamaCpp, s.lmStudio} {
			if n, known := ask(model); known {
				return n
			}
		}
	}
	list, err := c.Models(ctx, apiKey)
	if err != nil {
		return 0
	}
	for _, m := range list {
		if SameModel(m.ID, model) {
			c.learnImages(model, m.Images)
			return m.Window
		}
	}
	return 0
}

// Local reports whether the endpoint is on this machine or network.
func (c *Base) Local() bool { return c.err == nil && c.At.local }

// SameModel reports whether two names mean the same model: Ollama lists "llama3"
// as "llama3:latest".
func SameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// served asks a server for what its own interface tells. A method is done when
// the server is of its kind; known then, though the number may be 0.
type served struct {
	c    *Base
	ctx  context.Context
	key  string
	root string // of the server, without /v1
}

func (s served) ollama(model string) (window int, known bool) {
	window, _, known = s.loaded(model)
	if known {
		s.ollamaShow(model)
	}
	if !known || window > 0 {
		return window, known
	}
	var done struct {
		Done bool `json:"done"`
	}
	if !s.ask(loadServed, http.MethodPost, "/api/generate", map[string]any{"model": model, "stream": false}, &done) {
		return 0, true
	}
	window, least, _ := s.loaded(model)
	if window == 0 {
		// Models made of the same weights share what is loaded, under the name of
		// the one that came first.
		window = least
	}
	return window, true
}

// ollamaShow learns from /api/show whether the model takes images, if the table does
// not say. It asks once.
func (s served) ollamaShow(model string) {
	if s.c.table.Lookup(model, s.c.At.Name).Images != nil {
		return
	}
	if _, asked := s.c.shown.LoadOrStore(model, true); asked {
		return
	}
	var show struct {
		Capabilities []string `json:"capabilities"`
	}
	if s.ask(askServed, http.MethodPost, "/api/show", map[string]any{"model": model}, &show) && show.Capabilities != nil {
		takes := slices.Contains(show.Capabilities, "vision")
		s.c.learnImages(model, &takes)
	}
}

// loaded reads Ollama's list of running models: the window of one, 0 when it is
// not there, and the least of all.
func (s served) loaded(model string) (window, least int, known bool) {
	var ps struct {
		Models []struct {
			Name   string `json:"name"`
			Window Number `json:"context_length"`
		} `json:"models"`
	}
	if !s.ask(askServed, http.MethodGet, "/api/ps", nil, &ps) || ps.Models == nil {
		return 0, 0, false
	}
	for _, m := range ps.Models {
		n := m.Window.N
		if SameModel(m.Name, model) {
			window = n
		}
		if least == 0 || n > 0 && n < least {
			least = n
		}
	}
	return window, least, true
}

// llamaCpp also learns whether the model's template knows tools. Where it does
// not, llama.cpp leaves them out of the prompt without a word (seen with 0.7.0,
// b11669), so that the model never hears of them.
func (s served) llamaCpp(model string) (window int, known bool) {
	var props struct {
		Defaults struct {
			Window Number `json:"n_ctx"` // of a slot
		} `json:"default_generation_settings"`
		Template struct {
			Tools *bool `json:"supports_tools"`
		} `json:"chat_template_caps"`
		Modalities struct {
			Vision *bool `json:"vision"`
		} `json:"modalities"`
	}
	ok := s.ask(askServed, http.MethodGet, "/props", nil, &props)
	known = ok && props.Defaults.Window.N > 0
	if tools := props.Template.Tools; known && tools != nil {
		s.c.toolless.Store(model, !*tools)
	}
	if known {
		s.c.learnImages(model, props.Modalities.Vision)
	}
	return props.Defaults.Window.N, known
}

func (s served) lmStudio(model string) (window int, known bool) {
	var m struct {
		Loaded Number `json:"loaded_context_length"`
		Type   string `json:"type"`
	}
	ok := s.ask(askServed, http.MethodGet, "/api/v0/models/"+(&url.URL{Path: model}).EscapedPath(), nil, &m)
	if ok && m.Type != "" {
		takes := m.Type == "vlm"
		s.c.learnImages(model, &takes)
	}
	return m.Loaded.N, ok && m.Loaded.N > 0
}

// learnImages keeps whether a server says that model takes images; nil: it does not
// say.
func (c *Base) learnImages(model string, takes *bool) {
	if takes != nil {
		c.sees.Store(model, *takes)
	}
}

// ask sends a question and reads a JSON answer; false when there is none.
func (s served) ask(limit time.Duration, method, path string, body, into any) bool {
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return false
		}
		send = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.root+path, send)
	if err != nil {
		return false
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	s.c.api.Authorize(req.Header, s.key)
	resp, err := s.c.HTTP.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxServed))
	return err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(b, into) == nil
}
