package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/internal/campaign"
)

// reserve is Reserve of work that waits for nothing.
func reserve(t *testing.T, b *Budget, n int64) *Reservation {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, r, err := b.Reserve(ctx, n)
	require.NoError(t, err)
	return r
}

// Random reservations, cancels and cached things at once: never more than the
// limit, everybody gets what they wait for unless they give up, all is returned.
func TestRandomWork(t *testing.T) {
	for seed := range uint64(campaign.Of(8, 64)) {
		b := New(1000)
		var working atomic.Int64
		check := func() {
			s := b.Stats()
			assert.LessOrEqual(t, s.Work+s.Cached, s.Limit)
			assert.LessOrEqual(t, working.Load(), s.Limit)
		}
		var all sync.WaitGroup
		for i := range uint64(24) {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(seed, i))
				var mine *Entry
				for range 60 {
					n := 1 + rng.Int64N(400)
					if rng.IntN(12) == 0 {
						n = 2000 // alone
					}
					ctx, cancel := context.WithCancel(context.Background())
					gaveUp := rng.IntN(6) == 0
					if gaveUp {
						time.AfterFunc(time.Duration(rng.IntN(300))*time.Microsecond, cancel)
					}
					_, r, err := b.Reserve(ctx, n)
					switch {
					case err != nil:
						assert.True(t, gaveUp)
						assert.ErrorIs(t, err, context.Canceled)
					default:
						has := r.Bytes()
						working.Add(has)
						check()
						if rng.IntN(2) == 0 {
							mine.Forget()
							mine = b.Keep(rng.Int64N(300), func() { _ = b.Stats() })
							mine.Resize(rng.Int64N(300))
							mine.Touch()
						}
						if rng.IntN(3) == 0 {
							time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
						}
						working.Add(-has)
						r.Release()
						r.Release() // does nothing
					}
					cancel()
				}
				mine.Forget()
			})
		}
		all.Wait()
		s := b.Stats()
		require.Zero(t, s.Work+s.Cached+int64(s.Waiting), "%+v", s)
		require.LessOrEqual(t, s.Most, s.Limit)
		require.Positive(t, s.Waited)
	}
}

// Those who wait get it in the order in which they came.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// No two of them fit together.
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(501, 750), rapid.Int64Range(751, 1500)), 2, 20).Draw(t, "sizes")
		b := New(1000)
		_, first, err := b.Reserve(context.Background(), 1000)
		require.NoError(t, err)
		var order, want []int
		var all sync.WaitGroup
		for i, n := range sizes {
			want = append(want, i)
			all.Go(func() {
				_, r, err := b.Reserve(context.Background(), n)
				if assert.NoError(t, err) {
					order = append(order, i) // one at a time, which the race detector checks
					r.Release()
				}
			})
			for b.Stats().Waiting != i+1 {
				time.Sleep(time.Microsecond)
			}
		}
		first.Release()
		all.Wait()
		require.Equal(t, want, order)
	})
}

// A large request is not passed by smaller ones that come later.
func TestNobodyPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		half := reserve(t, b, 50)
		large, small := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(large)
			r := reserve(t, b, 75)
			time.Sleep(time.Second)
			r.Release()
		}()
		synctest.Wait()
		go func() {
			defer close(small)
			reserve(t, b, 40).Release()
		}()
		synctest.Wait()
		require.Equal(t, 2, b.Stats().Waiting)
		half.Release()
		synctest.Wait()
		require.Equal(t, int64(75), b.Stats().Work)
		require.Equal(t, 1, b.Stats().Waiting)
		<-small
		<-large
	})
}

// More than there can be is given alone.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		one := reserve(t, b, 10)
		got := make(chan *Reservation)
		go func() { got <- reserve(t, b, 5000) }()
		synctest.Wait()
		require.Equal(t, 1, b.Stats().Waiting)
		one.Release()
		r := <-got
		require.Equal(t, int64(100), r.Bytes())
		r.Release()
		require.Zero(t, b.Stats().Work)
	})
}

// Work inside work does not wait for itself, and is counted while it lasts.
func TestInside(t *testing.T) {
	b := New(100)
	ctx, outer, err := b.Reserve(t.Context(), 60)
	require.NoError(t, err)
	_, smaller, err := b.Reserve(ctx, 30)
	require.NoError(t, err)
	require.Equal(t, int64(60), b.Stats().Work)
	_, larger, err := b.Reserve(ctx, 90)
	require.NoError(t, err)
	require.Equal(t, int64(90), b.Stats().Work)
	larger.Release()
	smaller.Release()
	require.Equal(t, int64(60), b.Stats().Work)
	outer.Release()
	_, after, err := b.Reserve(ctx, 10) // the context outlived its reservation
	require.NoError(t, err)
	require.Equal(t, int64(10), b.Stats().Work)
	after.Release()
	require.Zero(t, b.Stats().Work)
}

// The error of a wait says how much is in use, and how to raise the limit.
func TestWaitError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(512 << 20)
		r := reserve(t, b, 300<<20)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, _, err := b.Reserve(ctx, 250<<20)
		var why *WaitError
		require.ErrorAs(t, err, &why)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "waited 30s for memory: 300 MiB in use of a budget of 512 MiB, and this needs 250 MiB; try again when less is in progress, or raise the limit with --memory-limit")
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, _, err = b.Reserve(ctx, 250<<20)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, errors.As(err, &why))
		_, _, err = b.Reserve(ctx, 1)
		require.ErrorIs(t, err, context.Canceled, "even where it would be free")
		require.Zero(t, b.Stats().Waiting)
		r.Release()
	})
}

// Who gives up lets those behind it in.
func TestGivingUpLetsOthersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		r := reserve(t, b, 60)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _, err := b.Reserve(ctx, 75)
			assert.ErrorIs(t, err, context.Canceled)
		}()
		synctest.Wait()
		got := make(chan *Reservation)
		go func() { got <- reserve(t, b, 40) }()
		synctest.Wait()
		cancel()
		(<-got).Release()
		r.Release()
	})
}

// Caches are emptied for work, the least recently used first, whichever cache it is in.
func TestCachesYield(t *testing.T) {
	b := New(100)
	var dropped []string
	keep := func(name string, n int64) *Entry {
		return b.Keep(n, func() { dropped = append(dropped, name) })
	}
	a, c := keep("a", 30), keep("b", 30)
	d := keep("c", 30)
	a.Touch()
	r := reserve(t, b, 45)
	require.Equal(t, []string{"b", "c"}, dropped)
	require.Equal(t, int64(30), b.Stats().Cached)
	c.Forget() // dropped before
	d.Resize(1000)
	require.Equal(t, int64(30), b.Stats().Cached)
	require.Nil(t, keep("d", 60), "no room beside the work")
	r.Release()
	b.SetLimit(20)
	require.Equal(t, []string{"b", "c", "a"}, dropped)
	require.Zero(t, b.Stats().Cached)
	var none *Entry
	none.Touch()
	none.Resize(1)
	none.Forget()
}

// What work made is kept from what it reserved, so that there is room for it.
func TestKeepOf(t *testing.T) {
	b := New(100)
	ctx, r, err := b.Reserve(t.Context(), 1000)
	require.NoError(t, err)
	require.Nil(t, b.Keep(10, func() {}))
	dropped := 0
	require.NotNil(t, b.KeepOf(ctx, 60, func() { dropped++ }))
	require.Equal(t, int64(40), r.Bytes())
	require.Equal(t, int64(60), b.Stats().Cached)
	require.Nil(t, b.KeepOf(ctx, 150, func() {}), "more than there is")
	r.Release()
	require.Nil(t, b.KeepOf(ctx, 150, func() {}))
	require.Zero(t, b.Stats().Work)
	require.Zero(t, dropped)
	reserve(t, b, 50).Release()
	require.Equal(t, 1, dropped)
}

// A cache that keeps something while it is locked can be emptied by it.
func TestKeepWhileLocked(t *testing.T) {
	b := New(100)
	var mu sync.Mutex
	kept := map[int]*Entry{}
	for i := range 50 {
		mu.Lock()
		kept[i] = b.Keep(30, func() {
			mu.Lock()
			defer mu.Unlock()
			delete(kept, i)
		})
		mu.Unlock()
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(kept) == 3
	}, time.Minute, time.Millisecond)
	require.Equal(t, int64(90), b.Stats().Cached)
}

// The memory of other processes is told to the garbage collector, and taken back.
func TestOutside(t *testing.T) {
	b := New(100)
	var told []int64
	b.changed = func(n int64) { told = append(told, n) }
	r := reserve(t, b, 40)
	r.Outside()
	r.Outside()
	reserve(t, b, 10).Release()
	r.Release()
	require.Equal(t, []int64{40, 0}, told)
	idle := b.KeepOutside(50, func() {})
	idle.Resize(60)
	idle.Forget()
	b.KeepOutside(70, func() {})
	r = reserve(t, b, 40)
	require.Equal(t, []int64{40, 0, 50, 60, 0, 70, 0}, told)
	require.False(t, r.Grow(61))
	require.True(t, r.Grow(60))
	r.Release()
	require.False(t, r.Grow(1))
	require.Zero(t, b.Stats().Work)
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GiB": 2 << 30, " 1 GiB ": 1 << 30, "1024": 1024, "7B": 7, "3KiB": 3 << 10, "1TiB": 1 << 40} {
		n, err := ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "x", "1GB", "-1GiB", "0", "1.5GiB", "99999999999TiB"} {
		_, err := ParseSize(text)
		require.ErrorContains(t, err, "is no size such as 512MiB", text)
	}
}

// The limit of a container is the least of its group and those around it.
func TestContainer(t *testing.T) {
	files := map[string]string{
		"/sys/fs/cgroup/a/b/memory.max": "max", "/sys/fs/cgroup/a/memory.max": "1073741824", "/sys/fs/cgroup/memory.max": "",
		"/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912",
	}
	read := func(p string) string { return files[p] }
	require.Equal(t, int64(1<<30), containerOf("0::/a/b\n", read))
	require.Equal(t, int64(512<<20), containerOf("5:cpu:/\n4:memory:/x\n0::/\n", read))
	require.Zero(t, containerOf("0::/\n", read))
	require.Zero(t, containerOf("damaged", read))
	require.Greater(t, Machine(), int64(64<<20))
	require.GreaterOrEqual(t, Default(), int64(Least))
}
