package calc

import (
	"math"
	"strconv"
	"strings"
)

func init() {
	register(
		Func{Name: "ROMAN", Min: 1, Max: 2, Args: "n v", Call: roman},
		Func{Name: "ARABIC", Min: 1, Max: 1, Args: "s", Call: arabic},
		Func{Name: "BASE", Min: 2, Max: 3, Args: "n", Call: baseFunc},
		Func{Name: "DECIMAL", Min: 2, Max: 2, Args: "s n", Call: decimal},
		Func{Name: "MULTINOMIAL", Min: 1, Max: -1, Args: "a", Call: multinomial},
	)
}

// romanLetters are the letters of Roman numbers, with their values.
const romanLetters = "IVXLCDM"

var romanValues = [...]int{1, 5, 10, 50, 100, 500, 1000}

func roman(c *Call, a []Value) Value {
	n := a[0].Int()
	if n < 0 || n > 3999 {
		return Fail(ErrValue)
	}
	form := 0
	if len(a) == 2 {
		switch v := c.toNumber(a[1]); {
		case v.kind == Err:
			return v
		case a[1].kind == Bool && !a[1].Bool():
			form = 4
		case a[1].kind != Bool:
			form = v.Int()
		}
	}
	if form < 0 || form > 4 {
		return Fail(ErrValue)
	}
	return Str(romanOf(n, form))
}

// romanOf writes a number. The letter before a larger one, which is subtracted, is
// the power of ten below it, or one up to so many letters below that as the form
// says.
func romanOf(n, form int) string {
	var sb strings.Builder
	for i := len(romanValues) - 1; i >= 0; i-- {
		for ; n >= romanValues[i]; n -= romanValues[i] {
			sb.WriteByte(romanLetters[i])
		}
		before := (i - 1) &^ 1 // powers of ten are the even ones
		for k := max(before-form, 0); k <= before; k++ {
			if less := romanValues[i] - romanValues[k]; n >= less && 2*romanValues[k] < romanValues[i] {
				sb.WriteByte(romanLetters[k])
				sb.WriteByte(romanLetters[i])
				n -= less
				break
			}
		}
	}
	return sb.String()
}

func arabic(_ *Call, a []Value) Value {
	s := strings.ToUpper(strings.TrimSpace(a[0].str))
	s, minus := strings.CutPrefix(s, "-")
	if len(s) > 255 {
		return Fail(ErrValue)
	}
	sum, last := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		k := strings.IndexByte(romanLetters, s[i])
		if k < 0 {
			return Fail(ErrValue)
		}
		v := romanValues[k]
		if v < last {
			sum -= v
		} else {
			sum, last = sum+v, v
		}
	}
	if minus {
		sum = -sum
	}
	return Num(float64(sum))
}

func baseFunc(_ *Call, a []Value) Value {
	n, radix, width := math.Trunc(a[0].num), a[1].Int(), optional(a, 2, 0)
	if n < 0 || n >= 1<<53 || radix < 2 || radix > 36 || width < 0 || width > 255 {
		return Fail(ErrNum)
	}
	s := strings.ToUpper(strconv.FormatInt(int64(n), radix))
	return Str(strings.Repeat("0", max(width-len(s), 0)) + s)
}

func decimal(_ *Call, a []Value) Value {
	radix := a[1].Int()
	if radix < 2 || radix > 36 || len(a[0].str) > 255 {
		return Fail(ErrNum)
	}
	s := strings.ToLower(strings.TrimSpace(a[0].str))
	if radix == 16 {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "x")
	}
	x := 0.0
	for _, r := range s {
		d, err := strconv.ParseInt(string(r), 36, 8)
		if err != nil || int(d) >= radix {
			return Fail(ErrNum)
		}
		x = x*float64(radix) + float64(d)
	}
	return Num(x)
}

func multinomial(c *Call, a []Value) Value {
	result, sum, bad := 1.0, 0.0, false
	err := c.EachNumber(a, func(x float64) {
		if x = math.Trunc(x); x < 0 {
			bad = true
			return
		}
		sum += x
		if v := combinations(sum, x); v.kind == Err {
			bad = true
		} else {
			result *= v.num
		}
	})
	if err.IsError() {
		return err
	}
	if bad {
		return Fail(ErrNum)
	}
	return Num(result)
}
