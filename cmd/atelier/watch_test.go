//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// watching is a process that watches a folder.
type watching struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan error
	read  chan struct{} // closed at the end of its output
	erred bytes.Buffer  // its standard error, to be read when it has ended

	mu     sync.Mutex
	events []watchEvent
}

// startWatch watches in; m may be nil for the built-in model.
func startWatch(t *testing.T, m *segmentModel, in, out string, flags ...string) *watching {
	t.Helper()
	args := append([]string{"watch", "translate", in, "--to", "de", "--out", out, "--home", t.TempDir(), "--settle", "100ms", "--json"}, flags...)
	if m != nil {
		args = append(args, "--model", "m", "--base-url", m.URL)
	}
	env := []string{"OPENAI_API_KEY=k"}
	if m == nil {
		env = []string{"ATELIER_MODEL=pseudo"}
	}
	return startWatching(t, env, args)
}

// startWatching starts the program with arguments of a watch.
func startWatching(t *testing.T, env, args []string) *watching {
	t.Helper()
	w := &watching{t: t, ended: make(chan error, 1), read: make(chan struct{})}
	w.cmd = exec.Command(program(t), args...)
	w.cmd.Env = append(os.Environ(), env...)
	pipe, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	w.cmd.Stderr = &w.erred
	require.NoError(t, w.cmd.Start())
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	go func() {
		defer close(w.read)
		w.collect(pipe)
	}()
	go func() {
		<-w.read
		err := w.cmd.Wait()
		if err != nil && w.erred.Len() > 0 {
			t.Log(w.erred.String())
		}
		w.ended <- err
	}()
	return w
}

func (w *watching) collect(r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e watchEvent
		if json.Unmarshal(lines.Bytes(), &e) == nil { // a killed process may cut its last line
			w.mu.Lock()
			w.events = append(w.events, e)
			w.mu.Unlock()
		}
	}
}

// all returns the events of a kind about a path; "" is any.
func (w *watching) all(event, path string) (found []watchEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if (event == "" || e.Event == event) && (path == "" || e.Path == path) {
			found = append(found, e)
		}
	}
	return found
}

// until waits for the nth event of a kind about a path.
func (w *watching) until(event, path string, n int) watchEvent {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return len(w.all(event, path)) >= n || len(w.ended) > 0 }, 30*time.Second, 5*time.Millisecond, "%s %s", event, path)
	found := w.all(event, path)
	require.GreaterOrEqual(w.t, len(found), n, "%v", w.all("", ""))
	return found[n-1]
}

// stop ends the watch with a signal and returns its exit code.
func (w *watching) stop() int {
	w.t.Helper()
	require.NoError(w.t, w.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-w.ended:
	case <-time.After(30 * time.Second):
		w.t.Fatal("the watch does not end")
	}
	return w.cmd.ProcessState.ExitCode()
}

// Documents are translated as they come, with their folders; a damaged one holds up
// none, and is tried again when it changes. The second process of a folder is refused.
func TestWatchTranslates(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	docs := docsFolder(t)
	w := startWatch(t, nil, in, out)
	w.until("watching", "", 1)
	put := func(name, as string) {
		b, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(in, as)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(in, as), b, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(in, "bad.docx"), []byte("PK"), 0o644))
	put("contrato.docx", "contracts/2026/contrato.docx")
	put("sales.xlsx", "sales.xlsx")
	put("sales.xlsx", "~$sales.xlsx")
	put("sales.xlsx", "sales.xlsx.part")
	require.Contains(t, w.until("failed", "bad.docx", 1).Text, "bad.docx is damaged")
	require.Empty(t, w.until("failed", "bad.docx", 1).RetryAt)
	w.until("done", "contracts/2026/contrato.docx", 1)
	done := w.until("done", "sales.xlsx", 1)
	require.Equal(t, "ok", done.Outputs[0].Status)
	require.FileExists(t, filepath.Join(out, "contracts", "2026", "contrato.docx"))
	put("contrato.docx", "bad.docx")
	w.until("done", "bad.docx", 1)
	second := startWatch(t, nil, in, out)
	require.Error(t, <-second.ended)
	require.Equal(t, exitDone, w.stop())
	require.True(t, *w.until("stopped", "", 1).Complete)
	require.Len(t, w.all("done", ""), 3)

	again := startWatch(t, nil, in, out) // it knows what was done
	put("notas.md", "notas.md")
	again.until("done", "notas.md", 1)
	require.Equal(t, exitDone, again.stop())
	require.Len(t, again.all("begun", ""), 1)
}

// The first signal ends a watch after the document at work, a second one stops it.
func TestWatchStops(t *testing.T) {
	release := make(chan struct{})
	m := serveSegments(t, func(int, http.ResponseWriter, []asked) bool {
		<-release
		return false
	})
	t.Cleanup(func() { close(release) })
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(fmt.Sprintf("This is document %d.\n", i)), 0o644))
	}
	w := startWatch(t, m, in, out, "--jobs", "1")
	require.Eventually(t, func() bool { return m.asked() > 0 }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM))
	time.Sleep(100 * time.Millisecond)
	release <- struct{}{}
	<-w.ended
	require.Equal(t, exitDone, w.cmd.ProcessState.ExitCode(), "%v", w.all("", ""))
	require.Len(t, w.all("begun", ""), 1)
	require.Len(t, w.all("done", ""), 1)

	asked := m.asked()
	w = startWatch(t, m, in, out, "--jobs", "1")
	require.Eventually(t, func() bool { return m.asked() > asked }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM))
	time.Sleep(100 * time.Millisecond)
	require.Empty(t, w.ended)
	require.Equal(t, exitFailed, w.stop())
	require.Len(t, w.all("undone", ""), 1)
	require.False(t, *w.until("stopped", "", 1).Complete)
}

// An endpoint that does not answer fails a document until it does; the failure says
// when it is tried again.
func TestWatchRetries(t *testing.T) {
	m := serveSegments(t, func(_ int, w http.ResponseWriter, _ []asked) bool {
		http.Error(w, `{"error":{"message":"invalid key"}}`, http.StatusUnauthorized)
		return true
	})
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("This is a document.\n"), 0o644))
	w := startWatch(t, m, in, out)
	at, err := time.Parse(time.RFC3339, w.until("failed", "a.md", 1).RetryAt)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(30*time.Second), at, 10*time.Second)
	require.Equal(t, exitDone, w.stop())
}

// A watch is killed at random moments while documents come: each is translated
// completely, no answer that was recorded is asked for again, and no content is told
// as translated twice.
func TestKillDuringWatch(t *testing.T) {
	campaign.Slow(t)
	kills := campaign.Of(24, 100)
	rnd := rand.New(rand.NewPCG(campaign.Seed(), 1))
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	m := serveSegments(t, func(int, http.ResponseWriter, []asked) bool {
		time.Sleep(10 * time.Millisecond)
		return false
	})
	text := func(i, version int) string {
		var sb strings.Builder
		for j := range 60 {
			fmt.Fprintf(&sb, "Paragraph %d of the document %d in its version %d.\n\n", j, i, 7000+version)
		}
		return sb.String()
	}
	finished := map[string]int{} // how often each was told as translated
	versions, count := map[int]int{}, 0
	write := func() {
		i := count
		if count > 3 && rnd.IntN(4) == 0 {
			i = rnd.IntN(count)
		} else {
			count++
		}
		versions[i]++
		path := filepath.Join(in, fmt.Sprintf("d%d", i%3), fmt.Sprintf("f%d.md", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path+".part", []byte(text(i, versions[i])), 0o644))
		require.NoError(t, os.Rename(path+".part", path))
	}
	told := func(w *watching) {
		for _, e := range w.all("done", "") {
			for _, o := range e.Outputs {
				if o.Status != "skipped" {
					finished[e.Path]++
				}
			}
		}
	}
	killed := 0
	for range kills {
		write()
		paid, before := recorded(t, out), m.counts()
		w := startWatch(t, m, in, out, "--jobs", "2")
		for range rnd.IntN(3) {
			time.Sleep(time.Duration(rnd.IntN(150)) * time.Millisecond)
			write()
		}
		time.Sleep(time.Duration(100+rnd.IntN(500)) * time.Millisecond)
		if w.cmd.Process.Kill() == nil && <-w.ended != nil {
			killed++
		}
		told(w)
		for source, n := range m.counts() {
			if paid[source] > 0 {
				require.LessOrEqual(t, n, before[source], "%q was recorded and asked for again", source)
			}
		}
	}
	require.GreaterOrEqual(t, killed, kills/2)
	w := startWatch(t, m, in, out, "--jobs", "2")
	w.until("watching", "", 1)
	final := filepath.Join(t.TempDir(), "out")
	for i := range count {
		path := filepath.Join(out, fmt.Sprintf("d%d", i%3), fmt.Sprintf("f%d.md", i))
		want := fmt.Sprint(7000 + versions[i])
		require.Eventually(t, func() bool {
			b, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(b), want)
		}, time.Minute, 20*time.Millisecond, path)
	}
	require.Equal(t, exitDone, w.stop())
	told(w)
	for path, n := range finished {
		var i int
		_, err := fmt.Sscanf(filepath.Base(path), "f%d.md", &i)
		require.NoError(t, err)
		require.LessOrEqual(t, n, versions[i], "%s was translated more often than it changed", path)
	}
	run := func(out string) {
		b, err := exec.Command(program(t), "translate", in, "--to", "de", "--out", out, "--model", "m", "--base-url", m.URL, "--home", t.TempDir()).CombinedOutput()
		require.NoError(t, err, string(b))
	}
	asked := m.asked()
	run(out)
	require.Equal(t, asked, m.asked(), "everything was translated by then")
	run(final)
	require.Equal(t, translated(t, final), translated(t, out))
	t.Logf("%d of %d watches were killed, %d documents, %d requests", killed, kills, count, m.asked())
}
