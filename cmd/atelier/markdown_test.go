package main

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// laid returns a text formatted for a terminal, in parts like the printer.
func laid(source string, width int, styles palette) string {
	var parts markdownParts
	var sb strings.Builder
	for i, p := range append(parts.add(source), parts.rest()...) {
		if i > 0 && !p.more {
			sb.WriteString("\n")
		}
		sb.WriteString(layout{styles, width}.render(p))
	}
	return sb.String()
}

// Markdown as text: headings, emphasis, lists, code and tables.
func TestMarkdownAsText(t *testing.T) {
	const source = "# Prices\n\nThe **new** ones are in `data.xlsx`, see [the site](https://example.org).\n\n" +
		"- one\n- two\n  1. first\n  2. second, which is longer than the line is wide\n\n" +
		"> said so\n\n| Item | EUR |\n|---|---:|\n| Oil | 8.90 |\n| Vinegar | 12.00 |\n\n```go\nx := 1\n\n# no heading\n```\n"
	require.Equal(t, `# Prices

The new ones are in
`+"`data.xlsx`"+`, see the site
(https://example.org).

• one
• two
  1. first
  2. second, which is
     longer than the line
     is wide

│ said so

Item       EUR
───────  ─────
Oil       8.90
Vinegar  12.00

    x := 1

    # no heading
`, laid(source, 26, palette{}))

	colored := palette{head: bold, emph: italic, code: cyan, off: plainText}
	require.Equal(t, bold+"Prices"+plainText+"\n\nThe "+bold+"new"+plainText+" "+italic+"one"+plainText+" "+cyan+"x"+plainText+".\n",
		laid("## Prices\nThe __new__ *one* `x`.", 80, colored))
	require.Equal(t, "Item: Oil of\n  olives\nEUR: 8.90\n", laid("| Item | EUR |\n|---|---|\n| Oil of olives | 8.90 |\n", 14, palette{}))
}

// Streamed text is formatted in the same parts for any division into pieces,
// and no text of the model is lost.
func TestMarkdownPartsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "word", "- item", "  more", "1. one", "```", "~~~~", "> quote", "# Head", "| a | b |", "|---|---|", "    code", "* * *", "<b>", "two words"}), 0, 12).Draw(t, "lines")
		source := strings.Join(lines, "\n")
		var whole, pieces markdownParts
		want := append(whole.add(source), whole.rest()...)
		var got []markdownPart
		for _, r := range source {
			got = append(got, pieces.add(string(r))...)
		}
		got = append(got, pieces.rest()...)
		require.Equal(t, want, got)
		text := laid(source, 40, palette{})
		for _, word := range []string{"word", "item", "quote", "Head", "two words"} {
			require.LessOrEqual(t, strings.Count(source, word), strings.Count(text, word), "%q became %q", source, text)
		}
	})
}

// Text that is too long or nested too deeply is limited, and still printed.
func TestMarkdownIsBounded(t *testing.T) {
	long := strings.Repeat("word\n", 20_000)
	require.Equal(t, 20_000, strings.Count(laid(long, 80, palette{}), "word\n"))
	for _, evil := range []string{strings.Repeat(">", 10_000) + " deep", strings.Repeat("- ", 5_000) + "deep", strings.Repeat("*", 20_000) + "deep", strings.Repeat("[", 20_000) + "deep"} {
		text := laid(evil, 80, palette{})
		require.Contains(t, text, "deep")
		require.Less(t, len(text), 1<<20)
	}
	var parts markdownParts
	n := 0
	for range 100 {
		for _, p := range parts.add(strings.Repeat("x", 10_000)) {
			n += len(p.text)
		}
		require.LessOrEqual(t, parts.part.Len()+len(parts.line), 3*maxPart)
	}
	for _, p := range parts.rest() {
		n += len(p.text)
	}
	require.GreaterOrEqual(t, n, 1_000_000)
}

func TestClipColumns(t *testing.T) {
	require.Equal(t, "short", clipColumns("short", 10))
	require.Equal(t, "wide 漢…", clipColumns("wide 漢字 and more", 9))
	require.LessOrEqual(t, uniseg.StringWidth(clipColumns("漢字漢字", 4)), 4)
}
