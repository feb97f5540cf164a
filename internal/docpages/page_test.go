package docpages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = "# The `first` page\n\nSee [there](b.md#x) and ![p](p.png).\n\n<!-- setup\ncp a b\n-->\n\n```sh no-run=\"needs a key\" other=\"1\"\natelier run\n```\n\n<!-- a remark -->\n\n<!-- model f.txtar -->\n\n" +
	"## [Twice](c.md)\n\n## Twice\n\n| a | b |\n|---|---|\n| `atelier list` | <https://example.org> |\n\n- item\n\n  ```console\n  $ echo\n  ```\n"

func TestPage(t *testing.T) {
	p := Parse("a.md", []byte(sample))
	require.Equal(t, []Block{
		{"setup", nil, "cp a b\n", 6},
		{"sh", map[string]string{"no-run": "needs a key", "other": "1"}, "atelier run\n", 10},
		{"model", nil, "f.txtar", 15},
		{"console", map[string]string{}, "$ echo\n", 28},
	}, p.Blocks())
	require.Equal(t, []Link{{"b.md#x", 3}, {"p.png", 3}, {"c.md", 17}, {"https://example.org", 23}}, p.Links())
	require.Equal(t, []Heading{{1, "The first page", "the-first-page", 1}, {2, "Twice", "twice", 17}, {2, "Twice", "twice-1", 19}}, p.Headings())
	require.Equal(t, "The first page", p.Title())
	require.Equal(t, []Code{{"first", 1}, {"atelier list", 23}}, p.Codes())
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{
		"Consent, and what leaves the machine": "consent-and-what-leaves-the-machine",
		"XLIFF 1.2 – what & why":               "xliff-12--what--why",
		"`set_cells`":                          "set_cells",
		"Größe":                                "größe",
	} {
		require.Equal(t, want, Anchor(heading))
	}
}
