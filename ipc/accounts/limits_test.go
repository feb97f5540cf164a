package accounts

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
	"atelier/workshop"
)

func TestLimits(t *testing.T) { each(t, testLimits) }

func testLimits(t *testing.T, s *Store) {
	at := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return at }
	ann, err := s.AddUser(ctx, "ann@example.org", "")
	require.NoError(t, err)
	n, settle, err := s.Reserve(ctx, ann.ID, 1, 5000)
	require.NoError(t, err)
	require.Equal(t, int64(5000), n, "without a limit")
	require.NoError(t, settle(10))
	sp, err := s.SetLimit(ctx, "ann@example.org", 1000)
	require.NoError(t, err)
	require.Equal(t, Spending{UserID: ann.ID, Month: "2026-11", Most: 1000}, sp)

	n, settle, err = s.Reserve(ctx, ann.ID, 100, 600)
	require.NoError(t, err)
	require.Equal(t, int64(600), n)
	less, settleLess, err := s.Reserve(ctx, ann.ID, 100, 600)
	require.NoError(t, err)
	require.Equal(t, int64(400), less, "what is left")
	_, _, err = s.Reserve(ctx, ann.ID, 1, 600)
	var over *OverLimit
	require.ErrorAs(t, err, &over)
	require.Equal(t, int64(1000), over.Tokens)
	require.NoError(t, settle(250))
	at = at.Add(2 * time.Hour) // it was reserved in the month before
	require.NoError(t, settleLess(40))
	sp, err = s.Spending(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, Spending{UserID: ann.ID, Month: "2026-12", Most: 1000}, sp)
	at = at.Add(-2 * time.Hour)
	sp, err = s.Spending(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, int64(290), sp.Tokens)
	require.NoError(t, err)
	_, err = s.SetLimit(ctx, ann.ID, -1)
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	_, err = s.SetLimit(ctx, "eve@example.org", 1)
	require.True(t, workshop.IsFault(err, workshop.NotFound))
}

// TestLimitOverServers: requests by two servers at the same time take no more together than
// the limit, and what each took is counted.
func TestLimitOverServers(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 3)
	a := share(t, n.URL(0))
	ann, err := a.AddUser(ctx, "ann@example.org", "")
	require.NoError(t, err)
	_, err = a.SetLimit(ctx, ann.ID, 10_000)
	require.NoError(t, err)
	b := share(t, n.URL(1))
	var took atomic.Int64
	var refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			s := []*Store{a, b}[i%2]
			n, settle, err := s.Reserve(ctx, ann.ID, 500, 700)
			if over := (*OverLimit)(nil); errors.As(err, &over) {
				refused.Add(1)
				return
			}
			if !assert.NoError(t, err) {
				return
			}
			time.Sleep(10 * time.Millisecond)
			took.Add(n / 2)
			assert.NoError(t, settle(n/2))
		})
	}
	wg.Wait()
	require.LessOrEqual(t, took.Load(), int64(10_000))
	require.Positive(t, took.Load())
	sp, err := b.Spending(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, took.Load(), sp.Tokens)
	t.Logf("%d took %d, %d refused", 40-refused.Load(), took.Load(), refused.Load())
	for { // used up to the end, by both in turn
		_, _, err = a.Reserve(ctx, ann.ID, 500, 500)
		if err != nil {
			break
		}
		a, b = b, a
	}
	var over *OverLimit
	require.ErrorAs(t, err, &over)
	_, _, err = b.Reserve(ctx, ann.ID, 500, 500)
	require.ErrorAs(t, err, &over)
	require.LessOrEqual(t, over.Tokens, int64(10_000))
}

// lostAnswers does each write, and loses the answer of every second one.
type lostAnswers struct {
	jetstream.KeyValue
	n atomic.Int32
}

func (l *lostAnswers) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	rev, err := l.KeyValue.Update(ctx, key, value, last)
	if err == nil && l.n.Add(1)%2 == 1 {
		return 0, nats.ErrTimeout
	}
	return rev, err
}

// TestLimitCountsOnce: a change whose answer was lost is counted once, also when others
// change the same user meanwhile.
func TestLimitCountsOnce(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 1)
	a := share(t, n.URL(0))
	ann, err := a.AddUser(ctx, "ann@example.org", "")
	require.NoError(t, err)
	_, err = a.SetLimit(ctx, ann.ID, 1_000_000)
	require.NoError(t, err)
	_, settle, err := a.Reserve(ctx, ann.ID, 1, 1) // the key is there
	require.NoError(t, err)
	require.NoError(t, settle(0))
	lost := &lostAnswers{KeyValue: a.rows.(*shared).used}
	a.rows.(*shared).used = lost
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			_, settle, err := a.Reserve(ctx, ann.ID, 500, 700)
			if assert.NoError(t, err) {
				assert.NoError(t, settle(100))
			}
		})
	}
	wg.Wait()
	require.Equal(t, int32(20), lost.n.Load(), "each change was written once, half of them without an answer")
	sp, err := a.Spending(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1000), sp.Tokens)
}
