package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/internal/quote"
)

// mcpClient is a client of the real program.
type mcpClient struct {
	t   *testing.T
	s   *mcp.ClientSession
	cmd *exec.Cmd
}

func startMCP(t *testing.T, home, dir string, flags ...string) *mcpClient {
	t.Helper()
	return startMCPWith(t, home, dir, nil, flags...)
}

func startMCPWith(t *testing.T, home, dir string, o *mcp.ClientOptions, flags ...string) *mcpClient {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"mcp", "--home", home, "--in", dir}, flags...)...)
	cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return &mcpClient{t, s, cmd}
}

func (c *mcpClient) call(tool string, args map[string]any) (text string, failed bool) {
	c.t.Helper()
	res, err := c.s.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(c.t, err)
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// Two agents on one folder: the second reads, and is told which process has it in use
// when it would write; a moment after the first is idle it writes. A killed one loses no
// change that it was told of.
func TestMCPTwoClientsAndKill(t *testing.T) {
	home, dir := t.TempDir(), docsFolder(t)
	one, two := startMCP(t, home, dir), startMCP(t, home, dir)
	text, failed := one.call("write_text_file", obj{"path": "one.txt", "content": "1\n"})
	require.False(t, failed, text)
	text, failed = two.call("list_files", nil)
	require.False(t, failed, text)
	require.Contains(t, text, "one.txt", "it sees the draft of the first")
	text, failed = two.call("write_text_file", obj{"path": "two.txt", "content": "2\n"})
	require.True(t, failed)
	require.Contains(t, text, "in use by process")
	require.Eventually(t, func() bool {
		_, failed := two.call("write_text_file", obj{"path": "two.txt", "content": "2\n"})
		return !failed
	}, 60*time.Second, time.Second)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go two.s.CallTool(ctx, &mcp.CallToolParams{Name: "translate", Arguments: obj{"to": "en"}}) //nolint:errcheck // the process is killed
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, two.cmd.Process.Kill())
	three := startMCP(t, home, dir)
	text, failed = three.call("review", nil)
	require.False(t, failed, text)
	require.Contains(t, text, "one.txt")
	require.Contains(t, text, "two.txt")
	text, failed = three.call("publish", nil)
	require.True(t, failed)
	require.Contains(t, text, "atelier publish --in "+quote.Argument(dir))
	text, failed = three.call("translate", obj{"to": "en"})
	require.False(t, failed, text)
	require.Contains(t, text, `"status":"complete"`)
	require.NoFileExists(t, filepath.Join(dir, "one.txt"))
	require.NoError(t, three.s.Close())

	cmd := exec.Command(program(t), "undo", "--list", "--home", home, "--in", dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "guest      one.txt")
	out, err = exec.Command(program(t), "publish", "--home", home, "--in", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(dir, "one.txt"))
}

// Wrong flags are named, and only messages come from standard output.
func TestMCPCommandLine(t *testing.T) {
	for _, flags := range [][]string{{"--catalogue", "nosuch"}, {"--in", "/no/such/folder"}} {
		out, err := exec.Command(program(t), append([]string{"mcp", "--home", t.TempDir()}, flags...)...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), flags[1])
	}
	cmd := exec.Command(program(t), "mcp", "--home", t.TempDir(), "--in", docsFolder(t), "--read-only", "--catalogue", "sila")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[1], `"name":"read"`)
	require.NotContains(t, lines[1], `"name":"write_to_file"`)
}

// An agent of this machine connects over HTTP with the token; others do not get in, and a
// signal ends the server.
func TestMCPListen(t *testing.T) {
	need.Signals(t)
	out, err := exec.Command(program(t), "mcp", "--home", t.TempDir(), "--in", docsFolder(t), "--listen", "0.0.0.0:0").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "loopback")
	cmd := exec.Command(program(t), "mcp", "--home", t.TempDir(), "--in", docsFolder(t), "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "ATELIER_MCP_TOKEN=")
	said, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(said)
	require.True(t, lines.Scan())
	address := strings.TrimPrefix(lines.Text(), "listening on ")
	require.True(t, lines.Scan())
	header := strings.TrimPrefix(lines.Text(), "Authorization: ")

	status := func(change func(*http.Request)) int {
		req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		req.Header.Set("Authorization", header)
		change(req)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		return resp.StatusCode
	}
	require.Equal(t, 401, status(func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }))
	require.Equal(t, 401, status(func(r *http.Request) { r.Header.Del("Authorization") }))
	require.Equal(t, 403, status(func(r *http.Request) { r.Host = "evil.example.org" }))
	require.Equal(t, 403, status(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.org") }))
	require.Equal(t, 404, status(func(r *http.Request) { r.URL.Path = "/other" }))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withHeader(header)}, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		text, failed := (&mcpClient{t: t, s: s}).call("list_files", nil)
		require.False(t, failed, text)
		require.Contains(t, text, "sales.xlsx")
		if version < "2026" {
			t.Cleanup(func() { s.Close() }) // it is open when the signal comes
		}
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}

// withHeader sends requests with an Authorization header.
type withHeader string

// RoundTrip implements http.RoundTripper.
func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(h))
	return http.DefaultTransport.RoundTrip(r)
}

// typeScriptSDK is the version of the SDK that the test uses.
const typeScriptSDK = "@modelcontextprotocol/sdk@1.32.2"

// A client that others wrote does a piece of work, and validates each result against the
// schema of its tool.
func TestMCPTypeScriptClient(t *testing.T) {
	campaign.Slow(t)
	node := need.Program(t, "node", "nodejs")
	dir := need.Modules(t, typeScriptSDK)
	script, err := os.ReadFile("testdata/mcp/client.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "client.mjs", program(t), t.TempDir(), docsFolder(t))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "all is well")
}
