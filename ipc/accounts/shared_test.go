package accounts

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/workshop"
)

// share returns the accounts of a cluster over a connection of the caller's alone, as
// another server has it.
func share(t *testing.T, urls ...string) *Store {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := Share(t.Context(), c, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestSharedByServers: what one server or command changes, the others know at once where
// they have not asked lately, and within Staleness where they have.
func TestSharedByServers(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 3)
	a, b := share(t, n.URL(0)), share(t, n.URL(1))
	ann, err := a.AddUser(ctx, "ann@example.org", "Ann")
	require.NoError(t, err)
	time.Sleep(Staleness)
	got, err := b.FindUser(ctx, "ANN@example.org")
	require.NoError(t, err)
	require.Equal(t, ann, got)
	command := share(t, n.URL(2)) // began later
	ben, err := command.AddUser(ctx, "ben@example.org", "")
	require.NoError(t, err)
	_, err = command.AddWorkspace(ctx, "w1", "Contracts", "ann@example.org")
	require.NoError(t, err)
	_, err = command.AddMember(ctx, "w1", ben.ID)
	require.NoError(t, err)
	later := share(t, n.URL(0))
	access, err := later.Access(ctx, "w1", ben.ID)
	require.NoError(t, err)
	require.True(t, access.IsMember)
	require.Eventually(t, func() bool {
		access, err := b.Access(ctx, "w1", ben.ID)
		require.NoError(t, err)
		return access.IsMember
	}, 2*Staleness, 10*time.Millisecond)

	// Revoked on one server, refused on both within the bound, while requests come all the time.
	for range 3 {
		u, err := a.RevokeTokens(ctx, ben.ID)
		require.NoError(t, err)
		acknowledged := time.Now()
		for _, s := range []*Store{a, b, later} {
			for {
				began := time.Now()
				got, err := s.User(ctx, ben.ID)
				require.NoError(t, err)
				if got.RevokedUntil >= u.RevokedUntil && got.Revocations >= u.Revocations {
					break
				}
				require.Less(t, began.Sub(acknowledged), Staleness, "a request that began so late did not see it")
			}
		}
		t.Logf("seen by all after %s", time.Since(acknowledged).Round(time.Millisecond))
		time.Sleep(1100 * time.Millisecond) // another second to be revoked until
	}
	behind := &Store{b.rows, func() time.Time { return time.Now().Add(-time.Hour) }, b.newID}
	was, err := b.User(ctx, ben.ID)
	require.NoError(t, err)
	_, err = behind.RevokeTokens(ctx, ben.ID)
	require.NoError(t, err)
	got, err = b.User(ctx, ben.ID)
	require.NoError(t, err)
	require.Equal(t, was.Revocations+1, got.Revocations, "a clock that is behind takes tokens back too")
	require.Equal(t, was.RevokedUntil, got.RevokedUntil)
	_, err = b.RemoveMember(ctx, "w1", ben.ID)
	require.NoError(t, err)
	access, err = b.Access(ctx, "w1", ben.ID)
	require.NoError(t, err)
	require.False(t, access.IsMember, "a server knows what it did itself")
	_, err = b.AddMember(ctx, "w1", ben.ID)
	require.NoError(t, err, "after a removal too")
	ms, err := b.Members(ctx, "w1")
	require.NoError(t, err)
	require.Len(t, ms, 2)
}

// TestSharedChanges: of changes at the same time by several processes none is lost, and an
// address belongs to one user.
func TestSharedChanges(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 3)
	stores := []*Store{share(t, n.URL(0)), share(t, n.URL(1)), share(t, n.URL(2))}
	var wg sync.WaitGroup
	var mu sync.Mutex
	same := map[string]bool{}
	for i := range 60 {
		wg.Go(func() {
			_, err := stores[i%3].AddUser(ctx, fmt.Sprintf("u%d@example.org", i), "")
			assert.NoError(t, err)
			u, err := stores[i%3].AddUser(ctx, "all@example.org", "")
			if err == nil {
				mu.Lock()
				same[u.ID] = true
				mu.Unlock()
			} else {
				assert.True(t, workshop.IsFault(err, workshop.Conflict), "%v", err)
			}
		})
	}
	wg.Wait()
	require.Len(t, same, 1)
	one, err := stores[0].FindUser(ctx, "all@example.org")
	require.NoError(t, err)
	require.True(t, same[one.ID])
	_, err = stores[0].AddWorkspace(ctx, "w1", "W", one.ID)
	require.NoError(t, err)
	fresh := share(t, n.URLs()...)
	users, err := fresh.Users(ctx)
	require.NoError(t, err)
	require.Len(t, users, 61)
	for _, s := range stores {
		_, err := s.Users(ctx)
		require.NoError(t, err)
	}
	for i, u := range users {
		wg.Go(func() {
			_, err := fresh.AddMember(ctx, "w1", u.ID)
			assert.NoError(t, err)
			_, err = fresh.RevokeTokens(ctx, u.ID)
			assert.NoError(t, err, i)
		})
	}
	wg.Wait()
	ms, err := share(t, n.URLs()...).Members(ctx, "w1")
	require.NoError(t, err)
	require.Len(t, ms, 61)
	users, err = fresh.Users(ctx)
	require.NoError(t, err)
	for _, u := range users {
		require.Positive(t, u.RevokedUntil)
	}
}

// TestSharedUnreachable: a server that the cluster does not answer knows nobody any more,
// soon, and knows all again when it answers. One NATS server of three may die.
func TestSharedUnreachable(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 3)
	link := n.Link(0)
	cut, other := share(t, "nats://"+link.Addr()), share(t, n.URLs()...)
	ann, err := other.AddUser(ctx, "ann@example.org", "")
	require.NoError(t, err)
	time.Sleep(Staleness)
	_, err = cut.User(ctx, ann.ID)
	require.NoError(t, err)
	link.Stall()
	stalled := time.Now()
	for {
		began := time.Now()
		_, err = cut.User(ctx, ann.ID)
		if err != nil {
			break
		}
		require.Less(t, began.Sub(stalled), Staleness, "it answers by what it knew")
		time.Sleep(10 * time.Millisecond)
	}
	require.ErrorIs(t, err, ErrUnavailable)
	require.Less(t, time.Since(stalled), Staleness+patience+time.Second, "it takes long to say so")
	_, err = cut.AddMember(ctx, "w1", ann.ID)
	require.ErrorIs(t, err, ErrUnavailable)
	_, err = other.RevokeTokens(ctx, ann.ID)
	require.NoError(t, err)
	link.Mend()
	require.Eventually(t, func() bool {
		u, err := cut.User(ctx, ann.ID)
		if err != nil {
			return false
		}
		require.Positive(t, u.RevokedUntil, "nothing old after the cut")
		return true
	}, 30*time.Second, 50*time.Millisecond)

	n.Kill(1)
	require.Eventually(t, func() bool { // while another leader is chosen, requests wait or fail
		_, err := other.AddUser(ctx, "ben@example.org", "")
		return err == nil || workshop.IsFault(err, workshop.Conflict)
	}, 30*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool { _, err := cut.FindUser(ctx, "ben@example.org"); return err == nil }, 30*time.Second, 50*time.Millisecond)
}

// TestSharedHalfAdded: a process that ended between claiming an address and adding the user
// leaves nothing that cannot be used.
func TestSharedHalfAdded(t *testing.T) {
	t.Parallel()
	s := share(t, clustertest.Start(t, 1).URLs()...)
	in := s.rows.(*shared)
	half := User{ID: "u1", Email: "ann@example.org", CreatedAt: "2026-01-01T00:00:00Z"}
	_, err := in.create(ctx, emailKeyed+hashOf("ann@example.org"), sharedUser{User: half})
	require.NoError(t, err)
	_, err = s.AddUser(ctx, "ann@example.org", "")
	require.True(t, workshop.IsFault(err, workshop.Conflict), "%v", err)
	u, err := s.User(ctx, "u1")
	require.NoError(t, err)
	require.Equal(t, half, u)
}

// TestSharedBroken: a value that cannot be read is an error that names it, not a user who is
// missing.
func TestSharedBroken(t *testing.T) {
	t.Parallel()
	s := share(t, clustertest.Start(t, 1).URLs()...)
	in := s.rows.(*shared)
	_, err := in.kv.Put(ctx, userKey+"u1", []byte("{"))
	require.NoError(t, err)
	in.wrote()
	_, err = s.User(ctx, "u1")
	require.ErrorContains(t, err, "user.u1")
	_, err = s.Access(ctx, "w1", "u1")
	require.Error(t, err)
}

// TestSharedStops: a request whose caller leaves does not wait.
func TestSharedStops(t *testing.T) {
	t.Parallel()
	n := clustertest.Start(t, 1)
	link := n.Link(0)
	s := share(t, "nats://"+link.Addr())
	link.Stall()
	time.Sleep(Staleness)
	c, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := s.User(c, "u1")
	require.Error(t, err)
	require.Less(t, time.Since(began), time.Second)
	link.Mend()
}
