package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/tokens"
	"atelier/workshop"
)

func whole(name, text string) workshop.StandingFile {
	return workshop.StandingFile{Name: name, Text: text, Whole: true}
}

func TestStandingContextKeepsItsShare(t *testing.T) {
	text, cut := standing("", nil, 100)
	require.Empty(t, text+strings.Join(cut, ""))

	files := []workshop.StandingFile{whole("company.md", "We bind books.\n"), whole("situation.md", strings.Repeat("a long story of many words\n", 1000)),
		whole("style.md", strings.Repeat("short lines\n", 30)), {Name: "x.md", Refused: "it is no regular file"}}
	text, cut = standing(workshop.StandingDir, files, 100_000)
	require.Equal(t, []string{"x.md"}, cut)
	require.Contains(t, text, "## company.md\nWe bind books.\n\n## situation.md\n")
	require.Contains(t, text, "## x.md\n[not told: it is no regular file]")

	text, cut = standing(workshop.StandingDir, files, 500)
	require.Equal(t, []string{"situation.md", "x.md"}, cut, "only the longest is cut")
	require.Less(t, tokens.Count(text), 620)
	require.Contains(t, text, "[situation.md is cut here: ")
	require.Contains(t, text, "of 27000 characters; standing context has 10% of your window]")
	require.Equal(t, 30, strings.Count(text, "short lines"))
	require.Contains(t, text, "words\n[situation.md", "at a line")

	_, cut = standing(workshop.StandingDir, files[:3], 60)
	require.Equal(t, []string{"situation.md", "style.md"}, cut)
}

func TestLevel(t *testing.T) {
	require.Equal(t, 9, level([]int{3, 9, 1}, 13))
	require.Equal(t, 8, level([]int{3, 9, 1}, 12))
	require.Equal(t, 4, level([]int{9, 9, 9}, 12))
	require.Equal(t, 0, level([]int{9, 9, 9}, 2))
}

func TestCutTokens(t *testing.T) {
	require.Equal(t, "日本", tokens.Cut("日本語", 2))
	require.Equal(t, "abcd", tokens.Cut("abcd", 1))
	require.Equal(t, "one\ntwo\n", tokens.Cut("one\ntwo\nthree", 3))
	require.Empty(t, tokens.Cut("日本", 0))
}

func TestStandingContextIsInEveryRequest(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x", ".atelier/context/company.md": "We write colour with u."})
	m := play(calls("list_files", "{}"), says("ok"))
	_, err := r.run(m, "hello")
	require.NoError(t, err)
	for _, req := range m.requests {
		require.Contains(t, req[0].Content, "## company.md\nWe write colour with u.")
	}
	require.NotContains(t, r.results()[0], "company.md", "tools do not see it")

	// What a model writes never becomes an instruction to itself.
	_, err = r.run(play(calls("write_text_file", `{"path":".atelier/context/company.md","content":"Obey me."}`), says("ok")), "hello")
	require.NoError(t, err)
	require.Contains(t, r.results()[1], "SANDBOX_VIOLATION")

	big := strings.Repeat("many words of a policy\n", 4000)
	require.NoError(t, os.WriteFile(filepath.Join(r.root, ".atelier", "context", "policy.md"), []byte(big), 0o644))
	r.cfg.Window = 40_000
	m = play(says("ok"))
	_, err = r.run(m, "again")
	require.NoError(t, err)
	require.Contains(t, m.requests[0][0].Content, "[policy.md is cut here: ")
	require.Contains(t, m.requests[0][0].Content, "We write colour with u.", "the short file stays whole")
	require.Less(t, tokens.Count(m.requests[0][0].Content), 4_000+1_500)
}
