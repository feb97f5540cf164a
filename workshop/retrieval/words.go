package retrieval

import (
	"strings"
	"unicode"
)

// indexText converts text to the form in which the index stores it: words
// separated by spaces; identifiers split by their spelling (parseHTTPRequest,
// read_file); every character of a script without spaces as a word. whole
// lists the split identifiers unsplit. The tokenizer of the index ignores
// case and diacritics. Documents and queries are converted by the same
// function, so that a phrase of one matches a phrase of the other.
func indexText(text string) (split, whole string) {
	var w wordWriter
	w.split.Grow(len(text) + len(text)/8)
	start := -1
	for i, r := range text {
		switch {
		case unspaced(r):
			w.writeWord(text, start, i)
			start = -1
			w.writePart(string(r))
		case inWord(r):
			if start < 0 {
				start = i
			}
		default:
			w.writeWord(text, start, i)
			start = -1
		}
	}
	w.writeWord(text, start, len(text))
	return w.split.String(), w.whole.String()
}

// inWord reports whether the tokenizer counts a character as part of a word:
// letters, numbers and marks, which it strips.
func inWord(r rune) bool {
	return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') || r >= 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// unspaced reports whether r belongs to a script written without spaces.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

type wordWriter struct{ split, whole strings.Builder }

func (w *wordWriter) writePart(s string) {
	if w.split.Len() > 0 {
		w.split.WriteByte(' ')
	}
	w.split.WriteString(s)
}

// writeWord adds the parts of text[start:end].
func (w *wordWriter) writeWord(text string, start, end int) {
	if start < 0 {
		return
	}
	s := text[start:end]
	from := 0
	prev, before := rune(0), rune(0) // the last two characters
	for i, r := range s {
		cut := unicode.IsUpper(r) && unicode.IsLower(prev) || // parse|Request
			unicode.IsLower(r) && unicode.IsUpper(prev) && unicode.IsUpper(before) // HTTP|Request, found at the e
		if cut {
			at := i
			if unicode.IsLower(r) {
				at -= len(string(prev))
			}
			if at > from {
				w.writePart(s[from:at])
				from = at
			}
		}
		before, prev = prev, r
	}
	w.writePart(s[from:])
	if from > 0 {
		if w.whole.Len() > 0 {
			w.whole.WriteByte(' ')
		}
		w.whole.WriteString(s)
	}
}
