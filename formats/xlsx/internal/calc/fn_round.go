package calc

import "math"

func init() {
	one := func(name string, f func(c *Call, x float64) float64) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(c *Call, a []Value) Value { return Num(f(c, a[0].num)) }}
	}
	digits := func(name string, least int, f func(c *Call, x float64, n int) float64) Func {
		return Func{Name: name, Min: least, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value {
			n := 0
			if len(a) == 2 {
				n = a[1].Int()
			}
			return Num(f(c, a[0].num, n))
		}}
	}
	register(
		one("INT", func(c *Call, x float64) float64 { return c.floor(x) }),
		one("EVEN", func(c *Call, x float64) float64 { return math.Copysign(2*math.Ceil(math.Abs(x)/2), x) }),
		one("ODD", func(c *Call, x float64) float64 {
			return math.Copysign(max(2*math.Ceil((math.Abs(x)-1)/2), 0)+1, x)
		}),
		digits("ROUND", 2, func(_ *Call, x float64, n int) float64 { return roundDigits(x, n) }),
		digits("ROUNDUP", 2, func(c *Call, x float64, n int) float64 { return c.toward(x, n, true) }),
		digits("ROUNDDOWN", 2, func(c *Call, x float64, n int) float64 { return c.toward(x, n, false) }),
		digits("TRUNC", 1, func(c *Call, x float64, n int) float64 { return c.toward(x, n, false) }),
		Func{Name: "MROUND", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value {
			x, unit := a[0].num, a[1].num
			if unit == 0 || x == 0 {
				return Num(0)
			}
			if (x < 0) != (unit < 0) {
				return Fail(ErrNum)
			}
			return Num(math.Round(digits15(x/unit)) * unit)
		}},
		Func{Name: "CEILING", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value { return toUnit(c, a[0].num, a[1].num, true) }},
		Func{Name: "FLOOR", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value { return toUnit(c, a[0].num, a[1].num, false) }},
		Func{Name: "CEILING.MATH", Min: 1, Max: 3, Args: "n n? n", Call: unitMath(true)},
		Func{Name: "FLOOR.MATH", Min: 1, Max: 3, Args: "n n? n", Call: unitMath(false)},
		Func{Name: "CEILING.PRECISE", Min: 1, Max: 2, Args: "n n?", Call: unitMath(true)},
		Func{Name: "ISO.CEILING", Min: 1, Max: 2, Args: "n n?", Call: unitMath(true)},
		Func{Name: "FLOOR.PRECISE", Min: 1, Max: 2, Args: "n n?", Call: unitMath(false)},
	)
}

// toUnit is CEILING or FLOOR: away from zero or toward it where both are
// negative.
func toUnit(c *Call, x, unit float64, up bool) Value {
	switch {
	case x == 0 || unit == 0 && up:
		return Num(0)
	case unit == 0:
		return Fail(ErrDiv0)
	case x > 0 && unit < 0:
		return Fail(ErrNum)
	}
	return Num(c.steps15(x/unit, up) * unit)
}

// steps15 rounds a quotient to a whole number; one that is whole in its 15 digits
// stays.
func (c *Call) steps15(q float64, up bool) float64 {
	if r := math.Round(q); digits15(q) == r {
		return r
	}
	if up {
		return math.Ceil(q)
	}
	return math.Floor(q)
}

// unitMath is CEILING.MATH or FLOOR.MATH: the sign of the unit does not count, and
// the third argument turns negative numbers around.
func unitMath(up bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		x, unit := a[0].num, 1.0
		if len(a) > 1 && !a[1].Missing() {
			unit = math.Abs(a[1].num)
		}
		if unit == 0 || x == 0 {
			return Num(0)
		}
		up := up
		if len(a) > 2 && a[2].num != 0 && x < 0 {
			up = !up
		}
		return Num(c.steps15(x/unit, up) * unit)
	}
}
