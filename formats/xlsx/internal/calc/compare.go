package calc

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compareValues orders two values as the comparison operators do: numbers before
// texts before FALSE before TRUE; an empty cell is what makes sense beside the
// other one. Numbers are equal that have the same 15 digits. Errors do not get
// here.
func compareValues(a, b Value) int {
	return compareBy(a, b, func(x, y float64) int { return cmp.Compare(digits15(x), digits15(y)) })
}

// compareExact is compareValues as lookups do it, which see all digits.
func compareExact(a, b Value) int { return compareBy(a, b, cmp.Compare[float64]) }

func compareBy(a, b Value, numbers func(x, y float64) int) int {
	a, b = beside(a, b), beside(b, a)
	if a.kind != b.kind {
		return rankOf(a) - rankOf(b)
	}
	switch a.kind {
	case Text:
		return compareText(a.str, b.str)
	case Bool:
		return cmp.Compare(a.num, b.num)
	}
	return numbers(a.num, b.num)
}

// beside is what an empty value counts as when compared with another.
func beside(v, other Value) Value {
	if !v.blank() {
		return v
	}
	switch other.kind {
	case Text:
		return Str("")
	case Bool:
		return Boolean(false)
	}
	return Value{kind: Number}
}

func rankOf(v Value) int {
	switch v.kind {
	case Number:
		return 0
	case Text:
		return 1
	case Bool:
		return 2
	}
	return 3
}

// signs is the order of the signs, which come before digits, and these before
// letters.
const signs = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// compareText orders texts without regard to case.
func compareText(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			if x, y = unicode.ToLower(x), unicode.ToLower(y); x != y {
				return cmp.Compare(weight(x), weight(y))
			}
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func weight(r rune) int {
	if i := strings.IndexRune(signs, r); i >= 0 {
		return i
	}
	return 100 + int(r)
}

// sameText reports whether texts are equal but for case.
func sameText(a, b string) bool { return a == b || compareText(a, b) == 0 }
