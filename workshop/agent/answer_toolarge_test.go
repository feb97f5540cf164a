package agent

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/openai"
	"atelier/workshop/agent/runerr"
)

// An endpoint that never ends ends the run with an error of its own: one request,
// no retry, and a conversation that can be gone on with.
func TestEndlessAnswer(t *testing.T) { // W-15, L-07
	var requests atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		event := "data: {\"choices\":[{\"delta\":{\"content\":\"und weiter geht es für immer, \"}}]}\n\n"
		if requests.Add(1) > 1 {
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Now I am done.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			return
		}
		for {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	r := newRig(t, nil)
	waits := r.waits()
	client := openai.New(openai.Options{BaseURL: srv.URL, Limits: llm.AnswerLimits{Text: 300_000}})
	_, err := r.run(client, "hello")
	require.Equal(t, runerr.CodeTooLarge, code(err))
	require.False(t, err.(*runerr.Error).Retryable)
	require.Contains(t, err.Error(), "300000 bytes")
	require.Empty(t, *waits)
	require.EqualValues(t, 1, requests.Load())
	rs := r.records()
	require.Len(t, rs, 2)
	require.Equal(t, true, rs[1].Metadata["interrupted"])
	require.LessOrEqual(t, len(rs[1].Text), keepOfTooLarge)
	require.True(t, utf8.ValidString(rs[1].Text))
	require.EqualValues(t, 300_000, float64(len(rs[1].Text))+rs[1].Metadata["left_out_bytes"].(float64))
	usage, err := r.wb.UsageTotal(t.Context())
	require.NoError(t, err)
	require.Greater(t, usage.Output, int64(50_000), "what was said is on the bill")

	_, err = r.run(client, "go on")
	require.NoError(t, err)
	require.EqualValues(t, 2, requests.Load())
}
