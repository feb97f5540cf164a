//go:build unix

package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
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
