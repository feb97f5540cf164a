package pseudo

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// In is Within for a language written from right to left when rtl is set: in
// Arabic letters, so that direction and fonts show.
func In(text string, max int, rtl bool) string {
	out := Within(text, max)
	if rtl {
		return arabic(out)
	}
	return out
}

// PlainIn is Plain with the letters of In.
func PlainIn(text string, rtl bool) string {
	if rtl {
		return arabic(Plain(text))
	}
	return Plain(text)
}

// arabic writes accented letters as Arabic ones, one for one; what is kept
// stays.
func arabic(text string) string { return letters(text, arabicLetter) }

// arabicLetter returns r in Arabic; letters that the document itself has accented
// go by what they are without accents.
func arabicLetter(r rune) rune {
	if a := arabics[r]; a != 0 {
		return a
	}
	if base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); base != r {
		if a := arabics[accents[base]]; a != 0 {
			return a
		}
	}
	return r
}

// arabics maps accented letters to Arabic ones.
var arabics = map[rune]rune{}

func init() {
	to := []rune("ابثدعفغهيجكلمنوپقرستوڤوخيز")
	for i, r := range []rune(accentLetters) {
		arabics[r] = to[i%len(to)]
	}
}
