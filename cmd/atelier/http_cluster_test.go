//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/workshop"
)

// Calls by any server have the same workspace, and the one before the cluster.
func TestHTTPClusterAnyServer(t *testing.T) {
	r := startNodes(t, 1, 3, []string{"--lease", "30s"})
	for i, n := range r.each {
		status, answer := r.request(t.Context(), n, "PUT", file(fmt.Sprintf("f%d.txt", i)), fmt.Sprint("text ", i))
		require.Equal(t, 200, status, answer)
	}
	for _, n := range r.each {
		for i := range r.each {
			status, answer := r.request(t.Context(), n, "GET", file(fmt.Sprintf("f%d.txt", i)), "")
			require.Equal(t, 200, status)
			assert.Equal(t, fmt.Sprint("text ", i), answer)
		}
	}
	owner, others := r.owner()
	// A large body and a large answer pass whole.
	big := strings.Repeat("0123456789abcdef", 200_000)
	status, answer := r.request(t.Context(), others[0], "PUT", file("big.txt"), big)
	require.Equal(t, 200, status, answer)
	status, answer = r.request(t.Context(), others[1], "GET", file("big.txt"), "")
	require.Equal(t, 200, status)
	assert.True(t, answer == big)
	// Errors pass too, with the id of the request in the logs of both.
	req, err := http.NewRequestWithContext(t.Context(), "GET", others[0].url+"/api/v1/workspaces/"+r.workspace+file("none.txt"), nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("X-Request-Id", "told-to-both")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, 404, res.StatusCode)
	assert.Equal(t, []string{"told-to-both"}, res.Header.Values("X-Request-Id"))
	for _, n := range []*httpNode{owner, others[0]} {
		require.Eventually(t, func() bool { return strings.Contains(n.log.String(), "told-to-both") }, 5*time.Second, 20*time.Millisecond)
	}
	logged := func(n *httpNode) string {
		for line := range strings.Lines(n.log.String()) {
			if strings.Contains(line, "told-to-both") {
				return line
			}
		}
		return ""
	}
	const route = "route=/api/v1/workspaces/{id}/files/content status=404"
	assert.Contains(t, logged(owner), route)
	assert.Contains(t, logged(owner), "passed_on=true")
	assert.Contains(t, logged(others[0]), route)
	assert.Contains(t, logged(others[0]), " at=")
	assert.NotContains(t, logged(others[0]), "passed_on")
	// What was passed on is not passed on again.
	req, err = http.NewRequestWithContext(t.Context(), "GET", others[0].url+"/api/v1/workspaces/"+r.workspace+file("f0.txt"), nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Atelier-Passed-On", "a client")
	res, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, http.StatusMisdirectedRequest, res.StatusCode)
	assert.NotEmpty(t, res.Header.Get("Retry-After"))
}

// writers write files through the servers until stop; acked are those that were acknowledged.
func (r *httpNodes) writers(n int) (stop func() (acked []string)) {
	ctx, cancel := context.WithCancel(r.t.Context())
	var mu sync.Mutex
	var acked []string
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := fmt.Sprintf("w%d-%d.txt", w, i)
				asked, over := context.WithTimeout(ctx, 20*time.Second)
				status, _ := r.request(asked, r.each[(w+i)%len(r.each)], "PUT", file(name), name)
				over()
				if status == 200 {
					mu.Lock()
					acked = append(acked, name)
					mu.Unlock()
				}
			}
		})
	}
	return func() []string {
		cancel()
		wg.Wait()
		return acked
	}
}

// Nothing that was acknowledged is lost when the owner is killed, or paused for longer than
// its lease.
func TestHTTPClusterLosesNothing(t *testing.T) {
	campaign.Slow(t)
	for i, how := range []struct {
		name   string
		signal syscall.Signal
	}{{"killed", syscall.SIGKILL}, {"paused", syscall.SIGSTOP}} {
		if leftOut(i, 2) {
			continue
		}
		t.Run(how.name, func(t *testing.T) {
			r := startNodes(t, 3, 3, nil)
			r.must(r.each, "PUT", file("first.txt"), "first")
			owner, others := r.owner()
			stop := r.writers(3)
			time.Sleep(2 * time.Second)
			require.NoError(t, owner.cmd.Process.Signal(how.signal))
			begun := time.Now()
			r.must(others, "PUT", file("after.txt"), "after")
			t.Logf("a write was acknowledged %.1f s after the owner was %s (lease %s)", time.Since(begun).Seconds(), how.name, nodesLease())
			time.Sleep(time.Second)
			if how.signal == syscall.SIGSTOP {
				require.NoError(t, owner.cmd.Process.Signal(syscall.SIGCONT))
				others = r.each
			}
			acked := stop()
			require.NotEmpty(t, acked)
			now, _ := r.owner()
			require.NotEqual(t, owner.url, now.url)
			for _, name := range append(acked, "first.txt", "after.txt") {
				got := r.must(others, "GET", file(name), "")
				require.Equal(t, strings.TrimSuffix(name, ".txt"), strings.TrimSuffix(got, ".txt"))
			}
			t.Logf("%d writes were acknowledged", len(acked))
		})
	}
}

// A server that gets SIGTERM lets another have its workspaces before their leases end.
func TestHTTPClusterDrain(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 2, []string{"--lease", "30s"})
	r.must(r.each, "PUT", file("a.txt"), "a")
	owner, others := r.owner()
	stop := r.writers(2)
	time.Sleep(time.Second)
	begun := time.Now()
	require.NoError(t, owner.cmd.Process.Signal(syscall.SIGTERM))
	<-owner.ended
	t.Logf("it ended after %.1f s", time.Since(begun).Seconds())
	assert.Zero(t, owner.cmd.ProcessState.ExitCode())
	r.must(others, "PUT", file("b.txt"), "b")
	assert.Less(t, time.Since(begun), 25*time.Second, "the lease of 30 s was waited for")
	for _, name := range append(stop(), "a.txt", "b.txt") {
		r.must(others, "GET", file(name), "")
	}
}

// second makes another workspace.
func (r *httpNodes) second() string {
	r.t.Helper()
	cmd := exec.Command(program(r.t), "http", "workspace", "add", "--name", "Two", "--owner", httpUser, "--home", r.t.TempDir(), "--cluster", r.nats.URL(0))
	cmd.Env = r.env
	out, err := cmd.Output()
	require.NoError(r.t, err)
	var made struct {
		ID string `json:"id"`
	}
	require.NoError(r.t, json.Unmarshal(out, &made))
	return made.ID
}

// A server has a bounded number of workspaces at work; one that is idle is released, and
// comes back whole.
func TestHTTPClusterReleases(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 1, []string{"--max-workspaces", "1", "--release-idle", "1s"})
	one, two := r.workspace, r.second()
	for i := range 3 {
		for _, id := range []string{one, two} {
			r.workspace = id
			r.must(r.each, "PUT", file(fmt.Sprintf("f%d.txt", i)), id)
		}
	}
	for _, id := range []string{one, two} {
		r.workspace = id
		for i := range 3 {
			assert.Equal(t, id, r.must(r.each, "GET", file(fmt.Sprintf("f%d.txt", i)), ""))
		}
	}
	require.Eventually(t, func() bool {
		out, err := exec.Command(program(t), "cluster", "status", "--json", "--home", t.TempDir(), "--cluster", r.nats.URL(0)).Output()
		require.NoError(t, err)
		return strings.Contains(string(out), `"workspaces": []`)
	}, 30*time.Second, 200*time.Millisecond, "an idle workspace is still at work")
}

// What a server had at work without a cluster is in the cluster before another server is
// asked, and what it has under the id of a workspace of the cluster is kept.
func TestHTTPClusterHasWhatWas(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 2, nil)
	home := t.TempDir()
	n := &httpNode{home: home, log: &lockedBuffer{}}
	r.each = append(r.each, n)
	other := r.second()
	h, err := workshop.OpenHome(home, workshop.Options{})
	require.NoError(t, err)
	for _, id := range []string{other, r.workspace} {
		wb, err := h.CreateManaged(t.Context(), id, "of before")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(wb.Root(), "before.txt"), []byte(id), 0o600))
	}
	require.NoError(t, h.Close())
	r.must(r.each[:2], "PUT", file("cluster.txt"), "in the cluster")
	r.run(n)
	// The one that the cluster had is as it was there; the folder is still on the machine.
	assert.Equal(t, "in the cluster", r.must(r.each[2:], "GET", file("cluster.txt"), ""))
	status, _ := r.request(t.Context(), n, "GET", file("before.txt"), "")
	assert.Equal(t, 404, status)
	owner, _ := r.owner()
	_ = owner.cmd.Process.Signal(syscall.SIGTERM)
	<-owner.ended
	assert.Zero(t, owner.cmd.ProcessState.ExitCode())
	assert.Equal(t, "in the cluster", r.must(r.each[2:], "GET", file("cluster.txt"), ""))
	got, err := os.ReadFile(filepath.Join(home, "before-cluster", r.workspace, "files", "before.txt"))
	require.NoError(t, err)
	assert.Equal(t, r.workspace, string(got))
	// The other one is what this machine had, on every server.
	r.workspace = other
	for _, n := range r.each {
		if n != owner {
			assert.Equal(t, other, r.must([]*httpNode{n}, "GET", file("before.txt"), ""))
		}
	}
}

// Flags that do not go together, and servers that could not work together, are refused.
func TestHTTPClusterRefuses(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 1, nil)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--lease", "9s", "--cluster", r.nats.URL(0)}, "the same --lease"},
		{[]string{"--addr", "0.0.0.0:0", "--cluster", r.nats.URL(0)}, "--advertise HOST:PORT"},
		{[]string{"--advertise", "ftp://x:1", "--cluster", r.nats.URL(0)}, "is not HOST:PORT"},
		{[]string{"--advertise", "10.0.0.1:3000"}, "need --cluster"},
		{[]string{"--cluster", "nats://127.0.0.1:1"}, "cannot be reached"},
		{[]string{"--cluster-routes", "127.0.0.1:6222"}, "need --cluster-listen"},
		{[]string{"--cluster-listen", "127.0.0.1:6222", "--cluster", r.nats.URL(0)}, "give one of them"},
		{[]string{"--cluster-listen", "127.0.0.1:6222"}, "needs --cluster-routes"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		cmd := exec.CommandContext(ctx, program(t), append([]string{"http", "--addr", "127.0.0.1:0", "--home", t.TempDir()}, c.args...)...)
		cmd.Env = r.env
		out, err := cmd.CombinedOutput()
		cancel()
		assert.Error(t, err, "%v", c.args)
		assert.Contains(t, string(out), c.says)
	}
	for mode, says := range map[cluster.SyncMode]string{cluster.SyncLater: "sync_interval: always", cluster.SyncUnknown: "", cluster.SyncAlways: ""} {
		_, err := promised(mode, false)
		if says == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, says)
		warn, err := promised(mode, true)
		assert.NoError(t, err)
		assert.Contains(t, warn, "may be lost")
	}
}

// admin runs a command of atelier cluster.
func (r *httpNodes) admin(args ...string) (string, error) {
	cmd := exec.Command(program(r.t), append(append([]string{"cluster"}, args...), "--home", r.t.TempDir(), "--cluster", strings.Join(r.urls, ","))...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A workspace is moved while it is written to, and a server that is drained has none and
// passes calls on.
func TestHTTPClusterMoveAndDrain(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 3, []string{"--lease", "10s"})
	r.must(r.each, "PUT", file("a.txt"), "a")
	stop := r.writers(3)
	for range 3 {
		owner, others := r.owner()
		begun := time.Now()
		out, err := r.admin("move", r.workspace, strings.TrimPrefix(others[0].url, "http://"))
		require.NoError(t, err, out) // though the third server is asked for it meanwhile
		require.Contains(t, out, "is at work on")
		t.Logf("moved in %.1f s", time.Since(begun).Seconds())
		now, _ := r.owner()
		require.NotEqual(t, owner.url, now.url)
	}
	owner, _ := r.owner()
	out, err := r.admin("drain", owner.url)
	require.NoError(t, err, out)
	for range 5 { // by the one that is drained too
		r.must([]*httpNode{owner}, "PUT", file("b.txt"), "b")
		now, _ := r.owner()
		require.NotEqual(t, owner.url, now.url)
		_, err = r.admin("move", r.workspace, owner.url)
		require.Error(t, err, "a server that is drained takes a workspace")
	}
	for _, name := range append(stop(), "a.txt", "b.txt") {
		r.must(r.each, "GET", file(name), "")
	}
	out, err = r.admin("drain", "nobody")
	require.Error(t, err)
	require.Contains(t, out, "no server nobody takes workspaces; there are: ")
	require.NotContains(t, out, strings.TrimPrefix(owner.url, "http://127.0.0.1:"))
}
