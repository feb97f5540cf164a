//go:build unix

package owner_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica/owner"
)

// TestPausedServerWithManyWorkspaces: a server with 50 workspaces (12 in most runs) is paused. One that is to take
// them ends its lease and dies before it takes any. The next one takes all, side by side, and does
// not wait for a lease once more; the paused server acknowledges nothing when it continues, and
// works again with what is free.
func TestPausedServerWithManyWorkspaces(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	many := 12
	if campaign.Full() {
		many = 50
	}
	nats := clustertest.Start(t, 1)
	paused := []*process{startProcess(t, nats, 1)}
	ids := make([]string, many)
	for i := range ids {
		ids[i] = fmt.Sprint("w", i)
	}
	each := func(what string, f func(id string) error) {
		t.Helper()
		begun := time.Now()
		var g errgroup.Group
		g.SetLimit(8)
		for _, id := range ids {
			g.Go(func() error { return f(id) })
		}
		require.NoError(t, g.Wait(), what)
		t.Logf("%s: %s for %d workspaces", what, time.Since(begun).Round(time.Millisecond), many)
	}
	on := func(at *process, c call) func(id string) error {
		return func(id string) error {
			c := c // several at once
			c.Workspace = id
			var a answer
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				if a, _ = send(t.Context(), at.at(), c); a.Done {
					return nil
				}
			}
			return fmt.Errorf("%+v: %+v", c, a)
		}
	}
	each("taken", on(paused[0], call{Kind: "set", Key: "k", Value: "before"}))

	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: nats.URLs(), Name: "dies"})
	require.NoError(t, err)
	defer c.Close()
	dies, err := owner.FindServers(t.Context(), c)
	require.NoError(t, err)
	written, err := dies.Claims().Leases().Written(t.Context())
	require.NoError(t, err)
	require.Len(t, written, 1, "a lease for all")

	paused[0].signal(syscall.SIGSTOP)
	late := make(chan answer, 2*many)
	var asking sync.WaitGroup
	for _, id := range ids { // they wait at the server that is paused
		for _, kind := range []string{"get", "set"} {
			asking.Go(func() {
				a, _ := send(context.WithoutCancel(t.Context()), paused[0].at(), call{Kind: kind, Workspace: id, Key: "k", Value: "late"})
				late <- a
			})
		}
	}
	for key := range written {
		require.Eventually(t, func() bool {
			over, err := dies.Claims().Leases().End(t.Context(), key)
			require.NoError(t, err)
			return over
		}, 10*time.Second, 20*time.Millisecond)
	}
	next := startProcess(t, nats, 1)
	each("taken after one that died", on(next, call{Kind: "set", Key: "k", Value: "after"}))

	paused[0].signal(syscall.SIGCONT)
	asking.Wait()
	close(late)
	for a := range late {
		if a.Done { // passed on to the next server
			require.NotEqual(t, "before", a.Value, "a late owner answered a read")
		}
	}
	held, _, err := dies.Held(t.Context())
	require.NoError(t, err)
	require.Len(t, held, many)
	for id, h := range held {
		require.Equal(t, next.at(), h.Owner, id)
	}
	each("released", func(id string) error { return on(next, call{Kind: "release"})(id) })
	each("taken again", func(id string) error { return on(paused[0], call{Kind: "get", Key: "k"})(id) })
}
