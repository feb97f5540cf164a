//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/llm"
	"atelier/llm/replay"
)

// taskModel does the task of each document: it changes the document, writes a summary
// and says what it did.
type taskModel struct {
	srv *replay.Server

	mu    sync.Mutex
	asked map[string]int // requests for a document and step
}

var documentOf = regexp.MustCompile(`The document is "([^"]+)"`)

// serveTasks serves a taskModel. A document's first words are "Version N".
func serveTasks(t *testing.T, delay time.Duration) *taskModel {
	t.Helper()
	m := &taskModel{asked: map[string]int{}}
	kinds := []string{"a.md", "b.md", "c.md", "contrato.docx"}
	var sb strings.Builder
	n := 0
	write := func(format string, args ...any) {
		n++
		fmt.Fprintf(&sb, "-- model-%d --\n%s\n", n, fmt.Sprintf(format, args...))
	}
	for _, k := range kinds {
		if k == "contrato.docx" {
			write(`{"call":{"id":"c1","name":"docx_operations","arguments":{"path":%q,"operations":[{"op":"replace_text","search":"Casa Lisboa, Lda.","replace":"Casa Porto, Lda."}]}}}`, k)
		} else {
			write(`{"call":{"id":"c1","name":"write_text_file","arguments":{"path":%q,"content":"corrected\n"}}}`, k)
		}
		write(`{"call":{"id":"c2","name":"write_text_file","arguments":{"path":"summary.md","content":"About %s.\n"}}}`, k)
		write(`{"text":"I corrected %s."}`, k)
	}
	f, err := replay.Parse([]byte(sb.String()))
	require.NoError(t, err)
	m.srv, err = replay.NewServer(f, replay.Options{Delay: delay, Answer: func(r replay.Request) int {
		doc, results := "", 0
		for _, msg := range r.Messages {
			if found := documentOf.FindStringSubmatch(msg.Content); msg.Role == llm.RoleUser && found != nil {
				doc = found[1]
			}
			if msg.Role == llm.RoleTool {
				results++
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked[doc]++
		return 3*slices.Index(kinds, doc) + min(results, 2) + 1
	}})
	require.NoError(t, err)
	t.Cleanup(m.srv.Close)
	return m
}

func (m *taskModel) requests() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.asked {
		n += k
	}
	return n
}

// startRunWatch watches in for the task "Correct it." with a model at an address.
func startRunWatch(t *testing.T, url, home, in, out string, flags ...string) *watching {
	t.Helper()
	return startWatching(t, []string{"OPENAI_API_KEY=k"}, append([]string{"watch", "run", in, "Correct it.", "--out", out, "--home", home, "--settle", "100ms", "--json", "--model", "m", "--base-url", url}, flags...))
}

// Each document is worked on alone, in a copy, and the results are beside each other;
// what was done is known to the next start.
func TestWatchRun(t *testing.T) {
	m := serveTasks(t, 0)
	in, out, home := t.TempDir(), filepath.Join(t.TempDir(), "out"), t.TempDir()
	w := startRunWatch(t, m.srv.URL, home, in, out)
	w.until("watching", "", 1)
	docx, err := os.ReadFile(filepath.Join(docsFolder(t), "contrato.docx"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(in, "2026"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(in, "2026", "contrato.docx"), docx, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("Version 1\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(in, "tool.exe"), []byte("MZ"), 0o644))
	done := w.until("done", "2026/contrato.docx", 1)
	require.Equal(t, "I corrected contrato.docx.", done.Answer)
	require.Equal(t, []string{"2026/contrato.docx", "2026/contrato.docx.files/summary.md", "2026/contrato.docx.review.html", "2026/contrato.docx.answer.md"}, done.Files)
	require.Equal(t, "modified", done.Changes[0].ChangeType)
	w.until("done", "a.md", 1)
	w.until("ignored", "tool.exe", 1)
	read := func(path string) string {
		b, err := os.ReadFile(filepath.Join(out, path))
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "corrected\n", read("a.md"))
	require.Equal(t, "About a.md.\n", read("a.md.files/summary.md"))
	require.Equal(t, "I corrected a.md.\n", read("a.md.answer.md"))
	require.Contains(t, read("2026/contrato.docx.review.html"), "Porto")
	kept, err := os.ReadFile(filepath.Join(in, "2026", "contrato.docx"))
	require.NoError(t, err)
	require.Equal(t, docx, kept, "the watched folder does not change")

	// A result that somebody changed stays when the document changes.
	require.NoError(t, os.WriteFile(filepath.Join(out, "a.md"), []byte("by a person\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("Version 2\n"), 0o644))
	require.Contains(t, w.until("done", "a.md", 2).Files, "a (2).md")
	require.Equal(t, "by a person\n", read("a.md"))
	require.Equal(t, "corrected\n", read("a (2).md"))
	require.NoFileExists(t, filepath.Join(out, "a.md.files", "summary (2).md"), "what the watch wrote is replaced")
	require.Equal(t, exitDone, w.stop())
	places, err := os.ReadDir(filepath.Join(out, ".atelier", "runs"))
	require.NoError(t, err)
	require.Empty(t, places, "copies are removed")
	left, err := os.ReadDir(filepath.Join(home, "workbenches"))
	require.NoError(t, err)
	require.Empty(t, left, "the data folder keeps nothing of documents that are done")

	asked := m.requests()
	again := startRunWatch(t, m.srv.URL, home, in, out)
	require.NoError(t, os.WriteFile(filepath.Join(in, "b.md"), []byte("Version 1\n"), 0o644))
	again.until("done", "b.md", 1)
	require.Equal(t, exitDone, again.stop())
	require.Equal(t, asked+3, m.requests(), "only the new document was asked about")
}

// An endpoint that does not answer fails a document until it does; a budget ends the
// watch, and the next start continues the run.
func TestWatchRunWaits(t *testing.T) {
	in, out, home := t.TempDir(), filepath.Join(t.TempDir(), "out"), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("Version 1\n"), 0o644))
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"invalid key"}}`, http.StatusUnauthorized)
	}))
	defer refusing.Close()
	w := startRunWatch(t, refusing.URL+"/v1", home, in, out)
	failed := w.until("failed", "a.md", 1)
	at, err := time.Parse(time.RFC3339, failed.RetryAt)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(30*time.Second), at, 20*time.Second)
	require.Equal(t, exitDone, w.stop())

	// The document goes away while it waits: nothing of it stays.
	require.NoError(t, os.Remove(filepath.Join(in, "a.md")))
	m := serveTasks(t, 0)
	require.NoError(t, os.WriteFile(filepath.Join(in, "b.md"), []byte("Version 1\n"), 0o644))
	w = startRunWatch(t, m.srv.URL, home, in, out, "--max-tokens", "5000", "--only", "b.*")
	w.until("undone", "b.md", 1)
	<-w.ended
	require.Equal(t, exitPerson, w.cmd.ProcessState.ExitCode())
	asked := m.requests()
	require.Positive(t, asked)
	w = startRunWatch(t, m.srv.URL, home, in, out, "--only", "b.*")
	w.until("done", "b.md", 1)
	require.Equal(t, exitDone, w.stop())
	require.Equal(t, 3, m.requests(), "the steps before the budget were not asked for again")
	places, err := os.ReadDir(filepath.Join(out, ".atelier", "runs"))
	require.NoError(t, err)
	require.Empty(t, places)
	left, err := os.ReadDir(filepath.Join(home, "workbenches"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestWatchRunRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"--out":    {"watch", "run", ".", "x"},
		"--jobs":   {"watch", "run", ".", "x", "--out", "o", "--jobs", "0"},
		"say what": {"watch", "run", ".", " ", "--out", "o"},
		"--only":   {"watch", "run", ".", "x", "--out", "o", "--only", "[a"},
		"missing":  {"watch", "run", ".", "--out", "o"},
	} {
		w := startWatching(t, nil, args)
		require.Error(t, <-w.ended)
		require.Equal(t, exitUsage, w.cmd.ProcessState.ExitCode(), want)
		require.Contains(t, w.erred.String(), want)
	}
	w := startWatching(t, []string{"OPENAI_API_KEY=", "OPENAI_BASE_URL=", "ATELIER_HOME=" + t.TempDir()}, []string{"watch", "run", t.TempDir(), "x", "--out", filepath.Join(t.TempDir(), "out"), "--model", "gpt-5"})
	require.Error(t, <-w.ended, "a model without a key")
	require.Contains(t, w.erred.String(), "no API key is set for gpt-5")
}

// A watch is killed at random moments: each document's results are complete in the end,
// and at most the request at work is made again after a kill.
func TestKillDuringWatchRun(t *testing.T) {
	campaign.Slow(t)
	kills := campaign.Of(24, 100)
	rnd := rand.New(rand.NewPCG(campaign.Seed(), 2))
	m := serveTasks(t, 10*time.Millisecond)
	in, out, home := t.TempDir(), filepath.Join(t.TempDir(), "out"), t.TempDir()
	names := []string{"a.md", "b.md", "c.md"}
	killed := 0
	for i := range kills {
		name := names[i%len(names)]
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(fmt.Sprintf("Version %d\n", i)), 0o644))
		w := startRunWatch(t, m.srv.URL, home, in, out, "--jobs", "2")
		time.Sleep(time.Duration(100+rnd.IntN(900)) * time.Millisecond)
		if w.cmd.Process.Kill() == nil && <-w.ended != nil {
			killed++
		}
	}
	require.GreaterOrEqual(t, killed, kills/2)
	require.LessOrEqual(t, m.requests(), 3*kills+2*killed)
	// With many kills all results are there before the last watch has begun, so the documents
	// are changed once more.
	w := startRunWatch(t, m.srv.URL, home, in, out, "--jobs", "2")
	w.until("watching", "", 1)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte("The last version\n"), 0o644))
	}
	for _, name := range names {
		w.until("done", name, 1)
	}
	require.Equal(t, exitDone, w.stop())
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		require.Equal(t, "corrected\n", string(b))
		b, err = os.ReadFile(filepath.Join(out, name+".answer.md"))
		require.NoError(t, err)
		require.Equal(t, "I corrected "+name+".\n", string(b))
	}
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	for _, e := range entries {
		require.NotContains(t, e.Name(), "(2)", "what a killed watch wrote is known as its own")
	}
	t.Logf("%d of %d watches were killed, %d requests", killed, kills, m.requests())
}
