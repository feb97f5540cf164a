//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// httpNode is one server of a cluster.
type httpNode struct {
	home, url string
	cmd       *exec.Cmd
	ended     chan struct{}
	log       *lockedBuffer
	reach     []string // flags with which it reaches the cluster; nil: those of all
	program   string   // "": that of the test
	env       []string // besides that of all
}

// httpNodes are servers of a cluster with one user and one workspace, which was made before
// there was a cluster.
type httpNodes struct {
	t         testing.TB
	nats      *clustertest.Servers // nil: the servers have theirs
	urls      []string             // of the NATS servers
	first     *httpServer          // whose accounts are moved to the cluster
	env       []string
	flags     []string
	each      []*httpNode
	token     string
	workspace string
	traced    string // the trace that the spans of requests are in; "": none
}

// startNodes starts servers. The first moves its accounts to the cluster.
func startNodes(t testing.TB, nats, servers int, flags []string, env ...string) *httpNodes {
	t.Helper()
	running := clustertest.Start(t, nats)
	r := newHTTPNodes(t, flags, env...)
	r.nats, r.urls = running, running.URLs()
	for i := range servers {
		n := &httpNode{home: r.first.home, log: &lockedBuffer{}}
		if i > 0 {
			n.home = t.TempDir()
		}
		r.each = append(r.each, n)
		r.run(n)
	}
	return r
}

// newHTTPNodes makes a user and a workspace, and ends the servers that are added with the
// test.
func newHTTPNodes(t testing.TB, flags []string, env ...string) *httpNodes {
	t.Helper()
	r := &httpNodes{t: t, flags: flags}
	r.env = append(append(os.Environ(), "OPENAI_API_KEY=", "ATELIER_MODEL=pseudo", "ATELIER_JWT_SECRET=0123456789abcdef0123456789abcdef", "ATELIER_JWT_MINUTES=600"), env...)
	r.first = &httpServer{home: t.TempDir(), env: r.env}
	r.first.admin(t, "user", "add", "--email", httpUser)
	r.token = r.first.admin(t, "token", "--user", httpUser)["access_token"].(string)
	r.workspace = r.first.admin(t, "workspace", "add", "--name", "One", "--owner", httpUser)["id"].(string)
	t.Cleanup(func() {
		for i, n := range r.each {
			r.kill(n)
			if t.Failed() {
				log := n.log.String()
				t.Logf("server %d: …%s", i, log[max(0, len(log)-4000):])
			}
		}
	})
	return r
}

// leftOut reports whether to leave out the ith of n faults: the seed selects one, except in
// a full campaign.
func leftOut(i, n int) bool {
	return !campaign.Full() && i != int(campaign.Seed()%uint64(n))
}

// nodesLease is the lease of the servers. With the race detector they are so slow that a
// shorter one ends while they work.
func nodesLease() time.Duration {
	if *httpLease > 0 {
		return *httpLease
	}
	if campaign.Race {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// reach are the flags with which a server reaches the cluster.
func (r *httpNodes) reach(n *httpNode) []string {
	if n.reach != nil {
		return n.reach
	}
	return []string{"--cluster", strings.Join(r.urls, ",")}
}

// run starts a server and waits until it listens.
func (r *httpNodes) run(n *httpNode) {
	r.t.Helper()
	require.NoError(r.t, r.launch(n), n.log.String())
}

// launch is run; a server that ends before it listens is an error.
func (r *httpNodes) launch(n *httpNode) error {
	name := n.program
	if name == "" {
		name = program(r.t)
	}
	withPDFReader(r.t, n.home)
	n.cmd = exec.Command(name, append([]string{"http", "--addr", "127.0.0.1:0", "--home", n.home, "--lease", nodesLease().String(), "--rate", "0"}, slices.Concat(r.reach(n), r.flags)...)...)
	n.cmd.Env, n.cmd.Stderr = slices.Concat(r.env, n.env), n.log
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = n.cmd.Process.Kill()
	}
	n.url = strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	ended := make(chan struct{})
	n.ended = ended
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(ended) }(n.cmd)
	return err
}

// kill ends a server; one that never began has ended.
func (r *httpNodes) kill(n *httpNode) {
	if n.ended == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	<-n.ended
}

// request sends a request to a server; status 0 is that it gave no answer.
func (r *httpNodes) request(ctx context.Context, n *httpNode, method, path, body string) (status int, answer string) {
	req, err := http.NewRequestWithContext(ctx, method, n.url+"/api/v1/workspaces/"+r.workspace+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Content-Type", "application/json")
	if r.traced != "" {
		req.Header.Set("Traceparent", "00-"+r.traced+"-00f067aa0ba902b7-01")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

// must is request until it is answered, by any of some servers, within half a minute; with
// the race detector a large workspace needs longer to be made from its log.
func (r *httpNodes) must(nodes []*httpNode, method, path, body string) string {
	r.t.Helper()
	within := 30 * time.Second
	if campaign.Race {
		within *= 4
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), within)
	defer cancel()
	var status int
	var answer string
	for i := 0; ctx.Err() == nil; i++ {
		if status, answer = r.request(ctx, nodes[i%len(nodes)], method, path, body); status == http.StatusOK {
			return answer
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.FailNow(r.t, "no server answered", "%s %s: %d %s", method, path, status, answer)
	return ""
}

// owner is the server that has the workspace, and those that have not.
func (r *httpNodes) owner() (owner *httpNode, others []*httpNode) {
	r.t.Helper()
	cmd := exec.Command(program(r.t), "cluster", "status", "--json", "--home", r.t.TempDir(), "--cluster", strings.Join(r.urls, ","))
	b, err := cmd.Output()
	require.NoError(r.t, err)
	var st clusterStatus
	require.NoError(r.t, json.Unmarshal(b, &st))
	require.Len(r.t, st.Workspaces, 1, "%s", b)
	require.Equal(r.t, r.workspace, st.Workspaces[0].WorkspaceID)
	for _, n := range r.each {
		if n.url == st.Workspaces[0].Address {
			owner = n
		} else {
			others = append(others, n)
		}
	}
	require.NotNil(r.t, owner, "%s", b)
	return owner, others
}

func file(name string) string { return "/files/content?path=" + name }
