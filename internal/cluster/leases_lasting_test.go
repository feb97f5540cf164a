package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// keys is how many messages the bucket of leases has, with the marks of releases.
func keys(t *testing.T, c *cluster.Cluster, bucket string) int {
	t.Helper()
	s, err := c.JetStream().Stream(t.Context(), "KV_atelier-"+bucket)
	require.NoError(t, err)
	return int(s.CachedInfo().State.Msgs)
}

// The key of a lasting lease outlives it. A process that has watched the renewals takes it when
// it has seen none for the time of the lease; one that begins to look waits for that time. A
// released one can be had at once. What is over is removed.
func TestLastingLeases(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	a, b, late := connect(t, "nats://"+link.Addr()), connect(t, s.URLs()...), connect(t, s.URLs()...)
	const ttl = time.Second
	la, err := a.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	lb, err := b.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	require.Equal(t, ttl, lb.TTL())
	watched, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); lb.Watch(watched) }()
	defer func() { end(); <-ended }()

	dies, err := la.Acquire(t.Context(), "dies", cluster.Holder{Owner: "a", Address: "a:1"})
	require.NoError(t, err)
	freed, err := la.Acquire(t.Context(), "freed", cluster.Holder{Owner: "a"})
	require.NoError(t, err)
	lives, err := lb.Acquire(t.Context(), "lives", cluster.Holder{Owner: "b"})
	require.NoError(t, err)
	defer lives.Release()
	freed.Release()
	again, err := lb.Acquire(t.Context(), "freed", cluster.Holder{Owner: "b"})
	require.NoError(t, err, "a released lease can be had at once")
	require.Greater(t, again.Fence(), freed.Fence())
	again.Release()

	time.Sleep(2 * ttl)
	require.True(t, dies.Valid(), "it is renewed")
	found, err := late.FindLeases(t.Context(), "owners")
	require.NoError(t, err)
	require.Equal(t, ttl, found.TTL())
	held, err := found.Held(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]cluster.Held{"dies": {Holder: cluster.Holder{Owner: "a", Address: "a:1"}}, "lives": {Holder: cluster.Holder{Owner: "b"}}}, held)

	link.Cut()
	cut := time.Now()
	<-dies.Context().Done()
	held, err = found.Held(t.Context())
	require.NoError(t, err)
	require.True(t, held["dies"].Overdue, "%v", held)
	require.False(t, held["lives"].Overdue, "%v", held)
	require.GreaterOrEqual(t, time.Since(cut), ttl)

	// The watcher has waited already; who looks first now waits for a whole lease.
	_, _, err = lb.Holder(t.Context(), "dies")
	require.ErrorIs(t, err, cluster.ErrNotFound)
	fresh, err := late.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	begun := time.Now()
	_, err = fresh.Acquire(t.Context(), "dies", cluster.Holder{Owner: "c"})
	var holder *cluster.HeldError
	require.ErrorAs(t, err, &holder)
	require.Equal(t, "a", holder.Holder.Owner)
	taken, err := fresh.Wait(t.Context(), "dies", cluster.Holder{Owner: "c"})
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(begun), ttl)
	require.Less(t, time.Since(begun), 3*ttl)
	require.Greater(t, taken.Fence(), dies.Fence())
	link.Mend()
	dies.Release()
	time.Sleep(ttl)
	require.True(t, taken.Valid(), "a lost lease releases nothing")
	taken.Release()

	// One lease is left when the watcher has removed what was released.
	require.Contains(t, []int{2, 3}, keys(t, b, "owners"), "the first may be removed already")
	require.Eventually(t, func() bool { return keys(t, b, "owners") == 1 }, 30*ttl, ttl/2)
	require.True(t, lives.Valid())
}

// Many leases of a process that died are taken at once by one that watched, and those that
// nobody takes are removed; a lease that is renewed is not.
func TestLastingLeasesAreSwept(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	a, b := connect(t, "nats://"+link.Addr()), connect(t, s.URLs()...)
	const ttl = time.Second
	la, err := a.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	lb, err := b.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	watched, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); lb.Watch(watched) }()
	defer func() { end(); <-ended }()
	var dead []*cluster.Lease
	for _, key := range []string{"k1", "k2", "k3", "k4", "k5"} {
		l, err := la.Acquire(t.Context(), key, cluster.Holder{Owner: "a"})
		require.NoError(t, err)
		dead = append(dead, l)
	}
	lives, err := lb.Acquire(t.Context(), "lives", cluster.Holder{Owner: "b"})
	require.NoError(t, err)
	defer lives.Release()
	link.Cut()
	for _, l := range dead {
		<-l.Context().Done()
	}
	time.Sleep(ttl / 4) // the time between what the holder relies on and the whole
	taken, err := lb.Acquire(t.Context(), "k1", cluster.Holder{Owner: "b"})
	require.NoError(t, err, "the watcher does not wait again")
	defer taken.Release()
	require.Eventually(t, func() bool { return keys(t, b, "owners") == 2 }, 30*ttl, ttl/2)
	require.True(t, lives.Valid() && taken.Valid())
}

// Leases whose keys the servers removed by their clocks become lasting: a process that has them
// open already renews them as before, and its keys stay too. With another time they are refused.
func TestLeasesBecomeLasting(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	before, after := connect(t, "nats://"+link.Addr()), connect(t, s.URLs()...)
	const ttl = time.Second
	old, err := before.Leases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	renewed, err := old.Acquire(t.Context(), "w", cluster.Holder{Owner: "old"})
	require.NoError(t, err)

	_, err = after.LastingLeases(t.Context(), "owners", 2*ttl)
	require.ErrorIs(t, err, cluster.ErrMismatch)
	lasting, err := after.LastingLeases(t.Context(), "owners", ttl)
	require.NoError(t, err)
	_, err = after.LastingLeases(t.Context(), "owners", 2*ttl)
	require.ErrorIs(t, err, cluster.ErrMismatch)
	_, err = after.Leases(t.Context(), "owners", ttl)
	require.ErrorIs(t, err, cluster.ErrMismatch, "an earlier version is not started beside it")
	status, err := after.JetStream().KeyValue(t.Context(), "atelier-owners")
	require.NoError(t, err)
	of, err := status.Status(t.Context())
	require.NoError(t, err)
	require.Zero(t, of.TTL())

	time.Sleep(2 * ttl)
	require.True(t, renewed.Valid())
	_, err = lasting.Acquire(t.Context(), "w", cluster.Holder{Owner: "new"})
	require.ErrorIs(t, err, cluster.ErrHeld)
	link.Cut()
	<-renewed.Context().Done()
	taken, err := lasting.Wait(t.Context(), "w", cluster.Holder{Owner: "new"})
	require.NoError(t, err)
	link.Mend()
	require.Eventually(t, func() bool {
		h, _, err := old.Holder(t.Context(), "w")
		return err == nil && h.Owner == "new"
	}, 10*time.Second, 50*time.Millisecond)
	taken.Release()
	back, err := old.Acquire(t.Context(), "w", cluster.Holder{Owner: "old"})
	require.NoError(t, err, "the earlier version takes a released one")
	require.Greater(t, back.Fence(), taken.Fence())
	back.Release()
	entry, err := status.Get(t.Context(), "w")
	require.ErrorIs(t, err, jetstream.ErrKeyNotFound, "%v", entry)
}
