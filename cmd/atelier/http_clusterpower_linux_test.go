package main

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// powerRig is a rig whose NATS nodes have disks that lose power.
func powerRig(t *testing.T, later bool) (g *faultRig, disks []*clustertest.Disk) {
	disks = clustertest.NewDisks(t, 3, 400)
	flags := []string{"--drain", "1s"}
	if later {
		flags = append(flags, "--allow-late-sync")
	}
	nats := clustertest.StartWith(t, 3, clustertest.Options{SyncLater: later, Stores: clustertest.Stores(disks)})
	g = startRig(t, nats, 3, 3, 2, flags)
	for i, w := range g.workspaces {
		r := g.at(i, w)
		r.must(r.each, "PUT", file("first.txt"), "first")
	}
	return g, disks
}

// losePower has all nodes lose power, and the servers with everything in their data folders.
func (g *faultRig) losePower(disks []*clustertest.Disk) {
	g.nats.LosePower(disks)
	for _, n := range g.each {
		g.kill(n)
		require.NoError(g.t, os.RemoveAll(n.home))
		require.NoError(g.t, os.Mkdir(n.home, 0o700))
	}
	for i := range disks {
		g.nats.Restart(i)
	}
	g.nats.Ready()
	for i := range g.each {
		g.restart(i)
	}
}

// TestHTTPClusterPower: all NATS nodes lose power at once, and all data folders of servers are
// lost; nothing that was acknowledged is, if the nodes sync before they acknowledge.
func TestHTTPClusterPower(t *testing.T) {
	campaign.One(t, 0, 6)
	g, disks := powerRig(t, false)
	c := g.clients(8)
	rounds := campaign.Of(16, 20)
	for range rounds {
		time.Sleep(time.Duration(1000+rand.IntN(3000)) * time.Millisecond)
		g.losePower(disks)
	}
	time.Sleep(2 * time.Second)
	c.check()
	t.Logf("%d losses of power", rounds)
}

// TestHTTPClusterPowerLateSync: with nodes that acknowledge before they sync, the same loss is
// one that the check of the history finds.
func TestHTTPClusterPowerLateSync(t *testing.T) {
	campaign.One(t, 1, 6)
	g, disks := powerRig(t, true)
	for _, d := range disks {
		d.Sync() // accounts and workspaces
	}
	c := g.clients(8)
	time.Sleep(3 * time.Second)
	g.losePower(disks)
	time.Sleep(2 * time.Second)
	found := c.found()
	t.Logf("found %d losses, such as %q", len(found), append(found, "none")[0])
	require.NotEmpty(t, found, "nothing was lost, or the check does not find it")
}
