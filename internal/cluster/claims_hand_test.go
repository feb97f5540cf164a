package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// A key that is handed over is kept for the process that is to have it, and for half the time of
// a lease only. Nothing is kept for one that takes nothing.
func TestHandedClaims(t *testing.T) {
	t.Parallel()
	s := clustertest.Start(t, 1)
	const ttl = 2 * time.Second // a busy machine may not renew within a shorter one
	var all [3]*cluster.Claims
	var lives [3]*cluster.Lease
	for i := range all {
		all[i] = claimsFor(t, connect(t, s.URLs()...), ttl)
		lives[i] = leaseOf(t, all[i], fmt.Sprint("life-", i), fmt.Sprint(i))
		defer lives[i].Release()
	}
	a, b, c := all[0], all[1], all[2]
	watches(t, b)
	take := func(i int, key string) (*cluster.Claim, error) {
		return all[i].Take(t.Context(), key, lives[i], cluster.Holder{Owner: fmt.Sprint(i)})
	}
	to := func(i int) cluster.Recipient {
		return cluster.Recipient{Holder: cluster.Holder{Owner: fmt.Sprint(i), Address: "there"}, Lease: lives[i].Key()}
	}
	refused := func(i int, key, holder string) {
		t.Helper()
		_, err := take(i, key)
		var held *cluster.HeldError
		require.ErrorAs(t, err, &held)
		require.Equal(t, holder, held.Holder.Owner)
	}
	first, err := take(0, "w")
	require.NoError(t, err)
	first.Hand(to(1))
	for _, i := range []int{0, 2} { // the one that had it cannot take it back either
		refused(i, "w", "1")
	}
	got, err := c.Holder(t.Context(), "w")
	require.NoError(t, err)
	require.Equal(t, "there", got.Address, "calls are passed on to it")
	held, _, err := c.Held(t.Context())
	require.NoError(t, err)
	require.Empty(t, held, "nobody has it at work")
	second, err := take(1, "w")
	require.NoError(t, err)
	require.Greater(t, second.Fence(), first.Fence())
	first.Hand(to(2))
	first.Release()
	time.Sleep(ttl * 3 / 4)
	refused(2, "w", "1") // it has it now, not only kept for it

	// One that does not take it in time loses it to any, and finds that out when it comes.
	second.Hand(to(2))
	refused(0, "w", "2")
	seen := time.Now()
	var third *cluster.Claim
	for third == nil {
		time.Sleep(10 * time.Millisecond)
		_, err := a.Holder(t.Context(), "w")
		claim, terr := take(0, "w")
		if time.Since(seen) < ttl/2-50*time.Millisecond {
			require.NoError(t, err)
			require.ErrorIs(t, terr, cluster.ErrHeld)
		}
		third = claim
	}
	require.Less(t, time.Since(seen), ttl, "its lease need not end")
	require.True(t, lives[2].Valid())
	refused(2, "w", "0")
	refused(1, "w", "0")
	third.Hand(to(0)) // to itself
	third, err = take(0, "w")
	require.NoError(t, err)

	// For a process that takes nothing more, has ended or is not known, nothing is kept.
	lives[2].Say(cluster.Holder{Owner: "2", Away: true}, true)
	require.Eventually(t, func() bool {
		w, err := c.Leases().Written(t.Context())
		require.NoError(t, err)
		return w["life-2"].Away
	}, 10*time.Second, 10*time.Millisecond)
	for _, recipient := range []cluster.Recipient{to(2), {Holder: cluster.Holder{Owner: "x"}, Lease: "nobody"}} {
		third.Hand(recipient)
		_, err = b.Holder(t.Context(), "w")
		require.ErrorIs(t, err, cluster.ErrNotFound)
		third, err = take(0, "w")
		require.NoError(t, err)
	}
	lives[2].Release()
	third.Hand(to(2))
	_, err = take(1, "w")
	require.NoError(t, err)

	// One that ends after it was given the key has it no longer than its lease.
	lives[2] = leaseOf(t, c, "life-2b", "2")
	other, err := take(0, "v")
	require.NoError(t, err)
	other.Hand(to(2))
	refused(1, "v", "2")
	lives[2].Release()
	_, err = take(1, "v")
	require.NoError(t, err)
}

// user has keys of claims one after the other, as a process whose leases may end.
type user struct {
	t      *testing.T
	claims *cluster.Claims
	link   *clustertest.Link
	name   string

	mu    sync.Mutex
	lease *cluster.Lease
	lives int
}

// life is the lease of now; a new one where the last is over.
func (u *user) life() *cluster.Lease {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lease != nil && u.lease.Valid() {
		return u.lease
	}
	l, err := u.claims.Leases().Acquire(u.t.Context(), fmt.Sprint(u.name, "-", u.lives+1), cluster.Holder{Owner: u.name})
	if err != nil {
		return nil // cut off
	}
	u.lease, u.lives = l, u.lives+1
	return l
}

// use is who uses a key, as far as it knows.
type use struct {
	by   *cluster.Lease
	left bool
}

// keyUsers checks that at most one process at a time uses a key.
type keyUsers struct {
	mu    sync.Mutex
	now   map[string]*use
	taken map[string]int
	last  map[string]time.Time
	gap   time.Duration
}

func (k *keyUsers) begin(key string, by *cluster.Lease) (*use, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	if was := k.now[key]; was != nil && !was.left && was.by != by && was.by.Valid() {
		err = fmt.Errorf("%s has %s by %s, and so has %s", by.Key(), key, by.Key(), was.by.Key())
	}
	u := &use{by: by}
	if k.taken[key]++; k.taken[key] > 1 {
		k.gap = max(k.gap, time.Since(k.last[key]))
	}
	k.now[key], k.last[key] = u, time.Now()
	return u, err
}

func (k *keyUsers) leave(u *use) {
	k.mu.Lock()
	defer k.mu.Unlock()
	u.left = true
}

// Processes take keys, release them, hand them over to processes that may take them or not, end
// and are cut off. No key is two processes' at a time, and no key is nobody's for long.
func TestHandedClaimsOfMany(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	s := clustertest.Start(t, 1)
	const ttl, processes = time.Second, 4
	var users []*user
	for i := range processes {
		link := s.Link(0)
		users = append(users, &user{t: t, link: link, name: fmt.Sprint("p", i), claims: claimsFor(t, connect(t, "nats://"+link.Addr()), ttl)})
		watches(t, users[i].claims)
	}
	in := &keyUsers{now: map[string]*use{}, taken: map[string]int{}, last: map[string]time.Time{}}
	ctx, end := context.WithTimeout(t.Context(), time.Duration(campaign.Of(64, 120))*time.Second)
	defer end()
	var group sync.WaitGroup
	for i, u := range users {
		for k := range 2 {
			rnd := rand.New(rand.NewPCG(campaign.Seed(), uint64(10*i+k)))
			group.Go(func() { u.work(ctx, rnd, in, fmt.Sprint("k", k), users) })
		}
		group.Go(func() { // it is cut off for longer than its lease, now and then
			for ctx.Err() == nil {
				sleep(ctx, time.Duration(i+2)*ttl)
				u.link.Stall()
				sleep(ctx, ttl*5/4)
				u.link.Mend()
			}
		})
	}
	group.Wait()
	for k := range 2 {
		require.Greater(t, in.taken[fmt.Sprint("k", k)], 3)
	}
	t.Logf("taken %v, longest time between two takers %s", in.taken, in.gap.Round(time.Millisecond))
	require.Less(t, in.gap, 8*ttl)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (u *user) work(ctx context.Context, rnd *rand.Rand, in *keyUsers, key string, all []*user) {
	for ; ctx.Err() == nil; sleep(ctx, time.Duration(rnd.IntN(20))*time.Millisecond) {
		by := u.life()
		if by == nil {
			continue
		}
		claim, err := u.claims.Take(ctx, key, by, cluster.Holder{Owner: u.name})
		if err != nil {
			if errors.Is(err, cluster.ErrHeld) {
				_, _ = u.claims.Holder(ctx, key)
			}
			continue
		}
		use, err := in.begin(key, by)
		if err != nil && by.Valid() {
			u.t.Error(err)
		}
		sleep(ctx, time.Duration(rnd.IntN(10))*time.Millisecond)
		in.leave(use)
		switch to := all[rnd.IntN(len(all))]; {
		case rnd.IntN(20) == 0: // it ends, with all that it has
			by.Release()
		case rnd.IntN(4) == 0:
			claim.Release()
		default:
			to.mu.Lock()
			lease := to.lease
			to.mu.Unlock()
			if lease == nil {
				claim.Release()
				continue
			}
			claim.Hand(cluster.Recipient{Holder: cluster.Holder{Owner: to.name}, Lease: lease.Key()})
		}
	}
}
