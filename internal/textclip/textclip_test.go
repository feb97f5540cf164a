package textclip_test

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/internal/textclip"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s                             string
		n                             int
		head, fit, tail, bytes, units string
		headBytes                     string
	}{
		{"", 3, "", "", "", "", "", ""},
		{"abc", 3, "abc", "abc", "abc", "abc", "abc", "abc"},
		{"abcd", 3, "abc…", "ab…", "…bcd", "abc", "abc", "abc…"},
		{"äöü", 3, "äöü", "äöü", "äöü", "ä", "äöü", "ä…"},
		{"äöüß", 3, "äöü…", "äö…", "…öüß", "ä", "äöü", "ä…"},
		{"😀😀", 1, "😀…", "…", "…😀", "", "", "…"},
		{"😀😀", 2, "😀😀", "😀😀", "😀😀", "", "😀", "…"},
		{"a\xffb", 2, "a\xff…", "a…", "…\xffb", "a\xff", "a\xff", "a…"},
	} {
		require.Equal(t, c.head, textclip.Head(c.s, c.n), c.s)
		require.Equal(t, c.fit, textclip.Fit(c.s, c.n), c.s)
		require.Equal(t, c.tail, textclip.Tail(c.s, c.n), c.s)
		require.Equal(t, c.bytes, textclip.Bytes(c.s, c.n), c.s)
		require.Equal(t, c.units, textclip.UTF16(c.s, c.n), c.s)
		require.Equal(t, c.headBytes, textclip.HeadBytes(c.s, c.n), c.s)
	}
}

// TestLikeRunes compares each function with its definition in characters.
func TestLikeRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "n")
		r := []rune(s)
		head, fit, tail := s, s, s
		if len(r) > n {
			head, fit, tail = string(r[:n])+"…", string(r[:n-1])+"…", "…"+string(r[len(r)-n:])
		}
		require.Equal(t, head, textclip.Head(s, n))
		require.Equal(t, fit, textclip.Fit(s, n))
		require.Equal(t, tail, textclip.Tail(s, n))
		require.True(t, utf8.ValidString(textclip.Bytes(s, n)))
		require.LessOrEqual(t, len(textclip.Bytes(s, n)), n)
		units := textclip.UTF16(s, n)
		require.LessOrEqual(t, len(utf16.Encode([]rune(units))), n)
		if rest := []rune(s[len(units):]); len(rest) > 0 {
			require.Greater(t, len(utf16.Encode([]rune(units)))+utf16.RuneLen(rest[0]), n)
		}
	})
}
