package llm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// echo answers with the model and the last message of each request.
type echo struct{ asked []string }

func (e *echo) Chat(_ context.Context, r llm.Request) (llm.ChatResponse, error) {
	said := r.Model + ": " + r.Messages[len(r.Messages)-1].Content
	e.asked = append(e.asked, said)
	if r.Stream && r.OnDelta != nil {
		r.OnDelta(said)
	}
	return llm.ChatResponse{Content: said}, nil
}

// L-02, L-03: wrappers see and change whole requests, the outermost first, and the
// callbacks of a stream reach the endpoint's client.
func TestWrap(t *testing.T) {
	e := &echo{}
	named := llm.Wrap(e, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		r.Model = "inner-" + r.Model
		return next.Chat(ctx, r)
	})
	twice := llm.Wrap(named, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		if _, err := next.Chat(ctx, r); err != nil {
			return llm.ChatResponse{}, err
		}
		r.Model = "again"
		return next.Chat(ctx, r)
	})
	var streamed []string
	resp, err := twice.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Content: "hi"}}, Stream: true, OnDelta: func(s string) { streamed = append(streamed, s) }})
	require.NoError(t, err)
	require.Equal(t, "inner-again: hi", resp.Content)
	require.Equal(t, []string{"inner-m: hi", "inner-again: hi"}, e.asked)
	require.Equal(t, e.asked, streamed)
}
