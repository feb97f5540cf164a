//go:build cluster

package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The program says which build it is, so that a person sees which archive it is of.
func TestVersionOfCluster(t *testing.T) {
	out, err := exec.Command(program(t), "version").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "\n  build    cluster\n")
}

// Three programs with a NATS server inside are a cluster without any other program: one
// takes over what another had, and one that comes back has what was written meanwhile.
func TestEmbeddedServers(t *testing.T) {
	var routes, clients []string
	for range 3 {
		routes, clients = append(routes, freeAddress(t)), append(clients, freeAddress(t))
	}
	r := newHTTPNodes(t, nil)
	r.urls = nil
	for _, c := range clients {
		r.urls = append(r.urls, "nats://"+c)
	}
	var begun []chan struct{}
	for i := range 3 {
		n := &httpNode{home: t.TempDir(), log: &lockedBuffer{}}
		if i == 0 {
			n.home = r.first.home
		}
		others := append(append([]string{}, routes[:i]...), routes[i+1:]...)
		n.reach = []string{"--cluster-listen", routes[i], "--cluster-routes", strings.Join(others, ","), "--cluster-clients", clients[i]}
		r.each = append(r.each, n)
		done := make(chan struct{})
		begun = append(begun, done)
		go func() { defer close(done); r.run(n) }()
	}
	for i, done := range begun {
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			require.FailNow(t, "a server does not start", "%d: %s", i, r.each[i].log.String())
		}
	}
	require.False(t, t.Failed())
	r.must(r.each, "PUT", file("first.txt"), "first")
	owner, others := r.owner()
	r.kill(owner) // a third of the NATS servers is gone with it
	require.Equal(t, "first", r.must(others, "GET", file("first.txt"), ""))
	r.must(others, "PUT", file("second.txt"), "second")
	back := &httpNode{home: owner.home, log: owner.log, reach: owner.reach}
	r.run(back)
	for i, n := range r.each {
		if n == owner {
			r.each[i] = back
		}
	}
	require.Equal(t, "second", r.must([]*httpNode{back}, "GET", file("second.txt"), ""))
}
