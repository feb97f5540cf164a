package relay_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
	"atelier/llm"
	"atelier/llm/relay"
)

// A job has a few requests more than its workers have, those with the lowest order first.
func TestAdmit(t *testing.T) {
	t.Parallel()
	q := open(t, clustertest.Start(t, 1).URLs()...)
	j := begin(t, q, "j")
	const ahead = 16
	type admitted struct {
		order int
		ctx   context.Context
		done  func()
	}
	got := make(chan admitted, 100)
	apply := func(order int) {
		go func() {
			ctx, done, err := j.Admit(t.Context(), order)
			if err == nil {
				got <- admitted{order, ctx, done}
			}
		}()
	}
	next := func() admitted {
		t.Helper()
		select {
		case a := <-got:
			return a
		case <-time.After(10 * time.Second):
			require.Fail(t, "nobody is admitted")
			panic("not reached")
		}
	}
	nobody := func() {
		t.Helper()
		select {
		case a := <-got:
			require.Fail(t, "admitted", "%d", a.order)
		case <-time.After(100 * time.Millisecond):
		}
	}
	var first []admitted
	for range ahead {
		apply(1)
	}
	for range ahead {
		first = append(first, next())
	}
	_, _, err := j.Admit(ended(t), 0)
	require.ErrorIs(t, err, context.Canceled)
	for _, order := range []int{5, 3, 4, 6} {
		apply(order)
		time.Sleep(20 * time.Millisecond)
	}
	nobody()
	first[0].done() // it asks for nothing
	first[0].done()
	require.Equal(t, 3, next().order)
	answered := make(chan error, ahead)
	for _, a := range first[1:] {
		go func() {
			_, err := j.Chat(a.ctx, ask("a"))
			a.done()
			answered <- err
		}()
	}
	nobody() // they wait for a worker
	answer := make(chan bool)
	m := &model{answer: func(context.Context, string) (llm.ChatResponse, error) {
		<-answer
		return llm.ChatResponse{Content: "b"}, nil
	}}
	work(t, q, "w", m, relay.WorkerOptions{AtOnce: 2})
	require.ElementsMatch(t, []int{4, 5}, []int{next().order, next().order}, "one for each request that is at work")
	nobody()
	answer <- true
	require.NoError(t, <-answered)
	require.Equal(t, 6, next().order, "the worker has taken the next")
	close(answer)
	for range len(first) - 2 {
		require.NoError(t, <-answered)
	}
	j.End(relay.JobComplete, "")
	for range 100 {
		if _, _, err = j.Admit(t.Context(), 0); err != nil {
			break
		}
	}
	require.Error(t, err, "the job has ended")
}

// ended is a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
