package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
)

// BenchmarkHTTPClusterServers measures 1 to 5 servers for the simulation
// (testdata/cluster-simulation): each has a workspace to which a client writes again and
// again. It prints a line of JSON for each number of servers, which measured.json has.
func BenchmarkHTTPClusterServers(b *testing.B) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 64
	for servers := 1; servers <= 5; servers++ {
		b.Run(fmt.Sprint("servers=", servers), func(b *testing.B) {
			r := serversToMeasure(b, servers)
			for b.Loop() {
				m := r.measure(b, 4*time.Second)
				if servers > 1 {
					m.TakeoverMS = r.takeover(b)
				}
				line, err := json.Marshal(m)
				require.NoError(b, err)
				fmt.Printf("MEASURED %s\n", line)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// serversMeasured is what was seen of some servers.
type serversMeasured struct {
	Servers    int     `json:"servers"`
	Writes     float64 `json:"writes_per_second"`
	WriteP50   float64 `json:"write_p50_ms"`
	Renewals   float64 `json:"renewals_per_second"`
	ServerCPU  float64 `json:"server_cpu_ms_per_write"`
	NatsCPU    float64 `json:"nats_cpu_ms_per_write"`
	OursCPU    float64 `json:"cores_used"` // by all processes of the test
	LeaseMS    float64 `json:"lease_ms"`
	TakeoverMS float64 `json:"takeover_ms,omitempty"` // from the kill to the first write of its workspace
}

type measuredServers struct {
	*httpNodes
	ids []string // of a workspace of each server
}

func serversToMeasure(b *testing.B, servers int) *measuredServers {
	r := newHTTPNodes(b, nil)
	r.nats = clustertest.Start(b, 3)
	r.urls = r.nats.URLs()
	m := &measuredServers{httpNodes: r}
	for i := range servers {
		n := &httpNode{home: r.first.home, log: &lockedBuffer{}}
		if i > 0 {
			n.home = b.TempDir()
		}
		r.each = append(r.each, n)
		r.run(n)
		if i > 0 {
			r.workspace = r.second()
		}
		m.ids = append(m.ids, r.workspace)
		r.must(r.each[i:], "PUT", file("a.txt"), "a")
	}
	return m
}

// at is the cluster with the ith workspace.
func (m *measuredServers) at(i int) *httpNodes {
	one := *m.httpNodes
	one.workspace = m.ids[i]
	return &one
}

func (m *measuredServers) measure(b *testing.B, d time.Duration) serversMeasured {
	ctx, cancel := context.WithCancel(b.Context())
	var mu sync.Mutex
	var took []float64
	var clients sync.WaitGroup
	cpu := func() (servers, nodes, own time.Duration) {
		for _, n := range m.each {
			servers += cpuOf(b, n.cmd.Process.Pid)
		}
		for _, pid := range childrenCalled(b, "nats-server") {
			nodes += cpuOf(b, pid)
		}
		return servers, nodes, cpuOf(b, os.Getpid())
	}
	servers, nodes, own := cpu()
	begun, renewed := time.Now(), m.renewals(b)
	for i, n := range m.each {
		clients.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				at := time.Now()
				status, answer := m.at(i).request(context.WithoutCancel(ctx), n, "PUT", file(fmt.Sprintf("w%d.txt", k%10)), fmt.Sprint(k))
				if status != 200 {
					b.Errorf("%d %s", status, answer)
					return
				}
				mu.Lock()
				took = append(took, time.Since(at).Seconds()*1000)
				mu.Unlock()
			}
		})
	}
	time.Sleep(d)
	cancel()
	clients.Wait()
	all := time.Since(begun).Seconds()
	s2, n2, o2 := cpu()
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(len(took)) }
	return serversMeasured{Servers: len(m.each), Writes: float64(len(took)) / all, WriteP50: took[len(took)/2], Renewals: float64(m.renewals(b)-renewed) / all,
		ServerCPU: ms(s2 - servers), NatsCPU: ms(n2 - nodes), OursCPU: (s2 - servers + n2 - nodes + o2 - own).Seconds() / all, LeaseMS: nodesLease().Seconds() * 1000}
}

// renewals is how often leases of servers were written.
func (m *measuredServers) renewals(b *testing.B) uint64 {
	c, err := nats.Connect(strings.Join(m.urls, ","))
	require.NoError(b, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(b, err)
	s, err := js.Stream(b.Context(), "KV_atelier-ws-leases")
	require.NoError(b, err)
	return s.CachedInfo().State.LastSeq
}

// takeover kills a server, and is the time until its workspace takes a write.
func (m *measuredServers) takeover(b *testing.B) float64 {
	n := m.each[0]
	require.NoError(b, n.cmd.Process.Signal(syscall.SIGKILL))
	begun := time.Now()
	m.at(0).must(m.each[1:], "PUT", file("after.txt"), "after")
	took := time.Since(begun).Seconds() * 1000
	<-n.ended
	m.run(n)
	return took
}

// childrenCalled are the processes of that name which this one started.
func childrenCalled(b *testing.B, name string) (pids []int) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	for _, at := range stats {
		text, err := os.ReadFile(at)
		if err != nil {
			continue // it has ended
		}
		end := strings.LastIndexByte(string(text), ')')
		fields := strings.Fields(string(text[end+1:]))
		if !strings.HasSuffix(string(text[:end]), "("+name) || fields[1] != fmt.Sprint(os.Getpid()) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(at)))
		require.NoError(b, err)
		pids = append(pids, pid)
	}
	return pids
}
