// Package textsafe makes hidden characters of a text visible: characters that
// would hide text or change its direction are spelled out.
//
//	textsafe.Text("pay 1\u202e0000") // "pay 1⟦U+202E⟧0000"
package textsafe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out the characters of s that are Hidden between their
// neighbours.
func Text(s string) string {
	if strings.IndexFunc(s, Unseen) < 0 {
		return s
	}
	var b strings.Builder
	prev := rune(-1)
	for i, c := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(c):])
		if Hidden(prev, c, next) {
			b.WriteString(Spelled(c))
		} else {
			b.WriteRune(c)
		}
		prev = c
	}
	return b.String()
}

// Spelled returns the number of a character as text.
func Spelled(c rune) string { return fmt.Sprintf("⟦U+%04X⟧", c) }

// Unseen reports whether a character is invisible or changes the direction of
// text: control characters other than tab and line end, the ends of lines and
// paragraphs that Unicode adds (U+2028, U+2029), and what the Unicode Character
// Database calls Bidi_Control (UAX #9) or Default_Ignorable_Code_Point, which
// has joiners, fillers, soft hyphens, variation selectors and tags.
func Unseen(c rune) bool {
	if c < 0xA0 {
		return c != '\n' && c != '\t' && unicode.IsControl(c)
	}
	if c == 0x2028 || c == 0x2029 || unicode.Is(unicode.Bidi_Control, c) {
		return true
	}
	// DerivedCoreProperties.txt: Default_Ignorable_Code_Point.
	return unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, c) && !unicode.Is(unicode.Prepended_Concatenation_Mark, c) &&
			!(c >= 0xFFF9 && c <= 0xFFFB) && !(c >= 0x13430 && c <= 0x1345F)
}

// Hidden reports whether Text spells out c between prev and next. That is what
// is Unseen, except where spelling it out would garble ordinary text: joiners
// inside emoji and inside words of scripts that join letters, and variation
// selectors behind symbols, digits and ideographs. prev and next are negative
// or utf8.RuneError at the ends of a text.
func Hidden(prev, c, next rune) bool {
	switch {
	case !Unseen(c):
		return false
	case c == 0x200C || c == 0x200D: // ZWNJ, ZWJ
		return !(joins(prev) && (joins(next) || c == 0x200C))
	case unicode.Is(unicode.Variation_Selector, c):
		return !selects(prev)
	}
	return true
}

// joins reports whether a joiner beside c is ordinary: c belongs to an emoji, or
// to a script whose letters join.
func joins(c rune) bool {
	return unicode.In(c, unicode.So, unicode.Sk, unicode.Variation_Selector,
		unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar) || c == 0x2640 || c == 0x2642
}

// selects reports whether a variation selector behind c is ordinary.
func selects(c rune) bool {
	return c >= '0' && c <= '9' || c == '#' || c == '*' || unicode.In(c, unicode.So, unicode.Sm, unicode.Sk, unicode.Han, unicode.Mongolian, unicode.Myanmar) ||
		c == 0x203C || c == 0x2049
}
