package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStopTranslation: TR-07: Ctrl-C ends a job soon and cleanly, says how to go
// on, and what was answered by then is not asked for again.
func TestStopTranslation(t *testing.T) {
	in := t.TempDir()
	for i := range 6 {
		var sb strings.Builder
		for j := range 100 {
			fmt.Fprintf(&sb, "Paragraph %d of document %d.\n\n", j, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(sb.String()), 0o644))
	}
	free := make(chan struct{})
	m := serveSegments(t, func(n int, _ http.ResponseWriter, _ []asked) bool {
		if n > 4 {
			<-free // the fifth answer never comes in time
		}
		return false
	})
	out := filepath.Join(t.TempDir(), "out")
	job := func() *exec.Cmd {
		cmd := exec.Command(program(t), "translate", in, "--to", "de", "--out", out, "--jobs", "1", "--model", "m", "--home", t.TempDir())
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+m.URL)
		return cmd
	}
	var said bytes.Buffer
	cmd := job()
	cmd.Stdout, cmd.Stderr = &said, &said
	canInterrupt(cmd)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for m.asked() < 5 && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	var failed *exec.ExitError
	require.ErrorAs(t, interrupt(t, cmd, ended), &failed)
	require.Equal(t, exitFailed, failed.ExitCode())
	require.Contains(t, said.String(), "run the same command again to continue")
	require.Contains(t, said.String(), "ok       f0.md")
	require.Contains(t, said.String(), "not begun")
	require.NoFileExists(t, filepath.Join(out, "f5.md"))
	left, err := filepath.Glob(filepath.Join(out, ".atelier", "*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
	before := m.counts()
	close(free)
	b, err := job().CombinedOutput()
	require.NoError(t, err, string(b))
	again := 0
	for text, n := range m.counts() {
		if before[text] > 0 && n > before[text] {
			again++
		}
	}
	require.LessOrEqual(t, again, 40, "only the batch that had no answer is asked for again")
	require.FileExists(t, filepath.Join(out, "f5.md"))
}
