//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/internal/quote"
)

// acpx is the client of that name on npm: a program on the command line that keeps the
// agent running between its own runs.
type acpx struct {
	t                     *testing.T
	modules, home, folder string
	agent                 string // the command that acpx starts
	env                   []string
	pids                  string // file with the process ids of the agent, a line each
}

func newACPX(t *testing.T, url string) *acpx {
	t.Helper()
	need.Program(t, "node", "nodejs")
	x := &acpx{t: t, modules: need.Modules(t, "acpx@0.19.1", nodeModule()+"@"+node22), home: t.TempDir(), folder: docsFolder(t)}
	x.pids = filepath.Join(x.home, "pids")
	script := filepath.Join(x.home, "agent.sh")
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho $$ >> %s\nexec %s acp --home %s --model m\n", quote.Argument(x.pids), quote.Argument(program(t)), quote.Argument(t.TempDir())), 0o700))
	x.agent = script
	x.env = append(os.Environ(), "HOME="+x.home, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=key")
	t.Cleanup(func() { // acpx leaves the agent running for as long as --ttl says
		for _, pid := range x.agents() {
			syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // most have ended
		}
	})
	return x
}

// agents returns the process ids of the agents that were started.
func (x *acpx) agents() (pids []int) {
	b, err := os.ReadFile(x.pids)
	require.NoError(x.t, err)
	for _, f := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(f)
		require.NoError(x.t, err)
		pids = append(pids, pid)
	}
	return pids
}

func (x *acpx) command(ctx context.Context, args ...string) *exec.Cmd {
	node := filepath.Join(x.modules, "node_modules", nodeModule(), "bin", "node")
	cmd := exec.CommandContext(ctx, node, append([]string{filepath.Join(x.modules, "node_modules", "acpx", "dist", "cli.js"), "--agent", x.agent, "--ttl", "5", "--format", "json"}, args...)...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = x.env, x.folder, time.Second
	return cmd
}

// run runs acpx once and returns the messages that it prints.
func (x *acpx) run(args ...string) string {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), time.Minute)
	defer cancel()
	out, err := x.command(ctx, args...).CombinedOutput()
	require.NoError(x.t, err, string(out))
	return string(out)
}

// during sends a prompt, and does something once the model has begun to answer; it returns
// what acpx printed. A prompt whose agent is killed fails.
func (x *acpx) during(prompt, begins string, do func()) string {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), time.Minute)
	defer cancel()
	cmd := x.command(ctx, prompt)
	out, err := cmd.StdoutPipe()
	require.NoError(x.t, err)
	require.NoError(x.t, cmd.Start())
	var log strings.Builder
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if begins != "" && strings.Contains(lines.Text(), begins) {
			begins = ""
			do()
		}
	}
	require.Empty(x.t, begins, log.String())
	if err := cmd.Wait(); err != nil {
		fmt.Fprintf(&log, "acpx: %v\n", err)
	}
	return log.String()
}

// acpx from npm works with a session: a plan that is accepted, a change, a canceled
// prompt, an agent that is killed in the middle of a run, a mode, commands, and publishing
// that is denied and then allowed.
func TestACPX(t *testing.T) {
	campaign.Slow(t)
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"a","name":"plan_write","arguments":{"title":"Rename","path":"rename","content":"1. Rename the sheet\n2. Check it\n"}}}
-- model-2 --
{"call":{"id":"b","name":"ask_user","arguments":{"questions":[{"name":"a","question":"Accept?","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-3 --
{"call":{"id":"c","name":"exit_plan_mode","arguments":{"plan_file_path":"/plans/rename.plan"}}}
-- model-4 --
{"text":"Planned."}
-- model-5 --
{"call":{"id":"d","name":"xlsx_operations","arguments":{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]}}}
-- model-6 --
{"text":"Renamed."}
-- model-7 --
{"text":"COUNTING"}
{"hang":true}
-- model-8 --
{"text":"WRITING"}
{"hang":true}
-- model-9 --
{"text":"It is written."}
`)
	x := newACPX(t, srv.URL)
	x.run("sessions", "new")
	log := x.run("--approve-all", "/plan Rename the sheet")
	for _, want := range []string{`"sessionUpdate":"plan"`, `"content":"Check it"`, `"currentModeId":"work"`, `"sessionUpdate":"available_commands_update"`, `"method":"session/request_permission"`,
		"Planned.", `"sessionUpdate":"usage_update"`, `"stopReason":"end_turn"`} {
		require.Contains(t, log, want)
	}

	require.Contains(t, x.run("Call it Summary"), "Resumen A1: Resumen por familia → Summary")

	canceled := x.during("Count", "COUNTING", func() { x.run("cancel") })
	require.Contains(t, canceled, `"stopReason":"cancelled"`)
	require.Contains(t, x.run("set-mode", "ask"), `"modeId":"ask"`)
	require.Contains(t, x.run("set-mode", "work"), `"modeId":"work"`)

	x.during("Write", "WRITING", func() {
		pids := x.agents()
		require.NoError(t, syscall.Kill(pids[len(pids)-1], syscall.SIGKILL))
	})
	before := len(x.agents())
	log = x.run("/continue")
	require.Contains(t, log, "It is written.")
	require.Greater(t, len(x.agents()), before, "another process went on")

	require.Contains(t, x.run("/review"), "Resumen A1")
	require.NotContains(t, x.run("--deny-all", "/publish"), "published sales.xlsx")
	require.Contains(t, x.run("--approve-all", "/publish"), "published sales.xlsx")
	require.Zero(t, srv.Unused())
	x.run("sessions", "close")
}
