//go:build unix

package main

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/ipc/accounts"
)

var (
	httpFaults    = flag.Int("httpfaults", 0, "faults of each history of TestHTTPClusterFaults; 0: 50 in a full campaign, else few")
	httpLease     = flag.Duration("httplease", 0, "lease of the servers in tests of clusters; 0: 2s")
	httpHistories = flag.Int("httphistories", 0, "histories of TestHTTPClusterFaults; 0: 10 in a full campaign, else 1")
)

// TestHTTPClusterFaults: servers, NATS nodes and what connects them fail while clients write
// and read two workspaces by any server. Each file is linearizable over the whole history, each
// acknowledged write is in its versions once, and no owner added to the log after its successor.
func TestHTTPClusterFaults(t *testing.T) {
	campaign.Slow(t)
	faults, histories := campaign.Of(24, 50), 1
	if campaign.Full() {
		histories = 10
	}
	if *httpFaults > 0 {
		faults = *httpFaults
	}
	if *httpHistories > 0 {
		histories = *httpHistories
	}
	var took []takeover
	total := 0
	for i := range histories {
		seed := campaign.Seed() + uint64(i)
		nats := clustertest.Start(t, 3)
		g := startRig(t, nats, 3, 3, 2, []string{"--drain", "1s"})
		for i, w := range g.workspaces { // on different servers
			r := g.at(i, w)
			r.must(r.each, "PUT", file("first.txt"), "first")
		}
		c := g.clients(8)
		done := g.faults(rand.New(rand.NewPCG(seed, 0)), faults, c.probe)
		nats.Ready()
		time.Sleep(time.Second)
		c.check()
		total += faults
		t.Logf("seed %d: %d faults: %s", seed, faults, countsOf(done))
		tellTakeovers(t, c.takeovers)
		took = append(took, c.takeovers...)
		for _, n := range g.each {
			g.kill(n)
		}
		for j := range 3 {
			nats.Kill(j)
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d faults", total)
	tellTakeovers(t, took)
}

// TestHTTPClusterTakeovers: one server after the other fails, and how long it takes until the
// next has its workspaces is told.
func TestHTTPClusterTakeovers(t *testing.T) {
	campaign.OnlyFull(t)
	nats := clustertest.Start(t, 3)
	g := startRig(t, nats, 3, 3, 2, []string{"--drain", "1s"})
	for i, w := range g.workspaces {
		r := g.at(i, w)
		r.must(r.each, "PUT", file("first.txt"), "first")
	}
	g.apart = true
	for _, kind := range faultKinds {
		if len(kind(g, 0).hits) > 0 {
			g.kinds = append(g.kinds, kind)
		}
	}
	c := g.clients(8)
	faults := 60
	if *httpFaults > 0 {
		faults = *httpFaults
	}
	done := g.faults(rand.New(rand.NewPCG(campaign.Seed(), 2)), faults, c.probe)
	c.check()
	t.Log(countsOf(done))
	tellTakeovers(t, c.takeovers)
	require.NotEmpty(t, c.takeovers)
}

// TestHTTPClusterStartsBeforeLeader: a server that is started while the accounts have no
// leader waits for it. Two of the three nodes that have the accounts are away; three of five
// are there, so that the cluster answers all else.
func TestHTTPClusterStartsBeforeLeader(t *testing.T) {
	campaign.One(t, 5, 6)
	nats := clustertest.Start(t, 5)
	g := startRig(t, nats, 5, 1, 1, nil)
	g.must(g.each, "PUT", file("a.txt"), "a")
	g.kill(g.each[0])
	cl, err := cluster.Connect(t.Context(), cluster.Options{URLs: g.urls})
	require.NoError(t, err)
	defer cl.Close()
	s, err := cl.JetStream().Stream(t.Context(), "KV_atelier-"+accounts.Bucket)
	require.NoError(t, err)
	at := s.CachedInfo().Cluster
	for _, name := range []string{at.Leader, at.Replicas[0].Name} {
		i := int(name[1] - '0') // n0 to n4
		nats.Kill(i)
		back := time.AfterFunc(12*time.Second, func() { nats.Restart(i) })
		defer back.Stop()
	}
	g.restart(0) // fails if it ends
	require.Equal(t, "a", g.must(g.each, "GET", file("a.txt"), ""))
}
