package text

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"atelier/formats/tags"
)

// TR-02: whatever the marks around it, every word of a text is in a segment.
// Left out of the marks are those of what docs/formats.md says is kept: code,
// HTML, front matter, definitions.
func TestRecallOfAnyText(t *testing.T) {
	marks := map[string][]string{
		"a.md":  {" ", "\n", "\n\n", "*", "**", "_", "[", "](u)", "![", " | ", "\n|---|---|\n", "\n# ", "\n## ", "\n- ", "\n  - ", "\n> ", "\n1. ", "\n- [ ] ", "\n===\n", "\n---\n", "  \n", "\\\n", "\r\n", "[^1]", "\n[^1]: ", "&", "\\*"},
		"a.csv": {",", "\n", "\r\n", "\"", " ", ";", "|", "12", ",,", "\n\n"},
		"a.txt": {" ", "\n", "\n\n", "\r\n", "\t", "  ", " 12 ", " - "},
	}
	for name, ms := range marks {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				var sb strings.Builder
				n := rapid.IntRange(1, 12).Draw(rt, "words")
				sb.WriteString("palabra ")
				for i := range n {
					for _, m := range rapid.SliceOfN(rapid.SampledFrom(ms), 0, 3).Draw(rt, "marks") {
						sb.WriteString(m)
					}
					fmt.Fprintf(&sb, "voz%s", string(rune('a'+i)))
				}
				var all strings.Builder
				for _, s := range segments(t, name, sb.String()) {
					all.WriteString(tags.Plain(s.Text) + " ")
				}
				for i := range n {
					if w := "voz" + string(rune('a'+i)); !strings.Contains(all.String(), w) {
						rt.Fatalf("%q: %q is in no segment of %q", sb.String(), w, all.String())
					}
				}
			})
		})
	}
}
