//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/need"
	"atelier/internal/trace/otlp/otlptest"
)

// upgradesFrom is the version whose servers this one can run beside: the oldest with the
// leases of docs/decisions/0154-one-lease-per-server.md.
var upgradesFrom = flag.String("upgrade-from", "1ec07c34", "the revision from which TestHTTPClusterUpgrade upgrades")

// buildRevision builds the program of another revision of the repository.
func buildRevision(t *testing.T, revision string) string {
	t.Helper()
	git := need.Program(t, "git", "git")
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	require.NoError(t, os.Mkdir(src, 0o700))
	root, err := exec.Command(git, "rev-parse", "--show-toplevel").Output()
	require.NoError(t, err)
	archive := exec.Command(git, "archive", "-o", filepath.Join(dir, "src.tar"), "--prefix=src/", revision)
	archive.Dir = strings.TrimSpace(string(root)) // git archives the folder that it is in
	if out, err := archive.CombinedOutput(); err != nil {
		need.Absent(t, fmt.Sprintf("the revision %s (%s)", revision, out), "the whole history: git fetch --unshallow")
	}
	out, err := exec.Command("tar", "-xf", filepath.Join(dir, "src.tar"), "-C", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	name := filepath.Join(dir, "atelier-old")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", name, "./cmd/atelier")
	build.Dir = src
	out, err = build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return name
}

// Servers are replaced by those of another version, one after the other, and back, while
// clients write and read without a pause. Nothing that was acknowledged is lost.
func TestHTTPClusterUpgrade(t *testing.T) {
	campaign.OnlyFull(t)
	old := buildRevision(t, *upgradesFrom)
	spans := otlptest.New(t)
	g := &faultRig{httpNodes: newHTTPNodes(t, []string{"--drain", "5s"}, tracesTo(spans.URL)...), program: old}
	g.start(clustertest.Start(t, 1), 1, 3, 3)
	c := &upgradeClients{g: g, spans: spans, acked: map[string]string{}, answers: map[string]int{}}
	end := c.begin(2)
	time.Sleep(2 * time.Second)
	for _, version := range []struct{ name, program string }{{"new", program(t)}, {"old", old}, {"new", program(t)}} {
		for _, i := range rand.New(rand.NewPCG(campaign.Seed(), 1)).Perm(3) {
			if i%2 == 0 { // one of three only by SIGTERM
				out, err := g.admin("drain", g.doors[i].Addr())
				require.NoError(t, err, out)
			}
			g.signal(i, syscall.SIGTERM)
			<-g.each[i].ended
			assert.Zero(t, g.each[i].cmd.ProcessState.ExitCode(), "server %d", i)
			g.each[i].program = version.program
			g.restart(i)
			time.Sleep(time.Duration(1000+rand.IntN(2000)) * time.Millisecond)
		}
		c.say(t, "all servers are "+version.name)
	}
	end()
	for at, want := range c.acked {
		ws, name, _ := strings.Cut(at, "/")
		g.workspace = ws
		require.Equal(t, want, g.must(g.each, "GET", file(name), ""), at)
	}
	t.Logf("%d files that were acknowledged are as they were acknowledged", len(c.acked))
}

// upgradeClients write and read through any server, and try the next where one does not take
// the request, as a balancer does.
type upgradeClients struct {
	g *faultRig

	mu      sync.Mutex
	acked   map[string]string // by workspace and name
	answers map[string]int
	longest time.Duration // until a request was answered well
	slow    []slowRequest
	spans   *otlptest.Collector
}

// slowRequest is one whose good answer took longer than slowAfter, with all its tries.
type slowRequest struct {
	what, trace string
	begun       time.Time
	took        time.Duration
	tries       []string
}

const slowAfter = 2 * time.Second

func (c *upgradeClients) begin(each int) (end func()) {
	ctx, cancel := context.WithCancel(c.g.t.Context())
	var all sync.WaitGroup
	for w, ws := range c.g.workspaces {
		for k := range each {
			all.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					name := fmt.Sprintf("c%d-%d-%d.txt", w, k, i%50)
					c.one(ctx, ws, name, fmt.Sprint(name, " ", i))
				}
			})
		}
	}
	return func() { cancel(); all.Wait() }
}

// one writes a file until that is acknowledged, and reads it back.
func (c *upgradeClients) one(ctx context.Context, ws, name, value string) {
	at := ws + "/" + name
	begun := time.Now()
	if !c.until(ctx, ws, "PUT", name, value, func(string) bool { return true }) {
		c.mu.Lock()
		delete(c.acked, at) // the end came before the answer: both values may be there
		c.mu.Unlock()
		return
	}
	took := time.Since(begun)
	c.mu.Lock()
	c.acked[at] = value
	c.longest = max(c.longest, took)
	c.mu.Unlock()
	c.until(ctx, ws, "GET", name, "", func(got string) bool {
		if got != value {
			c.g.t.Errorf("%s: acknowledged %q, read %q", at, value, got)
		}
		return true
	})
}

func (c *upgradeClients) until(ctx context.Context, ws, method, name, body string, ok func(string) bool) bool {
	slow := slowRequest{what: method + " " + ws + " " + name, trace: fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()|1), begun: time.Now()}
	for i := rand.IntN(3); ctx.Err() == nil; i++ {
		asked, over := context.WithTimeout(ctx, 40*time.Second)
		to, begun := c.g.at(i%3, ws), time.Now()
		to.traced = slow.trace
		status, answer := to.request(asked, to.each[0], method, file(name), body)
		over()
		try := fmt.Sprintf("%s to server %d: %d after %.2f s", since(slow.begun, begun), i%3, status, time.Since(begun).Seconds())
		if status != 200 && status != 0 {
			try += " " + answer
		}
		slow.tries = append(slow.tries, try)
		if ctx.Err() != nil && status != 200 {
			return false
		}
		c.mu.Lock()
		c.answers[fmt.Sprint(status)]++
		if slow.took = time.Since(slow.begun); status == 200 && slow.took > slowAfter {
			c.slow = append(c.slow, slow)
		}
		c.mu.Unlock()
		if status == 200 {
			return ok(answer)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// say tells what clients saw since it was last called.
func (c *upgradeClients) say(t *testing.T, when string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []string
	for status, n := range c.answers {
		lines = append(lines, fmt.Sprintf("%s: %d", status, n))
	}
	slices.Sort(lines)
	t.Logf("%s: answers by status (0: no connection) %v, the longest write took %.1f s", when, lines, c.longest.Seconds())
	for _, s := range c.slow {
		t.Log(c.explain(s))
	}
	c.answers, c.longest, c.slow = map[string]int{}, 0, nil
}

// explain says which steps of a slow request took how long: its tries, and the spans of servers
// that send them.
func (c *upgradeClients) explain(s slowRequest) string {
	lines := []string{fmt.Sprintf("%s took %.2f s, begun at %s", s.what, s.took.Seconds(), s.begun.Format("15:04:05.00"))}
	lines = append(lines, s.tries...)
	spans := slices.DeleteFunc(c.spans.All(), func(p otlptest.Span) bool { return p.Trace != s.trace })
	slices.SortFunc(spans, func(a, b otlptest.Span) int { return a.Begun.Compare(b.Begun) })
	for _, p := range spans {
		if took := p.Ended.Sub(p.Begun); took > slowAfter/20 {
			lines = append(lines, fmt.Sprintf("  %s for %.2f s: %s on %v %v", since(s.begun, p.Begun), took.Seconds(), p.Name, p.Resource["service.instance.id"], p.Attrs))
		}
	}
	return strings.Join(lines, "\n")
}

func since(begun, at time.Time) string { return fmt.Sprintf("+%.2f s", at.Sub(begun).Seconds()) }
