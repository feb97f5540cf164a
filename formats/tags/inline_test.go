package tags

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseKeepsWhatIsNoTag(t *testing.T) {
	require.Equal(t, []Token{{Text: "a < b & c "}, {Kind: Open, N: 1}, {Text: "x"}, {Kind: Close, N: 1}, {Kind: Single, N: 2}, {Text: "<b>"}},
		Parse("a < b &amp; c <1>x</1><2/>&lt;b>"))
	require.Equal(t, "a < b", Plain("a <3>< b</3>"))
}

func TestCheckNamesTheTag(t *testing.T) {
	require.NoError(t, Check("<1>a</1> b <2/>", "<2/> b <1>a</1>"))
	for target, want := range map[string]string{
		"a b <2/>":               "the tag <1> is missing",
		"<1>a</1> <2/> <3/>":     "the tag <3/> is not in the source",
		"<1>a</1> <1>b</1> <2/>": "the tag <1> stands twice",
		"<1>a <2/>":              "<1> is not closed",
		"</1>a<1> <2/>":          "</1> closes a tag that is not the last one open",
	} {
		require.EqualError(t, Check("<1>a</1> b <2/>", target), want)
	}
}

func TestStringIsTheInverseOfParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab<>/&12lt; é"))).Draw(t, "s")
		toks := Parse(s)
		require.Equal(t, toks, Parse(String(toks)))
		lit := []Token{{Text: s}}
		if s != "" {
			require.Equal(t, lit, Parse(String(lit)))
		}
	})
}
