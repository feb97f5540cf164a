package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// TestHTTPClusterServerClocks: of three servers one has a clock that is an hour ahead, one that
// is an hour behind, with the times of their files. All that TestHTTPClusterFaults and
// TestHTTPClusterRunFaults promise holds all the same, and tokens that are taken back by the
// one that is behind are taken back.
func TestHTTPClusterServerClocks(t *testing.T) {
	campaign.OnlyFull(t) // building a server with another clock takes minutes
	program, err := clustertest.BuildWithClock(t.TempDir(), "atelier/cmd/atelier")
	require.NoError(t, err)
	t.Run("files", func(t *testing.T) {
		g := startWithClocks(t, program, []string{"--drain", "1s"})
		for i, w := range g.workspaces {
			r := g.at(i, w)
			r.must(r.each, "PUT", file("first.txt"), "first")
		}
		faults := 24
		if *httpFaults > 0 {
			faults = *httpFaults
		}
		c := g.clients(8)
		done := g.faults(rand.New(rand.NewPCG(campaign.Seed(), 3)), faults, c.probe)
		g.nats.Ready()
		c.check()
		t.Log(countsOf(done))
		tellTakeovers(t, c.takeovers)
	})
	t.Run("runs", func(t *testing.T) { runsUnderFaults(startWithClocks(t, program, runsFlags, runsEnv(t)...), 16) })
	t.Run("tokens", func(t *testing.T) { revokedByClocks(startWithClocks(t, program, nil)) })
	t.Run("translation", func(t *testing.T) { translationByClocks(t, program) })
}

// clocks are how far the clocks of the servers are ahead.
var clocks = []time.Duration{0, time.Hour, -time.Hour}

// startWithClocks starts servers with those clocks, and makes a token that all of them accept.
func startWithClocks(t *testing.T, program string, flags []string, env ...string) *faultRig {
	t.Helper()
	g := &faultRig{httpNodes: newHTTPNodes(t, flags, env...), program: program, ahead: clocks}
	g.start(clustertest.Start(t, 3), 3, 3, 2)
	g.token = g.tokenAt(-time.Hour)
	for i := range clocks { // the clocks are as they should be
		out, err := http.Get(g.addresses[i] + "/api/v1/health")
		require.NoError(t, err)
		out.Body.Close()
		at, err := http.ParseTime(out.Header.Get("Date"))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(clocks[i]), at, time.Minute)
	}
	return g
}

// command runs a command of http with a clock.
func (g *faultRig) command(ahead time.Duration, args ...string) obj {
	g.t.Helper()
	cmd := exec.Command(g.program, slices.Concat([]string{"http"}, args, []string{"--home", g.t.TempDir(), "--cluster", strings.Join(g.urls, ",")})...)
	cmd.Env = append(slices.Clone(g.env), clustertest.Ahead(ahead))
	out, err := cmd.Output()
	require.NoError(g.t, err, "%v: %s", args, out)
	var r obj
	require.NoError(g.t, json.Unmarshal(out, &r))
	return r
}

func (g *faultRig) tokenAt(ahead time.Duration) string {
	return g.command(ahead, "token", "--user", httpUser)["access_token"].(string)
}

// revokedByClocks: a token of a moment ago is taken back by a machine whose clock is an hour
// behind, and counts on no server any more; the next one does.
func revokedByClocks(g *faultRig) {
	t := g.t
	now := g.tokenAt(0) // the server that is behind takes none of it
	g.command(-time.Hour, "token", "revoke", "--user", httpUser)
	time.Sleep(4 * time.Second)
	next := g.tokenAt(-time.Hour)
	for i := range clocks {
		r := g.at(i, g.workspace)
		for token, want := range map[string]int{now: http.StatusUnauthorized, next: http.StatusOK} {
			r.token = token
			status, answer := r.request(t.Context(), r.each[0], "POST", "/tools", `{"tool":"ls","args":{}}`)
			require.Equal(t, want, status, "server %d: %s", i, answer)
		}
	}
}

// translationByClocks: workers and those who start jobs have different clocks. Outputs are those
// of one process, each text is paid once, and jobs and workers are told as they are.
func translationByClocks(t *testing.T, program string) {
	in := clusterDocs(t, rand.New(rand.NewPCG(1, 2)), 4, 30)
	want, once := alone(t, in)
	m := serveSegments(t, slowModel(20, 20))
	r := newClusterRig(t, 3, m)
	with := func(cmd *exec.Cmd, ahead time.Duration) *exec.Cmd {
		cmd.Path, cmd.Err = program, nil
		cmd.Env = append(cmd.Env, clustertest.Ahead(ahead))
		return cmd
	}
	for i, ahead := range clocks {
		r.start(with(r.command("worker", "--model", "m", "--name", string(rune('a'+i)), "--requests", "2"), ahead))
	}
	require.Eventually(t, func() bool { return len(r.status().Workers) == 3 }, time.Minute, 100*time.Millisecond)
	outs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	ended := make(chan string, 2)
	for i, out := range outs { // at the same time, with the same texts
		go func() {
			b, err := combined(with(r.translate(in, out, "--jobs", "2"), clocks[1+i]))
			if err == nil {
				b = ""
			}
			ended <- b
		}()
	}
	seen := map[string]bool{}
	for n := 0; n < len(outs); {
		select {
		case failed := <-ended:
			require.Empty(t, failed)
			n++
		case <-time.After(500 * time.Millisecond):
			for _, j := range r.status().Jobs {
				require.NotEqual(t, "interrupted", string(j.State), "it works")
				seen[string(j.State)] = true
			}
		}
	}
	require.True(t, seen["running"])
	for _, out := range outs {
		require.Equal(t, want, translated(t, out))
	}
	require.Len(t, m.counts(), len(once.counts()))
	for text, n := range m.counts() {
		require.LessOrEqual(t, n, 2*m.kinds(text), "once a language: %q", text)
	}
}
