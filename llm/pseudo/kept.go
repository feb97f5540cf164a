package pseudo

import (
	"unicode"
	"unicode/utf8"
)

// keptIn returns the places of what a translation must leave alone. Most texts hold
// nothing but words and numbers, which needs no search with the expression.
func keptIn(text string) [][]int {
	numbers := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= '0' && c <= '9' || c >= utf8.RuneSelf:
			numbers = true
		case mayKeep(c, byteAt(text, i-1), byteAt(text, i+1)):
			return kept.FindAllStringIndex(text, -1)
		}
	}
	if !numbers {
		return nil
	}
	return numberWords(text)
}

// mayKeep reports whether a character with its neighbours (a blank at the ends) may be part
// of what kept matches beside numbers.
func mayKeep(c, before, after byte) bool {
	switch c {
	case '`', '{', '@', '/', '\\', '&':
		return true
	case '<':
		return after == '/' || isDigit(after)
	case '%':
		return isWord(after) || after == '(' || after == '#' || after == '+' || after == '-' || after == '.' || after == '@'
	case ':':
		return after != ' ' && isWord(before)
	case '.': // of a file's name, or after www
		return before == 'w' || before == 'W' || (isWord(before) || before == '-') && after >= 'a' && after <= 'z'
	}
	return false
}

func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return ' '
	}
	return s[i]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// numberWords returns the places of the words that have a digit.
func numberWords(text string) (out [][]int) {
	start, number := -1, false
	for i, r := range text {
		n := unicode.IsNumber(r)
		if n || r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) {
			if start < 0 {
				start = i
			}
			number = number || n
			continue
		}
		if number {
			out = append(out, []int{start, i})
		}
		start, number = -1, false
	}
	if number {
		out = append(out, []int{start, len(text)})
	}
	return out
}
