package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// chatTerminal is a person at a terminal of the program.
type chatTerminal struct {
	t      *testing.T
	person *os.File
	cmd    *exec.Cmd
	done   chan struct{} // the program has written its last output
	mu     sync.Mutex
	text   bytes.Buffer
}

// startChat starts the program in a new terminal.
func startChat(t *testing.T, env []string, args ...string) *chatTerminal {
	person, end := pseudoTerminal(t)
	k := &chatTerminal{t: t, person: person, done: make(chan struct{}), cmd: exec.Command(program(t), args...)}
	k.cmd.Env = append(os.Environ(), env...)
	k.cmd.Stdin, k.cmd.Stdout, k.cmd.Stderr = end, end, end
	go func() {
		defer close(k.done)
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			k.mu.Lock()
			k.text.Write(buf[:n])
			k.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	require.NoError(t, k.cmd.Start())
	end.Close()
	t.Cleanup(func() { _ = k.cmd.Process.Kill() })
	return k
}

func (k *chatTerminal) shown() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.ReplaceAll(k.text.String(), "\r\n", "\n")
}

// sees waits until the terminal has shown text that many times.
func (k *chatTerminal) sees(text string, times int) {
	k.t.Helper()
	require.Eventually(k.t, func() bool { return strings.Count(k.shown(), text) >= times }, wait, tick, "%q is not shown:\n%s", text, lateShown{k})
}

type lateShown struct{ k *chatTerminal }

func (l lateShown) String() string { return l.k.shown() }

func (k *chatTerminal) types(line string) {
	k.t.Helper()
	_, err := fmt.Fprintln(k.person, line)
	require.NoError(k.t, err)
}

func (k *chatTerminal) interrupt() {
	k.t.Helper()
	require.NoError(k.t, k.cmd.Process.Signal(os.Interrupt))
}

// ends waits for the end of the program.
func (k *chatTerminal) ends() error {
	err := k.cmd.Wait()
	<-k.done
	return err
}

// thinkingLine is a line that was shown while the answer paused, and taken away again.
var thinkingLine = regexp.MustCompile("… thinking, [^\n]*\n\x1b\\[1A\r\x1b\\[J")

// A chat at a terminal: the person answers a question of the model, Ctrl-C
// stops a turn and not the program, the conversation continues, and Ctrl-D
// ends it (M-10, W-13).
func TestChatAtTerminal(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format?","schema":"{\"type\":\"string\"}"}]}}}
-- model-2 --
{"text":"**Good.**\n\n- one\n- two"}
-- model-3 --
{"hang":true}
-- model-4 --
{"text":"Still here."}
`)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("a"), 0o644))
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + srv.URL, "TERM=xterm", "NO_COLOR="}, "chat", "--in", dir, "--home", t.TempDir(), "--model", "m")
	k.sees("you> ", 1)
	k.types("Convert it")
	k.sees("? Which format?\n> ", 1)
	k.types("markdown")
	k.sees("you> ", 2)
	require.Contains(t, thinkingLine.ReplaceAllString(k.shown(), ""), bold+"Good."+plainText+"\n\n• one\n• two\n")
	k.types("/review")
	k.sees("The draft changes nothing", 1)
	thinking := strings.Count(k.shown(), "… thinking, ")
	k.types("Wait for ever")
	k.sees("… thinking, ", thinking+1) // progress of the new turn
	k.interrupt()
	k.sees("Stopped; what was done is kept.", 1)
	k.sees("you> ", 4)
	k.types("Are you there?")
	k.sees("Still here.", 1)
	k.sees("you> ", 5)
	k.interrupt()
	k.sees("Ctrl-C again ends the chat", 1)
	k.types("/model")
	k.sees("m answers.", 1)
	_, err := k.person.Write([]byte{4}) // Ctrl-D
	require.NoError(t, err)
	require.NoError(t, k.ends(), k.shown())
	require.Len(t, srv.Requests(), 4)
	last := srv.Requests()[3].Messages
	require.Equal(t, "Are you there?", last[len(last)-1].Content)
}

// The second Ctrl-C ends the chat with the exit code of a failure; a question
// of a stopped turn accepts no answer.
func TestChatSecondInterrupt(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format?","schema":"{\"type\":\"string\"}"}]}}}
-- model-2 --
{"text":"Heard."}
`)
	dir := t.TempDir()
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + srv.URL, "TERM=xterm"}, "chat", "--in", dir, "--home", t.TempDir(), "--model", "m")
	k.sees("you> ", 1)
	k.types("Ask me")
	k.sees("? Which format?\n> ", 1)
	k.interrupt()
	k.sees("you> ", 2)
	k.types("No, listen") // a turn, not the answer
	k.sees("Heard.", 1)
	k.sees("you> ", 3)
	k.interrupt()
	k.sees("Ctrl-C again", 1)
	k.interrupt()
	err := k.ends()
	require.Error(t, err)
	require.Equal(t, exitFailed, k.cmd.ProcessState.ExitCode(), k.shown())
}

// A key is typed without echo, and it is stored.
func TestKeyIsTypedUnseen(t *testing.T) {
	home := t.TempDir()
	k := startChat(t, []string{"OPENAI_API_KEY=", "DBUS_SESSION_BUS_ADDRESS="}, "key", "set", "--home", home)
	k.sees("Key of openai (not shown): ", 1)
	require.Eventually(t, func() bool { // the echo is off a moment after the prompt
		state, err := unix.IoctlGetTermios(int(k.person.Fd()), unix.TCGETS)
		return err == nil && state.Lflag&unix.ECHO == 0
	}, wait, tick)
	k.types("sk-typed-secret")
	require.NoError(t, k.ends(), k.shown())
	require.Contains(t, k.shown(), "The key of openai is kept.")
	require.NotContains(t, k.shown(), "sk-typed")
	require.FileExists(t, filepath.Join(home, "keys.age"))
}

// A chat that needs consent later asks at the same terminal, also if lines
// were typed ahead; a no leaves the chat unchanged.
func TestChatAsksForConsent(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("a"), 0o644))
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=http://models.example/v1", "ATELIER_EGRESS=", "ATELIER_MODEL=", "TERM=xterm"},
		"chat", "--in", dir, "--home", t.TempDir(), "--model", "pseudo")
	k.sees("you> ", 1)
	k.types("/model big-model")
	k.sees("[y/N] ", 1)
	k.types("n")
	k.sees("! big-model at models.example", 1)
	k.sees("you> ", 2)
	k.types("/model")
	k.sees("pseudo answers.", 1)
	k.types("/quit")
	require.NoError(t, k.ends(), k.shown())
}

// At a real terminal, a file name with invisible characters is spelled out;
// the same output in a file has it unchanged.
func TestInvisibleCharactersAtATerminal(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in\u00advoice\u2063.md"), []byte("a"), 0o644))
	args := []string{"run", "Translate everything to German", "--in", dir, "--home", home, "--model", "pseudo"}
	out, err := exec.Command(program(t), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	review := []string{"review", "--in", dir, "--home", home}
	out, err = exec.Command(program(t), review...).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "in\u00advoice\u2063.md")
	k := startChat(t, []string{"TERM=xterm"}, review...)
	require.NoError(t, k.ends())
	require.Contains(t, k.shown(), "in⟦U+00AD⟧voice⟦U+2063⟧.md")
	require.NotContains(t, k.shown(), "\u00ad")
}
