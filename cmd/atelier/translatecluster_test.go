//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// clusterRig is a cluster with an endpoint that all its workers ask.
type clusterRig struct {
	t       *testing.T
	flags   []string // of every command, to reach the cluster
	servers *clustertest.Servers
	model   *segmentModel
	log     *lockedBuffer
}

func newClusterRig(t *testing.T, servers int, model *segmentModel) *clusterRig {
	t.Helper()
	return newClusterRigAt(t, clustertest.Start(t, servers), model)
}

// newClusterRigAt is newClusterRig with servers, which are reached with more flags.
func newClusterRigAt(t *testing.T, servers *clustertest.Servers, model *segmentModel, flags ...string) *clusterRig {
	t.Helper()
	r := &clusterRig{t: t, servers: servers, model: model, log: &lockedBuffer{}}
	r.flags = append([]string{"--cluster", strings.Join(servers.URLs(), ",")}, flags...)
	t.Cleanup(func() {
		if t.Failed() {
			log := r.log.String()
			t.Logf("output of the processes: …%s", log[max(0, len(log)-6000):])
		}
	})
	return r
}

// command is the program as a process of the cluster, with a data folder for itself.
func (r *clusterRig) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program(r.t), slices.Concat(args, r.flags, []string{"--home", r.t.TempDir()})...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+r.model.URL)
	cmd.Stdout, cmd.Stderr = r.log, r.log
	return cmd
}

// start starts a process that ends with the test.
func (r *clusterRig) start(cmd *exec.Cmd) *exec.Cmd {
	r.t.Helper()
	require.NoError(r.t, cmd.Start())
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func (r *clusterRig) worker(name string, args ...string) *exec.Cmd {
	r.t.Helper()
	return r.start(r.command(append([]string{"worker", "--model", "m", "--name", name}, args...)...))
}

// translate is a translation by the cluster. It has no key: those of the workers count.
func (r *clusterRig) translate(in, out string, args ...string) *exec.Cmd {
	cmd := r.command(append([]string{"translate", in, "--to", "de,fr", "--out", out, "--model", "m", "--allow-egress"}, args...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL="+r.model.URL)
	return cmd
}

func (r *clusterRig) status() (st clusterStatus) {
	r.t.Helper()
	cmd := r.command("cluster", "status", "--json")
	cmd.Stdout = nil
	b, err := cmd.Output()
	require.NoError(r.t, err)
	require.NoError(r.t, json.Unmarshal(b, &st))
	return st
}

// A worker and a translation never read a PDF: they do not compile what reads one, which takes
// seconds of a processor that the translation needs.
func TestClusterReadsNoPDF(t *testing.T) {
	campaign.Slow(t)
	r := newClusterRig(t, 1, serveSegments(t, slowModel(200, 1)))
	worker := r.worker("w", "--requests", "1")
	translation := r.translate(clusterDocs(t, rand.New(rand.NewPCG(1, 1)), 8, 100), filepath.Join(t.TempDir(), "out"))
	require.NoError(t, translation.Start())
	begun := time.Now()
	require.NoError(t, translation.Wait())
	require.Greater(t, time.Since(begun), 8*time.Second, "long enough to prepare something")
	for _, cmd := range []*exec.Cmd{worker, translation} {
		home := cmd.Args[len(cmd.Args)-1]
		require.DirExists(t, home)
		require.NoDirExists(t, filepath.Join(home, "cache", "pdfium"))
	}
}

// alone translates in one process, with an endpoint that counts separately.
func alone(t *testing.T, in string) (map[string]string, *segmentModel) {
	t.Helper()
	m := serveSegments(t, nil)
	out := filepath.Join(t.TempDir(), "alone")
	cmd := exec.Command(program(t), "translate", in, "--to", "de,fr", "--out", out, "--model", "m", "--home", t.TempDir())
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+m.URL)
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, string(b))
	return translated(t, out), m
}

// clusterDocs are documents with texts that repeat within and among them.
func clusterDocs(t *testing.T, r *rand.Rand, count, paragraphs int) string {
	t.Helper()
	in := t.TempDir()
	for i := range count {
		var b strings.Builder
		for j := range paragraphs {
			fmt.Fprintf(&b, "Paragraph %d of the document number %d is **here**.\n\nThis is in many: %d.\n\n", j, i, r.IntN(3*paragraphs))
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(b.String()), 0o600))
	}
	docs := docsFolder(t)
	for _, name := range []string{"contrato.docx", "sales.xlsx"} {
		b, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(in, name), b, 0o600))
	}
	return in
}

// slowModel answers after a while.
func slowModel(least, more int) func(int, http.ResponseWriter, []asked) bool {
	return func(_ int, _ http.ResponseWriter, _ []asked) bool {
		time.Sleep(time.Duration(least+rand.IntN(more)) * time.Millisecond)
		return false
	}
}

// blocked answers nothing until then.
func blocked(until <-chan struct{}) func(int, http.ResponseWriter, []asked) bool {
	return func(int, http.ResponseWriter, []asked) bool {
		<-until
		return false
	}
}

// Workers on any machine do the work of a translation: the outputs are those of one
// process, each text is asked for once, everything shows in the status, and another job
// with the same texts pays for none.
func TestClusterTranslation(t *testing.T) {
	t.Parallel()
	in := clusterDocs(t, rand.New(rand.NewPCG(1, 2)), 4, 60)
	want, once := alone(t, in)
	m := serveSegments(t, slowModel(20, 20))
	r := newClusterRig(t, 1, m)
	for i := range 3 {
		r.worker(fmt.Sprint("w", i), "--requests", "2")
	}
	require.Eventually(t, func() bool { return len(r.status().Workers) == 3 }, time.Minute, 100*time.Millisecond)
	out := filepath.Join(t.TempDir(), "out")
	b, err := combined(r.translate(in, out))
	require.NoError(t, err, b)
	require.Equal(t, want, translated(t, out))
	require.Len(t, m.counts(), len(once.counts()))
	for text, n := range m.counts() {
		require.LessOrEqual(t, n, 2*m.kinds(text), "once a language: %q", text)
	}

	st := r.status()
	require.Len(t, st.Jobs, 1)
	job := st.Jobs[0]
	require.Equal(t, "complete", string(job.State))
	require.Equal(t, []int{12, 12}, []int{job.Done, job.Documents})
	require.Equal(t, m.asked(), job.Requests)
	require.Positive(t, job.Words)
	require.Contains(t, b, "Job "+job.ID)
	require.Len(t, st.Workers, 3)
	require.Eventually(t, func() bool { // what a worker says of itself is up to 2 seconds old
		answered := 0
		for _, w := range r.status().Workers {
			if w.Answered == 0 {
				return false
			}
			answered += w.Answered
		}
		return answered == m.asked()
	}, 20*time.Second, 200*time.Millisecond, "all take part, and no answer is lost")

	before := m.counts()
	other := filepath.Join(t.TempDir(), "other")
	b, err = combined(r.translate(in, other))
	require.NoError(t, err, b)
	require.Equal(t, want, translated(t, other))
	require.Equal(t, before, m.counts(), "the cluster has the texts")
}

func combined(cmd *exec.Cmd) (string, error) {
	cmd.Stdout, cmd.Stderr = nil, nil
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// A budget holds over all workers; a job that is canceled from elsewhere keeps what it has;
// the same command continues both, and no text is asked for twice.
func TestClusterBudgetAndCancel(t *testing.T) {
	campaign.Slow(t)
	t.Parallel()
	in := manyDocs(t, 6, 40)
	paid := servePaid(t, nil)
	r := newClusterRig(t, 1, &paid.segmentModel)
	for i := range 2 {
		r.worker(fmt.Sprint("w", i))
	}
	out := filepath.Join(t.TempDir(), "out")
	const budget = 30_000
	b, err := combined(r.translate(in, out, "--max-tokens", fmt.Sprint(budget)))
	require.Error(t, err)
	require.Contains(t, b, "This translation has used ")
	require.Contains(t, b, "start the same translation again, with a larger budget")
	require.LessOrEqual(t, paid.billed(), budget)
	require.Greater(t, paid.billed(), budget/3)
	require.Equal(t, "stopped", string(r.status().Jobs[0].State))

	asked := paid.asked()
	canceled := make(chan struct{})
	answer := sync.OnceFunc(func() { close(canceled) })
	t.Cleanup(answer)
	paid.behave(blocked(canceled)) // nothing is done before it is canceled
	other := r.start(r.translate(in, out))
	require.Eventually(t, func() bool { return paid.asked() > asked }, time.Minute, 10*time.Millisecond)
	b, err = combined(r.command("cluster", "cancel", r.status().Jobs[0].ID))
	require.NoError(t, err, b)
	answer()
	require.Error(t, other.Wait())
	require.Contains(t, r.log.String(), "canceled with atelier cluster cancel")
	require.Equal(t, "canceled", string(r.status().Jobs[0].State))
	b, err = combined(r.command("cluster", "cancel", r.status().Jobs[0].ID))
	require.Error(t, err)
	require.Contains(t, b, "no process works for it")

	paid.behave(nil)
	b, err = combined(r.translate(in, out))
	require.NoError(t, err, b)
	again := 0
	for _, n := range paid.counts() {
		again += max(0, n-2)
	}
	require.LessOrEqual(t, again, 8*40, "but for the requests that were on their way when it was canceled")
}

// Processes and servers are killed, paused and stopped while a cluster translates. The
// outputs are those of one process, and a text is asked for again only when its request was
// on its way to a process that was killed or paused, or servers were.
func TestClusterFaults(t *testing.T) {
	campaign.Slow(t)
	for round := range campaign.Of(1, 30) {
		seed := uint64(campaign.Seed()) + uint64(round)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { clusterFaults(t, rand.New(rand.NewPCG(seed, 138))) })
	}
}

func clusterFaults(t *testing.T, r *rand.Rand) {
	in := clusterDocs(t, r, 4+r.IntN(4), 60+r.IntN(60))
	want, once := alone(t, in)
	m := serveSegments(t, slowModel(40, 80))
	rig := newClusterRig(t, 1+2*r.IntN(2), m)
	n := len(rig.servers.URLs())
	out := filepath.Join(t.TempDir(), "out")
	workers := make([]*exec.Cmd, 2+r.IntN(3))
	requests := 1 + r.IntN(3)
	names := 0
	begin := func(i int) {
		names++
		workers[i] = rig.worker(fmt.Sprint("w", names), "--requests", fmt.Sprint(requests))
	}
	for i := range workers {
		begin(i)
	}
	starter := rig.start(rig.translate(in, out))
	onTheWay, faults := 0, map[string]int{} // requests that a fault may have made be asked again
	for range max(4, campaign.Of(4, 8)) {
		time.Sleep(time.Duration(200+r.IntN(600)) * time.Millisecond)
		i := r.IntN(len(workers))
		switch k := r.IntN(5); k {
		case 0:
			faults["worker killed"]++
			onTheWay += requests
			_ = workers[i].Process.Kill()
			_ = workers[i].Wait()
			begin(i)
		case 1:
			faults["worker stopped"]++
			_ = workers[i].Process.Signal(syscall.SIGTERM)
			_ = workers[i].Wait() // it fails if it has not begun
			begin(i)
		case 2:
			faults["worker paused"]++
			onTheWay += requests
			_ = workers[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(8+r.IntN(6)) * time.Second)
			_ = workers[i].Process.Signal(syscall.SIGCONT)
		case 3:
			faults["starter killed"]++
			onTheWay += requests * len(workers)
			_ = starter.Process.Kill()
			_ = starter.Wait()
			starter = rig.start(rig.translate(in, out))
		default:
			faults["servers killed"]++
			onTheWay += requests * len(workers)
			rig.servers.Kill(r.IntN(n))
			time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
			for j := range n {
				if r.IntN(2) == 0 {
					rig.servers.Kill(j)
				}
			}
			for j := range n {
				rig.servers.Kill(j) // one that is dead stays so
				rig.servers.Restart(j)
			}
			rig.servers.Ready()
		}
	}
	err := starter.Wait()
	if err != nil { // such as servers that were away for too long: the same command continues
		log := rig.log.String()
		t.Logf("the first start ended with …%s", log[max(0, len(log)-1500):])
		b, again := combined(rig.translate(in, out))
		require.NoError(t, again, b)
	}
	require.Equal(t, want, translated(t, out))
	again, expected := 0, once.counts()
	for text, count := range m.counts() {
		again += max(0, count-2*m.kinds(text))
	}
	require.Len(t, m.counts(), len(expected), "every text was asked for, and no other")
	require.LessOrEqual(t, again, 40*onTheWay, "texts that were asked for again")
	t.Logf("%d servers, %d workers of %d requests, %v: %d of %d texts asked for again; the first start ended with %v", n, len(workers), requests, faults, again, len(expected), err)
}
