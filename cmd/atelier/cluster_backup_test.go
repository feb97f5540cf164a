//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// A copy that is made while files are written, and while logs are shortened, has everything
// that was acknowledged before it was begun; another cluster has it after a restore. A copy
// that is damaged or not complete is refused, and so is a cluster in use.
func TestHTTPClusterBackup(t *testing.T) {
	campaign.Slow(t)
	r := startNodes(t, 1, 2, nil)
	big := strings.Repeat("0123456789abcdef", 100_000)
	r.must(r.each, "PUT", file("big.txt"), big)
	var mu sync.Mutex
	var acked []string
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for w := range 3 {
		writing.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprintf("w%d-%d.txt", w, i)
				body := name
				if i%5 == 0 { // contents that are large, and shorten the log
					body += strings.Repeat(fmt.Sprintf("%d %d,", w, i), 150_000)
				}
				if status, _ := r.request(t.Context(), r.each[i%2], "PUT", file(name), body); status == 200 {
					mu.Lock()
					acked = append(acked, name)
					mu.Unlock()
				}
			}
		})
	}
	out, err := r.admin("texts", "--at-most", "1GB")
	require.NoError(t, err, out)
	before := func() []string { mu.Lock(); defer mu.Unlock(); return append([]string{}, acked...) }
	type copied struct {
		dir  string
		have []string
	}
	var copies []copied
	for range 3 {
		time.Sleep(2 * time.Second)
		c := copied{filepath.Join(t.TempDir(), "copy"), before()}
		out, err := r.admin("backup", c.dir)
		require.NoError(t, err, out)
		t.Log(strings.TrimSpace(out))
		copies = append(copies, c)
	}
	close(stop)
	writing.Wait()
	out, err = r.admin("restore", copies[0].dir)
	require.Error(t, err)
	require.Contains(t, out, "already")
	out, err = r.admin("backup", copies[0].dir)
	require.Error(t, err)
	require.Contains(t, out, "is not empty")
	require.NotContains(t, out, "not complete", "the copy that is there is")

	last := copies[len(copies)-1]
	require.NotEmpty(t, last.have)
	for _, n := range r.each {
		r.kill(n)
	}
	fresh := clustertest.Start(t, 1)
	restore := func(dir string) (string, error) {
		b, err := exec.Command(program(t), "cluster", "restore", dir, "--home", t.TempDir(), "--cluster", fresh.URL(0)).CombinedOutput()
		return string(b), err
	}
	out, err = restore(t.TempDir())
	require.Error(t, err)
	require.Contains(t, out, "was not completed")
	damaged := filepath.Join(t.TempDir(), "damaged")
	require.NoError(t, os.CopyFS(damaged, os.DirFS(copies[0].dir)))
	contents, err := filepath.Glob(filepath.Join(damaged, "workspaces", "*", "contents", "*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(contents[0], []byte("other"), 0o600))
	out, err = restore(damaged)
	require.Error(t, err)
	require.Contains(t, out, "is damaged")
	out, err = restore(last.dir)
	require.NoError(t, err, out)
	t.Log(strings.TrimSpace(out))

	other := newHTTPNodesAt(r, fresh.URLs())
	out, err = other.admin("texts")
	require.NoError(t, err, out)
	require.Contains(t, out, "above 1000.0 MB the oldest are discarded")
	n := &httpNode{home: t.TempDir(), log: &lockedBuffer{}}
	other.each = []*httpNode{n}
	other.run(n)
	t.Cleanup(func() {
		other.kill(n)
		if t.Failed() {
			t.Logf("the server of the other cluster: %s", n.log.String())
		}
	})
	assert.True(t, other.must(other.each, "GET", file("big.txt"), "") == big)
	for _, name := range last.have {
		got := other.must(other.each, "GET", file(name), "")
		require.True(t, strings.HasPrefix(got, name), name)
	}
	other.must(other.each, "PUT", file("after.txt"), "after")
	assert.Equal(t, "after", other.must(other.each, "GET", file("after.txt"), ""))
	t.Logf("%d files that were acknowledged before the copy are there", len(last.have))
}

// newHTTPNodesAt has the user and the workspace of others in another cluster.
func newHTTPNodesAt(of *httpNodes, urls []string) *httpNodes {
	return &httpNodes{t: of.t, env: of.env, urls: urls, token: of.token, workspace: of.workspace}
}
