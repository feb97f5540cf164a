package delimited

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"
)

// Type is the type that all values of a column have.
type Type string

// The types of columns. Empty values are of none.
const (
	Integer Type = "integer" // fits 64 bits, without leading zeros
	Number  Type = "number"  // decimal, in up to 17 significant digits
	Boolean Type = "boolean" // true or false
	Date    Type = "date"    // ISO 8601: 2024-12-31, with or without a time
	Text    Type = "text"
)

// Kinds is a set of types that a value, or each value of a column, can have.
type Kinds uint8

// The members of Kinds. AsComma is a number with a decimal comma: 1.234,50.
const (
	AsInteger Kinds = 1 << iota
	AsNumber
	AsComma
	AsBoolean
	AsDate
	AsAny Kinds = 1<<iota - 1 // of a column without values
)

// Type returns the narrowest type in the set.
func (k Kinds) Type() Type {
	switch {
	case k == AsAny:
		return Text
	case k&AsInteger != 0:
		return Integer
	case k&(AsNumber|AsComma) != 0:
		return Number
	case k&AsBoolean != 0:
		return Boolean
	case k&AsDate != 0:
		return Date
	}
	return Text
}

// Comma reports whether numbers of the set have a decimal comma.
func (k Kinds) Comma() bool { return k&AsComma != 0 && k&(AsInteger|AsNumber) == 0 }

// KindsOf returns what one value, trimmed and not empty, can be. A value that
// would not be written back unchanged, such as 007 or a card number, is only
// text.
func KindsOf(b []byte) Kinds {
	switch c := b[0]; {
	case c >= '0' && c <= '9' || c == '-' || c == '.':
		if len(b) >= 10 && b[4] == '-' && isDate(b) {
			return AsDate
		}
		return numberKinds(b)
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		if _, ok := ParseBool(b); ok {
			return AsBoolean
		}
	}
	return 0
}

// ParseBool reads true or false in small, capital or title case.
func ParseBool(b []byte) (v, ok bool) {
	switch string(b) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// numberShape describes a text of digits, points and commas.
type numberShape struct {
	first              int // offset of the digits
	digits             int
	dots, commas       int
	lastDot, lastComma int
	grouped            bool // the points separate groups of three digits
}

// numberKinds says which kinds of number b is.
func numberKinds(b []byte) Kinds {
	n := numberShape{lastDot: -1, lastComma: -1, grouped: true}
	if b[0] == '-' {
		n.first = 1
	}
	for i := n.first; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			n.digits++
		case (c == 'e' || c == 'E') && n.digits > 0 && n.commas == 0 && n.dots <= 1:
			if exponent(b[i+1:]) && n.digits <= 17 && !leadingZero(b[n.first:]) {
				return AsNumber
			}
			return 0
		case !n.addSeparator(c, i):
			return 0
		}
	}
	if n.digits == 0 || n.digits > 19 || leadingZero(b[n.first:]) {
		return 0
	}
	if n.commas == 0 && n.dots == 0 {
		return n.integerKinds(b)
	}
	return n.fractionKinds(len(b))
}

// addSeparator reports whether c is a separator that may be at i.
func (n *numberShape) addSeparator(c byte, i int) bool {
	if c != '.' && c != ',' || n.commas > 0 {
		return false
	}
	if n.dots > 0 && i-n.lastDot != 4 {
		n.grouped = false
	}
	if c == ',' {
		n.commas, n.lastComma = 1, i
		return true
	}
	if gap := i - n.first; n.dots == 0 && (gap < 1 || gap > 3) {
		n.grouped = false
	}
	n.dots, n.lastDot = n.dots+1, i
	return true
}

func (n *numberShape) integerKinds(b []byte) Kinds {
	if n.digits >= 19 {
		if _, err := strconv.ParseInt(stringView(b), 10, 64); err != nil {
			return 0
		}
	}
	switch {
	case n.digits > 15:
		return AsInteger // as a float it would lose digits
	case n.digits == 1 && n.first == 1 && b[1] == '0':
		return 0 // -0
	}
	return AsInteger | AsNumber | AsComma
}

// fractionKinds is for a number of length bytes with points or a comma.
func (n *numberShape) fractionKinds(length int) Kinds {
	switch {
	case n.digits > 17:
		return 0
	case n.commas == 0:
		k := Kinds(0)
		if n.dots == 1 && n.lastDot < length-1 {
			k = AsNumber
		}
		if n.grouped && length-n.lastDot == 4 && n.lastDot > n.first {
			k |= AsComma // thousands
		}
		return k
	case n.lastComma == n.first || n.lastComma == length-1 || n.dots > 0 && !n.grouped:
		return 0
	}
	return AsComma
}

// leadingZero finds 007 and 00.5, but not 0 or 0.5.
func leadingZero(b []byte) bool {
	return len(b) > 1 && b[0] == '0' && b[1] >= '0' && b[1] <= '9'
}

func exponent(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 2 {
		return false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isDate recognises 2024-12-31, with 2024-12-31T23:59, :59, .999, Z or +01:00.
// isDate recognises 2024-12-31, with 2024-12-31T23:59, :59, .999, Z or +01:00.
func isDate(b []byte) bool {
	if !matchesPattern(b[:10], "dddd-dd-dd") {
		return false
	}
	year, month, day := twoDigits(b)*100+twoDigits(b[2:]), twoDigits(b[5:]), twoDigits(b[8:])
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return false
	}
	return len(b) == 10 || isTime(b[10:])
}

// isTime recognises the part of a date from the T on.
func isTime(b []byte) bool {
	if len(b) < 6 || b[0] != 'T' && b[0] != ' ' || !matchesPattern(b[1:6], "dd:dd") || twoDigits(b[1:]) > 23 || twoDigits(b[4:]) > 59 {
		return false
	}
	b = b[6:]
	if len(b) >= 3 && b[0] == ':' {
		if !matchesPattern(b[:3], ":dd") || twoDigits(b[1:]) > 59 {
			return false
		}
		b = withoutFraction(b[3:])
	}
	return len(b) == 0 || string(b) == "Z" || len(b) == 6 && (b[0] == '+' || b[0] == '-') && matchesPattern(b[1:], "dd:dd")
}

// withoutFraction removes a fraction of a second from the beginning of b.
func withoutFraction(b []byte) []byte {
	if len(b) < 2 || b[0] != '.' {
		return b
	}
	n := 1
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return b[n:]
}

func matchesPattern(b []byte, p string) bool {
	for i := range len(p) {
		if p[i] == 'd' && (b[i] < '0' || b[i] > '9') || p[i] != 'd' && b[i] != p[i] {
			return false
		}
	}
	return true
}

func twoDigits(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// ParseFloat reads a value whose kinds have AsNumber, or with comma AsComma.
func ParseFloat(b []byte, comma bool) float64 {
	if comma {
		b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("."), nil), []byte(","), []byte("."))
	}
	// Up to 15 digits the quotient of two exact floats is the nearest one.
	neg, m, point, i := false, uint64(0), -1, 0
	if b[0] == '-' {
		neg, i = true, 1
	}
	if len(b)-i <= 16 {
		for ; i < len(b); i++ {
			switch c := b[i]; {
			case c >= '0' && c <= '9':
				m = m*10 + uint64(c-'0')
			case c == '.':
				point = i + 1
			default:
				return parseFloatSlowly(b)
			}
		}
		if m < 1e15 {
			f := float64(m)
			if point >= 0 {
				f /= powersOfTen[len(b)-point]
			}
			if neg {
				f = -f
			}
			return f
		}
	}
	return parseFloatSlowly(b)
}

func parseFloatSlowly(b []byte) float64 {
	f, err := strconv.ParseFloat(stringView(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return f
}

// ParseInt reads a value whose kinds have AsInteger.
func ParseInt(b []byte) int64 {
	i, neg := 0, false
	if b[0] == '-' {
		i, neg = 1, true
	}
	n := uint64(0)
	for ; i < len(b); i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	if neg {
		return -int64(n)
	}
	return int64(n)
}

// stringView views bytes as a string for the time of a call.
func stringView(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Trim removes blanks and tabs at both ends.
func Trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
