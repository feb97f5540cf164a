package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/need"
)

// small mounts a file system in memory that is soon full.
func small(t *testing.T, size string) string {
	return need.Mount(t, "-t", "tmpfs", "-o", "size="+size, "tmpfs")
}

// fill leaves no room in a file system until empty is called.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10} {
		b := make([]byte, size)
		for err == nil {
			_, err = f.Write(b)
		}
		require.True(t, errors.Is(err, syscall.ENOSPC), err)
		err = nil
	}
	return func() { require.NoError(t, os.Remove(path)) }
}

// TestHTTPClusterFullServer: a server whose disk is full refuses writes and says why, and
// nothing that was acknowledged is lost; with room again, it takes them.
func TestHTTPClusterFullServer(t *testing.T) {
	campaign.One(t, 2, 6)
	dir := small(t, "60m")
	g := &faultRig{httpNodes: newHTTPNodes(t, []string{"--drain", "1s"})}
	g.homeOf = func(i int, usual string) string {
		if i == 0 {
			return usual
		}
		return dir
	}
	g.start(clustertest.Start(t, 1), 1, 2, 1)
	r := g.at(1, g.workspace)
	r.must(r.each, "PUT", file("first.txt"), "first")
	require.Equal(t, []string{g.workspace}, g.held()[1])
	c := g.clients(4)
	time.Sleep(2 * time.Second)
	empty := fill(t, dir)
	time.Sleep(4 * time.Second)
	refused := ""
	for range 5 {
		status, answer := r.request(t.Context(), r.each[0], "PUT", file("big.bin"), strings.Repeat("0123456789abcdef", 1<<12))
		if status != 200 {
			refused = answer
		}
	}
	assert.Contains(t, refused, "The disk of the server is full")
	empty()
	r.must(r.each, "PUT", file("after.txt"), "after")
	time.Sleep(2 * time.Second)
	c.check()
}

// TestHTTPClusterFullNodes: NATS nodes whose disks are full acknowledge nothing; one of three
// does not matter. With room again, and after a restart, which NATS needs then, all is there.
func TestHTTPClusterFullNodes(t *testing.T) {
	campaign.One(t, 3, 6)
	var stores []string
	for range 3 {
		stores = append(stores, small(t, "100m"))
	}
	nats := clustertest.StartWith(t, 3, clustertest.Options{Stores: stores})
	g := startRig(t, nats, 3, 2, 1, []string{"--drain", "1s"})
	r := g.at(0, g.workspace)
	r.must(r.each, "PUT", file("first.txt"), "first")
	c := g.clients(4)
	time.Sleep(2 * time.Second)

	empty := fill(t, stores[0])
	time.Sleep(3 * time.Second)
	began := c.h.Now()
	r.must(r.each, "PUT", file("one.txt"), "one")
	empty()
	t.Logf("with one full disk a write took %.1f s", time.Duration(c.h.Now()-began).Seconds())

	var all []func()
	for _, dir := range stores {
		all = append(all, fill(t, dir))
	}
	time.Sleep(8 * time.Second)
	status, answer := r.request(t.Context(), r.each[0], "PUT", file("full.txt"), "full")
	assert.Equal(t, 503, status, answer)
	for _, empty := range all {
		empty()
	}
	time.Sleep(2 * time.Second)
	for i := range stores { // a node whose disk was full has ended its JetStream
		require.Contains(t, nats.Log(i), "JetStream Shutdown")
		nats.Kill(i)
		nats.Restart(i)
	}
	nats.Ready()
	r.must(r.each, "PUT", file("after.txt"), "after")
	time.Sleep(2 * time.Second)
	c.check()
}
