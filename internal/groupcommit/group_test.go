package groupcommit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/groupcommit"
)

type write struct{ n, group int }

// What comes while a write is on its way is written together, up to the most; each item is
// in one call, and calls do not overlap.
func TestGroup(t *testing.T) {
	t.Parallel()
	first, resume := make(chan bool), make(chan bool)
	var calls [][]*write
	var at atomic.Int32
	g := groupcommit.New(10, func(all []*write) {
		require.EqualValues(t, 1, at.Add(1))
		defer at.Add(-1)
		calls = append(calls, all)
		if len(calls) == 1 {
			close(first)
			<-resume
		}
		for _, w := range all {
			w.group = len(calls)
		}
	})
	var wg sync.WaitGroup
	do := func(w *write, size int) {
		wg.Go(func() {
			require.NoError(t, g.Do(context.Background(), w, size))
			require.Positive(t, w.group)
		})
	}
	do(&write{n: 1}, 1)
	<-first
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, g.Do(canceled, &write{n: 2}, 3), context.Canceled)
	for i := range 20 {
		do(&write{n: 3 + i}, 3)
	}
	do(&write{n: 100}, 50) // larger than the most: alone
	require.Eventually(t, func() bool { return g.Waiting() == 22 }, time.Minute, time.Millisecond)
	close(resume)
	wg.Wait()
	seen := map[int]int{}
	for _, c := range calls {
		require.LessOrEqual(t, len(c), 3)
		for _, w := range c {
			seen[w.n]++
			if w.n == 100 {
				require.Len(t, c, 1)
			}
		}
	}
	require.Len(t, seen, 23, "also the one that was not waited for")
	for n, times := range seen {
		require.Equal(t, 1, times, n)
	}
	require.Less(t, len(calls), 20, "they were joined")
}
