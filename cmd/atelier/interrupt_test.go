package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ctrl-C ends a run soon with the exit code of failed work; what it did is in the draft,
// and the folder is as before.
func TestInterruptedRun(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"name":"write_text_file","arguments":{"path":"b ü.txt","content":"b\n"}}}
-- model-2 --
{"delay_ms":120000}
{"text":"Never said."}
`)
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "мои документы")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600))
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--home", home)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+srv.URL, "ATELIER_MODEL=m", "ATELIER_EGRESS=allow_all")
		return cmd
	}
	var said bytes.Buffer
	cmd := atelier("run", "Write it.", "--in", dir)
	cmd.Stdout, cmd.Stderr = &said, &said
	canInterrupt(cmd)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	require.Eventually(t, func() bool { return len(srv.Requests()) == 2 || len(ended) > 0 }, time.Minute, 10*time.Millisecond)
	begun := time.Now()
	var failed *exec.ExitError
	require.True(t, errors.As(interrupt(t, cmd, ended), &failed), said.String())
	require.Equal(t, exitFailed, failed.ExitCode(), said.String())
	require.Less(t, time.Since(begun), time.Minute)
	require.Contains(t, said.String(), "atelier run --resume")

	out, err := atelier("review", "--in", dir, "--names").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "b ü.txt", "what is redirected is UTF-8")
	require.Equal(t, map[string]string{"a.txt": "a\n"}, contents(t, dir))
	out, err = atelier("publish", "--in", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, map[string]string{"a.txt": "a\n", "b ü.txt": "b\n"}, contents(t, dir))
}
