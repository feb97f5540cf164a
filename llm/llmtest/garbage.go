package llmtest

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// Garbage gives a client streams that are made of events in any order, some of them
// twice, broken or with members of another kind. Each must end with an answer or an
// *llm.Error, and calls of an answer must be told and have ids of their own.
func Garbage(t *testing.T, events []string, client func(url string) llm.Client) {
	rng := rand.New(rand.NewPCG(66, 1))
	kinds := []string{`null`, `{}`, `[]`, `"x"`, `7`, `-1`}
	for range 150 {
		var sb strings.Builder
		for range 1 + rng.IntN(12) {
			ev := events[rng.IntN(len(events))]
			switch rng.IntN(10) {
			case 0:
				ev = ev[:rng.IntN(len(ev))]
			case 1: // the value of a member becomes another
				if at := strings.Index(ev[rng.IntN(len(ev)):], `":`); at > 0 {
					ev = ev[:at] + `":` + kinds[rng.IntN(len(kinds))] + "}"
				}
			}
			sb.WriteString("data: " + ev + "\n\n")
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, sb.String())
		}))
		told := 0
		resp, err := client(srv.URL).Chat(t.Context(), llm.Request{Key: "k", Model: "m", Messages: question, Tools: []llm.Tool{listTool}, Stream: true, OnCall: func(llm.ToolCall) { told++ }})
		srv.Close()
		if err != nil {
			var e *llm.Error
			require.True(t, errors.As(err, &e), "%v", err)
			require.Empty(t, resp.ToolCalls, sb.String())
			continue
		}
		require.NotEmpty(t, resp.FinishReason, sb.String())
		require.Len(t, resp.ToolCalls, told)
		ids := map[string]bool{}
		for _, c := range resp.ToolCalls {
			require.NotEmpty(t, c.ID)
			require.False(t, ids[c.ID], sb.String())
			ids[c.ID] = true
		}
	}
}
