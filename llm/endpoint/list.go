package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"atelier/llm"
)

// Listed is a model of an endpoint's list.
type Listed struct {
	ID        string
	Window    int   // tokens; 0: the endpoint does not say
	MaxOutput int   // tokens; 0: the endpoint does not say
	Images    *bool // whether the model takes images; nil: the endpoint does not say
}

// maxList bounds the list of models; OpenRouter's is about 1 MB.
const maxList = 16 << 20

// listed are the fields of an entry as endpoints name them: OpenAI gives the id
// only, OpenRouter context_length and top_provider, vLLM max_model_len, Groq
// context_window, Mistral and LM Studio max_context_length, llama.cpp meta, Anthropic
// max_input_tokens and max_tokens.
type listed struct {
	ID            Text   `json:"id"`
	Name          Text   `json:"name"`
	ContextLength Number `json:"context_length"`
	ModelLen      Number `json:"max_model_len"`
	ContextWindow Number `json:"context_window"`
	MaxContext    Number `json:"max_context_length"`
	MaxCompletion Number `json:"max_completion_tokens"`
	MaxInput      Number `json:"max_input_tokens"`
	MaxTokens     Number `json:"max_tokens"`
	Top           struct {
		MaxCompletion Number `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Meta struct {
		Train Number `json:"n_ctx_train"`
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"` // OpenRouter
	Capabilities json.RawMessage `json:"capabilities"` // Mistral: {"vision": true}; Anthropic: {"image_input": {"supported": true}}
}

// images returns whether the endpoint says that the model takes images.
func (l listed) images() *bool {
	if len(l.Architecture.Input) > 0 {
		takes := slices.Contains(l.Architecture.Input, "image")
		return &takes
	}
	var can struct {
		Vision *bool `json:"vision"`
		Image  struct {
			Supported *bool `json:"supported"`
		} `json:"image_input"`
	}
	if json.Unmarshal(l.Capabilities, &can) != nil {
		return nil // others have other things under this name
	}
	return cmp.Or(can.Vision, can.Image.Supported)
}

// Models lists what the endpoint offers (GET /v1/models), in its order.
func (c *Base) Models(ctx context.Context, apiKey string) ([]Listed, error) {
	if c.err != nil {
		return nil, c.err
	}
	key := strings.TrimSpace(apiKey)
	ctx, cancel := context.WithTimeout(ctx, min(c.Options.IdleTimeout, time.Minute))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.At.Base+"/models", nil)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the list of models can't be asked for"}
	}
	req.URL.RawQuery = c.At.Query
	c.authorize(req, key)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, c.Typed(ctx, err, key)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(io.LimitReader(resp.Body, MaxErrorBody))
		if err != nil {
			body = nil // the status alone has to do
		}
		return nil, FailureOf(resp.StatusCode, resp.Header, body, key)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, c.Typed(ctx, &llm.Error{Kind: llm.KindUnavailable, Message: "the list of models was cut off", Err: err}, key)
	}
	return readList(body)
}

func readList(body []byte) ([]Listed, error) {
	var page struct {
		Data   []listed `json:"data"`
		Models []listed `json:"models"`
	}
	err := json.Unmarshal(body, &page)
	if err != nil && json.Unmarshal(body, &page.Data) != nil { // Together sends the bare list
		return nil, &llm.Error{Kind: llm.KindUnavailable, Message: "it sent no list of models", Err: err}
	}
	var out []Listed
	for _, m := range append(page.Data, page.Models...) {
		id := string(m.ID)
		if id == "" {
			id = string(m.Name)
		}
		id = strings.TrimPrefix(id, "models/") // Gemini
		if id == "" {
			continue
		}
		out = append(out, Listed{ID: id,
			Window:    firstSet(m.ContextLength, m.ModelLen, m.ContextWindow, m.MaxContext, m.Meta.Train, m.MaxInput),
			MaxOutput: firstSet(m.Top.MaxCompletion, m.MaxCompletion, m.MaxTokens), Images: m.images()})
	}
	return out, nil
}

func firstSet(list ...Number) int {
	for _, n := range list {
		if n.N > 0 {
			return n.N
		}
	}
	return 0
}
