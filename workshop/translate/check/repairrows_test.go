package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tags"
)

// Where a repair puts the tags that a model lost, doubled or crossed, in several
// languages.
func TestRepairRows(t *testing.T) {
	for _, c := range []struct{ name, source, target, want string }{
		{"nothing to do", "<1>One</1> two", "<1>Eins</1> zwei", "<1>Eins</1> zwei"},
		{"around the whole text", "<1>One two</1>", "Eins zwei", "<1>Eins zwei</1>"},
		{"around the same name", "Ask <1>Dr. Meyer</1> first", "Fragen Sie zuerst Dr. Meyer", "Fragen Sie zuerst <1>Dr. Meyer</1>"},
		{"around the same number", "It costs <1>1,250</1> today", "Heute kostet es 1,250", "Heute kostet es <1>1,250</1>"},
		{"at the same share of the text", "Click <1>here</1> now", "Klicken Sie jetzt hier", "Klicken <1>Sie jetzt</1> hier"},
		{"in a script without blanks", "Click <1>here</1> now", "ここをクリック", "<1>ここをクリック</1>"},
		{"at least a word", "a <1>b</1> c d e f g h", "eins", "<1>eins</1>"},
		{"an object at the start", "<1/>Text", "Texto", "<1/>Texto"},
		{"an object at the end", "Text<1/>", "Texto", "Texto<1/>"},
		{"an object between words", "one<1/> two", "uno dos", "uno <1/>dos"},
		{"a doubled pair", "<1>a</1> b", "<1>a</1> <1>b</1>", "<1>a</1> b"},
		{"tags of another text", "<1>a</1>", "<1>a</1><5>b</5><6/>", "<1>a</1>b"},
		{"a pair in place of an object", "a<1/>b", "a<1></1>b", "a<1/>b"},
		{"an opening tag alone", "<1>one</1> two", "<1>uno dos", "<1>uno</1> dos"},
		{"an opening tag alone, of the rest of the text", "one <1>two three</1>", "uno <1>dos tres cuatro cinco seis siete", "uno <1>dos tres cuatro cinco seis siete</1>"},
		{"a closing tag alone", "one <1>two</1>", "uno dos</1>", "uno <1>dos</1>"},
		{"a pair the wrong way round", "one <1>two</1>", "uno </1>dos<1>", "uno dos<1></1>"},
		{"pairs that cross", "<1>a</1><2>b</2>", "<1>a<2>b</1>c</2>", "<1>a</1><2>bc</2>"},
		{"nested pairs that cross", "<1>a<2>b</2></1>", "<1>a<2>b</1>c</2>", "<1>a<2>b</2></1>c"},
		{"blanks at the edges", "  One ", "Eins", "  Eins "},
		{"blanks within tags at the edges", "<1> One</1>", "<1>Eins</1>", "<1> Eins</1>"},
		{"blanks that the source does not have", "One", "\n Eins \n", "Eins"},
		{"characters that mean tags", "a < b", "a < c", "a < c"},
		{"an empty translation", "<1>One</1>", "", "<1></1>"},
	} {
		got, ok := Repair(c.source, c.target)
		assert.True(t, ok, c.name)
		assert.Equal(t, c.want, got, c.name)
		assert.NoError(t, tags.Check(c.source, got), c.name)
	}
}

// simpleNested reports whether tags nest, by taking innermost pairs out one
// after the other.
func simpleNested(tokens []tags.Token) bool {
	var left []tags.Token
	for _, tok := range tokens {
		if tok.Kind == tags.Open || tok.Kind == tags.Close {
			left = append(left, tok)
		}
	}
	for {
		i := slices.IndexFunc(left, func(tok tags.Token) bool { return tok.Kind == tags.Close })
		if i < 0 {
			return len(left) == 0
		}
		if i == 0 || left[i-1].Kind != tags.Open || left[i-1].N != left[i].N {
			return false
		}
		left = slices.Delete(left, i-1, i+1)
	}
}

// Of any complete pairs, in any order, nestTags makes nested ones with the same
// text and the same tags.
func TestNestTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tokens []tags.Token
		n := rapid.IntRange(1, 4).Draw(t, "pairs")
		parents := map[int]int{}
		for i := 1; i <= n; i++ {
			tokens = append(tokens, tags.Token{Kind: tags.Open, N: i}, tags.Token{Kind: tags.Close, N: i})
			parents[i] = rapid.IntRange(0, i-1).Draw(t, "parent")
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "words") {
			tokens = append(tokens, tags.Token{Text: fmt.Sprintf("w%d ", i)})
		}
		tokens = rapid.Permutation(tokens).Draw(t, "order")
		out := nestTags(tokens, parents)
		require.True(t, simpleNested(out), "%v from %v", out, tokens)
		require.Equal(t, plainOf(tokens), plainOf(out))
		for i := 1; i <= n; i++ {
			for _, kind := range []tags.Kind{tags.Open, tags.Close} {
				count := 0
				for _, tok := range out {
					if tok == (tags.Token{Kind: kind, N: i}) {
						count++
					}
				}
				require.Equal(t, 1, count, "%v from %v", out, tokens)
			}
		}
	})
}

// The edges of any translation are those of its source.
func TestSameEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.StringMatching(`[ \t\n]{0,3}`)
		word := rapid.SampledFrom([]string{"word", "a b", "合同", "é<1/>x"})
		source := edge.Draw(t, "lead") + "text<1/>" + edge.Draw(t, "trail")
		before, core, after := edge.Draw(t, "other lead"), word.Draw(t, "core"), edge.Draw(t, "other trail")
		got := sameEdges(source, before+core+after)
		lead, trail := edges(tags.Plain(source))
		require.Equal(t, lead+tags.Plain(core)+trail, tags.Plain(got))
		require.Equal(t, strings.Count(core, "<1/>"), strings.Count(got, "<1/>"))
	})
}

// A number in any notation is the same number, and never another one.
func TestNumbersInAnyNotation(t *testing.T) {
	digits := map[string]string{"latin": "0123456789", "arabic": "٠١٢٣٤٥٦٧٨٩", "devanagari": "०१२३४५६७८९", "wide": "０１２３４５６７８９", "thai": "๐๑๒๓๔๕๖๗๘๙"}
	write := func(n, cents int, group, point, script string) string {
		s := fmt.Sprint(n)
		var parts []string
		for len(s) > 3 {
			parts = append([]string{s[len(s)-3:]}, parts...)
			s = s[:len(s)-3]
		}
		s = strings.Join(append([]string{s}, parts...), group)
		if cents > 0 {
			s += fmt.Sprintf("%s%02d", point, cents)
		}
		var sb strings.Builder
		for _, r := range s {
			if r >= '0' && r <= '9' {
				r = []rune(digits[script])[r-'0']
			}
			sb.WriteRune(r)
		}
		return sb.String()
	}
	notation := rapid.SampledFrom([][2]string{{",", "."}, {".", ","}, {"\u00a0", ","}, {"\u202f", ","}, {"'", "."}, {"٬", "٫"}, {" ", ","}})
	script := rapid.SampledFrom([]string{"latin", "arabic", "devanagari", "wide", "thai"})
	rapid.Check(t, func(t *rapid.T) {
		n, cents := rapid.IntRange(1000, 99_999_999).Draw(t, "n"), rapid.IntRange(0, 99).Draw(t, "cents")
		a, b := notation.Draw(t, "from"), notation.Draw(t, "to")
		source := write(n, cents, a[0], a[1], script.Draw(t, "script"))
		target := write(n, cents, b[0], b[1], script.Draw(t, "other script"))
		found := numberFindings("pay "+source+" euros", "zahle "+target+" Euro")
		require.Empty(t, found, "%s and %s", source, target)
		other := write(n+rapid.IntRange(1, 900).Draw(t, "more"), cents, b[0], b[1], "latin")
		require.NotEmpty(t, numberFindings("pay "+source+" euros", "zahle "+other+" Euro"), "%s and %s", source, other)
	})
}

func numberFindings(source, target string) []Finding {
	return Rules{}.numbersOf(source, target, &side{plain: tags.Plain(source)}, &side{plain: tags.Plain(target)})
}
