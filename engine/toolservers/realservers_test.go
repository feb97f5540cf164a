package toolservers

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/childgroup"
	"atelier/internal/need"
)

// Two servers that many people use, over stdio, and one of them over HTTP too.
func TestRealServers(t *testing.T) {
	campaign.Slow(t)
	node := need.Program(t, "node", "nodejs")
	dir := need.Modules(t, "@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-filesystem@2026.8.31")
	r := newRig(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.folder, "a.txt"), []byte("the content"), 0o600))
	modules := filepath.Join(dir, "node_modules", "@modelcontextprotocol")
	r.set("all", Entry{Command: node, Args: []string{filepath.Join(modules, "server-everything", "dist", "index.js"), "stdio"}})
	r.set("files", Entry{Command: node, Args: []string{filepath.Join(modules, "server-filesystem", "dist", "index.js"), r.folder}})
	set := r.tools()
	require.Empty(t, set.Failed)
	require.Greater(t, len(set.Tools), 20)

	require.Contains(t, r.must("files", "read_text_file", `{"path":"`+filepath.Join(r.folder, "a.txt")+`"}`).Text, "the content")
	out := r.must("files", "read_text_file", `{"path":"/etc/passwd"}`)
	require.True(t, out.IsError, "its own rules count")
	require.Contains(t, r.must("all", "echo", `{"message":"hello"}`).Text, "hello")
	require.Len(t, r.must("all", "get-tiny-image", `{}`).Images, 1)
	require.NotEmpty(t, r.must("all", "get-structured-content", `{"location":"New York"}`).Structured)
	require.NotEmpty(t, r.must("all", "get-resource-links", `{"count":3}`).Links)
	require.NotContains(t, r.must("all", "get-env", `{}`).Text, "OPENAI")
	var told atomic.Int32
	res, err := r.call("all", "trigger-long-running-operation", `{"duration":1,"steps":3}`, func(c *Call) { c.Progress = func(Progress) { told.Add(1) } })
	require.NoError(t, err)
	require.Contains(t, res.Text, "completed")
	require.Positive(t, told.Load())
	res, err = r.call("all", "trigger-elicitation-request", `{}`, func(c *Call) {
		c.Ask = func(_ context.Context, q Question) (Answer, error) { return Answer{Action: "decline"}, nil }
	})
	require.NoError(t, err)
	require.Contains(t, strings.ToLower(res.Text), "declined")

	// Over HTTP.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	require.NoError(t, l.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, node, filepath.Join(modules, "server-everything", "dist", "index.js"), "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	childgroup.Own(cmd)
	require.NoError(t, cmd.Start())
	r.last = append(r.last, func() { cancel(); _ = cmd.Wait() })
	r.set("web", Entry{URL: "http://127.0.0.1:" + port + "/mcp"})
	require.Eventually(t, func() bool { _, _, err := r.p.Test(t.Context(), r.scope, "web"); return err == nil }, 20*time.Second, 200*time.Millisecond)
	require.Contains(t, r.must("web", "echo", `{"message":"hello"}`).Text, "hello")
}
