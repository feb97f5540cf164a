package secrets

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

type span struct{ lo, hi rune }

var posix = map[string][]span{
	"alpha": {{'A', 'Z'}, {'a', 'z'}}, "digit": {{'0', '9'}}, "alnum": {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"upper": {{'A', 'Z'}}, "lower": {{'a', 'z'}}, "space": {{'\t', '\r'}, {' ', ' '}}, "blank": {{'\t', '\t'}, {' ', ' '}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, "cntrl": {{0, 31}, {127, 127}}, "print": {{32, 126}}, "graph": {{33, 126}},
	"punct": {{33, 47}, {58, 64}, {91, 96}, {123, 126}},
}

// bracketExpression returns the class at the beginning of s as a regular expression,
// and its length in bytes. The class never contains a slash.
func bracketExpression(s string) (expr string, n int, ok bool) {
	i, negated := 1, false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i, negated = i+1, true
	}
	var spans []span
	for first := true; ; first = false {
		if i >= len(s) {
			return "", 0, false // it has no end
		}
		if s[i] == ']' && !first {
			i++
			break
		}
		if name, length, is := posixName(s[i:]); is {
			set, known := posix[name]
			if !known {
				return "", 0, false
			}
			spans = append(spans, set...)
			i += length
			continue
		}
		lo, length, is := classMember(s[i:])
		if !is {
			return "", 0, false
		}
		i += length
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if hi, length, is = classMember(s[i+1:]); !is {
				return "", 0, false
			}
			i += 1 + length
		}
		if lo <= hi {
			spans = append(spans, span{lo, hi})
		}
	}
	return classExpression(spans, negated), i, true
}

// classMember returns a character of a class, with or without a backslash before
// it.
func classMember(s string) (r rune, n int, ok bool) {
	skip := 0
	if s[0] == '\\' {
		if skip = 1; len(s) == 1 {
			return 0, 0, false
		}
	}
	r, n = utf8.DecodeRuneInString(s[skip:])
	return r, skip + n, true
}

func posixName(s string) (name string, n int, ok bool) {
	rest, is := strings.CutPrefix(s, "[:")
	if !is {
		return "", 0, false
	}
	end := strings.Index(rest, ":]")
	if end < 0 {
		return "", 0, false
	}
	return rest[:end], end + 4, true
}

// classExpression returns spans without the slash as a class; a class without members
// matches nothing.
func classExpression(spans []span, negated bool) string {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	if negated {
		var out []span
		next := rune(0)
		for _, s := range spans {
			if s.lo > next {
				out = append(out, span{next, s.lo - 1})
			}
			next = max(next, s.hi+1)
		}
		if next <= utf8.MaxRune {
			out = append(out, span{next, utf8.MaxRune})
		}
		spans = out
	}
	var sb strings.Builder
	add := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&sb, `\x{%X}-\x{%X}`, lo, hi)
		}
	}
	for _, s := range spans {
		if s.lo <= '/' && s.hi >= '/' {
			add(s.lo, '/'-1)
			add('/'+1, s.hi)
			continue
		}
		add(s.lo, s.hi)
	}
	if sb.Len() == 0 {
		return `[^\x{0}-\x{10FFFF}]`
	}
	return "[" + sb.String() + "]"
}
