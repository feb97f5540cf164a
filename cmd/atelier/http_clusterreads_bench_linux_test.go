package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
)

// BenchmarkHTTPClusterReads compares the reads that the server of a workspace answers in a
// cluster with those that one machine answers. The servers are measured in turn, a second
// each, since the machine may do other work.
func BenchmarkHTTPClusterReads(b *testing.B) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 64
	servers := []readServer{readsAlone(b)}
	for _, nodes := range []int{1, 3} {
		servers = append(servers, readsOfCluster(b, nodes))
	}
	for _, at := range []struct{ readers, writers int }{{3, 0}, {16, 0}, {3, 1}, {16, 1}} {
		b.Run(fmt.Sprintf("readers=%d/writers=%d", at.readers, at.writers), func(b *testing.B) {
			var total [3]readFigures
			for b.Loop() {
				for i, s := range servers {
					total[i].add(s.measure(b, at.readers, at.writers, time.Second))
				}
			}
			alone := total[0].perSecond()
			for i, s := range servers {
				b.ReportMetric(total[i].perSecond(), s.name+"-reads/s")
				b.ReportMetric(total[i].cpu.Seconds()*1e6/float64(max(1, total[i].reads)), s.name+"-µs-cpu/read")
				if at.writers > 0 {
					b.ReportMetric(float64(total[i].writes)/total[i].took.Seconds(), s.name+"-writes/s")
				}
				if i > 0 {
					b.ReportMetric(total[i].perSecond()/alone, s.name+"-of-alone")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

type readServer struct {
	name string
	*httpNodes
}

const readFiles = 20

func (s readServer) fill(b *testing.B) readServer {
	for i := range readFiles {
		s.must(s.each, "PUT", file(fmt.Sprintf("f%d.txt", i)), strings.Repeat("some text ", 200))
	}
	return s
}

func readsAlone(b *testing.B) readServer {
	r := newHTTPNodes(b, nil)
	n := &httpNode{home: r.first.home, log: &lockedBuffer{}, reach: []string{}}
	r.each = append(r.each, n)
	r.run(n)
	return readServer{"alone", r}.fill(b)
}

func readsOfCluster(b *testing.B, nodes int) readServer {
	r := newHTTPNodes(b, nil)
	r.nats = clustertest.Start(b, nodes)
	r.urls = r.nats.URLs()
	n := &httpNode{home: r.first.home, log: &lockedBuffer{}}
	r.each = append(r.each, n)
	r.run(n)
	return readServer{fmt.Sprint("nodes", nodes), r}.fill(b)
}

type readFigures struct {
	reads, writes int64
	took, cpu     time.Duration
}

func (f *readFigures) add(g readFigures) {
	f.reads, f.writes, f.took, f.cpu = f.reads+g.reads, f.writes+g.writes, f.took+g.took, f.cpu+g.cpu
}

func (f readFigures) perSecond() float64 { return float64(f.reads) / f.took.Seconds() }

// measure has clients read for a time, and one or none write.
func (s readServer) measure(b *testing.B, readers, writers int, d time.Duration) (f readFigures) {
	ctx, cancel := context.WithCancel(b.Context())
	var reads, writes, failed atomic.Int64
	var clients sync.WaitGroup
	begun, used := time.Now(), cpuOf(b, s.each[0].cmd.Process.Pid)
	for c := range readers {
		clients.Go(func() {
			for n := c; ctx.Err() == nil; n++ {
				if status, _ := s.request(context.WithoutCancel(ctx), s.each[0], "GET", file(fmt.Sprintf("f%d.txt", n*7%readFiles)), ""); status == 200 {
					reads.Add(1)
				} else {
					failed.Add(1)
				}
			}
		})
	}
	for range writers {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if status, _ := s.request(context.WithoutCancel(ctx), s.each[0], "PUT", file(fmt.Sprintf("w%d.txt", n%10)), fmt.Sprint(n)); status == 200 {
					writes.Add(1)
				} else {
					failed.Add(1)
				}
			}
		})
	}
	time.Sleep(d)
	cancel()
	clients.Wait()
	require.Zero(b, failed.Load())
	return readFigures{reads.Load(), writes.Load(), time.Since(begun), cpuOf(b, s.each[0].cmd.Process.Pid) - used}
}

// cpuOf is the time that a process has computed (proc(5), utime and stime in hundredths of a
// second).
func cpuOf(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int
	for _, at := range []int{11, 12} {
		n, err := strconv.Atoi(fields[at])
		require.NoError(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
