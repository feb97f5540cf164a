package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// TestKillDuringRepair: `doctor --repair` of the real binary is killed at
// random moments. The damaged data is present after each kill, and the repair
// that completes finds the same draft and conversation as an undisturbed one.
func TestKillDuringRepair(t *testing.T) {
	rounds := campaign.Of(12, 48)
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	const count = 20
	writeDraft(t, home, dir, count, "draft")
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--in", dir, "--home", home)...)
		cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
		return cmd
	}
	out, err := atelier("run", "hello").CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := atelier("review", "--names").CombinedOutput()
	require.NoError(t, err, string(want))
	states, err := filepath.Glob(filepath.Join(home, "workbenches", "*"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	state := states[0]
	whole, damagedDB, damagedConv := filepath.Join(t.TempDir(), "whole"), []byte(nil), []byte(nil)
	require.NoError(t, os.CopyFS(whole, os.DirFS(state)))
	longest, killed := 60*time.Millisecond, 0
	for range rounds {
		require.NoError(t, os.RemoveAll(state))
		require.NoError(t, os.CopyFS(state, os.DirFS(whole)))
		damagedDB = damageFile(t, filepath.Join(state, "workbench.db"), "SQLite format")
		damagedConv = damageFile(t, filepath.Join(state, "conversation.jsonl"), "hello")
		for range 3 {
			cmd := atelier("doctor", "--repair")
			begun := time.Now()
			require.NoError(t, cmd.Start())
			time.Sleep(rand.N(longest))
			cmd.Process.Kill()
			if cmd.Wait() == nil {
				longest = max(10*time.Millisecond, time.Since(begun))
				break
			}
			killed++
			longest += 5 * time.Millisecond
			require.True(t, isKept(t, state, damagedDB) && isKept(t, state, damagedConv), "a kill lost what was damaged")
		}
		out, err := atelier("doctor", "--repair").CombinedOutput()
		require.NoError(t, err, string(out))
		got, err := atelier("review", "--names").CombinedOutput()
		require.NoError(t, err, string(got))
		require.Equal(t, string(want), string(got))
		require.True(t, isKept(t, state, damagedDB) && isKept(t, state, damagedConv))
		require.NoDirExists(t, filepath.Join(state, "repair"))
		out, err = atelier("undo", "--list").CombinedOutput()
		require.NoError(t, err, string(out))
		require.NotContains(t, string(out), "note:")
	}
	t.Logf("%d kills in %d rounds", killed, rounds)
}

// damageFile flips a bit where text begins and returns the new content.
func damageFile(t *testing.T, path, text string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(b, []byte(text))
	require.GreaterOrEqual(t, at, 0)
	b[at] ^= 4
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return b
}

// isKept reports whether some file of a state folder has that content.
func isKept(t *testing.T, state string, want []byte) bool {
	t.Helper()
	found := false
	require.NoError(t, filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || found {
			return err
		}
		b, err := os.ReadFile(path)
		found = bytes.Equal(b, want)
		return err
	}))
	return found
}
