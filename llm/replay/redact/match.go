package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// match reports how many bytes at the beginning of s write want, in whatever
// form; 0 when s begins with something else.
func match(s, want string) int {
	n := 0
	for _, c := range want {
		m := matchRune(s[n:], c)
		if m == 0 {
			return 0
		}
		n += m
	}
	return n
}

// matchRune is match for one character. Backslashes before an escape may be
// doubled, as when JSON is in a string of JSON; so may percent signs (%252F).
func matchRune(s string, c rune) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '\\':
		return matchEscape(s, c)
	case '%':
		if n := matchPercent(s, c); n > 0 {
			return n
		}
	case '&':
		if n := matchEntity(s, c); n > 0 {
			return n
		}
	}
	if r, n := utf8.DecodeRuneInString(s); r == c {
		return n
	}
	return 0
}

func matchEscape(s string, c rune) int {
	n := len(s) - len(strings.TrimLeft(s, `\`))
	rest := s[n:]
	if got, m := unicodeEscape(rest); m > 0 && got == c {
		return n + m
	}
	if c == '\\' {
		return n
	}
	if rest != "" && rune(rest[0]) == c && strings.ContainsRune(`/"'`, c) {
		return n + 1
	}
	return 0
}

// unicodeEscape reads uXXXX, or a pair of surrogates, whose first backslash is
// gone.
func unicodeEscape(s string) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	rest := strings.TrimLeft(s[5:], `\`)
	if low, ok := hex4(rest); ok {
		return utf16.DecodeRune(r, low), len(s) - len(rest) + 5
	}
	return 0, 0
}

func hex4(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[1:5], 16, 32)
	return rune(v), err == nil
}

func matchPercent(s string, c rune) int {
	n := 0
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], c)] {
		rest := s[n:]
		if !strings.HasPrefix(rest, "%") {
			return 0
		}
		m := 1
		for strings.HasPrefix(rest[m:], "25") && b != '%' {
			m += 2
		}
		if len(rest) < m+2 {
			return 0
		}
		if v, err := strconv.ParseUint(rest[m:m+2], 16, 8); err != nil || byte(v) != b {
			return 0
		}
		n += m + 2
	}
	return n
}

var entities = map[rune][]string{
	'&': {"&amp;", "&#38;", "&#x26;"}, '<': {"&lt;"}, '>': {"&gt;"},
	'"': {"&quot;", "&#34;", "&#x22;"}, '\'': {"&apos;", "&#39;", "&#x27;"}, '/': {"&#47;", "&#x2F;", "&#x2f;"},
}

func matchEntity(s string, c rune) int {
	for _, e := range entities[c] {
		if strings.HasPrefix(s, e) {
			return len(e)
		}
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func wordAfter(s string, i int) bool { return i < len(s) && isWord(s[i]) }

// wordBefore reports whether a letter or digit stands before s[i]; the end of
// an escape such as \n, \u0020 or %20 is none.
func wordBefore(s string, i int) bool {
	if i == 0 || !isWord(s[i-1]) {
		return false
	}
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrtbf", s[i-1]) >= 0 {
		return false
	}
	if i >= 3 && s[i-3] == '%' {
		if v, err := strconv.ParseUint(s[i-2:i], 16, 8); err == nil {
			return isWord(byte(v))
		}
	}
	if i >= 6 && s[i-6] == '\\' {
		if r, ok := hex4(s[i-5 : i]); ok {
			return r >= utf8.RuneSelf || isWord(byte(r))
		}
	}
	return true
}
