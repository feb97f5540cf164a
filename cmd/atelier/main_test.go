package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/engine/enginetest"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/llm/replay"
)

// TestMain lets the test binary act as the program: scripts and the desktop
// test run `atelier` as a separate process.
func TestMain(m *testing.M) {
	enginetest.ServeTools()
	if os.Getenv(engine.EnvKeychain) == "" {
		_ = os.Setenv(engine.EnvKeychain, "off") // the keys of who runs the tests are not theirs
	}
	testscript.Main(m, map[string]func(){"atelier": mainInTest})
}

// TestScripts runs testdata/script/*.txtar with the real binary. DOCS is the
// folder of generated documents, BAD that of damaged files. LOCKED is a workbook that
// excelize encrypted with the password swordfish-2027.
func TestScripts(t *testing.T) {
	docs, err := filepath.Abs("../../testdata")
	require.NoError(t, err)
	locked, err := filepath.Abs("testdata/locked.xlsx")
	require.NoError(t, err)
	cmds := maps.Clone(webCommands)
	maps.Copy(cmds, damageCommands)
	maps.Copy(cmds, toolCommands)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	if campaign.Race && testing.Short() {
		// A script starts the program a dozen times, and the packages that it
		// uses have race tests themselves, so the race detector runs one
		// script in nine.
		var some []string
		for i, s := range scripts {
			if !campaign.Skips(t, i, 3) {
				some = append(some, s)
			}
		}
		scripts = some
	}
	cmds["cpdir"] = copyDir
	cmds["nowhere"] = nowhere
	cmds["world"], cmds["asked"] = world, proxyAsked
	cmds["endpoint"], cmds["until"] = scriptModel, until
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DOCS", filepath.Join(docs, "documents"))
			env.Setenv("BAD", filepath.Join(docs, "bad"))
			env.Setenv("LOCKED", locked)
			env.Setenv("TRANSCRIPTS", filepath.Join(docs, "transcripts"))
			env.Setenv("ATELIER_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv(engine.EnvKeychain, "off")
			return formatstest.LinkCache(filepath.Join(env.WorkDir, "home"))
		},
		Cmds: cmds,
	})
}

// copyDir is the script command `cpdir FROM TO`.
func copyDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cpdir from to")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// program returns the path of the test binary under the name atelier.
func program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("atelier")
	if err == nil {
		return path
	}
	self, err := os.Executable()
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "atelier")
	need.Symlink(t, self, path)
	return path
}

// serveFixture returns a model endpoint that replays a fixture.
func serveFixture(t testing.TB, fixture string) *replay.Server {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return srv
}
