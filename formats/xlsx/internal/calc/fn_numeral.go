package calc

import (
	"math"
	"strconv"
	"strings"
)

// Numerals of other systems, and counts of arrangements.

func init() {
	register(
		Func{Name: "ROMAN", Min: 1, Max: 2, Args: "n v?", Call: romanFunc},
		Func{Name: "ARABIC", Min: 1, Max: 1, Args: "s", Call: arabicFunc},
		Func{Name: "BASE", Min: 2, Max: 3, Args: "n", Call: baseFunc},
		Func{Name: "DECIMAL", Min: 2, Max: 2, Args: "s n", Call: decimalFunc},
		Func{Name: "MULTINOMIAL", Min: 1, Max: -1, Args: "a", Call: multinomial},
		Func{Name: "PERMUT", Min: 2, Max: 2, Args: "n", Call: permutations},
		Func{Name: "PERMUTATIONA", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value {
			n, k := math.Trunc(a[0].num), math.Trunc(a[1].num)
			if n < 0 || k < 0 {
				return Fail(ErrNum)
			}
			if n == 0 {
				c.stop(ReasonForm, "arrangements of no items")
			}
			return Num(math.Pow(n, k))
		}},
	)
}

const romanLetters = "IVXLCDM"

var romanValues = [...]int{1, 5, 10, 50, 100, 500, 1000}

// roman writes a number. The letter before a larger one, which is subtracted, is
// the power of ten below it, or one up to so many letters below that as the form
// says.
func roman(n, form int) string {
	var sb strings.Builder
	for i := len(romanValues) - 1; i >= 0; i-- {
		for n >= romanValues[i] {
			sb.WriteByte(romanLetters[i])
			n -= romanValues[i]
		}
		before := (i - 1) &^ 1 // powers of ten are the even ones
		for k := max(before-form, 0); k <= before; k++ {
			if i > 0 && n >= romanValues[i]-romanValues[k] && 2*romanValues[k] < romanValues[i] {
				sb.WriteByte(romanLetters[k])
				sb.WriteByte(romanLetters[i])
				n -= romanValues[i] - romanValues[k]
				break
			}
		}
	}
	return sb.String()
}

func romanFunc(_ *Call, a []Value) Value {
	form := 0
	if len(a) > 1 && !a[1].blank() {
		switch {
		case a[1].kind == Bool && !a[1].Bool():
			form = 4
		case a[1].kind == Number:
			form = a[1].Int()
		case a[1].kind == Text:
			return Fail(ErrValue)
		}
	}
	if n := a[0].Int(); n >= 0 && n <= 3999 && form >= 0 && form <= 4 {
		return Str(roman(n, form))
	}
	return Fail(ErrValue)
}

// arabicFunc reads what ROMAN writes in any of its forms.
func arabicFunc(c *Call, a []Value) Value {
	s, negative := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(a[0].str)), "-")
	if len(s) > 255 || strings.Trim(s, romanLetters) != "" {
		return Fail(ErrValue)
	}
	n := 0
	for i := range len(s) {
		x := romanValues[strings.IndexByte(romanLetters, s[i])]
		if i+1 < len(s) && romanValues[strings.IndexByte(romanLetters, s[i+1])] > x {
			x = -x
		}
		n += x
	}
	usual := false
	for form := 0; form <= 4 && n >= 0 && n <= 3999; form++ {
		usual = usual || roman(n, form) == s
	}
	if !usual || negative && n == 0 {
		c.stop(ReasonForm, "a Roman numeral that is not written as usual")
	}
	if negative {
		n = -n
	}
	return Num(float64(n))
}

func baseFunc(_ *Call, a []Value) Value {
	x, radix, least := math.Trunc(a[0].num), a[1].Int(), 0
	if len(a) > 2 {
		least = a[2].Int()
	}
	if x < 0 || x >= 1<<53 || radix < 2 || radix > 36 || least < 0 || least > 255 {
		return Fail(ErrNum)
	}
	s := strings.ToUpper(strconv.FormatInt(int64(x), radix))
	return Str(strings.Repeat("0", max(least-len(s), 0)) + s)
}

func decimalFunc(_ *Call, a []Value) Value {
	radix := a[1].Int()
	if len(a[0].str) > 255 {
		return Fail(ErrValue)
	}
	if radix < 2 || radix > 36 {
		return Fail(ErrNum)
	}
	x := 0.0
	for _, r := range strings.ToUpper(a[0].str) {
		digit := strings.IndexRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", r)
		if digit < 0 || digit >= radix {
			return Fail(ErrNum)
		}
		x = x*float64(radix) + float64(digit)
	}
	return Num(x)
}

func multinomial(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a)
	if bad.IsError() {
		return bad
	}
	all, out := 0.0, 1.0
	for _, x := range xs {
		x = math.Trunc(x)
		if x < 0 {
			return Fail(ErrNum)
		}
		all += x
		c.step(int(min(x, 2000)))
		ways := combinations(all, x)
		if ways.IsError() {
			return ways
		}
		out *= ways.num
	}
	return Num(out)
}

func permutations(c *Call, a []Value) Value {
	n, k := math.Trunc(a[0].num), math.Trunc(a[1].num)
	if n < 0 || k < 0 || n < k {
		return Fail(ErrNum)
	}
	if n == 0 {
		c.stop(ReasonForm, "arrangements of no items")
	}
	x := 1.0
	for i := 0.0; i < k && !math.IsInf(x, 0); i++ {
		c.step(1)
		x *= n - i
	}
	return Num(x)
}
