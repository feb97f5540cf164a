package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer_limits of config.json limits how much of an answer a run accepts.
func TestAnswerLimits(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Method == http.MethodPost {
			if _, err := fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hmm, \"}}]}\n\n"); err != nil {
				return
			}
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	home, dir := t.TempDir(), docsFolder(t)
	run := func(config string) string {
		require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600))
		cmd := exec.Command(program(t), "run", "Hello", "--json", "--in", dir, "--home", home, "--model", "m")
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		return string(out)
	}
	out := run(`{"answer_limits": {"text_bytes": 4096}}`)
	require.Contains(t, out, "ANSWER_TOO_LARGE")
	require.Contains(t, out, "4 KiB of text, reasoning included")
	require.Contains(t, run(`{"answer_limits": {"calls": -1}}`), "answer_limits: calls must be between 1 and")
	require.Contains(t, run(`{"answer_limits": {"text": 1}}`), "unknown")
}
