package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

// A server cuts what is longer than its window without a word: a request that
// cannot fit is not sent, and one that was cut is said to be.
func TestAServedWindowIsKept(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.cfg.Window, r.cfg.Served, r.cfg.Tools = 3000, true, ToolsFull
	m := play(says("never asked"))
	_, err := r.run(m, "Hello")
	var e *runerr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, runerr.CodeValidation, e.Code)
	require.Contains(t, e.Detail, "the window of scripted has 3000 tokens")
	require.Contains(t, e.Hint, "OLLAMA_CONTEXT_LENGTH")
	require.Empty(t, m.requests)

	r.cfg.Window = 20_000
	_, err = r.run(play(func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		resp, err := says("Done.")(ctx, onDelta)
		resp.Usage.PromptTokens = 20_000
		return resp, err
	}), "Hello")
	require.NoError(t, err)
	cut := params[ContextCut](r.events)
	require.Len(t, cut, 1)
	require.Equal(t, 20_000, cut[0].Tokens)
}
