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

// numerals are the signs of Roman numbers with their subtractive pairs.
var numerals = []struct {
	value int
	sign  string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func roman(c *Call, a []Value) Value {
	n := a[0].Int()
	if n < 0 || n > 3999 {
		return Fail(ErrValue)
	}
	if len(a) == 2 {
		if form := c.toNumber(a[1]); !(a[1].kind == Bool && a[1].Bool()) && form.num != 0 {
			c.stop(ReasonForm, "ROMAN in a short form")
		}
	}
	var sb strings.Builder
	for _, s := range numerals {
		for ; n >= s.value; n -= s.value {
			sb.WriteString(s.sign)
		}
	}
	return Str(sb.String())
}

func arabic(_ *Call, a []Value) Value {
	s := strings.ToUpper(strings.TrimSpace(a[0].str))
	s, minus := strings.CutPrefix(s, "-")
	if len(s) > 255 {
		return Fail(ErrValue)
	}
	sum, last := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		k := strings.IndexByte("IVXLCDM", s[i])
		if k < 0 {
			return Fail(ErrValue)
		}
		v := []int{1, 5, 10, 50, 100, 500, 1000}[k]
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
