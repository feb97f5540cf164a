//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
)

// BenchmarkCluster translates 16 documents with an endpoint that takes 200 ms, or no time,
// for an answer: with one process that has two requests on their way, and with four workers
// that have two each. The workers are there before the time begins.
func BenchmarkCluster(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	in := b.TempDir()
	for i := range 16 {
		var text strings.Builder
		for j := range 400 {
			fmt.Fprintf(&text, "Paragraph %d of the document number %d.\n\nThis is in many: %d.\n\n", j, i, r.IntN(3*400))
		}
		require.NoError(b, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(text.String()), 0o600))
	}
	for _, answer := range []time.Duration{200 * time.Millisecond, 0} {
		m := &segmentModel{texts: map[string]int{}, limits: map[string]map[int]bool{}, misbehave: func(int, http.ResponseWriter, []asked) bool {
			time.Sleep(answer)
			return false
		}}
		srv := httptest.NewServer(m)
		b.Cleanup(srv.Close)
		run := func(b *testing.B, args ...string) *exec.Cmd {
			cmd := exec.Command(program(b), append(args, "--model", "m", "--home", b.TempDir())...)
			cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+srv.URL+"/v1")
			return cmd
		}
		b.Run(fmt.Sprintf("answer=%s/alone", answer), func(b *testing.B) {
			begun := cpuOfChildren(b)
			defer func() { b.ReportMetric((cpuOfChildren(b) - begun).Seconds(), "cpu-s") }()
			for range b.N {
				out, err := run(b, "translate", in, "--to", "de", "--out", filepath.Join(b.TempDir(), "out")).CombinedOutput()
				require.NoError(b, err, string(out))
			}
		})
		for _, servers := range []int{1, 3} {
			b.Run(fmt.Sprintf("answer=%s/four/servers=%d", answer, servers), func(b *testing.B) {
				begun := cpuOfChildren(b)
				for range b.N {
					b.StopTimer()
					cluster := clustertest.Start(b, servers)
					urls := strings.Join(cluster.URLs(), ",")
					var workers []*exec.Cmd
					for i := range 4 {
						w := run(b, "worker", "--cluster", urls, "--requests", "2", "--name", fmt.Sprint(i))
						require.NoError(b, w.Start())
						workers = append(workers, w)
						b.Cleanup(func() { _ = w.Process.Kill() })
					}
					require.Eventually(b, func() bool {
						out, err := run(b, "cluster", "status", "--json", "--cluster", urls).Output()
						return err == nil && strings.Count(string(out), `"at_once"`) == 4
					}, time.Minute, 200*time.Millisecond)
					b.StartTimer()
					out, err := run(b, "translate", in, "--to", "de", "--out", filepath.Join(b.TempDir(), "out"), "--cluster", urls, "--allow-egress").CombinedOutput()
					b.StopTimer()
					require.NoError(b, err, string(out))
					for _, w := range workers {
						_ = w.Process.Kill()
						_ = w.Wait()
					}
					for i := range servers {
						cluster.Kill(i)
					}
				}
				b.ReportMetric((cpuOfChildren(b) - begun).Seconds(), "cpu-s")
			})
		}
	}
}

// cpuOfChildren is the user and system time of the child processes that have ended.
func cpuOfChildren(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
