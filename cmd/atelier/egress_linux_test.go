package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// At a real terminal the program asks before documents leave: no sends
// nothing, yes is remembered by the next command.
func TestTerminalConsent(t *testing.T) {
	var sent atomic.Int64
	srv := newWorld(func(string, string) { sent.Add(1) })
	defer srv.Close()
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("Hello."), 0o644))
	at := func(answers []string, args ...string) (string, error) {
		person, end := pseudoTerminal(t)
		cmd := exec.Command(program(t), append(args, "--home", home, "--model", "far")...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL=http://models.example.com/v1", "HTTP_PROXY="+srv.URL, "ATELIER_EGRESS=")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = end, end, end
		cmd.WaitDelay = time.Second
		var s screen
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.attend(person, answers)
		}()
		require.NoError(t, cmd.Start())
		end.Close()
		err := cmd.Wait()
		<-done
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.ReplaceAll(s.text.String(), "\r\n", "\n"), err
	}
	const asks = "Allow that from now on?"
	run := []string{"run", "Read it", "--in", dir}
	shown, err := at([]string{"n"}, run...)
	require.Error(t, err, shown)
	require.Contains(t, shown, "far at models.example.com (openai) is not on this machine. It would be sent the conversation, and what it reads of:\n  a.txt\n"+asks)
	require.Contains(t, shown, "nothing was sent")
	require.Zero(t, sent.Load())
	shown, err = at([]string{"y"}, run...)
	require.NoError(t, err, shown)
	require.Contains(t, shown, asks)
	require.Regexp(t, `(\n|\x1b\[J)Done\.\n`, shown, "a slow answer has a line of progress before it")
	require.EqualValues(t, 1, sent.Load())
	shown, err = at(nil, run...)
	require.NoError(t, err, shown)
	require.NotContains(t, shown, asks)

	before := sent.Load()
	translate := []string{"translate", dir, "--to", "es", "--out", filepath.Join(t.TempDir(), "out")}
	shown, err = at([]string{"n"}, translate...)
	require.Error(t, err, shown)
	require.Contains(t, shown, asks)
	require.Equal(t, before, sent.Load())
	shown, _ = at([]string{"y"}, translate...) // the model does not translate; it only matters that it was asked
	require.Contains(t, shown, asks)
	require.Greater(t, sent.Load(), before)
	shown, _ = at(nil, append(translate, "--force")...)
	require.NotContains(t, shown, asks)
}
