package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// TestKillDuringFillTemplate: K-01 for fill_template, with the real binary: the
// process is killed at a random moment of making a hundred letters. After reopening,
// the draft has none of the new letters or all of them, each with the content of its
// row, and the folder is as it was.
func TestKillDuringFillTemplate(t *testing.T) {
	rounds := campaign.Of(16, 100)
	const count = 100
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--home", home)...)
		cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=")
		return cmd
	}
	run := func(args ...string) string {
		out, err := atelier(args...).CombinedOutput()
		require.NoError(t, err, "%s: %s", args, out)
		return string(out)
	}
	template := `{"path":"letter.docx","create_new":true,"operations":[{"op":"append_paragraph","text":"Letter {{n}} of round {{round}}"}]}`
	run("tools", "call", "docx_operations", template, "--in", dir)
	run("publish", "--in", dir)
	fill := func(round int) string {
		rows := make([]map[string]any, count)
		for i := range rows {
			rows[i] = map[string]any{"n": i, "round": round}
		}
		b, err := json.Marshal(map[string]any{"path": "letter.docx", "data": rows, "target_path": "letters {round}/{n}.docx"})
		require.NoError(t, err)
		return string(b)
	}
	before := contents(t, dir)
	none, all := 0, 0
	longest := 600 * time.Millisecond
	for round := 1; round <= rounds; round++ {
		cmd := atelier("tools", "call", "fill_template", fill(round), "--in", dir)
		begun := time.Now()
		require.NoError(t, cmd.Start())
		time.Sleep(rand.N(longest))
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			longest = max(20*time.Millisecond, time.Since(begun)) // it ended before the kill
		} else {
			longest += 50 * time.Millisecond
		}
		names := run("review", "--in", dir, "--names") // opening repairs
		made := strings.Count(names, fmt.Sprintf("letters %d/", round))
		require.Contains(t, []int{0, count}, made, "round %d: some of the letters: %s", round, names)
		if made == 0 {
			none++
		} else {
			all++
			n := rand.N(count)
			text := run("tools", "call", "read_file", fmt.Sprintf(`{"path":"letters %d/%d.docx"}`, round, n), "--in", dir)
			require.Contains(t, text, fmt.Sprintf("Letter %d of round %d", n, round))
			run("discard", "--in", dir)
		}
		require.Equal(t, before, contents(t, dir), "the folder itself")
	}
	run("doctor", "--in", dir) // exits with 1 where something is damaged
	t.Logf("%d rounds: %d found no letter, %d all letters", rounds, none, all)
}
