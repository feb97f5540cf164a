package search

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// C-23: the error names what RE2 lacks of PostgreSQL's expressions and what
// to write instead; similar patterns that RE2 supports are accepted.
func TestGrepNamesWhatIsLacking(t *testing.T) {
	v := view(t, map[string]string{"f": "x\n"})
	for pattern, want := range map[string][2]string{
		`(foo|bar) \1`: {`the back-reference \1`, "write out what the group may hold"},
		`foo(?=bar)`:   {"the look-ahead (?=…)", "foobar for foo(?=bar)"},
		`a[b]c(?!x)`:   {"the negative look-ahead (?!…)", "foo([^b]|$)"},
		`(?<=a)b`:      {"the look-behind (?<=…)", "what comes before"},
		`(?<!a)b`:      {"the negative look-behind (?<!…)", "(^|[^a])foo"},
		`[[.hyphen.]]`: {"the collating element [.hyphen.]", "write its characters"},
		`x[a[=e=]z]y`:  {"the equivalence class [=e=]", "such as [eéè]"},
		`[[:<:]]cat`:   {"the word boundary [[:<:]]", `write \m`},
		`cat[[:>:]]`:   {"the word boundary [[:>:]]", `write \M`},
		`***=a.b`:      {"the director ***=", "leave it out"},
		`(?x) a b # c`: {"the option x in (?x)", "blanks and comments"},
		`(?in)a`:       {"the option n in (?in)", "(?m)"},
		`(?c)A`:        {"the option c in (?c)", "case_sensitive"},
		`a(?#remark)b`: {"the comment (?#…)", "leave it out"},
		`\cA`:          {`the escape \cA`, `\x01`},
	} {
		_, err := Grep(ctx, v, GrepOptions{Pattern: pattern})
		requireInvalid(t, err, "pattern")
		require.Contains(t, err.Error(), "the pattern has "+want[0]+", which RE2 expressions lack", pattern)
		require.Contains(t, err.Error(), want[1], pattern)
	}
	for _, pattern := range []string{`\\1`, `\Q(?=a)\1\E`, `[\\(?=]`, `[(?=a]`, `\(?=a`, `[]\]]\d`, `(?i)a`, `(?P<n>a)`, `(?<n>a)`, `(?:a)`, `[[:alpha:]]`, `[^]a]`, `a[.]b[=]`, `\` + "\\"} {
		require.Empty(t, lackingFeature(pattern), pattern)
	}
	for _, pattern := range []string{``, `[`, `\`, `(`, `[^`, `[[:`, `\c`, `\Q`, `[\`, `***`} { // cut anywhere
		lackingFeature(pattern)
	}
}

// C-23: escapes that only have another name in RE2.
func TestGrepEscapesOfPostgres(t *testing.T) {
	v := view(t, map[string]string{"f": "café\n\x1b[0m\nend\n"})
	for pattern, line := range map[string]int{`caf\u00e9\Z`: 1, `\A\U00000063af`: 1, `\e\[0m`: 2, `end\Z`: 3} {
		got, err := Grep(ctx, v, GrepOptions{Pattern: pattern})
		require.NoError(t, err, pattern)
		require.Len(t, got.Matches, 1, pattern)
		require.Equal(t, line, got.Matches[0].Line, pattern)
	}
	_, err := Grep(ctx, v, GrepOptions{Pattern: `\u12`})
	requireInvalid(t, err, "pattern")
}
