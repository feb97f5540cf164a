package toolservers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// notForUs are the scenarios of the suites that do not apply, and why.
var notForUs = map[string]string{
	"auth/2025-03-26-oauth-metadata-backcompat": "its server names another issuer than its address, which RFC 8414, 3.3, says to refuse",
	"auth/client-credentials-jwt":               "an extension: the SDK has no client assertions",
	"auth/cross-app-access-complete-flow":       "an extension for companies that manage sign-ins",
	"auth/enterprise-managed-authorization":     "an extension for companies that manage sign-ins",
	"auth/dpop":                                 "an extension: the SDK has no tokens bound to a key",
	"auth/dpop-nonce":                           "an extension: the SDK has no tokens bound to a key",
	"auth/wif-jwt-bearer":                       "an extension for programs without a person",
	"sep-2640-client-no-prefetch":               "an extension: skills as resources, which are not read",
	"sep-2640-client-verify-digest":             "an extension: skills as resources, which are not read",
	"sep-2640-client-verify-size":               "an extension: skills as resources, which are not read",
	"sep-2640-client-verify-frontmatter":        "an extension: skills as resources, which are not read",
}

// The official conformance suites find nothing wrong with the client. A sample has half
// of their scenarios.
func TestConformanceOfClient(t *testing.T) {
	campaign.Slow(t)
	for version, flags := range map[string][]string{"0.1.16": nil, "0.2.0-alpha.12": {"--spec-version", "2026-07-28"}} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // a scenario waits for most of its time
			conforms(t, version, flags)
		})
	}
}

// conforms runs the client through a version of the suite.
func conforms(t *testing.T, version string, flags []string) {
	module, path := nodeModule()
	dir := need.Modules(t, "@modelcontextprotocol/conformance@"+version, module)
	node := filepath.Join(dir, path)
	suite := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, append([]string{dir + "/node_modules/@modelcontextprotocol/conformance/dist/index.js"}, args...)...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), conformanceMode+"=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	list, err := suite("list", "--client")
	require.NoError(t, err, list)
	names := regexp.MustCompile(`(?m)^  - (\S+) \[(.*)\]$`).FindAllStringSubmatch(list, -1)
	require.Greater(t, len(names), 20, list)
	done := 0
	for i, n := range names {
		name, revisions := n[1], n[2]
		if notForUs[name] != "" || len(flags) > 0 && !strings.Contains(revisions, "2026-07-28") && !strings.Contains(revisions, "extension") {
			continue
		}
		if !campaign.Full() && uint64(i)%2 != campaign.Seed()%2 {
			continue
		}
		args := append([]string{"client", "--command", os.Args[0], "--scenario", name}, flags...)
		if strings.Contains(revisions, "extension") && len(flags) > 0 {
			args = append(args, "--force")
		}
		out, err := suite(args...)
		require.NoError(t, err, "%s %s:\n%s", version, name, out)
		require.NotContains(t, out, "FAILURE", "%s %s", version, name)
		done++
	}
	require.GreaterOrEqual(t, done, 5)
	t.Logf("%s: %d scenarios", version, done)
}

// nodeModule returns the module of npm that has Node 22 for this machine, which the
// suites want, and its path in the folder of modules.
func nodeModule() (module, path string) {
	system := map[string]string{"windows": "win"}[runtime.GOOS]
	if system == "" {
		system = runtime.GOOS
	}
	name := "node-" + system + "-" + strings.ReplaceAll(runtime.GOARCH, "amd64", "x64")
	return name + "@22.20.0", "node_modules/" + name + "/bin/node"
}
