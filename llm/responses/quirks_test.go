package responses_test

import (
	"strings"
	"testing"
	"time"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/llmtest"
	"atelier/llm/replay"
	"atelier/llm/responses"
)

// TestQuirks runs every vector of testdata/quirks over real HTTP (L-02…L-08,
// L-11, W-15).
func TestQuirks(t *testing.T) {
	llmtest.Quirks(t, "testdata/quirks", func(e llmtest.Endpoint) llm.Client {
		return responses.New(endpoint.Options{BaseURL: e.URL, Models: e.Models, IdleTimeout: time.Minute})
	})
}

// The client keeps the promises of llm.Client (L-02, L-03, L-08).
func TestSuite(t *testing.T) {
	llmtest.Run(t, llmtest.Subject{Key: "k", Model: "m", Client: func(t *testing.T) llm.Client {
		return responses.New(endpoint.Options{BaseURL: served(t, script(t)).URL})
	}})
}

func served(t *testing.T, fixture string) *replay.Server {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := replay.NewServer(f, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv
}

func script(t *testing.T) string {
	if strings.Contains(t.Name(), "calls") {
		return "-- model --\n{\"call\":{\"id\":\"1\",\"name\":\"list_files\",\"arguments\":{}}}\n"
	}
	return "-- model --\n{\"text\":\"two \"}\n{\"text\":\"files\"}\n"
}
