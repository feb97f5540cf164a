package pseudo

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestKeptIn: the scan before the expression finds what the expression finds.
func TestKeptIn(t *testing.T) {
	pieces := []string{"a", "B", "é", "٣", "½", "1", "0.5", "_", " ", "\n", ".", "-", ":", "/", "\\", "%", "s", "d", "<1>", "</1>", "<", "&", "&amp;", "`", "{0}", "{", "}", "www", "x.md", "read.doc",
		"http", "mailto:", "C:\\", "@", "one", "one {", "[", "]", "(", ")", "#", "+", "ı", "ſ", "\u0301", "\xff", "\x00", "\u00a0", "中", "H2O"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "s"), "")
		want := kept.FindAllStringIndex(s, -1)
		require.Equal(t, want, keptIn(s), "%q", s)
		require.Equal(t, strings.ContainsFunc(kept.Regexp().ReplaceAllString(s, ""), unicode.IsLetter), translatable(s), "%q", s)
	})
}
