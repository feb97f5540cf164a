package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// inspectorVersion is the MCP Inspector that the test uses; it needs Node 22.
const inspectorVersion = "@modelcontextprotocol/inspector@2.12.0"

// inspector is the MCP Inspector on the command line, for one server.
type inspector struct {
	t       *testing.T
	program []string
	target  []string
	home    string
}

// run calls a method and returns what the inspector writes.
func (i inspector) run(args ...string) string {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), time.Minute)
	defer cancel()
	all := append(append(append([]string{}, i.program[1:]...), i.target...), args...)
	cmd := exec.CommandContext(ctx, i.program[0], all...)
	cmd.Env = append(os.Environ(), "HOME="+i.home, "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
	out, _ := cmd.CombinedOutput() // what is wrong is in its output
	return string(out)
}

// The MCP Inspector lists, reads, calls and loads, over both transports, and finds no
// schema that clients refuse.
func TestMCPInspector(t *testing.T) {
	campaign.Slow(t)
	module, node := need.Node("22")
	modules := need.Modules(t, inspectorVersion, module)
	program := []string{filepath.Join(modules, node), filepath.Join(modules, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli"}
	for name, targetOf := range map[string]func(*testing.T) []string{"stdio": inspectedStdio, "http": inspectedHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := inspector{t, program, targetOf(t), t.TempDir()}
			for _, c := range []struct{ args, want string }{
				{"tools/list", `"name": "xlsx_operations"`},
				{"tools/call --tool-name get_file_info --tool-arg path=sales.xlsx", `"structuredContent"`},
				{"tools/call --tool-name write_text_file --tool-arg path=new.txt content=hello", "Successfully wrote 5 bytes to new.txt"},
				{"tools/call --tool-name review", `"path": "new.txt"`},
				{"tools/call --tool-name review --app-info", `"resourceUri":"ui://atelier/review.html"`},
				{"tools/call --tool-name publish", "only the user can publish"},
				{"tools/call --tool-name discard", `"done": true`},
				{"tools/call --tool-name no_such_tool", "not found"},
				{"tools/call --tool-name list_files --load --load-requests 200", `"ok": 200`},
				{"resources/list", `"uri": "atelier://draft/sales.xlsx"`},
				{"resources/templates/list", `"uriTemplate": "atelier://content/{+path}"`},
				{"resources/read --uri atelier://draft/notas.md", `"mimeType": "text/markdown"`},
				{"resources/read --uri atelier://content/sales.xlsx", `"blob"`},
				{"resources/read --uri file:///etc/passwd", "not found"},
				{"prompts/list", `"name": "clean_workbook"`},
				{"prompts/get --prompt-name clean_workbook --prompt-args workbook=sales.xlsx", "Clean up the workbook sales.xlsx"},
				{"prompts/get --prompt-name clean_workbook", "argument workbook is missing"},
				{"logging/setLevel --log-level debug", "{}"},
			} {
				got := i.run(append([]string{"--method"}, strings.Fields(c.args)...)...)
				require.Contains(t, strings.ToLower(got), strings.ToLower(c.want), c.args)
			}
			strict := i.run("--method", "tools/list", "--strict")
			require.Contains(t, strict, "accepts any value", "the inspector looks at the schemas")
			for line := range strings.Lines(strict) {
				if issue, ok := strings.CutPrefix(strings.TrimSpace(line), "Issue: "); ok {
					require.Contains(t, issue, "accepts any value", "cells and arguments hold any value")
				}
			}
		})
	}
}

// inspectedStdio is a server that the inspector starts.
func inspectedStdio(t *testing.T) []string {
	return []string{program(t), "mcp", "--home", t.TempDir(), "--in", docsFolder(t)}
}

// inspectedHTTP is a server that listens.
func inspectedHTTP(t *testing.T) []string {
	cmd := exec.Command(program(t), "mcp", "--home", t.TempDir(), "--in", docsFolder(t), "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=", "ATELIER_MCP_TOKEN=")
	said, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait())
	})
	lines := bufio.NewScanner(said)
	require.True(t, lines.Scan())
	address := strings.TrimPrefix(lines.Text(), "listening on ")
	require.True(t, lines.Scan())
	return []string{address, "--transport", "http", "--header", lines.Text()}
}
