package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// held makes a folder with a workbench that atelier serve has open.
func heldFolder(t *testing.T, env ...string) (home, dir string, serve *app) {
	t.Helper()
	home, dir = t.TempDir(), filepath.Join(t.TempDir(), "docs")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("Hello.\n"), 0o644))
	cmd := exec.Command(program(t), "checkpoints", "create", "x", "--in", dir, "--home", home)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	serve = startApp(t, home, env...)
	serve.call("WorkbenchOpen", obj{"workbench_id": (&commandWorld{t: t, base: filepath.Dir(home)}).idIn(home)}, nil)
	return home, dir, serve
}

// idIn returns the only workbench of a data folder.
func (w *commandWorld) idIn(home string) string {
	entries, err := os.ReadDir(filepath.Join(home, "workbenches"))
	require.NoError(w.t, err)
	require.Len(w.t, entries, 1)
	return entries[0].Name()
}

// A chat at a terminal is the same while another process does its work: questions,
// Ctrl-C, commands, the end of input; and so is a line that is typed while the model
// works.
func TestChatAtTerminalWhileServeHoldsTheFolder(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format?","schema":"{\"type\":\"string\"}"}]}}}
-- model-2 --
{"call":{"id":"tc-2","name":"write_text_file","arguments":{"path":"b.md","content":"new\n"}}}
-- model-3 --
{"text":"**Good.**\n\n- one\n- two"}
-- model-4 --
{"hang":true}
-- model-5 --
{"text":"Still here."}
`)
	home, dir, serve := heldFolder(t)
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + srv.URL, "TERM=xterm", "NO_COLOR="}, "chat", "--in", dir, "--home", home, "--model", "m")
	k.sees("you> ", 1)
	k.types("Convert it")
	k.sees("? Which format?\n> ", 1)
	k.types("markdown")
	k.sees("you> ", 2)
	require.Contains(t, k.shown(), bold+"Good."+plainText+"\n\n• one\n• two\n")
	require.Contains(t, k.shown(), "(The draft changes 1 file:")
	k.types("/review b.md")
	k.sees("new", 1)
	k.types("/publish b.md")
	k.sees("published b.md", 1)
	thinking := strings.Count(k.shown(), "… thinking, ")
	k.types("Wait for ever")
	k.sees("… thinking, ", thinking+1)
	k.interrupt()
	k.sees("Stopped; what was done is kept.", 1)
	k.sees("you> ", 5)
	k.types("Are you there?")
	k.sees("Still here.", 1)
	k.sees("you> ", 6)
	k.types("/undo")
	k.sees("Took back", 1)
	_, err := k.person.Write([]byte{4}) // Ctrl-D
	require.NoError(t, err)
	require.NoError(t, k.ends(), k.shown())
	require.Len(t, srv.Requests(), 5)
	asked := srv.Requests()[1].Messages
	require.Contains(t, asked[len(asked)-1].Content, `"answers":{"format":"markdown"}`)
	m, _ := serve.await(0, "the question", func(m message) bool { return m.Method == "WorkshopQuestionPending" })
	require.NotEmpty(t, m.Method, "the app was told too")
}

// The person is asked before documents leave the machine, by the command, with its
// model; what they allow holds in the process that has the folder open.
func TestConsentWhileServeHoldsTheFolder(t *testing.T) {
	var sent atomic.Int64
	srv := newWorld(func(string, string) { sent.Add(1) })
	defer srv.Close()
	home, dir, _ := heldFolder(t, "HTTP_PROXY="+srv.URL, "ATELIER_EGRESS=local_only")
	env := []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=http://models.example.com/v1", "ATELIER_EGRESS=", "TERM=xterm"}
	const asks = "Allow that from now on?"
	at := func(answer string, args ...string) (string, error) {
		t.Helper()
		k := startChat(t, env, append(args, "--in", dir, "--home", home, "--model", "far")...)
		if answer != "" {
			k.sees("[y/N] ", 1)
			k.types(answer)
		}
		err := k.ends()
		return k.shown(), err
	}
	shown, err := at("n", "run", "Read it")
	require.Error(t, err, shown)
	require.Contains(t, shown, "far at models.example.com (openai) is not on this machine. It would be sent the conversation, and what it reads of:\n  a.md\n"+asks)
	require.Zero(t, sent.Load())
	shown, err = at("y", "run", "Read it")
	require.NoError(t, err, shown)
	require.Contains(t, shown, "Done.")
	require.Positive(t, sent.Load())
	shown, err = at("", "run", "Read it")
	require.NoError(t, err, shown)
	require.NotContains(t, shown, asks)

	translate := []string{"translate", filepath.Join(dir, "a.md"), "--to", "es", "--in-place"}
	before := sent.Load()
	shown, err = at("n", translate...)
	require.Error(t, err, shown)
	require.Contains(t, shown, asks)
	require.Equal(t, before, sent.Load())
	shown, _ = at("y", translate...)
	require.Contains(t, shown, asks)
	require.Greater(t, sent.Load(), before, shown)
	out, err := exec.Command(program(t), "egress", "--revoke", "--in", dir, "--home", home).CombinedOutput()
	require.NoError(t, err, string(out))
	shown, err = at("n", "run", "Read it")
	require.Error(t, err)
	require.Contains(t, shown, asks)
}

// A question that another client answers is no longer asked at the terminal, and the
// next one is.
func TestQuestionAnsweredElsewhere(t *testing.T) {
	const asks = `{"call":{"id":"tc-%d","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format%d?","schema":"{\"type\":\"string\"}"}]}}}`
	srv := serveFixture(t, "-- model-1 --\n"+fmt.Sprintf(asks, 1, 1)+"\n-- model-2 --\n"+fmt.Sprintf(asks, 2, 2)+"\n-- model-3 --\n{\"text\":\"Good.\"}\n")
	home, dir, serve := heldFolder(t)
	k := startChat(t, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + srv.URL, "TERM=xterm"}, "run", "Convert it", "--in", dir, "--home", home, "--model", "m")
	k.sees("? Which format1?\n> ", 1)
	m, _ := serve.await(0, "the question", func(m message) bool { return m.Method == "WorkshopQuestionPending" })
	serve.call("WorkshopAnswerQuestion", obj{"workbench_id": m.Params["workbench_id"], "question_id": m.Params["question_id"], "answers": obj{"format": "from the app"}}, nil)
	k.sees("(answered elsewhere)", 1)
	k.sees("? Which format2?\n> ", 1)
	k.types("from the terminal")
	require.NoError(t, k.ends(), k.shown())
	require.Contains(t, k.shown(), "Good.")
	for i, want := range []string{"from the app", "from the terminal"} {
		ms := srv.Requests()[i+1].Messages
		require.Contains(t, ms[len(ms)-1].Content, want)
	}
	require.Equal(t, 1, strings.Count(k.shown(), "(answered elsewhere)"))
}

// A command that cannot reach a process that stands still ends when it is stopped.
func TestHolderThatStandsStill(t *testing.T) {
	campaign.Slow(t)
	w := heldWorld(t)
	b, release := w.runsForwarded()
	require.NoError(t, w.held.cmd.Process.Signal(syscall.SIGSTOP))
	require.NoError(t, b.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, exitFailed, b.end(t), b.text())
	require.Contains(t, b.text(), "it does not answer any more")
	_, errs, code := w.run("", "publish", "--in", "docs")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "in use by process")
	require.Contains(t, errs, "it does not answer")
	require.NoError(t, w.held.cmd.Process.Signal(syscall.SIGCONT))
	release()
	require.Eventually(t, func() bool {
		_, _, code := w.run("", "publish", "--in", "docs")
		return code == 0
	}, 30*time.Second, 100*time.Millisecond, "its run was canceled")
}
