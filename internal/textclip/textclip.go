// Package textclip shortens texts for people and models.
//
//	textclip.Head("abcdef", 3)      // "abc…": three characters and the mark
//	textclip.Fit("abcdef", 3)       // "ab…": three characters with the mark
//	textclip.Tail("abcdef", 3)      // "…def"
//	textclip.HeadBytes("abcdef", 3) // "abc…": three bytes and the mark
//	textclip.Bytes("abcdef", 3)     // "abc": three bytes, no mark
//
// A text that is short enough is returned unchanged.
package textclip

import (
	"strings"
	"unicode/utf8"
)

const mark = "…"

// Head returns the first n characters of s, followed by "…" when s is longer.
func Head(s string, n int) string {
	if end := offset(s, n); end < len(s) {
		return s[:end] + mark
	}
	return s
}

// Fit returns s in at most n characters. The last of them is "…" when s is
// longer. n is at least 1.
func Fit(s string, n int) string {
	if offset(s, n) == len(s) {
		return s
	}
	return s[:offset(s, n-1)] + mark
}

// Tail returns the last n characters of s, after "…" when s is longer.
func Tail(s string, n int) string {
	from := len(s)
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	if from == 0 {
		return s
	}
	return mark + s[from:]
}

// HeadBytes returns at most the first n bytes of s, followed by "…" when s is
// longer. It then drops bytes that are not UTF-8, such as half a character at
// the end.
func HeadBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + mark
}

// Bytes returns the longest prefix of s that has at most n bytes and splits no
// character.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// UTF16 returns the longest prefix of s that has at most n UTF-16 code units,
// the unit of many limits of Office formats.
func UTF16(s string, n int) string {
	for i, c := range s {
		if n--; c > 0xFFFF {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

// offset returns the number of bytes of the first n characters of s.
func offset(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
