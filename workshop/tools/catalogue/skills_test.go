package catalogue_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/skills"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// Skills name only tools, operations and arguments that there are, and one answer
// has the whole of a skill.
func TestSkillsNameWhatThereIs(t *testing.T) {
	b, err := json.Marshal(catalogue.Workshop().Tools())
	require.NoError(t, err)
	word := regexp.MustCompile(`[a-z]+(_[a-z]+)+`)
	known := map[string]bool{}
	for _, w := range word.FindAllString(string(b), -1) {
		known[w] = true
	}
	require.Equal(t, []string{"clean", "deck", "reconcile", "redline", "report", "template", "translate"}, skills.Names())
	for _, name := range skills.Names() {
		args, err := json.Marshal(map[string]string{"name": name})
		require.NoError(t, err)
		r := catalogue.Workshop().Call(t.Context(), &tools.Env{}, "read_skill", args)
		require.True(t, r.Success && !r.Truncated, r.Text)
		require.True(t, strings.HasPrefix(r.Text, "# "), r.Text)
		words := word.FindAllString(r.Text, -1)
		require.NotEmpty(t, words)
		for _, w := range words {
			require.True(t, known[w], "%s names %s", name, w)
		}
	}
	for _, name := range []string{"", "../clean", "clean.md", "none"} {
		args, err := json.Marshal(map[string]string{"name": name})
		require.NoError(t, err)
		r := catalogue.Workshop().Call(t.Context(), &tools.Env{}, "read_skill", args)
		require.False(t, r.Success, name)
	}
}
