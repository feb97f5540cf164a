package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm/tokens"
	"atelier/workshop/skills"
)

// A list of many skills stays within its part of the window, and says what it lacks.
func TestManySkillsStaySmall(t *testing.T) {
	for _, window := range []int{8_000, 32_000, 0} {
		r := newRig(t, map[string]string{"a.txt": "x"})
		r.cfg.Window, r.cfg.OwnSkills = window, t.TempDir()
		for _, n := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff") {
			dir := filepath.Join(r.cfg.OwnSkills, "skill-with-a-long-name-"+n)
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(strings.Repeat("does many things ", 20)), 0o644))
		}
		run := newRun(r.cfg)
		cut, err := run.tellStanding(t.Context())
		require.NoError(t, err)
		most := window
		if window == 0 {
			most = assumedWindow
		}
		require.LessOrEqual(t, tokens.Count(run.told), most*StandingShare/100/3)
		require.Contains(t, run.told, "skill-with-a-long-name-a")
		require.Equal(t, window == 8_000, len(cut) > 0, "%d: %v", window, cut)
		require.Equal(t, len(cut) > 0, strings.Contains(run.told, "more, which read_skill names"))
		require.Empty(t, run.toldOf, "the user's own skills are no documents")
	}
}

// A file that is kept from models instructs none, approved or not.
func TestKeptInstructionsAreNotUsed(t *testing.T) {
	r := newRig(t, map[string]string{"AGENTS.md": "Be brief.", ".atelier/ignore": "AGENTS.md\n", ".atelier/skills/s/SKILL.md": "Steps."})
	list, err := skills.Load(t.Context(), skills.Source{Workbench: r.wb, Published: r.wb.PublishedView()})
	require.NoError(t, err)
	for _, it := range list.Undecided() {
		require.NoError(t, skills.Decide(t.Context(), r.wb, it.Decision(true, time.Now())))
	}
	run := newRun(r.cfg)
	_, err = run.tellStanding(t.Context())
	require.NoError(t, err)
	require.NotContains(t, run.told, "Be brief")
	require.Contains(t, run.told, "- s: Steps.")
	require.Equal(t, []string{".atelier/skills/s/SKILL.md"}, run.toldOf)
	fill, err := Measure(t.Context(), r.cfg)
	require.NoError(t, err)
	require.Positive(t, fill.Standing, "they count in standing context's share")
}
