package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// acpSDK returns the path of the TypeScript SDK of ACP.
func acpSDK(t *testing.T) (node, sdk string) {
	t.Helper()
	node = need.Program(t, "node", "nodejs")
	return node, filepath.Join(need.Modules(t, "@agentclientprotocol/sdk@2.4.0"), "node_modules", "@agentclientprotocol", "sdk", "dist", "v1", "stable", "acp.js")
}

// The TypeScript SDK drives the real program: a plan that is accepted, a canceled
// prompt, a kill in the middle of a run, and a session that is loaded and gone on
// with after it.
func TestACPTypeScript(t *testing.T) {
	campaign.Slow(t)
	node, sdk := acpSDK(t)
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"a","name":"plan_write","arguments":{"title":"Rename","path":"rename","content":"1. Rename the party\n"}}}
-- model-2 --
{"call":{"id":"b","name":"ask_user","arguments":{"questions":[{"name":"a","question":"Accept?","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-3 --
{"call":{"id":"c","name":"exit_plan_mode","arguments":{"plan_file_path":"/plans/rename.plan"}}}
-- model-4 --
{"text":"Renamed."}
-- model-5 --
{"text":"CANCEL"}
{"hang":true}
-- model-6 --
{"call":{"id":"d","name":"write_text_file","arguments":{"path":"summary.md","content":"All is well.\n"}}}
-- model-7 --
{"text":"HANG"}
{"hang":true}
-- model-8 --
{"text":"The summary is there."}
`)
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), []byte("one\n"), 0o600))
	first := acpClient(t, node, srv.URL, home, sdk, dir)
	log := first.String()
	id := between(log, `{"sessionId":"`, `"`)
	require.NotEmpty(t, id, log)
	require.Contains(t, log, `"title":"Accept?"`)
	require.Contains(t, log, `"sessionUpdate":"plan"`)
	require.Contains(t, log, `"currentModeId":"work"`)
	require.Contains(t, log, `{"prompt":"Count","answer":{"stopReason":"cancelled"}}`)
	require.Contains(t, log, `{"exit":"SIGKILL"}`)
	require.NoFileExists(t, filepath.Join(dir, "summary.md"))

	log = acpClient(t, node, srv.URL, home, sdk, dir, id).String()
	require.Contains(t, log, `"cwd":`)
	for _, want := range []string{`"text":"Write the summary"`, `"title":"write_text_file summary.md"`, "The summary is there.", "published summary.md", `{"exit":0}`} {
		require.Contains(t, log, want)
	}
	b, err := os.ReadFile(filepath.Join(dir, "summary.md"))
	require.NoError(t, err)
	require.Equal(t, "All is well.\n", string(b))
	require.Zero(t, srv.Unused())
}

// acpClient runs the client once and returns what it printed.
func acpClient(t *testing.T, node, url, home string, args ...string) *bytes.Buffer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append(append([]string{"testdata/acp/client.mjs"}, args...), "--", program(t), "acp", "--home", home, "--model", "m")
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=key")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s\n%s", out.String(), errs.String())
	for line := range strings.Lines(out.String()) {
		require.True(t, json.Valid([]byte(line)), line)
	}
	return &out
}

func between(s, begin, end string) string {
	_, s, _ = strings.Cut(s, begin)
	s, _, ok := strings.Cut(s, end)
	if !ok {
		return ""
	}
	return s
}

// acpLines drives the real program with plain lines.
type acpLines struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	log strings.Builder // what came
}

func startACP(t *testing.T, url, home string, flags ...string) *acpLines {
	t.Helper()
	a := &acpLines{t: t, cmd: exec.Command(program(t), append([]string{"acp", "--home", home, "--model", "m"}, flags...)...)}
	a.cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=key")
	var err error
	a.in, err = a.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := a.cmd.StdoutPipe()
	require.NoError(t, err)
	a.out = bufio.NewScanner(out)
	a.out.Buffer(nil, 16<<20)
	require.NoError(t, a.cmd.Start())
	t.Cleanup(func() { a.cmd.Process.Kill(); a.cmd.Wait() })
	return a
}

func (a *acpLines) send(line string) {
	a.t.Helper()
	_, err := io.WriteString(a.in, line+"\n")
	require.NoError(a.t, err)
}

// until reads lines up to one with a text, and returns that.
func (a *acpLines) until(text string) string {
	a.t.Helper()
	for a.out.Scan() {
		a.log.WriteString(a.out.Text() + "\n")
		if strings.Contains(a.out.Text(), text) {
			return a.out.Text()
		}
	}
	require.Fail(a.t, "it did not come: "+text, a.log.String())
	return ""
}

// A killed program loses nothing of a session: another one loads it and continues. A
// signal ends a program whose run waits for the model.
func TestACPKill(t *testing.T) {
	need.Signals(t)
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"d","name":"write_text_file","arguments":{"path":"summary.md","content":"All is well.\n"}}}
-- model-2 --
{"text":"HANG"}
{"hang":true}
-- model-3 --
{"text":"It is there."}
-- model-4 --
{"text":"AGAIN"}
{"hang":true}
`)
	home, dir := t.TempDir(), t.TempDir()
	session := fmt.Sprintf(`"params":{"cwd":%q,"mcpServers":[]}}`, dir)
	a := startACP(t, srv.URL, home)
	a.send(`{"jsonrpc":"2.0","id":1,"method":"session/new",` + session)
	id := between(a.until(`"id":1`), `"sessionId":"`, `"`)
	require.NotEmpty(t, id)
	prompt := func(n int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, n, id, text)
	}
	a.send(prompt(2, "Write the summary"))
	a.until("HANG")
	require.NoError(t, a.cmd.Process.Kill())
	a.cmd.Wait()

	a = startACP(t, srv.URL, home)
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, id, dir))
	a.until(`"id":1`)
	for _, want := range []string{"user_message_chunk", "Write the summary", "write_text_file summary.md", `"status":"completed"`, "added **summary.md**"} {
		require.Contains(t, a.log.String(), want)
	}
	a.send(prompt(2, "/continue"))
	require.Contains(t, a.until(`"id":2`), "end_turn")
	require.Contains(t, a.log.String(), "It is there.")
	a.send(prompt(3, "Once more"))
	a.until("AGAIN")
	require.NoError(t, a.cmd.Process.Signal(syscall.SIGTERM))
	require.Contains(t, a.until(`"id":3`), "cancelled")
	require.NoError(t, a.cmd.Wait())
}

// A run in phases shows its plan and how far it is: each phase and item waits, is at work
// and is done, and each update has the whole plan.
func TestACPPlanUpdates(t *testing.T) {
	dir := docsFolder(t)
	a := startACP(t, "", t.TempDir(), "--model", "pseudo", "--workflow", "rpi")
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, dir))
	id := between(a.until(`"id":1`), `"sessionId":"`, `"`)
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"Translate notas.md and clientes.csv to English"}]}}`, id))
	require.Contains(t, a.until(`"id":2`), "end_turn")
	seen := map[string][]string{} // the states of each step, in order
	updates := 0
	for line := range strings.Lines(a.log.String()) {
		var m struct {
			Params struct {
				Update struct {
					Kind    string `json:"sessionUpdate"`
					Entries []struct{ Content, Status string }
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		if m.Params.Update.Kind != "plan" {
			continue
		}
		updates++
		for _, e := range m.Params.Update.Entries {
			if states := seen[e.Content]; len(states) == 0 || states[len(states)-1] != e.Status {
				seen[e.Content] = append(states, e.Status)
			}
		}
	}
	all := []string{"pending", "in_progress", "completed"}
	require.Greater(t, updates, 6)
	require.Equal(t, all[1:], seen["Read the documents"], "%v", seen)
	for _, phase := range []string{"Write a plan", "Carry out the plan", "Sum up"} {
		require.Equal(t, all, seen[phase], "%v", seen)
	}
	items := 0
	for step, states := range seen {
		if strings.Contains(step, "notas.md") || strings.Contains(step, "clientes.csv") {
			items++
			require.Equal(t, "completed", states[len(states)-1], step)
		}
	}
	require.GreaterOrEqual(t, items, 2, "%v", seen)
}
