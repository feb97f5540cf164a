package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// claimsOf are claims of a process, with a time of a lease of a second.
func claimsOf(t *testing.T, c *cluster.Cluster) *cluster.Claims { return claimsFor(t, c, time.Second) }

func claimsFor(t *testing.T, c *cluster.Cluster, ttl time.Duration) *cluster.Claims {
	t.Helper()
	leases, err := c.LastingLeases(t.Context(), "leases", ttl)
	require.NoError(t, err)
	claims, err := c.Claims(t.Context(), "owners", leases)
	require.NoError(t, err)
	return claims
}

func leaseOf(t *testing.T, c *cluster.Claims, key, owner string) *cluster.Lease {
	t.Helper()
	l, err := c.Leases().Acquire(t.Context(), key, cluster.Holder{Owner: owner})
	require.NoError(t, err)
	return l
}

// watches has a process watch until the test ends.
func watches(t *testing.T, c *cluster.Claims) {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Watch(ctx) }()
	t.Cleanup(func() { end(); <-ended })
}

// A key is one process's at a time. It is free at once when it or the lease is released, and
// when the lease was not renewed for its time; then all keys of the lease are.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	ca, cb := connect(t, "nats://"+link.Addr()), connect(t, s.URLs()...)
	const ttl = 2 * time.Second // a busy machine may not renew within a shorter one
	a, b := claimsFor(t, ca, ttl), claimsFor(t, cb, ttl)
	watches(t, b)
	la, lb := leaseOf(t, a, "life-a", "a"), leaseOf(t, b, "life-b", "b")
	defer lb.Release()
	holder := cluster.Holder{Owner: "a", Address: "a:1"}
	take := func(c *cluster.Claims, key string, by *cluster.Lease, owner string) (*cluster.Claim, error) {
		return c.Take(t.Context(), key, by, cluster.Holder{Owner: owner, Address: owner + ":1"})
	}
	one, err := take(a, "one", la, "a")
	require.NoError(t, err)
	for i := range 5 {
		_, err = take(a, fmt.Sprint("more", i), la, "a")
		require.NoError(t, err)
	}
	_, err = take(b, "one", lb, "b")
	var held *cluster.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, cluster.HeldError{Key: "one", Holder: holder}, *held)
	got, err := b.Holder(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, holder, got)

	one.Release()
	_, err = b.Holder(t.Context(), "one")
	require.ErrorIs(t, err, cluster.ErrNotFound)
	two, err := take(b, "one", lb, "b")
	require.NoError(t, err, "a released one can be had at once")
	require.Greater(t, two.Fence(), one.Fence())
	one.Release()
	got, err = a.Holder(t.Context(), "one")
	require.NoError(t, err, "a claim that was released releases nothing more")
	require.Equal(t, "b", got.Owner)
	again, err := take(b, "one", lb, "b")
	require.NoError(t, err, "the answer to a claim may have been lost")
	two.Release()
	got, err = a.Holder(t.Context(), "one")
	require.NoError(t, err, "an earlier claim of the same lease releases nothing")
	require.Equal(t, "b", got.Owner)
	again.Release()

	time.Sleep(ttl * 3 / 2)
	require.True(t, la.Valid(), "it is renewed")
	_, err = take(b, "more0", lb, "b")
	require.ErrorIs(t, err, cluster.ErrHeld)

	// Cut off, the process of a stops before another can have any of its keys.
	link.Stall()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		valid := la.Valid()
		_, err = take(b, "more0", lb, "b")
		if err == nil {
			require.False(t, la.Valid())
			break
		}
		require.ErrorIs(t, err, cluster.ErrHeld)
		require.True(t, valid || time.Since(begun) < 20*time.Second)
	}
	for i := range 5 { // the rest is free at once
		_, err = take(b, fmt.Sprint("more", i), lb, "b")
		require.NoError(t, err)
	}
	link.Mend()
	la.Release()
	next := leaseOf(t, a, "life-a2", "a")
	for i := range 5 { // the next life has nothing of the one before
		_, err = take(a, fmt.Sprint("more", i), next, "a")
		require.ErrorIs(t, err, cluster.ErrHeld)
	}
	lb.Release()
	for i := range 5 {
		_, err = take(a, fmt.Sprint("more", i), next, "a")
		require.NoError(t, err, "a released lease releases all")
	}
	next.Release()
}

// A renewal that comes after another process ended the lease is refused, and its holder knows
// then. Who ended it may die before it takes anything: every other process can take at once. A
// lease whose key is not known is ended by a mark in the place of no key, so that a process that
// reads from a server that lags behind cannot take from one that lives.
func TestLateRenewalIsRefused(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	cb := connect(t, s.URLs()...)
	a, b, third := claimsOf(t, connect(t, "nats://"+link.Addr())), claimsOf(t, cb), claimsOf(t, connect(t, s.URLs()...))
	la, lc := leaseOf(t, a, "life-a", "a"), leaseOf(t, third, "life-c", "c")
	defer lc.Release()
	_, err := a.Take(t.Context(), "w", la, cluster.Holder{Owner: "a"})
	require.NoError(t, err)
	over, err := b.Leases().End(t.Context(), "life-a")
	require.NoError(t, err)
	require.False(t, over, "it is renewed")

	// It is cut off; what it sends meanwhile arrives later.
	kv, err := cb.JetStream().KeyValue(t.Context(), "atelier-leases")
	require.NoError(t, err)
	link.Stall()
	var last jetstream.KeyValueEntry
	for over = false; !over; time.Sleep(20 * time.Millisecond) {
		last, err = kv.Get(t.Context(), "life-a")
		require.NoError(t, err)
		over, err = b.Leases().End(t.Context(), "life-a")
		require.NoError(t, err)
	}
	require.False(t, la.Valid())
	<-la.Context().Done()
	require.ErrorIs(t, context.Cause(la.Context()), cluster.ErrLost)
	link.Mend()
	_, err = kv.Update(t.Context(), "life-a", last.Value(), last.Revision())
	require.True(t, cluster.IsConflict(err), "a renewal that comes late: %v", err)
	time.Sleep(500 * time.Millisecond)
	_, err = kv.Get(t.Context(), "life-a")
	require.ErrorIs(t, err, jetstream.ErrKeyNotFound, "what was on its way is refused too")
	_, err = third.Take(t.Context(), "w", lc, cluster.Holder{Owner: "c"})
	require.NoError(t, err, "the one that ended it did not take it")

	// The key of a lease that is over is removed long after: then it is ended once more. One that
	// a server does not know yet is not: the mark is refused.
	over, err = b.Leases().End(t.Context(), "removed")
	require.NoError(t, err)
	require.True(t, over)
	over, err = third.Leases().End(t.Context(), "life-c")
	require.NoError(t, err)
	require.False(t, over)
	require.True(t, lc.Valid())
}

// However many keys a process has, it renews one lease.
func TestClaimsCostNoRenewals(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	c := connect(t, clustertest.Start(t, 1).URLs()...)
	claims := claimsOf(t, c)
	lease := leaseOf(t, claims, "life", "a")
	defer lease.Release()
	renewals := func() float64 {
		before, begun := written(t, c, "leases"), time.Now()
		time.Sleep(3 * time.Second)
		return float64(written(t, c, "leases")-before) / time.Since(begun).Seconds()
	}
	one := renewals()
	const many = 1200
	var taking errgroup.Group
	taking.SetLimit(16)
	for i := range many {
		taking.Go(func() error {
			_, err := claims.Take(t.Context(), fmt.Sprint("w", i), lease, cluster.Holder{Owner: "a"})
			return err
		})
	}
	require.NoError(t, taking.Wait())
	before := written(t, c, "owners")
	require.GreaterOrEqual(t, before, uint64(many))
	all := renewals()
	require.Equal(t, before, written(t, c, "owners"), "no claim is renewed")
	t.Logf("renewals/s: %.1f with no claim, %.1f with %d", one, all, many)
	require.Greater(t, all, 1.0)
	require.LessOrEqual(t, all, 5.0, "four times in a lease of a second, at most")
	require.True(t, lease.Valid())
}

// written is how often keys of a bucket were written.
func written(t *testing.T, c *cluster.Cluster, bucket string) uint64 {
	t.Helper()
	s, err := c.JetStream().Stream(t.Context(), "KV_atelier-"+bucket)
	require.NoError(t, err)
	return s.CachedInfo().State.LastSeq
}

// What nobody has is removed; what somebody has stays.
func TestClaimsAreSwept(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	s := clustertest.Start(t, 1)
	link := s.Link(0)
	cb := connect(t, s.URLs()...)
	a, b := claimsOf(t, connect(t, "nats://"+link.Addr())), claimsOf(t, cb)
	watches(t, b)
	la, lb := leaseOf(t, a, "life-a", "a"), leaseOf(t, b, "life-b", "b")
	defer lb.Release()
	for i := range 20 {
		_, err := a.Take(t.Context(), fmt.Sprint("w", i), la, cluster.Holder{Owner: "a"})
		require.NoError(t, err)
	}
	for _, key := range []string{"kept", "freed"} {
		claim, err := b.Take(t.Context(), key, lb, cluster.Holder{Owner: "b"})
		require.NoError(t, err)
		if key == "freed" {
			claim.Release()
		}
	}
	link.Cut()
	<-la.Context().Done()
	held, leases, err := b.Held(t.Context())
	require.NoError(t, err)
	require.Len(t, held, 21, "they are listed for a while")
	require.True(t, held["w7"].Overdue && leases["life-a"].Overdue)
	require.False(t, held["kept"].Overdue || leases["life-b"].Overdue)
	require.Eventually(t, func() bool { return keys(t, cb, "owners") == 1 && keys(t, cb, "leases") == 1 }, 90*time.Second, 500*time.Millisecond)
	held, leases, err = b.Held(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]cluster.Held{"kept": {Holder: cluster.Holder{Owner: "b"}}}, held)
	require.Len(t, leases, 1)
}

// A bucket that has a lease for each key, of an earlier version, is not used for claims, and
// the earlier version does not use one of claims.
func TestClaimsBesideLeases(t *testing.T) {
	t.Parallel()
	c := connect(t, clustertest.Start(t, 1).URLs()...)
	leases, err := c.LastingLeases(t.Context(), "leases", time.Second)
	require.NoError(t, err)
	_, err = c.LastingLeases(t.Context(), "lasting", time.Second)
	require.NoError(t, err)
	_, err = c.Leases(t.Context(), "expiring", time.Second)
	require.NoError(t, err)
	for _, bucket := range []string{"lasting", "expiring"} {
		_, err = c.Claims(t.Context(), bucket, leases)
		require.ErrorIs(t, err, cluster.ErrMismatch)
		require.ErrorContains(t, err, "nats stream rm KV_atelier-"+bucket)
	}
	_, err = c.FindClaims(t.Context(), "owners", leases)
	require.ErrorIs(t, err, cluster.ErrNotFound)
	_, err = c.Claims(t.Context(), "owners", leases)
	require.NoError(t, err)
	_, err = c.LastingLeases(t.Context(), "owners", time.Second)
	require.ErrorIs(t, err, cluster.ErrMismatch)
	_, err = c.Leases(t.Context(), "owners", time.Second)
	require.ErrorIs(t, err, cluster.ErrMismatch)
}
