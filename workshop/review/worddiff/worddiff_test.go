package worddiff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// RV-06: an excerpt has every change in full, and leaves out only text that
// both sides have.
func TestRV06Excerpt(t *testing.T) {
	long := strings.Repeat("same words ", 40)
	before, after := Compare(long+"the first "+long+"six months "+long, long+"the second "+long+"two years "+long)
	require.Equal(t, "… words the first same words…same words six months same words…", squeeze(Excerpt(before, 11)))
	require.Equal(t, "… words the second same words…same words two years same words…", squeeze(Excerpt(after, 11)))
	require.Equal(t, "…", Excerpt([]Span{{"nothing changed", ""}}, 10))

	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "bb", "ccc", " ", "é", "7.5"})
		a := strings.Join(rapid.SliceOfN(word, 0, 80).Draw(t, "a"), "")
		b := strings.Join(rapid.SliceOfN(word, 0, 80).Draw(t, "b"), "")
		before, _ := Compare(a, b)
		rest := a
		for _, part := range strings.Split(Excerpt(before, rapid.IntRange(1, 9).Draw(t, "around")), "…") {
			_, after, found := strings.Cut(rest, part)
			require.True(t, found, "%q is not of the text", part)
			rest = after
		}
		shown := Excerpt(before, 1)
		for _, s := range before {
			if s.Class != "" {
				require.Contains(t, shown, s.Text)
			}
		}
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
