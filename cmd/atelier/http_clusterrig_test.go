//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica/owner"
)

// faultRig is a cluster whose servers, NATS nodes and the connections between them fail.
// Servers keep their addresses, and reach NATS and each other through links.
type faultRig struct {
	*httpNodes
	workspaces []string
	addresses  []string                         // of the servers, for clients
	doors      []*clustertest.Link              // to each server, for the other servers
	wires      [][]*clustertest.Link            // from each server to each NATS node
	begun      atomic.Int32                     // faults
	apart      bool                             // each fault waits for the takeovers of the one before
	kinds      []func(g *faultRig, i int) fault // nil: faultKinds
	homeOf     func(i int, usual string) string // the data folder of a server; nil: the usual
	program    string                           // of the servers; "": that of the test
	ahead      []time.Duration                  // how far the clock of each server is ahead; the program is then one of BuildWithClock
}

// startRig starts servers for some workspaces on running NATS nodes.
func startRig(t *testing.T, nats *clustertest.Servers, nodes, servers, workspaces int, flags []string, env ...string) *faultRig {
	t.Helper()
	g := &faultRig{httpNodes: newHTTPNodes(t, flags, env...)}
	g.start(nats, nodes, servers, workspaces)
	return g
}

// start starts the servers.
func (g *faultRig) start(nats *clustertest.Servers, nodes, servers, workspaces int) {
	t := g.t
	t.Helper()
	g.nats, g.urls = nats, nats.URLs()
	for i := range servers {
		n := &httpNode{home: g.first.home, log: &lockedBuffer{}}
		if i > 0 {
			n.home = t.TempDir()
		}
		if g.homeOf != nil {
			n.home = g.homeOf(i, n.home)
		}
		address := freeAddress(t)
		door := clustertest.NewLink(t, address)
		var wires []*clustertest.Link
		var urls []string
		for j := range nodes {
			wires = append(wires, nats.Link(j))
			urls = append(urls, "nats://"+wires[j].Addr())
		}
		n.reach = []string{"--addr", address, "--advertise", door.Addr(), "--cluster", strings.Join(urls, ",")}
		n.program = g.program
		if g.ahead != nil {
			n.env = []string{clustertest.Ahead(g.ahead[i])}
		}
		g.doors, g.wires, g.addresses = append(g.doors, door), append(g.wires, wires), append(g.addresses, "http://"+address)
		g.each = append(g.each, n)
		g.run(n)
	}
	g.workspaces = []string{g.workspace}
	for range workspaces - 1 {
		g.workspaces = append(g.workspaces, g.second())
	}
}

// at asks a server about a workspace.
func (g *faultRig) at(server int, workspace string) *httpNodes {
	return &httpNodes{t: g.t, token: g.token, workspace: workspace, each: []*httpNode{{url: g.addresses[server]}}}
}

// held are the workspaces that each server has, as far as NATS answers.
func (g *faultRig) held() map[int][]string {
	ctx, cancel := context.WithTimeout(g.t.Context(), 5*time.Second)
	defer cancel()
	c, err := cluster.Connect(ctx, cluster.Options{URLs: g.urls, Name: "test", Timeout: 2 * time.Second})
	if err != nil {
		return nil
	}
	defer c.Close()
	servers, err := owner.FindServers(ctx, c)
	if err != nil {
		return nil
	}
	all, err := servers.Claims().Written(ctx)
	if err != nil {
		return nil
	}
	has := map[int][]string{}
	for id, h := range all {
		i := slices.IndexFunc(g.doors, func(l *clustertest.Link) bool { return "http://"+l.Addr() == h.Address })
		has[i] = append(has[i], id)
	}
	return has
}

// restart starts a server that has ended.
func (g *faultRig) restart(i int) {
	fresh := &httpNode{home: g.each[i].home, log: g.each[i].log, reach: g.each[i].reach, program: g.each[i].program, env: g.each[i].env}
	g.run(fresh)
	g.each[i] = fresh
}

func (g *faultRig) signal(i int, s syscall.Signal) { _ = g.each[i].cmd.Process.Signal(s) }

// fault is something that happens to a part of the cluster, and its end.
type fault struct {
	name string
	hits []int // servers that others must replace
	do   func()
	end  func()
}

// faultKinds make the faults, for the ith server or NATS node.
var faultKinds = []func(g *faultRig, i int) fault{
	killServer,
	func(g *faultRig, i int) fault {
		return fault{"server stopped", nil, func() { g.signal(i, syscall.SIGTERM); <-g.each[i].ended }, func() { g.restart(i) }}
	},
	func(g *faultRig, i int) fault {
		return fault{"server paused briefly", nil, func() { g.signal(i, syscall.SIGSTOP); time.Sleep(nodesLease() / 4) }, func() { g.signal(i, syscall.SIGCONT) }}
	},
	func(g *faultRig, i int) fault {
		return fault{"server paused for longer than its lease", []int{i}, func() { g.signal(i, syscall.SIGSTOP); time.Sleep(nodesLease() * 5 / 4) }, func() { g.signal(i, syscall.SIGCONT) }}
	},
	func(g *faultRig, i int) fault {
		return fault{"all servers killed", nil, func() {
			for _, n := range g.each {
				g.kill(n)
			}
		}, func() {
			for j := range g.each {
				g.restart(j)
			}
		}}
	},
	func(g *faultRig, i int) fault {
		return fault{"server cut off from NATS", []int{i}, func() { clustertest.Links(g.wires[i]).Cut(); time.Sleep(nodesLease() * 5 / 4) }, func() { clustertest.Links(g.wires[i]).Mend() }}
	},
	func(g *faultRig, i int) fault {
		return fault{"server stalled to NATS", []int{i}, func() { clustertest.Links(g.wires[i]).Stall(); time.Sleep(nodesLease() * 5 / 4) }, func() { clustertest.Links(g.wires[i]).Mend() }}
	},
	func(g *faultRig, i int) fault {
		one := g.wires[i][rand.IntN(len(g.wires[i]))]
		return fault{"server stalled to one node", nil, one.Stall, one.Mend}
	},
	func(g *faultRig, i int) fault {
		return fault{"server cut off from servers", nil, g.doors[i].Cut, g.doors[i].Mend}
	},
	func(g *faultRig, i int) fault {
		return fault{"server stalled to servers", nil, g.doors[i].Stall, g.doors[i].Mend}
	},
	killNode,
	pauseNode,
	func(g *faultRig, i int) fault {
		return fault{"all nodes killed", nil, func() {
			for j := range g.wires[0] {
				g.nats.Kill(j)
			}
		}, func() {
			for j := range g.wires[0] {
				g.nats.Restart(j)
			}
		}}
	},
	func(g *faultRig, i int) fault {
		r := g.nats.Route(i, (i+1)%3)
		return fault{"two nodes cut off from each other", nil, r.Cut, r.Mend}
	},
	func(g *faultRig, i int) fault {
		r := g.nats.Route(i, (i+1)%3)
		return fault{"stalled between two nodes", nil, r.Stall, r.Mend}
	},
	func(g *faultRig, i int) fault {
		r := append(slices.Clone(g.nats.Route(i, (i+1)%3)), g.nats.Route(i, (i+2)%3)...)
		return fault{"node cut off from nodes", nil, r.Cut, r.Mend}
	},
	func(g *faultRig, i int) fault {
		return fault{"workspace moved", nil, func() { _, _ = g.admin("move", g.workspaces[rand.IntN(len(g.workspaces))], g.doors[i].Addr()) }, func() {}}
	},
}

// faults makes faults one after the other, each for up to 3 seconds more than it
// needs. probe is called before a workspace loses its server, but.
func (g *faultRig) faults(rnd *rand.Rand, count int, probe func(f fault, workspace string, but int) (wait func())) (done map[string]int) {
	done = map[string]int{}
	for range count {
		i := rnd.IntN(3)
		kinds := faultKinds
		if g.kinds != nil {
			kinds = g.kinds
		}
		f := kinds[rnd.IntN(len(kinds))](g, i)
		var has map[int][]string
		if len(f.hits) > 0 {
			has = g.held()
		}
		var waits []func()
		for _, hit := range f.hits {
			for _, w := range has[hit] {
				waits = append(waits, probe(f, w, hit))
			}
		}
		g.begun.Add(1)
		f.do()
		time.Sleep(time.Duration(rnd.IntN(3000)) * time.Millisecond)
		f.end()
		done[f.name]++
		if g.apart || rnd.IntN(2) == 0 {
			for _, wait := range waits { // otherwise the next fault may come before it
				wait()
			}
		}
		time.Sleep(time.Duration(rnd.IntN(1500)) * time.Millisecond)
	}
	return done
}

// countsOf is the kinds of faults and how many there were of each.
func countsOf(done map[string]int) string {
	var lines []string
	for name, n := range done {
		lines = append(lines, fmt.Sprintf("%d %s", n, name))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

func killServer(g *faultRig, i int) fault {
	return fault{"server killed", []int{i}, func() { g.kill(g.each[i]) }, func() { g.restart(i) }}
}

func killNode(g *faultRig, i int) fault {
	return fault{"node killed", nil, func() { g.nats.Kill(i) }, func() { g.nats.Restart(i) }}
}

func pauseNode(g *faultRig, i int) fault {
	return fault{"node paused", nil, func() { g.nats.Pause(i) }, func() { g.nats.Continue(i) }}
}
