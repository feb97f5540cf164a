package agent

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
)

// stalls is an endpoint that says nothing after its first words.
func stalls(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
	if onDelta != nil {
		onDelta("Half an")
	}
	<-ctx.Done()
	return llm.ChatResponse{Content: "Half an"}, &llm.Error{Kind: llm.KindCanceled, Err: ctx.Err(), Emitted: true}
}

// An endpoint that never finishes does not hold a run beyond its time when
// nobody is there to cancel it; what it said is kept, and counted.
func TestBudgetOfTimeEndsARequest(t *testing.T) {
	r := newRig(t, nil)
	h := &hands{time.Unix(1e9, 0)} // stands still: only the request itself takes time
	r.cfg.Now, r.cfg.Budget = h.now, spend.Budget{Time: 20 * time.Millisecond}
	_, err := r.run(play(stalls), "Go.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Equal(t, "This run has used all of its 20ms, and the answer on its way was not waited for", err.Error())
	records := r.records()
	last := records[len(records)-1]
	require.Equal(t, "Half an", last.Text)
	require.Equal(t, true, last.Metadata["interrupted"])
	sum := r.total()
	require.EqualValues(t, 1, sum.Failed)
	require.Positive(t, sum.Input)

	// A ceiling ends it also when somebody could be asked.
	r.answers()
	r.cfg.Budget, r.cfg.Ceiling = spend.Budget{}, spend.Budget{Time: 20 * time.Millisecond}
	_, err = r.run(play(stalls), "Go.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Contains(t, err.(*runerr.Error).Hint, "not allowed here")

	// Who cancels a run has canceled it.
	r.cfg.Ceiling = spend.Budget{Time: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = r.runCtx(ctx, play(func(ctx context.Context, d func(string)) (llm.ChatResponse, error) {
		cancel()
		return stalls(ctx, d)
	}), "Go.")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
}

// Whoever is there sees the answer come; they are asked after it.
func TestBudgetOfTimeLetsAnAnswerFinishForAPerson(t *testing.T) {
	r := newRig(t, nil)
	h := &hands{time.Unix(1e9, 0)}
	r.cfg.Now, r.cfg.Budget = h.now, spend.Budget{Time: time.Millisecond}
	r.answers()
	res, err := r.run(play(func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		select {
		case <-ctx.Done():
			return llm.ChatResponse{}, ctx.Err()
		case <-time.After(20 * time.Millisecond):
			return says("Done.")(ctx, onDelta)
		}
	}), "Go.")
	require.NoError(t, err)
	require.Equal(t, "Done.", res.Text)
}
