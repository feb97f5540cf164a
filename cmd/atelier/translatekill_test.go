package main

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/sqlitedb"
)

// TestKillDuringTranslation: TR-01, TR-07: a job is killed at random moments,
// again and again, and goes on each time. It ends with the bytes of a job that
// was let run, and no text that was recorded is asked for a second time.
func TestKillDuringTranslation(t *testing.T) {
	campaign.Slow(t)
	kills := campaign.Of(25, 100)
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.MkdirAll(filepath.Join(in, "sub"), 0o755))
	count := 16
	if campaign.Race {
		count = 5
	}
	for i := range count {
		var sb strings.Builder
		for j := range 120 {
			fmt.Fprintf(&sb, "Paragraph %d of the document %d is <b>here</b>.\n\nThis is in all of them: %d.\n\n", j, i, j)
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(sb.String()), 0o644))
	}
	docs := docsFolder(t)
	for _, name := range []string{"contrato.docx", "sales.xlsx"} {
		b, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(in, "sub", name), b, 0o644))
	}
	slow := func(_ int, w http.ResponseWriter, _ []asked) bool {
		time.Sleep(time.Duration(5+rand.IntN(15)) * time.Millisecond)
		return false
	}
	translate := func(m *segmentModel, out string) *exec.Cmd {
		cmd := exec.Command(program(t), "translate", in, "--to", "de,fr", "--out", out, "--jobs", "3", "--model", "m", "--home", t.TempDir())
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+m.URL)
		return cmd
	}
	clean := serveSegments(t, nil)
	want := filepath.Join(t.TempDir(), "out")
	b, err := translate(clean, want).CombinedOutput()
	require.NoError(t, err, string(b))
	for text, n := range clean.counts() {
		require.LessOrEqual(t, n, 2*clean.kinds(text), "asked for once a language: %q", text)
	}

	m := serveSegments(t, slow)
	out := filepath.Join(t.TempDir(), "out")
	killed, resumed := 0, 0
	for i := range kills {
		paid := recorded(t, out)
		before := m.counts()
		cmd := translate(m, out)
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		goal := m.asked() + 1 + rand.IntN(4)
		if i%3 == 0 {
			goal += 3 // of three at work one was answered, and recorded: it asks again only then
		}
		for m.asked() < goal && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(rand.N(40 * time.Millisecond)) // until it is at work on an answer, or asks again
		_ = cmd.Process.Kill()
		if <-ended != nil {
			killed++
			if len(paid) > 0 {
				resumed++
			}
		}
		again := map[string]int{}
		for text, n := range m.counts() {
			if n > before[text] {
				again[text] = n - before[text]
			}
		}
		for text, languages := range paid {
			require.LessOrEqual(t, again[text], (2-languages)*m.kinds(text), "%q was recorded in %d languages and asked for again", text, languages)
		}
	}
	t.Logf("%d of %d runs were killed at work, %d of them had gone on from an earlier one", killed, kills, resumed)
	require.GreaterOrEqual(t, resumed, kills/3)
	b, err = translate(m, out).CombinedOutput()
	require.NoError(t, err, string(b))
	require.Equal(t, translated(t, want), translated(t, out))
	before := m.counts()
	b, err = translate(m, out).CombinedOutput()
	require.NoError(t, err, string(b))
	require.Equal(t, before, m.counts(), "a finished job asks for nothing")
	require.Contains(t, string(b), "skipped")
}

// recorded counts in how many languages each text of a ledger is translated:
// the documents' rows and the units by number, as texts are not in units.
func recorded(t *testing.T, out string) map[string]int {
	t.Helper()
	path := filepath.Join(out, ".atelier", "memory.db")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT source, count(DISTINCT dst) FROM entries GROUP BY source`)
	if err != nil {
		return nil // killed before the tables were made
	}
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var s sql.NullString
		var n int
		require.NoError(t, rows.Scan(&s, &n))
		found[s.String] = n
	}
	require.NoError(t, rows.Err())
	return found
}

// translated is what a job left but for its own folder.
func translated(t *testing.T, out string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".atelier" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			rel, err := filepath.Rel(out, path)
			require.NoError(t, err)
			found[rel] = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}
