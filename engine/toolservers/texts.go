package toolservers

import (
	"strings"
	"unicode/utf8"

	"atelier/internal/textclip"
	"atelier/internal/textsafe"
)

// clean removes what a text hides: characters that cannot be seen or change the
// direction of text. cut reports whether there were any.
func clean(s string) (out string, cut bool) {
	if !utf8.ValidString(s) {
		s, cut = strings.ToValidUTF8(s, "\uFFFD"), true
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.IndexFunc(s, textsafe.Unseen) < 0 {
		return s, cut
	}
	var b strings.Builder
	prev := rune(-1)
	for i, c := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(c):])
		if textsafe.Hidden(prev, c, next) {
			cut = true
		} else {
			b.WriteRune(c)
		}
		prev = c
	}
	return b.String(), cut
}

// line makes a text one clean line of at most n bytes.
func line(s string, n int) string {
	if len(s) > 4*n {
		s = s[:4*n]
	}
	s, _ = clean(s)
	return clip(strings.Join(strings.Fields(s), " "), n)
}

// clip returns the beginning of a text in at most n bytes and a mark.
func clip(s string, n int) string { return textclip.HeadBytes(s, n) }
