package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/pseudo"
)

// TR-06: a model whose every answer is refused leaves a document without one
// translation; the command does not call that a success. With a better answer the
// same job comes out.
func TestNothingTranslated(t *testing.T) {
	in := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("Pague {0} euros **hoy**.\n\nPague {1} euros *ayer*.\n"), 0o644))
	var good atomic.Bool
	m := serveSegments(t, func(_ int, w http.ResponseWriter, segs []asked) bool {
		if good.Load() {
			return false
		}
		var pairs []string
		for _, s := range segs {
			pairs = append(pairs, s.ID, pseudo.Within("nothing of that", s.Max))
		}
		answerPut(w, put(pairs...))
		return true
	})
	out, home := filepath.Join(t.TempDir(), "out"), t.TempDir()
	run := func() (string, int) {
		cmd := exec.Command(program(t), "translate", in, "--from", "es", "--to", "en", "--out", out, "--model", "m", "--home", home)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+m.URL)
		b, _ := cmd.CombinedOutput()
		return string(b), cmd.ProcessState.ExitCode()
	}
	text, code := run()
	require.Equal(t, 1, code, text)
	require.Contains(t, text, "a.md: nothing was translated: 2 segments left in the source language")
	good.Store(true)
	text, code = run()
	require.Zero(t, code, text)
	require.NotContains(t, text, "nothing was translated")
}
