package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// TestKillDuringPublish: A-13, and K-01 for publish, with the real binary:
// the process is killed at a random moment of publishing many files. After
// reopening, the folder is completely old or completely new and no temporary
// file is left.
func TestKillDuringPublish(t *testing.T) {
	rounds := campaign.Of(25, 100)
	if runtime.GOOS == "windows" {
		rounds = min(rounds, 3) // under Wine one takes a minute
	}
	if campaign.Race {
		rounds = min(rounds, 8)
	}
	const count = 40
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for i := range count {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.txt", i)), []byte("round 0"), 0o644))
	}
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--home", home)...)
		cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
		return cmd
	}
	var rolledBack, done int
	// How long a publish takes here: under Wine a start alone takes seconds.
	writeDraft(t, home, dir, count, "round 0, again")
	begun := time.Now()
	first, err := atelier("publish", "--in", dir).CombinedOutput()
	require.NoError(t, err, string(first))
	longest := time.Since(begun)
	for round := 1; round <= rounds; round++ {
		writeDraft(t, home, dir, count, fmt.Sprintf("round %d", round))
		before := contents(t, dir)
		cmd := atelier("publish", "--in", dir)
		begun := time.Now()
		require.NoError(t, cmd.Start())
		time.Sleep(rand.N(longest))
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			longest = max(5*time.Millisecond, time.Since(begun)) // it ended before the kill
		} else {
			longest += 10 * time.Millisecond
		}
		out, err := atelier("review", "--in", dir, "--names").CombinedOutput() // opening repairs
		require.NoError(t, err, string(out))
		after := contents(t, dir)
		if fmt.Sprint(after) == fmt.Sprint(before) {
			rolledBack++
			require.Contains(t, string(out), "f00.txt", "the draft must have survived")
			out, err := atelier("publish", "--in", dir).CombinedOutput()
			require.NoError(t, err, string(out))
			after = contents(t, dir)
		} else {
			done++
		}
		require.Len(t, after, count, "a file was left over or lost")
		for name, text := range after {
			require.Equal(t, fmt.Sprintf("round %d", round), text, "%s after round %d", name, round)
		}
	}
	t.Logf("%d rounds: %d found as before, %d as after", rounds, rolledBack, done)
}

// writeDraft writes text to every file in the draft, by tool calls over
// stdio.
func writeDraft(t *testing.T, home, dir string, count int, text string) {
	t.Helper()
	a := startApp(t, home)
	var list struct {
		Workbenches []struct {
			ID   string `json:"workbench_id"`
			Root string `json:"root"`
		} `json:"workbenches"`
	}
	a.call("WorkbenchList", obj{}, &list)
	id := ""
	if len(list.Workbenches) > 0 {
		id = list.Workbenches[0].ID
	} else {
		var wb struct {
			ID string `json:"workbench_id"`
		}
		a.call("WorkbenchCreate", obj{"name": "kill", "root": dir}, &wb)
		id = wb.ID
	}
	for i := range count {
		var r struct {
			Success bool `json:"success"`
		}
		a.call("ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": fmt.Sprintf("f%02d.txt", i), "content": text}}, &r)
		require.True(t, r.Success)
	}
	require.NoError(t, a.in.Close())
	require.NoError(t, a.cmd.Wait())
}

// contents reads every file below dir, including hidden ones.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, strings.HasPrefix(e.Name(), "."), "a temporary file is left: %s", e.Name())
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(b)
	}
	return out
}
