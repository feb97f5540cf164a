package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// --fail-on-flagged fails while a copy has a flag that nobody dealt with, also in a
// run that translates nothing.
func TestTranslateFailOnFlagged(t *testing.T) {
	m := serveSegments(t, func(_ int, w http.ResponseWriter, segs []asked) bool {
		var pairs []string
		for _, s := range segs {
			pairs = append(pairs, s.ID, strings.NewReplacer("100", "viele", "Pay", "Zahlen Sie", "euros now", "Euro jetzt").Replace(s.Text))
		}
		answerPut(w, put(pairs...))
		return true
	})
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("Pay 100 euros now.\n"), 0o644))
	run := func(flags ...string) (string, int) {
		cmd := exec.Command(program(t), append([]string{"translate", in, "--to", "de", "--out", out, "--model", "m", "--base-url", m.URL, "--home", t.TempDir()}, flags...)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k")
		b, _ := cmd.CombinedOutput() // the exit code says it
		return string(b), cmd.ProcessState.ExitCode()
	}
	said, code := run("--fail-on-flagged")
	require.Equal(t, exitFailed, code, said)
	require.Contains(t, said, "1 document with flags")
	said, code = run()
	require.Equal(t, exitDone, code, said)
	require.Contains(t, said, "a.md: 1 segment to look at, of an earlier run")
	report := filepath.Join(t.TempDir(), "report.json")
	said, code = run("--fail-on-flagged", "--report", report)
	require.Equal(t, exitFailed, code, said)
	require.Contains(t, said, "skipped  a.md")
	b, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Contains(t, string(b), `"earlier_flags": 1`)

	// A person who changes the copy has dealt with it.
	require.NoError(t, os.WriteFile(filepath.Join(out, "a.md"), []byte("Zahlen Sie jetzt 100 Euro.\n"), 0o644))
	said, code = run("--fail-on-flagged")
	require.Equal(t, exitDone, code, said)
}
