package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// conformanceRun is one run of a version of the official suite against a revision of the
// protocol.
type conformanceRun struct {
	suite    string // the version of the suite
	revision string
	scores   [2]int // scenarios and checks that pass, as docs/mcp.md says
}

var conformanceRuns = []conformanceRun{
	{"0.1.16", "2025-11-25", [2]int{32, 44}},
	{"0.2.0-alpha.12", "2025-06-18", [2]int{27, 56}},
	{"0.2.0-alpha.12", "2025-11-25", [2]int{33, 84}},
	{"0.2.0-alpha.12", "2026-07-28", [2]int{40, 153}},
}

// notServed are the scenarios of extensions that Atelier does not offer, with why. Those
// of the revisions themselves all apply.
var notServed = map[string]string{
	"tasks-":           "the extension for tasks (SEP-2663): what takes long here is translate, whose call made again continues to wait",
	"sep-2640-skills-": "the extension for skills (SEP-2640): the skills of Atelier are read by the tool read_skill",
}

// warned are the checks that do not apply, by version of the suite, with why.
var warned = map[string]string{
	"0.1.16 server-sse-priming-event": "it says that it speaks 2025-03-26, whose clients do not know such events; in the later version it passes",
	"0.1.16 server-sse-retry-field":   "as above",
}

// check is what the suite found of one requirement.
type check struct{ ID, Status, ErrorMessage string }

// The official conformance suite finds nothing wrong: each scenario of a revision passes
// whole, or is one that does not apply. A sample has half of the runs.
func TestConformanceSuite(t *testing.T) {
	campaign.Slow(t)
	module, node := need.Node("22")
	modules := []string{module}
	for _, run := range conformanceRuns {
		if m := "suite-" + run.suite + "@npm:@modelcontextprotocol/conformance@" + run.suite; !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	dir := need.Modules(t, modules...)
	for i, run := range conformanceRuns {
		if !campaign.Full() && uint64(i)%2 != campaign.Seed()%2 {
			continue
		}
		t.Run(run.suite+"/"+run.revision, func(t *testing.T) {
			run.test(t, filepath.Join(dir, node), filepath.Join(dir, "node_modules", "suite-"+run.suite, "dist", "index.js"))
		})
	}
}

func (run conformanceRun) test(t *testing.T, node, script string) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	suite := func(args ...string) string {
		cmd := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
		out, err := cmd.CombinedOutput()
		if args[0] == "list" {
			require.NoError(t, err, string(out))
		}
		return string(out)
	}
	scenarios, extensions := applicable(suite("list", "--server"), run.revision)
	require.Greater(t, len(scenarios), 25)
	for _, name := range extensions {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(notServed)), func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			t.Errorf("the scenario %s neither runs nor is listed as not served", name)
		}
	}
	results := t.TempDir()
	out := suite("server", "--url", fixtureRig(t), "--suite", "all", "--spec-version", run.revision, "-o", results)
	found := checksOf(t, results, scenarios)
	score := [2]int{}
	for _, name := range scenarios {
		if len(found[name]) == 0 {
			t.Errorf("the scenario %s did not run: %.2000s", name, out)
			continue
		}
		score[0]++
		for _, c := range found[name] {
			switch c.Status {
			case "SUCCESS":
				score[1]++
			case "INFO":
			default:
				if warned[run.suite+" "+c.ID] != "" {
					continue
				}
				t.Errorf("%s, %s: %s: %s", name, c.ID, c.Status, c.ErrorMessage)
			}
		}
	}
	require.Equal(t, run.scores, score, "scenarios and checks; docs/mcp.md has these numbers")
}

var listed = regexp.MustCompile(`(?m)^\s+- ([a-z0-9-]+) \[([^\]]*)\]`)

// applicable returns the scenarios that a listing has for a revision, and those of
// extensions.
func applicable(listing, revision string) (out, extensions []string) {
	for _, m := range listed.FindAllStringSubmatch(listing, -1) {
		switch tags := strings.Split(m[2], ","); {
		case slices.Contains(tags, revision):
			out = append(out, m[1])
		case slices.Contains(tags, "extension"):
			extensions = append(extensions, m[1])
		}
	}
	return out, extensions
}

// checksOf reads what the suite saved, by scenario.
func checksOf(t *testing.T, dir string, scenarios []string) map[string][]check {
	t.Helper()
	files, err := filepath.Glob(dir + "/*/checks.json")
	require.NoError(t, err)
	out := map[string][]check{}
	stamp := regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)
	for _, f := range files {
		name := strings.TrimPrefix(stamp.ReplaceAllString(filepath.Base(filepath.Dir(f)), ""), "server-")
		if !slices.Contains(scenarios, name) { // a name may begin with server- itself
			name = "server-" + name
		}
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		var checks []check
		require.NoError(t, json.Unmarshal(b, &checks))
		out[name] = append(out[name], checks...)
	}
	return out
}
