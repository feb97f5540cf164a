//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// TestHTTPClusterClocks: the clock of one NATS node is ahead, by less and by much more than a
// lease, while nodes are killed and paused, so that leases are written and removed by other
// clocks in turn. Each workspace is at work within seconds all the same, and files are
// linearizable.
func TestHTTPClusterClocks(t *testing.T) {
	campaign.OnlyFull(t) // building a server with another clock takes minutes
	program, err := clustertest.BuildWithClock(t.TempDir(), "github.com/nats-io/nats-server/v2")
	require.NoError(t, err)
	t.Run("reads of a late owner", func(t *testing.T) { lateOwnerReads(t, program) })
	for _, ahead := range []time.Duration{time.Second, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			nats := clustertest.StartWith(t, 3, clustertest.Options{Program: program, Ahead: []time.Duration{0, ahead, 0}})
			g := startRig(t, nats, 3, 3, 2, []string{"--drain", "1s"})
			for i, w := range g.workspaces {
				r := g.at(i, w)
				r.must(r.each, "PUT", file("first.txt"), "first")
			}
			g.kinds = []func(g *faultRig, i int) fault{killNode, pauseNode, killServer}
			c := g.clients(8)
			done := g.faults(rand.New(rand.NewPCG(campaign.Seed(), 0)), 15, c.probe)
			nats.Ready()
			c.check()
			t.Log(countsOf(done))
			tellTakeovers(t, c.takeovers)
		})
	}
}

// lateOwnerReads: a node whose clock is an hour ahead becomes the leader of the leases again and
// again. Other servers are asked to write at once, and the one that had the workspace to read:
// it must not answer what was before the write.
func lateOwnerReads(t *testing.T, program string) {
	nats := clustertest.StartWith(t, 3, clustertest.Options{Program: program, Ahead: []time.Duration{0, time.Hour, 0}})
	const lease = 12 * time.Second // a late owner would not know for 3 s
	g := startRig(t, nats, 3, 2, 1, []string{"--drain", "1s", "--lease", lease.String()})
	r := g.at(0, g.workspace)
	r.must(r.each, "PUT", file("a.txt"), "first")
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: g.urls, Name: "test"})
	require.NoError(t, err)
	defer c.Close()
	for round := range 4 {
		leadLeases(t, c, "n0")
		time.Sleep(lease/4 + time.Second) // it is renewed by a clock that is right
		had := g.held()
		require.Len(t, had, 1)
		at := 0
		for at = range had {
		}
		leadLeases(t, c, "n1")
		value := fmt.Sprint("value ", round)
		g.must(g.at(1-at, g.workspace).each, "PUT", file("a.txt"), value)
		status, answer := g.request(t.Context(), g.at(at, g.workspace).each[0], "GET", file("a.txt"), "")
		if status == http.StatusOK {
			require.Equal(t, value, answer, "round %d: the server that had the workspace answers what was before an acknowledged write", round)
		}
		require.Equal(t, had, g.held(), "round %d: the workspace moved though its server lives", round)
	}
}

// leadLeases makes a node the leader of the leases of workspaces.
func leadLeases(t *testing.T, c *cluster.Cluster, node string) {
	t.Helper()
	name := "KV_atelier-ws-leases"
	require.Eventually(t, func() bool {
		s, err := c.JetStream().Stream(t.Context(), name)
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		if s.CachedInfo().Cluster.Leader == node {
			return true
		}
		// An error says that there is no leader now, or that it is this one already.
		_, _ = c.Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN."+name, []byte(`{"placement":{"preferred":"`+node+`"}}`), 2*time.Second)
		return false
	}, 30*time.Second, 100*time.Millisecond)
}
