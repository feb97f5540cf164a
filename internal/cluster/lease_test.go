package cluster_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

func connect(t testing.TB, urls ...string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestLease(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	a, b := connect(t, "nats://"+link.Addr()), connect(t, s.URLs()...)
	const ttl = time.Second
	la, err := a.Leases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	lb, err := b.Leases(t.Context(), "owners", ttl)
	require.NoError(t, err)

	first, err := la.Acquire(t.Context(), "w", cluster.Holder{Owner: "a", Address: "a:1"})
	require.NoError(t, err)
	_, err = lb.Acquire(t.Context(), "w", cluster.Holder{Owner: "b"})
	require.ErrorIs(t, err, cluster.ErrHeld)
	var held *cluster.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, cluster.Holder{Owner: "a", Address: "a:1"}, held.Holder)

	time.Sleep(2 * ttl)
	require.True(t, first.Valid(), "it is renewed")
	_, err = lb.Acquire(t.Context(), "w", cluster.Holder{Owner: "b"})
	require.ErrorIs(t, err, cluster.ErrHeld)

	// Cut off, the holder stops before another can have the lease.
	link.Stall()
	second, err := lb.Wait(t.Context(), "w", cluster.Holder{Owner: "b"})
	require.NoError(t, err)
	require.False(t, first.Valid())
	<-first.Context().Done()
	require.ErrorIs(t, context.Cause(first.Context()), cluster.ErrLost)
	require.Greater(t, second.Fence(), first.Fence())
	link.Mend()
	first.Release()
	time.Sleep(ttl)
	require.True(t, second.Valid(), "a lost lease releases nothing")

	second.Release()
	third, err := lb.Acquire(t.Context(), "w", cluster.Holder{Owner: "c"})
	require.NoError(t, err, "a released lease can be had at once")
	require.Greater(t, third.Fence(), second.Fence())
	third.Release()
	_, _, err = lb.Holder(t.Context(), "w")
	require.ErrorIs(t, err, cluster.ErrNotFound)
}

// Among many that want a lease, one at a time has it, also while servers of the cluster
// die and come back.
func TestLeaseWhileServersDie(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 3)
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(max(6, campaign.Of(8, 120)))*time.Second)
	defer stop()
	var holders, most, turns atomic.Int32
	var fence atomic.Uint64
	var wg sync.WaitGroup
	for range 4 {
		c := connect(t, s.URLs()...)
		require.Equal(t, 3, c.Replicas())
		leases, err := c.Leases(t.Context(), "owners", 2*time.Second)
		require.NoError(t, err)
		wg.Go(func() {
			for ctx.Err() == nil {
				l, err := leases.Wait(ctx, "w", cluster.Holder{Owner: "x"})
				if err != nil {
					continue
				}
				if l.Valid() {
					now := holders.Add(1)
					if now > most.Load() {
						most.Store(now)
					}
					if last := fence.Swap(l.Fence()); last >= l.Fence() {
						t.Errorf("fencing number %d after %d", l.Fence(), last)
					}
					turns.Add(1)
					for i := 0; i < 10 && l.Valid(); i++ {
						time.Sleep(10 * time.Millisecond)
					}
					holders.Add(-1)
				}
				l.Release()
			}
		})
	}
	for i := 0; ctx.Err() == nil; i++ {
		time.Sleep(1500 * time.Millisecond)
		s.Kill(i % 3)
		time.Sleep(1500 * time.Millisecond)
		s.Restart(i % 3)
	}
	wg.Wait()
	t.Logf("%d turns", turns.Load())
	require.Equal(t, int32(1), most.Load())
	require.Positive(t, turns.Load())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	_, err := cluster.Connect(t.Context(), cluster.Options{URLs: []string{"nats://127.0.0.1:1"}})
	require.ErrorIs(t, err, cluster.ErrUnreachable)
	_, err = cluster.Connect(t.Context(), cluster.Options{URLs: []string{"http://user:secret@x"}})
	require.ErrorContains(t, err, "not an address of a NATS server")
	require.NotContains(t, err.Error(), "secret")

	s := clustertest.Start(t, 1)
	c := connect(t, s.URLs()...)
	require.Equal(t, 1, c.Replicas())
	kv, err := c.Keys(t.Context(), "some", time.Minute)
	require.NoError(t, err)
	_, err = c.Keys(t.Context(), "some", time.Hour)
	require.ErrorIs(t, err, cluster.ErrMismatch)
	_, err = kv.Create(t.Context(), "k", nil)
	require.NoError(t, err)
	_, err = kv.Create(t.Context(), "k", nil)
	require.True(t, cluster.IsConflict(err))
	mode, _, err := c.Sync(t.Context())
	require.NoError(t, err)
	require.Equal(t, cluster.SyncUnknown, mode)
	require.False(t, errors.Is(err, cluster.ErrNotFound))
}

// A lease whose key stays in the bucket, as when the clock of a server was ahead when the key
// was written, ends for a process that has seen no renewal for its whole time, not before.
func TestLeaseWhoseKeyStays(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	c := connect(t, s.URLs()...)
	const ttl = time.Second
	_, err := c.JetStream().CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "atelier-owners", TTL: ttl, LimitMarkerTTL: time.Hour})
	require.NoError(t, err)
	leases, err := c.Leases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	var renewed time.Time
	stays := func(nonce string) {
		renewed = time.Now()
		m := nats.NewMsg("$KV.atelier-owners.w")
		m.Data = []byte(`{"owner":"a","nonce":"` + nonce + `"}`)
		m.Header.Set("Nats-TTL", "never")
		_, err := c.JetStream().PublishMsg(t.Context(), m)
		require.NoError(t, err)
	}
	stays("1")
	held := func(n int) {
		for range n {
			_, err := leases.Acquire(t.Context(), "w", cluster.Holder{Owner: "b"})
			_, _, err2 := leases.Holder(t.Context(), "w")
			if time.Since(renewed) < ttl { // the machine may be slow
				require.ErrorIs(t, err, cluster.ErrHeld)
				require.NoError(t, err2)
			}
			time.Sleep(ttl / 4)
		}
	}
	held(1)
	time.Sleep(ttl / 2)
	stays("1") // it is renewed
	held(1)
	time.Sleep(ttl)
	_, _, err = leases.Holder(t.Context(), "w")
	require.ErrorIs(t, err, cluster.ErrNotFound)
	lease, err := leases.Acquire(t.Context(), "w", cluster.Holder{Owner: "b"})
	require.NoError(t, err)
	time.Sleep(2 * ttl)
	require.True(t, lease.Valid(), "it is renewed")
	holder, _, err := leases.Holder(t.Context(), "w")
	require.NoError(t, err)
	require.Equal(t, "b", holder.Owner)
	lease.Release()
}
