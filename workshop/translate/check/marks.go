package check

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// The expressions of this package run only over texts that hold a character without
// which they cannot match. Most texts hold none.

// side is the source or the target of a check, without tags.
type side struct {
	plain string

	known bool
	parts []kept
	rest  string
}

// kept returns the parts that must stay, and the text without them.
func (s *side) kept() ([]kept, string) {
	if !s.known {
		s.parts, s.rest = keptIn(s.plain)
		s.known = true
	}
	return s.parts, s.rest
}

// marks say which parts that must stay a text may have.
type marks struct{ code, address, holder, brace, path, null bool }

// marksIn finds them in one pass over the text.
func marksIn(s string) (m marks) {
	slashes := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '`':
			m.code = true
		case '@':
			m.address = true
		case ':':
			m.address = m.address || i+1 < len(s) && s[i+1] == '/'
			m.path = m.path || i+1 < len(s) && s[i+1] == '\\'
		case '%':
			m.holder = m.holder || i+1 < len(s) && (isASCIIWord(s[i+1]) || strings.IndexByte("(-+#*.@", s[i+1]) >= 0)
		case '$':
			m.holder = m.holder || i+1 < len(s) && s[i+1] == '{'
		case '{':
			m.brace = true
			m.holder = m.holder || i+1 < len(s) && s[i+1] == '{'
		case '<':
			m.holder = m.holder || i+1 < len(s) && s[i+1] == '%'
		case '\\':
			m.path = m.path || i+1 < len(s) && s[i+1] == '\\'
		case '/':
			slashes++
			m.path = m.path || slashes == 2
		case '.':
			if i == 0 || i+1 == len(s) {
				continue
			}
			before, after := s[i-1], s[i+1]
			m.path = m.path || after >= 'a' && after <= 'z' && (isASCIIWord(before) || before == '-')
			m.address = m.address || i >= 3 && strings.EqualFold(s[i-3:i], "www")
		case 0:
			m.null = true
		}
	}
	return m
}

func isASCIIWord(c byte) bool {
	return c >= '0' && c <= '9' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func hasDigit(s string) bool {
	for _, c := range s {
		if c >= '0' && c <= '9' || c > unicode.MaxLatin1 && unicode.IsDigit(c) {
			return true
		}
	}
	return false
}

// beginnings are those of remarks, in lower case.
var beginnings = []string{"here", "sure", "certainly", "of course", "okay", "translat", "the translation", "as an ai", "i ", "i'", "note", "aqu", "claro", "voici", "hier", "ecco"}

// mayRemark reports whether the first word of a text may be that of remarks.
func mayRemark(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == 0xC5 || c == 0xE2 { // perhaps ſ or the Kelvin sign, which equal s and k in any case
			if r, _ := utf8.DecodeRuneInString(s[i:]); r == 'ſ' || r == '\u212a' {
				return true
			}
		}
		if !isASCIIWord(c) {
			continue
		}
		for _, b := range beginnings {
			if beginsWith(s[i:], b) {
				return true
			}
		}
		return false
	}
	return false
}

// beginsWith reports whether a text begins with an expression in any case, as far as
// that is in ASCII.
func beginsWith(s, lower string) bool {
	for i := range len(lower) {
		if i == len(s) {
			return false
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			return true
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// mayDouble reports whether a text may have doubled punctuation.
func mayDouble(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		switch c := s[i]; {
		case c == ',' || c == ';' || c == ':' || c == '.':
			if s[i+1] == c || s[i+1] == ' ' && i+2 < len(s) && strings.IndexByte(".,;:", s[i+2]) >= 0 {
				return true
			}
		case c < utf8.RuneSelf:
		case strings.HasPrefix(s[i:], "¿") || strings.HasPrefix(s[i:], "¡"):
			if strings.HasPrefix(s[i+2:], "¿") || strings.HasPrefix(s[i+2:], "¡") {
				return true
			}
		case c == 0xE3 || c == 0xEF:
			if len(s) >= i+6 && s[i:i+3] == s[i+3:i+6] {
				return true
			}
		case c == 0xD8:
			if len(s) >= i+4 && s[i:i+2] == s[i+2:i+4] {
				return true
			}
		}
	}
	return false
}

// script is what lettersOf returns for a language.
type script struct {
	lang, code string
	tables     []*unicode.RangeTable
}

var lastScript atomic.Pointer[script]

// lettersOfLast is lettersOf, which it does not call again for the language it was
// called with before.
func lettersOfLast(lang string) (string, []*unicode.RangeTable) {
	s := lastScript.Load()
	if s == nil || s.lang != lang {
		s = &script{lang: lang}
		s.code, s.tables = lettersOf(lang)
		lastScript.Store(s)
	}
	return s.code, s.tables
}
