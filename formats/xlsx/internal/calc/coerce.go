package calc

import (
	"math"
	"strconv"
	"strings"
)

// The conversions between types that operators and functions do. Each returns an
// error value as it is; the arguments are no arrays and no references.

// toNumber converts a value to a number: text is read as if typed into a cell.
func (e *Evaluator) toNumber(v Value) Value {
	switch v.kind {
	case Number, Err:
		return v
	case Bool:
		return Value{kind: Number, num: v.num}
	case Empty, Missing:
		return Value{kind: Number}
	case Text:
		if x, ok := e.readNumber(v.str); ok {
			return Num(x)
		}
	}
	return Fail(ErrValue)
}

// toText converts a value to text: numbers have up to 15 digits.
func (e *Evaluator) toText(v Value) Value {
	switch v.kind {
	case Text, Err:
		return v
	case Bool:
		return Str(e.boolText(v.num != 0))
	case Empty, Missing:
		return Str("")
	case Number:
		return Str(e.numberText(v.num))
	}
	return Fail(ErrValue)
}

// boolText shows a truth value.
func (e *Evaluator) boolText(is bool) string {
	l := e.locale
	switch e.touched = true; {
	case l == nil && is:
		return "TRUE"
	case l == nil:
		return "FALSE"
	case is:
		return l.True
	}
	return l.False
}

// readBool reads a truth value.
func (e *Evaluator) readBool(s string) (is, ok bool) {
	e.touched = true
	for _, is := range []bool{true, false} {
		if strings.EqualFold(s, e.boolText(is)) || strings.EqualFold(s, strings.ToUpper(strconv.FormatBool(is))) {
			return is, true
		}
	}
	return false, false
}

// toBool converts a value to TRUE or FALSE.
func (e *Evaluator) toBool(v Value) Value {
	switch v.kind {
	case Bool, Err:
		return v
	case Number:
		return Boolean(v.num != 0)
	case Empty, Missing:
		return Boolean(false)
	case Text:
		if is, ok := e.readBool(v.str); ok {
			return Boolean(is)
		}
	}
	return Fail(ErrValue)
}

// readNumber reads text as a number, percentage, amount of money, date or time.
// Where the result depends on the language of the program and that is not known,
// it stops the formula.
func (e *Evaluator) readNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if x, ok := e.plain(s); ok {
		return x, true
	}
	if !strings.ContainsAny(s, "0123456789") {
		return 0, false
	}
	if x, ok := e.amount(s); ok {
		return x, true
	}
	return e.readDate(s)
}

// plainNumber reads digits with sign, point and exponent.
func plainNumber(s string) (float64, bool) {
	if s == "" || len(s) > 400 || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}

// amount reads what may stand around a number: %, $, brackets for a negative
// one, the sign between thousands.
func (e *Evaluator) amount(s string) (float64, bool) {
	scale := 1.0
	if rest, ok := strings.CutPrefix(s, "("); ok && strings.HasSuffix(rest, ")") {
		s, scale = strings.TrimSuffix(rest, ")"), -1
	}
	if rest, ok := strings.CutPrefix(s, "-"); ok && scale > 0 {
		s, scale = rest, -scale
	}
	s, percent := strings.CutSuffix(s, "%")
	if percent {
		scale /= 100
	}
	rest, money := strings.CutPrefix(strings.TrimSpace(s), "$")
	if s = strings.TrimSpace(rest); strings.HasPrefix(s, "-") && money {
		s, scale = s[1:], -scale
	}
	s = e.withoutThousands(s)
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") && scale != 1 {
		return 0, false
	}
	x, ok := e.plain(s)
	if money && ok {
		e.english("an amount of money")
	}
	if percent {
		return math.Copysign(x/100, scale), ok
	}
	return x * scale, ok
}

// withoutThousands drops the signs between thousands.
func (e *Evaluator) withoutThousands(s string) string {
	point, group := ".", ","
	if l := e.locale; l != nil {
		if point, group = l.Decimal, l.Group; group == "" {
			group = "\u202f" // a narrow blank, in some versions of a system
		}
	}
	whole, frac, _ := strings.Cut(s, point)
	if !strings.Contains(whole, group) || !thousands(whole, group) || strings.Trim(frac, "0123456789") != "" {
		return s
	}
	e.known("a number with signs between thousands")
	return strings.ReplaceAll(s, group, "")
}

// thousands reports whether digits have a sign between groups of three.
func thousands(s, sign string) bool {
	for i, group := range strings.Split(s, sign) {
		if strings.Trim(group, "0123456789") != "" || i > 0 && len(group) != 3 || i == 0 && (group == "" || len(group) > 3) {
			return false
		}
	}
	return true
}

// digits15 rounds a number to the 15 digits that Excel compares.
func digits15(x float64) float64 {
	if x == 0 || x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return x
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 14, 64), 64)
	if err != nil {
		return x
	}
	return r
}

// nearZero is the size of a sum against its parts up to which Excel takes it for
// zero.
const nearZero = 5e-16

// snap makes zero of the result of an addition or subtraction that is nothing
// but the error of rounding.
func snap(sum, a, b float64) float64 {
	if sum != 0 && math.Abs(sum) < nearZero*max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return sum
}
