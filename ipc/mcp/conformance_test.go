package mcpserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// conformanceScenarios are those of the official suite that need nothing of a server but
// the protocol. The others call tools, resources and prompts that the suite prescribes.
// One of them, dns-rebinding-protection, expects that a server without tokens looks at
// the host; ours wants a token in the header, which no page of a browser has.
var conformanceScenarios = []string{"server-initialize", "logging-set-level", "ping", "completion-complete", "tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list"}

// The official conformance suite finds nothing wrong.
func TestConformanceSuite(t *testing.T) {
	campaign.Slow(t)
	npm := need.Program(t, "npm", "npm and nodejs")
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// The suite wants Node 22.
	if out, err := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--prefix", dir, "@modelcontextprotocol/conformance@0.1.16", "node@22").CombinedOutput(); err != nil {
		t.Log(string(out))
		need.Absent(t, "the conformance suite of MCP", "it with npm, which needs a network")
	}
	r := newRig(t)
	h := r.srv.HTTP()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Set("Authorization", "Bearer of-the-test")
		h.Serve(w, req, "test", time.Now().Add(time.Hour))
	}))
	defer web.Close()
	for _, name := range conformanceScenarios {
		cmd := exec.CommandContext(ctx, dir+"/node_modules/node/bin/node", dir+"/node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", web.URL, "--scenario", name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		require.NotContains(t, string(out), "✗", name)
		require.NotContains(t, strings.ToUpper(string(out)), "FAILURE", name)
	}
	h.Drain(ctx)
}
