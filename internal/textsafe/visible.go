// Package textsafe makes hidden characters of a text visible: characters that
// would hide text or change its direction are spelled out.
//
//	textsafe.Text("pay 1\u202e0000") // "pay 1⟦U+202E⟧0000"
package textsafe

import (
	"fmt"
	"strings"
	"unicode"
)

// Text spells out control characters except tab and line end, characters
// without width, and the marks, embeddings and isolates of direction (UAX
// #9).
func Text(s string) string {
	if strings.IndexFunc(s, Unseen) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if Unseen(c) {
			b.WriteString(Spelled(c))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// Spelled returns the number of a character as text.
func Spelled(c rune) string { return fmt.Sprintf("⟦U+%04X⟧", c) }

// Unseen reports whether Text spells a character out.
func Unseen(c rune) bool {
	switch {
	case c == '\n', c == '\t':
		return false
	case unicode.IsControl(c), c == 0x200B, c == 0x2060, c == 0xFEFF, c == 0x061C, c == 0x200E, c == 0x200F:
		return true
	}
	return c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069 || c >= 0xE0000 && c <= 0xE007F
}
