package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine/enginetest"
)

// serversRun is the command run on a folder, whose model is scripted and whose user has a
// program with tools.
func serversRun(t *testing.T) (m *uiModel, log string, run func(args ...string) *exec.Cmd) {
	t.Helper()
	m = newUIModel(t)
	home, dir := t.TempDir(), t.TempDir()
	log = filepath.Join(t.TempDir(), "calls")
	b, err := json.Marshal(obj{"mcpServers": obj{"srv": enginetest.ToolServerEntry(t, "yes", log)}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, "mcp.json"), b, 0o600))
	return m, log, func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append([]string{"run", "--home", home, "--in", dir}, args...)...)
		cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted", "OPENAI_API_KEY=k", "ATELIER_EGRESS=")
		return cmd
	}
}

// W-54: a call that was under way when the program was killed is not made again; the
// model is told that it may have been done. The program with tools ends too.
func TestW54ToolServerCallKilled(t *testing.T) {
	m, log, run := serversRun(t)
	m.then(uiAnswer{calls: []uiCall{{"srv__hang", `{}`}}}, uiAnswer{text: "Noted."})
	cmd := run("Call it.", "--allow-egress", "--allow-tool", "srv__*")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return slices.Contains(enginetest.ToolCalls(t, log), "hang") }, uiPatience, uiEvery)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	out, err := run("--resume", "--allow-egress", "--allow-tool", "srv__*").CombinedOutput()
	require.NoError(t, err, "%s", out)
	n := 0
	for _, c := range enginetest.ToolCalls(t, log) {
		if c == "hang" {
			n++
		}
	}
	require.Equal(t, 1, n)
	require.Contains(t, m.sent(), "it may or may not have taken effect")
}

// M-14: the command says what was not allowed and how it is allowed.
func TestM14ToolServersOfRun(t *testing.T) {
	m, log, run := serversRun(t)
	calls := []uiCall{{"srv__get", `{"text":"one"}`}, {"srv__add", `{"text":"two"}`}}
	sent := func(args ...string) string {
		m.then(uiAnswer{calls: calls}, uiAnswer{text: "Noted."})
		out, err := run(append([]string{"Call it."}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.True(t, bytes.Contains(out, []byte("srv__get")), "%s", out)
		return m.sent()
	}
	require.Contains(t, sent(), "the user can allow it with --allow-egress")
	require.Empty(t, enginetest.ToolCalls(t, log))
	require.Contains(t, sent("--allow-egress"), "the user has to approve srv__add, and nobody is there to ask")
	require.Equal(t, []string{"get one"}, enginetest.ToolCalls(t, log))
	require.Contains(t, sent("--allow-egress", "--allow-tool", "srv__add"), "added two")
	undo := run()
	undo.Args = append([]string{undo.Args[0], "undo"}, undo.Args[2:]...)
	told, err := undo.CombinedOutput()
	require.NoError(t, err, "%s", told)
	require.Contains(t, string(told), "srv__add was called; that is not undone")
	out, err := run("x", "--allow-tool", "*").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), `"*" names no tool of another program`)
}
