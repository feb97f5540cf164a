//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	"atelier/internal/cluster/clustertest"
	"atelier/internal/s3/s3test"
)

// bucketNodes are two servers of a cluster whose large contents are in a bucket of a real
// store, which they reach through a proxy.
type bucketNodes struct {
	*httpNodes
	store *s3test.Store
	proxy *s3test.Proxy
}

const testBucket = "documents"

func startBucketNodes(t *testing.T, servers int) *bucketNodes {
	t.Helper()
	store := s3test.Start(t, testBucket)
	b := &bucketNodes{store: store, proxy: store.Proxy(t)}
	b.proxy.Clear()
	b.httpNodes = startNodes(t, 1, servers, []string{"--drain", "1s", "--cluster-contents", "s3://" + testBucket + "/one", "--s3-endpoint", b.proxy.URL}, store.Env()...)
	return b
}

// noise is a text of a size that cannot be packed, so that it is a large content.
func noise(size int, seed uint64) string {
	b := make([]byte, size)
	rnd := rand.New(rand.NewPCG(seed, 7))
	for i := range b {
		b[i] = byte('!' + rnd.IntN(90))
	}
	return string(b)
}

// contents are the objects of the workspace in the bucket.
func (b *bucketNodes) contents() (names []string) {
	for _, name := range b.store.Objects(testBucket) {
		if strings.HasPrefix(name, "one/"+b.workspace+"/") {
			names = append(names, name)
		}
	}
	return names
}

// Large contents are in the bucket before they are acknowledged, and a server that takes over
// has all of them; where the store fails, writes are refused with its name, reads of what is
// at work are answered, and with the store back all is as before.
func TestHTTPClusterContents(t *testing.T) {
	campaign.One(t, 0, 4)
	b := startBucketNodes(t, 2)
	first := noise(300<<10, 1)
	b.must(b.each, "PUT", file("first.txt"), first)
	b.must(b.each, "PUT", file("small.txt"), "small")
	require.NotEmpty(t, b.contents())
	require.Contains(t, b.store.Objects(testBucket), "one/atelier-cluster.json")

	owner, others := b.owner()
	b.kill(owner)
	assert.Equal(t, first, b.must(others, "GET", file("first.txt"), ""), "after a takeover")
	now := others[0]

	put := func(name string, seed uint64) (int, string) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		return b.request(ctx, now, "PUT", file(name), noise(200<<10, seed))
	}
	for i, f := range []s3test.Fault{{Status: 403, Code: "AccessDenied", Message: "not yours"}, {Status: 507, Code: "XMinioStorageFull", Message: "no room"}} {
		f.Method = "PUT"
		b.proxy.Have(f)
		before := b.contents()
		status, answer := put(fmt.Sprint("refused", i), uint64(10+i))
		assert.Equal(t, http.StatusServiceUnavailable, status, answer)
		assert.Contains(t, answer, "The store of large contents cannot be used: s3://documents/one at http://127.0.0.1:")
		assert.Contains(t, answer, f.Code+": "+f.Message)
		assert.Equal(t, before, b.contents())
		b.proxy.Clear()
		b.must(others, "GET", file("small.txt"), "") // and with the store back, what waits is stored
	}
	// It is tried again while the store answers 500, says nothing or the connection is cut.
	for i, f := range []s3test.Fault{{Status: 500, Times: 2}, {CutRequest: 64 << 10, Times: 2}} {
		f.Method = "PUT"
		b.proxy.Have(f)
		name := fmt.Sprintf("again%d.txt", i)
		status, answer := put(name, uint64(20+i))
		require.Equal(t, http.StatusOK, status, answer)
		assert.Equal(t, noise(200<<10, uint64(20+i)), b.must(others, "GET", file(name), ""))
	}
	b.proxy.Clear()

	// The store is down: reads and small writes work, large ones are refused in bounded time.
	b.store.Kill()
	assert.Equal(t, first, b.must(others, "GET", file("first.txt"), ""))
	status, answer := b.request(t.Context(), now, "PUT", file("small2.txt"), "small too")
	assert.Equal(t, http.StatusOK, status, answer)
	begun := time.Now()
	status, answer = put("down.txt", 30)
	assert.Equal(t, http.StatusServiceUnavailable, status, answer)
	assert.Contains(t, answer, "s3://documents/one")
	status, answer = b.request(t.Context(), now, "GET", file("small.txt"), "")
	assert.Equal(t, http.StatusServiceUnavailable, status, "a reader saw what the next owner does not have")
	assert.Contains(t, answer, "s3://documents/one")
	t.Logf("a store that is down is told after %.1f s", time.Since(begun).Seconds())
	b.store.Restart()
	b.must(others, "GET", file("small.txt"), "")
	for _, secret := range []string{s3test.Secret, s3test.Key} {
		for _, n := range b.each {
			assert.NotContains(t, n.log.String(), secret)
		}
	}
	// A server that is started anew has all that was acknowledged.
	b.kill(now)
	fresh := &httpNode{home: t.TempDir(), log: &lockedBuffer{}}
	b.each = append(b.each, fresh)
	b.run(fresh)
	for name, want := range map[string]string{"first.txt": first, "small.txt": "small", "small2.txt": "small too", "again0.txt": noise(200<<10, 20), "again1.txt": noise(200<<10, 21)} {
		assert.Equal(t, want, b.must([]*httpNode{fresh}, "GET", file(name), ""), name)
	}
}

// A server that is killed while it puts contents loses nothing that it acknowledged, and what
// it put and did not name is removed later.
func TestHTTPClusterContentsKilled(t *testing.T) {
	campaign.One(t, 1, 4)
	b := startBucketNodes(t, 2)
	b.must(b.each, "PUT", file("first.txt"), noise(100<<10, 1))
	var mu sync.Mutex
	acked := map[string]uint64{}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name, seed := fmt.Sprintf("w%d-%d.txt", w, i), uint64(1000*(w+1)+i)
				asked, over := context.WithTimeout(ctx, 20*time.Second)
				mu.Lock()
				n := b.each[i%len(b.each)]
				mu.Unlock()
				if status, _ := b.request(asked, n, "PUT", file(name), noise(100<<10+i, seed)); status == http.StatusOK {
					mu.Lock()
					acked[name] = seed
					mu.Unlock()
				}
				over()
			}
		})
	}
	for range 3 {
		time.Sleep(1500 * time.Millisecond)
		b.proxy.Have(s3test.Fault{Method: "PUT", Stall: true, Times: 1})
		require.Eventually(t, func() bool { return b.proxy.Count("PUT") > 0 }, 20*time.Second, 5*time.Millisecond)
		i := 0 // the server that waits for its put is killed, or the other one
		if owner, _ := b.owner(); owner == b.each[1] {
			i = 1
		}
		require.NoError(t, b.each[i].cmd.Process.Signal(syscall.SIGKILL))
		<-b.each[i].ended
		b.proxy.Clear()
		fresh := &httpNode{home: b.each[i].home, log: b.each[i].log}
		b.run(fresh)
		mu.Lock()
		b.each[i] = fresh
		mu.Unlock()
		b.must(b.each, "PUT", file("after.txt"), "after")
	}
	cancel()
	wg.Wait()
	require.NotEmpty(t, acked)
	for name, seed := range acked {
		var i int
		_, err := fmt.Sscanf(name[strings.Index(name, "-")+1:], "%d.txt", &i)
		require.NoError(t, err)
		require.Equal(t, noise(100<<10+i, seed), b.must(b.each, "GET", file(name), ""), name)
	}
	t.Logf("%d writes were acknowledged", len(acked))
}

// Another place than the cluster's is refused, and so are contents that were changed in the
// store; nothing of it shows the keys.
func TestHTTPClusterContentsRefused(t *testing.T) {
	campaign.One(t, 2, 4)
	b := startBucketNodes(t, 1)
	want := noise(150<<10, 1)
	b.must(b.each, "PUT", file("first.txt"), want)
	require.NoError(t, os.Mkdir(b.store.Bucket("second"), 0o700))
	other := s3test.Start(t, testBucket)
	for _, c := range []struct {
		args []string
		says string
		env  []string
	}{
		{nil, "start this server with --cluster-contents s3://documents/one", nil},
		{[]string{"--cluster-contents", "s3://second", "--s3-endpoint", b.proxy.URL}, "the cluster keeps its large contents elsewhere: in s3://documents/one", nil},
		{[]string{"--cluster-contents", "s3://documents/one", "--s3-endpoint", "http://" + other.Addr()}, "is empty or another one than the cluster's", nil},
		{[]string{"--cluster-contents", "s3://documents/one", "--s3-endpoint", b.proxy.URL}, "look at AWS_SECRET_ACCESS_KEY", []string{"AWS_SECRET_ACCESS_KEY=another-secret"}},
		{[]string{"--cluster-contents", "s3://documents/one", "--s3-endpoint", "http://store.example"}, "allow it with --s3-allow-http", nil},
		{[]string{"--cluster-contents", "documents"}, "is not s3://BUCKET", nil},
		{[]string{"--s3-endpoint", b.proxy.URL}, "need --cluster-contents", nil},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, program(t), append([]string{"http", "--addr", "127.0.0.1:0", "--home", t.TempDir(), "--lease", nodesLease().String(), "--cluster", b.nats.URL(0)}, c.args...)...)
		cmd.Env = append(append(b.env[:len(b.env):len(b.env)], b.store.Env()...), c.env...)
		out, err := cmd.CombinedOutput()
		cancel()
		assert.Error(t, err, "%v", c.args)
		assert.Contains(t, string(out), c.says)
		assert.NotContains(t, string(out), "another-secret")
		assert.NotContains(t, string(out), s3test.Secret)
	}
	// A cluster of other servers may not use the place of this one.
	second := clustertest.Start(t, 1)
	cmd := exec.Command(program(t), "http", "--addr", "127.0.0.1:0", "--home", t.TempDir(), "--cluster", second.URL(0), "--cluster-contents", "s3://documents/one", "--s3-endpoint", b.proxy.URL)
	cmd.Env = b.env
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "is the place of another cluster")

	b.kill(b.each[0])
	fresh := &httpNode{home: t.TempDir(), log: &lockedBuffer{}}
	b.each = []*httpNode{fresh}
	b.run(fresh)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	b.proxy.Have(s3test.Fault{Method: "GET", Status: 403, Code: "AccessDenied"})
	status, answer := b.request(ctx, fresh, "GET", file("first.txt"), "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, answer, "The store of large contents cannot be used: s3://documents/one")
	b.proxy.Clear()
	objects := b.contents()
	require.NotEmpty(t, objects)
	for _, name := range objects {
		path := filepath.Join(b.store.Bucket(testBucket), name)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		content[len(content)/2] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	begun := time.Now()
	status, answer = b.request(ctx, fresh, "GET", file("first.txt"), "")
	require.Equal(t, http.StatusInternalServerError, status, "a damaged content was told")
	assert.Contains(t, answer, "what the cluster has of it is damaged")
	assert.Less(t, time.Since(begun), 3*nodesLease(), "it is told without waiting for another server")
	require.Eventually(t, func() bool {
		return strings.Contains(fresh.log.String(), "does not have the SHA-256 of its name")
	}, 10*time.Second, 20*time.Millisecond)
	for _, name := range objects { // as it was
		path := filepath.Join(b.store.Bucket(testBucket), name)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		content[len(content)/2] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	assert.Equal(t, want, b.must(b.each, "GET", file("first.txt"), ""))
}

// Contents are moved to a bucket and back while no server works, and are read from where they
// are; a server that keeps them elsewhere is refused.
func TestHTTPClusterContentsMoved(t *testing.T) {
	campaign.One(t, 3, 4)
	store := s3test.Start(t, testBucket)
	r := startNodes(t, 1, 1, []string{"--drain", "1s"}, store.Env()...)
	place := []string{"--cluster-contents", "s3://" + testBucket, "--s3-endpoint", "http://" + store.Addr()}
	move := func(args ...string) (string, error) {
		cmd := exec.Command(program(t), append([]string{"cluster", "contents", "--home", t.TempDir(), "--cluster", r.urls[0]}, args...)...)
		cmd.Env = r.env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	want := map[string]string{}
	put := func(name string, size int) {
		t.Helper()
		want[name] = noise(size, uint64(size))
		r.must(r.each, "PUT", file(name), want[name])
	}
	check := func() {
		t.Helper()
		for name, text := range want {
			require.Equal(t, text, r.must(r.each, "GET", file(name), ""), name)
		}
	}
	stop := func() {
		t.Helper()
		require.NoError(t, r.each[0].cmd.Process.Signal(syscall.SIGTERM))
		<-r.each[0].ended
	}
	start := func(flags ...string) {
		t.Helper()
		r.flags = append([]string{"--drain", "1s"}, flags...)
		r.each = []*httpNode{{home: t.TempDir(), log: &lockedBuffer{}}}
		r.run(r.each[0])
	}
	objects := func() int { return len(store.Objects(testBucket)) }
	put("a.txt", 100<<10)
	put("b.txt", 3<<20)

	out, err := move(append([]string{"move", "bucket"}, place...)...)
	require.Error(t, err)
	require.Contains(t, out, "while no server works: stop 127.0.0.1")
	put("c.txt", 90<<10) // the server works as before
	stop()
	out, err = move("status")
	require.NoError(t, err, out)
	require.Regexp(t, `^Large contents are in JetStream, which has [1-9]`, out)
	out, err = move(append([]string{"move", "bucket"}, place...)...)
	require.NoError(t, err, out)
	require.Regexp(t, `Moved [1-9]\d* contents`, out)
	out, err = move("status")
	require.NoError(t, err, out)
	require.Equal(t, "Large contents are put into s3://documents at http://"+store.Addr()+". JetStream still has 0 from before.\n", out)
	require.Greater(t, objects(), 3)
	start(place...)
	check()

	// A copy has the contents of the bucket, if it is named.
	dir := filepath.Join(t.TempDir(), "copy")
	copied := func(to string, args ...string) (string, error) {
		cmd := exec.Command(program(t), append([]string{"cluster", "--home", t.TempDir(), "--cluster", to}, args...)...)
		cmd.Env = r.env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err = copied(r.urls[0], "backup", dir)
	require.Error(t, err)
	require.Contains(t, out, "keeps its large contents in s3://documents at http://"+store.Addr()+": name it with --cluster-contents s3://documents")
	out, err = copied(r.urls[0], append([]string{"backup", dir}, place...)...)
	require.NoError(t, err, out)
	elsewhere := clustertest.Start(t, 1)
	out, err = copied(elsewhere.URL(0), "restore", dir)
	require.NoError(t, err, out)
	other := newHTTPNodesAt(r, elsewhere.URLs())
	other.each = []*httpNode{{home: t.TempDir(), log: &lockedBuffer{}}}
	other.run(other.each[0])
	for name, text := range want {
		require.Equal(t, text, other.must(other.each, "GET", file(name), ""), name)
	}
	other.kill(other.each[0])
	put("d.txt", 110<<10)
	stop()
	out, err = move(append([]string{"move", "bucket"}, place...)...) // again: nothing is left
	require.NoError(t, err, out)
	require.Contains(t, out, "Moved 0 contents")
	store.Kill()
	out, err = move(append([]string{"move", "jetstream"}, place...)...)
	require.Error(t, err)
	require.Contains(t, out, "the store of large contents cannot be used")
	store.Restart()
	out, err = move(append([]string{"move", "jetstream"}, place...)...)
	require.NoError(t, err, out)
	require.Regexp(t, `Moved [1-9]\d* contents`, out)
	require.Zero(t, objects())
	start()
	check()
}
