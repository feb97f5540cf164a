package paragraph

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func found(t *testing.T, s Search, text, replace string) string {
	t.Helper()
	f, err := s.Finder()
	require.NoError(t, err)
	var sb strings.Builder
	at := 0
	ranges, err := f.Ranges(t.Context(), text, replace)
	require.NoError(t, err)
	for _, r := range ranges {
		sb.WriteString(text[at:r.Start] + r.New)
		at = r.End
	}
	return sb.String() + text[at:]
}

func TestSearch(t *testing.T) {
	for _, tc := range []struct {
		s                   Search
		text, replace, want string
	}{
		{Search{Text: "a.c"}, "A.C abc a.c", "$1", "$1 abc $1"},
		{Search{Text: "a.c", MatchCase: true}, "A.C abc a.c", "x", "A.C abc x"},
		{Search{Text: "ÄÖ"}, "äö ÄÖ", "x", "x x"},
		{Search{Text: "tag", WholeWord: true}, "Tag Montag tag_1 étag tag. tagé (TAG)", "x", "x Montag tag_1 étag x. tagé (x)"},
		{Search{Text: "tag tag", WholeWord: true}, "Sonntag tag tag", "x", "Sonntag x"},
		{Search{Text: "+", WholeWord: true}, "a+b", "-", "a-b"},
		{Search{Text: `(\d+) (€)`, Regex: true}, "5 € und 17 €", "$2 ${1}", "€ 5 und € 17"},
		{Search{Text: `^a|b$`, Regex: true}, "aabb", "x", "xabx"},
		{Search{Text: `x*`, Regex: true}, "axxb", "-", "a-b"},
		{Search{Text: `\w+`, Regex: true, WholeWord: true}, "ab éa", "-", "- éa"},
	} {
		require.Equal(t, tc.want, found(t, tc.s, tc.text, tc.replace), "%+v", tc.s)
	}
	_, err := Search{Text: "(", Regex: true}.Finder()
	require.ErrorContains(t, err, "regular expression")
	_, err = Search{}.Finder()
	require.EqualError(t, err, "search is empty")
}

// A plain search with case finds what strings.ReplaceAll does.
func TestSearchAgreesWithStrings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[ab.é]{0,20}`).Draw(r, "text")
		search := rapid.StringMatching(`[ab.é]{1,3}`).Draw(r, "search")
		require.Equal(t, strings.ReplaceAll(text, search, "$x"), found(t, Search{Text: search, MatchCase: true}, text, "$x"))
	})
}

// What is compared by bytes is found where an expression in any case finds it.
func TestFindInAnyCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		search := rapid.StringMatching(`[abAB.k ]{1,4}`).Draw(t, "search")
		text := rapid.StringMatching(`[abABkK. ſ\x{212a}é]{0,30}`).Draw(t, "text")
		f, err := Search{Text: search, WholeWord: rapid.Bool().Draw(t, "words")}.Finder()
		require.NoError(t, err)
		require.NotEmpty(t, f.ascii)
		got, err := f.Ranges(context.Background(), text, "x")
		require.NoError(t, err)
		f.ascii = ""
		want, err := f.Ranges(context.Background(), text, "x")
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
	long, err := Search{Text: strings.Repeat("a", maxASCII+1)}.Finder()
	require.NoError(t, err)
	require.Empty(t, long.ascii, "its cost would be the product of both lengths")
}
