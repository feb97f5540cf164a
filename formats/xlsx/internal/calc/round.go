package calc

import (
	"math"
	"strconv"
)

// roundDigits rounds half away from zero to n digits behind the point (before it
// for a negative n). It sees the 15 digits of a number that Excel shows, so that
// 1.005 is half way.
func roundDigits(x float64, n int) float64 {
	if x == 0 || n > 320 {
		return x
	}
	text := strconv.FormatFloat(math.Abs(x), 'e', 14, 64) // d.dddddddddddddde±xx
	exp, _ := strconv.Atoi(text[17:])
	keep := exp + 1 + n // digits that stay
	if keep >= 15 {
		return x
	}
	if keep < 0 {
		return 0
	}
	digits := []byte("0" + text[:1] + text[2:16])
	up := digits[1+keep] >= '5'
	digits = digits[:1+keep]
	for i := len(digits) - 1; up; i-- {
		if up = digits[i] == '9'; up {
			digits[i] = '0'
		} else {
			digits[i]++
		}
	}
	r, err := strconv.ParseFloat(string(digits)+"e"+strconv.Itoa(-n), 64)
	if err != nil {
		return x
	}
	return math.Copysign(r, x)
}

// whole returns the whole number at or before a number. One that is whole but for
// the error of rounding, such as 4.35*100, ends the formula: programs differ there.
func (e *Evaluator) floor(x float64) float64 {
	if r := math.Round(x); x != r && math.Abs(x) < 1e15 && digits15(x) == r {
		e.stop(ReasonForm, "%s is whole but for an error of rounding, where programs differ", strconv.FormatFloat(x, 'g', 17, 64))
	}
	return math.Floor(x)
}

// toward rounds to n digits by a rule for whole numbers.
func (e *Evaluator) toward(x float64, n int, away bool) float64 {
	size := math.Abs(x)
	if n > 20 || size == 0 {
		return x
	}
	unit := math.Pow10(max(n, -n))
	scaled := size * unit
	if n < 0 {
		scaled = size / unit
	}
	if r := math.Round(scaled); scaled >= 1e15 || digits15(scaled) == r {
		scaled = r // its digits end here
	} else if scaled = math.Floor(scaled); away {
		scaled++
	}
	if n < 0 {
		return math.Copysign(scaled*unit, x)
	}
	return math.Copysign(scaled/unit, x)
}

// divide returns the whole quotient, rounded down, and the rest.
func divide(x, y float64) (quotient, rest float64) {
	rest = math.Mod(x, y)
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	return math.Floor(x / y), rest
}

// power is x^y.
func (e *Evaluator) power(x, y float64) Value {
	switch {
	case x == 0 && y == 0:
		return Fail(ErrNum)
	case x == 0 && y < 0:
		return Fail(ErrDiv0)
	case x < 0 && y != math.Trunc(y):
		if inverse := 1 / y; math.Abs(inverse-math.Round(inverse)) < 1e-9 && math.Mod(math.Round(inverse), 2) != 0 {
			e.stop(ReasonForm, "a root of a negative number")
		}
		return Fail(ErrNum)
	case x == 10 && y == math.Trunc(y) && math.Abs(y) < 308:
		return Num(math.Pow10(int(y)))
	}
	return Num(math.Pow(x, y))
}
