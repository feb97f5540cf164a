package docpages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellCommands(t *testing.T) {
	for in, want := range map[string][][]string{
		"atelier run \"a b\" --in x # why":            {{"atelier", "run", "a b", "--in", "x"}},
		"a \\\n  --b 'c d'\ne|f && g; h &":            {{"a", "--b", "c d"}, {"e"}, {"f"}, {"g"}, {"h"}},
		"X=1 W=$(atelier list --json | jq -r '.a') b": {{"b"}, {"atelier", "list", "--json"}, {"jq", "-r", ".a"}},
		"curl \"$(a b)/$W\" >out 2>&1 c <in":          {{"curl", "$()/$W", "2", "c"}, {"a", "b"}},
		"export A=$(x y)":                             {{"export", "A=$()"}, {"x", "y"}},
		"until a; do b; done":                         {{"until", "a"}, {"do", "b"}, {"done"}},
		"":                                            nil,
	} {
		require.Equal(t, want, ShellCommands(in), in)
	}
}
