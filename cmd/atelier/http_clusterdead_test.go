//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// status is what cluster status says.
func (r *httpNodes) status() (st clusterStatus) {
	r.t.Helper()
	out, err := r.admin("status", "--json")
	require.NoError(r.t, err, out)
	require.NoError(r.t, json.Unmarshal([]byte(out), &st))
	return st
}

// Of a server that was killed, or is paused for longer than its lease, cluster status, move and
// drain say what is so, in bounded time, and its workspace can be moved.
func TestHTTPClusterDeadServer(t *testing.T) {
	campaign.Slow(t)
	for i, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		if leftOut(i, 2) {
			continue
		}
		t.Run(how.String(), func(t *testing.T) {
			r := startNodes(t, 1, 3, []string{"--lease", "6s"}) // longer than the commands take to start
			r.must(r.each, "PUT", file("a.txt"), "a")
			dead, others := r.owner()
			require.NoError(t, dead.cmd.Process.Signal(how))
			if how == syscall.SIGSTOP {
				defer func() { _ = dead.cmd.Process.Signal(syscall.SIGCONT) }()
			}
			host := strings.TrimPrefix(dead.url, "http://")
			if st := r.status(); assert.Len(t, st.Workspaces, 1) {
				assert.True(t, st.Workspaces[0].Overdue, "no server works with it any more")
				assert.Equal(t, dead.url, st.Workspaces[0].Address)
				for _, s := range st.Servers {
					assert.Equal(t, s.Address == dead.url, s.Overdue, "%+v", s)
					assert.Zero(t, s.Workspaces, "%+v", s)
				}
			}
			told := func(what string, args ...string) {
				t.Helper()
				begun := time.Now()
				out, err := r.admin(args...)
				assert.Error(t, err, out)
				t.Logf("%v after %.1f s: %s", args, time.Since(begun).Seconds(), out)
				assert.Contains(t, out, what)
				assert.Less(t, time.Since(begun), 90*time.Second)
			}
			out, err := r.admin("move", r.workspace, strings.TrimPrefix(others[0].url, "http://"))
			if err != nil { // status looked for so long that no lease was left
				require.Contains(t, out, "is not at work on any server")
				r.must(others[:1], "GET", file("a.txt"), "")
			} else {
				require.Contains(t, out, "is at work on")
			}
			require.Equal(t, "a", r.must(others, "GET", file("a.txt"), ""))
			now, _ := r.owner()
			require.Equal(t, others[0].url, now.url)
			if how == syscall.SIGKILL {
				told("takes workspaces; there are: ", "drain", host) // its name has expired
				told("takes workspaces; there are: ", "move", r.workspace, host)
			}
			st := r.status()
			require.Len(t, st.Servers, 2, "%+v", st.Servers)
			for _, s := range st.Servers {
				assert.False(t, s.Overdue)
			}
		})
	}
}

// A server that was killed a moment ago is still listed; orders to it say that it has ended,
// and orders to one that is paused end and say that it may still carry them out.
func TestHTTPClusterOrdersToDeadServers(t *testing.T) {
	campaign.One(t, 3, 6)
	r := startNodes(t, 1, 3, []string{"--lease", "30s"})
	r.must(r.each, "PUT", file("a.txt"), "a")
	owner, others := r.owner()
	paused, dead := others[0], others[1]
	require.NoError(t, paused.cmd.Process.Signal(syscall.SIGSTOP))
	defer func() { _ = paused.cmd.Process.Signal(syscall.SIGCONT) }()
	r.kill(dead)
	host := strings.TrimPrefix(dead.url, "http://")
	for _, args := range [][]string{{"drain", host}, {"move", r.workspace, host}} {
		out, err := r.admin(args...)
		require.Error(t, err, out)
		t.Log(out)
		require.Contains(t, out, "no process answers for the server")
		require.Contains(t, out, "it has ended, or is cut off from the cluster")
	}
	host = strings.TrimPrefix(paused.url, "http://")
	begun := time.Now()
	out, err := r.admin("drain", host)
	require.Error(t, err, out)
	require.Contains(t, out, "did not answer")
	require.Contains(t, out, "may still carry out the order")
	require.Less(t, time.Since(begun), 90*time.Second)
	t.Logf("after %.1f s: %s", time.Since(begun).Seconds(), out)
	require.Equal(t, "a", r.must([]*httpNode{owner}, "GET", file("a.txt"), ""))
}
