package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// background is a command that runs beside the test.
type background struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	out strings.Builder
}

func (b *background) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Write(p)
}

func (b *background) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.String()
}

func (w *commandWorld) begin(args ...string) *background {
	w.t.Helper()
	b := &background{cmd: exec.Command(program(w.t), args...)}
	b.cmd.Dir, b.cmd.Stdout, b.cmd.Stderr = w.base, b, b
	b.cmd.Env = append(os.Environ(), "ATELIER_HOME="+w.home(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	require.NoError(w.t, b.cmd.Start())
	w.t.Cleanup(func() { b.cmd.Process.Kill() })
	return b
}

// end waits for the end of a command.
func (b *background) end(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(60*time.Second, func() { b.cmd.Process.Kill() })
	defer late.Stop()
	_ = b.cmd.Wait()
	return b.cmd.ProcessState.ExitCode()
}

func (w *commandWorld) status() string {
	out, _, _ := w.run("", "status", "--in", "docs")
	return out
}

// runsForwarded begins a run that the process that has the folder open does, and that
// has written a file and waits for the model.
func (w *commandWorld) runsForwarded() (b *background, release func()) {
	w.t.Helper()
	hold := make(chan struct{})
	release = sync.OnceFunc(func() { close(hold) })
	w.t.Cleanup(release)
	w.model.forget()
	w.model.then(uiAnswer{calls: []uiCall{{"write_text_file", `{"path":"note.md","content":"One\n"}`}}}, uiAnswer{text: "It is |written.", hold: hold})
	b = w.begin("run", "Write a note", "--in", "docs", "--model", "scripted", "--base-url", w.model.URL)
	require.Eventually(w.t, func() bool {
		return strings.Contains(b.text(), "note.md") && strings.Contains(w.status(), "a run is in progress")
	}, 60*time.Second, 50*time.Millisecond, "the run: %s", b.text())
	return b, release
}

func heldWorld(t *testing.T) *commandWorld {
	w := newCommandWorld(t)
	_, errs, code := w.run("", "run", "Hello", "--in", "docs")
	require.Zero(t, code, errs)
	w.hold()
	return w
}

// When the process that does a command is killed, the command says so, ends with exit
// code 1, and what was done is kept.
func TestHolderKilledWhileItDoesACommand(t *testing.T) {
	w := heldWorld(t)
	b, release := w.runsForwarded()
	pid := w.held.cmd.Process.Pid
	require.NoError(t, w.held.cmd.Process.Kill())
	_ = w.held.cmd.Wait()
	release()
	require.Equal(t, exitFailed, b.end(t), b.text())
	require.Contains(t, b.text(), fmt.Sprintf("process %d, which had the folder open, did not complete this: it ended", pid))
	require.Contains(t, b.text(), "atelier run --resume --in docs")
	require.Contains(t, b.text(), "added     note.md", "the draft is reported all the same")
	w.model.then(uiAnswer{text: "Written."})
	out, errs, code := w.run("", "run", "--resume", "--in", "docs", "--model", "scripted", "--base-url", w.model.URL)
	require.Zero(t, code, errs)
	require.Contains(t, out, "Written.")
	out, errs, code = w.run("", "publish", "--in", "docs")
	require.Zero(t, code, errs)
	require.Contains(t, out, "published note.md")
}

// A command that is stopped or killed stops what it began, and the process that has the
// folder open continues.
func TestCommandStoppedWhileTheHolderDoesIt(t *testing.T) {
	need.Signals(t)
	w := heldWorld(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		b, release := w.runsForwarded()
		require.NoError(t, b.cmd.Process.Signal(sig))
		code := b.end(t)
		if sig != os.Kill {
			require.Equal(t, exitFailed, code, b.text())
			require.Contains(t, b.text(), "atelier run --resume --in docs")
			require.Contains(t, b.text(), "added     note.md")
		}
		require.Eventually(t, func() bool { return !strings.Contains(w.status(), "in progress") }, 30*time.Second, 50*time.Millisecond, "the run ends")
		require.Contains(t, w.status(), fmt.Sprintf("by process %d", w.held.cmd.Process.Pid))
		release()
	}
	out, errs, code := w.run("", "publish", "--in", "docs")
	require.Zero(t, code, errs)
	require.Contains(t, out, "published note.md")
}

// Of two commands at once, one is told what is in progress, as it is alone.
func TestTwoCommandsAtOnce(t *testing.T) {
	w := heldWorld(t)
	b, release := w.runsForwarded()
	for _, args := range [][]string{{"publish", "--in", "docs"}, {"run", "Again", "--in", "docs"}, {"undo", "--in", "docs"}, {"doctor", "--repair", "--in", "docs"}, {"attach", "--in", "docs"},
		{"translate", "notas.md", "--to", "en", "--in-place", "--in", "docs"}} {
		_, errs, code := w.run("", args...)
		require.Equal(t, exitFailed, code, args)
		require.Contains(t, errs, "already in progress", args)
	}
	out, errs, code := w.run("", "tools", "call", "write_text_file", `{"path":"other.md","content":"x\n"}`, "--in", "docs")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Successfully wrote")
	release()
	require.Zero(t, b.end(t), b.text())
	require.Contains(t, b.text(), "It is written.")
	var both sync.WaitGroup
	for i := range 8 {
		both.Go(func() {
			_, errs, code := w.run("", "tools", "call", "write_text_file", fmt.Sprintf(`{"path":"p%d.md","content":"x\n"}`, i), "--in", "docs")
			if code != 0 {
				t.Errorf("%d: %s", i, errs)
			}
		})
	}
	both.Wait()
	out, errs, code = w.run("", "publish", "--in", "docs")
	require.Zero(t, code, errs)
	require.Equal(t, 10, strings.Count(out, "published "), out)
}
