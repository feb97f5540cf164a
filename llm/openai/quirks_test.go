package openai_test

import (
	"testing"
	"time"

	"atelier/llm"
	"atelier/llm/llmtest"
	"atelier/llm/openai"
)

// TestQuirks runs every vector of testdata/quirks over real HTTP (L-02…L-08,
// L-11, W-15).
func TestQuirks(t *testing.T) {
	llmtest.Quirks(t, "testdata/quirks", func(e llmtest.Endpoint) llm.Client {
		return openai.New(openai.Options{BaseURL: e.URL, Models: e.Models, TextToolCalls: e.TextToolCalls, IdleTimeout: time.Minute})
	})
}
