package replay_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/llmtest"
	"atelier/llm/openai"
	"atelier/llm/replay"
)

// TestSuite: the real client against a recorded endpoint (L-12).
func TestSuite(t *testing.T) {
	llmtest.Run(t, llmtest.Subject{Key: "k", Model: "m", Client: func(t *testing.T) llm.Client {
		if strings.Contains(t.Name(), "calls") {
			c, _ := replay.Client(t, "-- model --\n{\"call\":{\"id\":\"1\",\"name\":\"list_files\",\"arguments\":{}}}\n")
			return c
		}
		c, _ := replay.Client(t, "-- model --\n{\"text\":\"two \"}\n{\"text\":\"files\"}\n")
		return c
	}})
}

func ask(c llm.Client) (llm.ChatResponse, error) {
	return c.Chat(context.Background(), llm.Request{Key: "sk-live-abcdefghijklmnopqrstuvwxyz", Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}, Stream: true})
}

const twoTurns = `
-- model-1 --
{"reasoning":"hm"}
{"text":"Reading."}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
{"call":{"id":"tc-2","name":"read_file","arguments":"{broken"}}
{"usage":{"prompt_tokens":10,"completion_tokens":3}}
-- model-2 --
{"text":"Done."}
`

// D-21: what was recorded plays again as it was, without the key.
func TestD21RecordAndReplay(t *testing.T) {
	f, err := replay.Parse([]byte(twoTurns))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	defer srv.Close()
	rec := replay.NewRecorder(nil)
	client := openai.New(openai.Options{BaseURL: srv.URL, HTTPClient: &http.Client{Transport: rec}})
	var first []llm.ChatResponse
	for range 2 {
		r, err := ask(client)
		require.NoError(t, err)
		first = append(first, r)
	}
	require.Len(t, first[0].ToolCalls, 2)
	require.Equal(t, "{broken", first[0].ToolCalls[1].Function.Arguments)
	require.Equal(t, "hm", first[0].Reasoning)
	fixture := rec.Fixture("what the user said\n-- model-9 --\nno section")
	require.NotContains(t, string(fixture), "sk-live")
	again, srv2 := replay.Client(t, string(fixture))
	for i := range 2 {
		r, err := ask(again)
		require.NoError(t, err)
		require.Equal(t, first[i], r)
	}
	require.Len(t, srv2.Requests(), 2)
	require.Zero(t, srv2.Unused())
	_, err = ask(again)
	require.ErrorContains(t, err, "HTTP 500", "running out of answers is told")
}

// D-21: a recording of an answer without an end is bounded, says that it is not
// whole, and can still be read.
func TestD21RecordingIsBounded(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"and so on, \"}}]}\n\n"); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	rec := replay.NewRecorder(nil)
	rec.Limit(10_000)
	client := openai.New(openai.Options{BaseURL: srv.URL, HTTPClient: &http.Client{Transport: rec}, Limits: llm.AnswerLimits{Text: 100_000}})
	_, err := ask(client)
	require.ErrorIs(t, err, llm.ErrTooLarge)
	require.True(t, rec.Full())
	fixture := rec.Fixture("")
	require.Greater(t, len(fixture), 5_000)
	require.Less(t, len(fixture), 12_000)
	require.Contains(t, string(fixture), `{"cut":true}`)
	_, err = replay.Parse(fixture)
	require.NoError(t, err)
	_, err = ask(client)
	require.ErrorIs(t, err, llm.ErrTooLarge)
	require.Less(t, len(rec.Fixture("")), 12_500, "later answers are not kept either")
}

// The special lines: a status with headers, a delay, a broken connection, raw
// bytes, any number of turns.
func TestFixtureLanguage(t *testing.T) {
	c, _ := replay.Client(t, `
-- model-1 --
{"status":429,"headers":{"Retry-After":"3"},"body":{"error":{"message":"slow"}}}
-- model-2 --
{"delay_ms":5}
{"text":"par"}
{"cut":true}
-- model-3 --
{"raw":"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"raw\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}
-- model-* --
{"text":"number ${n}"}
`)
	_, err := ask(c)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindRateLimited, e.Kind)
	require.Equal(t, 3*time.Second, e.RetryAfter)
	r, err := ask(c)
	require.Error(t, err)
	require.Equal(t, "par", r.Content)
	for _, want := range []string{"raw", "number 4", "number 5"} {
		r, err = ask(c)
		require.NoError(t, err)
		require.Equal(t, want, r.Content)
	}
}

// A fixture that is wrong names the section and line.
func TestBadFixtures(t *testing.T) {
	for _, bad := range []string{"-- model --\nnonsense\n", "-- model-x --\n{\"text\":\"a\"}\n"} {
		_, err := replay.Parse([]byte(bad))
		require.ErrorContains(t, err, "model", bad)
	}
}
