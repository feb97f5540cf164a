package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pseudoTerminal returns the two ends of a terminal (pty(7)).
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return person, program
}

// screen is the output of a terminal; it types the answers one by one, each
// at a new prompt.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) attend(person *os.File, answers []string) {
	buf := make([]byte, 4096)
	for {
		n, err := person.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		if shown := s.text.String(); len(answers) > 0 && (strings.HasSuffix(shown, "\n> ") || strings.HasSuffix(shown, "[y/N] ")) && n > 0 {
			fmt.Fprintln(person, answers[0])
			answers = answers[1:]
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// At a real terminal the program itself, whose output is filtered for control
// characters, asks the person (M-10, DESIGN 6).
func TestTerminalIsAsked(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format?","schema":"{\"type\":\"string\"}"}]}}}
{"usage":{"prompt_tokens":10000,"completion_tokens":40000}}
-- model-2 --
{"text":"Good."}
`)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("a"), 0o644))
	person, end := pseudoTerminal(t)
	cmd := exec.Command(program(t), "run", "Convert it", "--in", dir, "--home", t.TempDir(), "--model", "m", "--max-tokens", "50000")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = end, end, end
	cmd.WaitDelay = time.Second
	var s screen
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.attend(person, []string{"markdown", "+100000"})
	}()
	require.NoError(t, cmd.Start())
	end.Close()
	err := cmd.Wait()
	<-done // the last end on the program's side is closed
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := strings.ReplaceAll(s.text.String(), "\r\n", "\n")
	require.NoError(t, err, shown)
	require.Contains(t, shown, "? Which format?\n> markdown\n")
	require.Contains(t, shown, "? This run has used 50,000 of its 50,000 tokens. Go on?")
	require.Regexp(t, `(\n|\x1b\[J)Good\.\n`, shown) // on a separate line, also after the progress line
	ms := srv.Requests()[1].Messages
	require.Contains(t, ms[len(ms)-1].Content, `"answers":{"format":"markdown"}`)
}
