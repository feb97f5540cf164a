package translate

import (
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
)

// count gives the words and characters of a text with inline tags. A word is a
// run without blanks that has a letter or digit; scripts that write no blanks
// count by letter, as translators are paid.
func count(text string) (words, chars int) {
	plain := tags.Plain(text)
	in := false
	for _, r := range plain {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			in = false
			if unicode.IsLetter(r) {
				words++
			}
		case unicode.IsSpace(r):
			in = false
		case !in && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			in = true
			words++
		}
	}
	return words, utf8.RuneCountInString(plain)
}

// tokens estimates what a model counts of a text: about four characters of a
// European language, one of others.
func tokens(text string) int {
	latin, other := 0, 0
	for _, r := range text {
		if r < 0x0590 {
			latin++
		} else {
			other++
		}
	}
	return (latin+3)/4 + other
}

// What a request takes beside the texts, in tokens: the rules of the
// conversation with the tool's schema, and a segment's id, place and marks there
// and back.
const (
	tokensPerBatch   = 900
	tokensPerSegment = 30
	tokensPerAnswer  = 15
	growth           = 1.2 // of a translation over its source
)
