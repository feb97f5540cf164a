package calc

import "math"

// plain makes a row of a function of one number.
func plain(name string, f func(x float64) float64) Func {
	return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value { return Num(f(a[0].Num())) }}
}

// The functions of one number.
func init() {
	register(
		plain("ABS", math.Abs),
		plain("EXP", math.Exp),
		plain("SIN", math.Sin), plain("COS", math.Cos), plain("TAN", math.Tan),
		plain("ASIN", math.Asin), plain("ACOS", math.Acos), plain("ATAN", math.Atan),
		plain("SINH", math.Sinh), plain("COSH", math.Cosh), plain("TANH", math.Tanh),
		plain("ASINH", math.Asinh), plain("ACOSH", math.Acosh), plain("ATANH", math.Atanh),
		plain("SEC", func(x float64) float64 { return 1 / math.Cos(x) }),
		plain("SECH", func(x float64) float64 { return 1 / math.Cosh(x) }),
		plain("ACOT", func(x float64) float64 { return math.Pi/2 - math.Atan(x) }),
		plain("ACOTH", func(x float64) float64 { return math.Atanh(1 / x) }),
		plain("RADIANS", func(x float64) float64 { return x / 180 * math.Pi }),
		plain("DEGREES", func(x float64) float64 { return x / math.Pi * 180 }),
		plain("SQRTPI", func(x float64) float64 { return math.Sqrt(x * math.Pi) }),
		plain("SQRT", math.Sqrt),
		plain("SIGN", func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return math.Copysign(1, x)
		}),
		reciprocal("CSC", math.Sin), reciprocal("CSCH", math.Sinh), reciprocal("COT", math.Tan), reciprocal("COTH", math.Tanh),
	)
}

func init() {
	register(
		Func{Name: "PI", Call: func(*Call, []Value) Value { return Num(math.Pi) }},
		Func{Name: "ATAN2", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[0].num == 0 && a[1].num == 0 {
				return Fail(ErrDiv0)
			}
			return Num(math.Atan2(a[1].num, a[0].num))
		}},
		Func{Name: "LN", Min: 1, Max: 1, Args: "n", Call: logarithm(math.Log)},
		Func{Name: "LOG10", Min: 1, Max: 1, Args: "n", Call: logarithm(math.Log10)},
		Func{Name: "LOG", Min: 1, Max: 2, Args: "n", Call: logFunc},
		Func{Name: "POWER", Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value { return c.power(a[0].num, a[1].num) }},
		Func{Name: "MOD", Min: 2, Max: 2, Args: "n", Call: modFunc},
		Func{Name: "QUOTIENT", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[1].num == 0 {
				return Fail(ErrDiv0)
			}
			return Num(math.Trunc(a[0].num / a[1].num))
		}},
		Func{Name: "FACT", Min: 1, Max: 1, Args: "n", Call: factorial(1)},
		Func{Name: "FACTDOUBLE", Min: 1, Max: 1, Args: "n", Call: factorial(2)},
		Func{Name: "COMBIN", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			return combinations(math.Trunc(a[0].num), math.Trunc(a[1].num))
		}},
		Func{Name: "COMBINA", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			n, k := math.Trunc(a[0].num), math.Trunc(a[1].num)
			if n < k && n == 0 || n < 0 || k < 0 {
				return Fail(ErrNum)
			}
			if k == 0 {
				return Num(1)
			}
			return combinations(n+k-1, k)
		}},
		Func{Name: "GCD", Min: 1, Max: -1, Args: "a", Call: divisors(func(have, x float64) float64 { return gcd(have, x) })},
		Func{Name: "LCM", Min: 1, Max: -1, Args: "a", Call: divisors(func(have, x float64) float64 {
			if have == 0 || x == 0 {
				return 0
			}
			return have / gcd(have, x) * x
		})},
	)
}

// reciprocal makes a row of 1/f(x).
func reciprocal(name string, f func(float64) float64) Func {
	return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value {
		y := f(a[0].num)
		if y == 0 {
			return Fail(ErrDiv0)
		}
		return Num(1 / y)
	}}
}

// logarithm is a logarithm of a positive number.
func logarithm(f func(float64) float64) func(*Call, []Value) Value {
	return func(_ *Call, a []Value) Value {
		if a[0].num <= 0 {
			return Fail(ErrNum)
		}
		return Num(f(a[0].num))
	}
}

func logFunc(c *Call, a []Value) Value {
	base := 10.0
	if len(a) == 2 {
		base = a[1].num
	}
	switch {
	case a[0].num <= 0 || base <= 0:
		return Fail(ErrNum)
	case base == 1:
		return Fail(ErrDiv0)
	case base == 10:
		return Num(math.Log10(a[0].num))
	case base == 2:
		return Num(math.Log2(a[0].num))
	}
	return Num(math.Log(a[0].num) / math.Log(base))
}

func modFunc(c *Call, a []Value) Value {
	x, y := a[0].num, a[1].num
	if y == 0 {
		return Fail(ErrDiv0)
	}
	if math.Abs(x/y) >= 1125900000000 {
		return Fail(ErrNum)
	}
	if x != math.Trunc(x) || y != math.Trunc(y) {
		c.floor(x / y)
	}
	_, rest := divide(x, y)
	return Num(rest)
}

func factorial(step float64) func(*Call, []Value) Value {
	return func(_ *Call, a []Value) Value {
		n := math.Trunc(a[0].num)
		if n < 0 && !(step == 2 && n == -1) || n > 400 {
			return Fail(ErrNum)
		}
		x := 1.0
		for ; n > 1; n -= step {
			x *= n
		}
		return Num(x)
	}
}

func combinations(n, k float64) Value {
	if n < 0 || k < 0 || n < k {
		return Fail(ErrNum)
	}
	k = min(k, n-k)
	x := 1.0
	for i := 1.0; i <= k && !math.IsInf(x, 0); i++ {
		x = x * (n - k + i) / i
	}
	if x < 1e15 {
		x = math.Round(x)
	}
	return Num(x)
}

func gcd(x, y float64) float64 {
	for y != 0 {
		x, y = y, math.Mod(x, y)
	}
	return x
}

func divisors(join func(have, x float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		have, first, bad := 0.0, true, false
		err := c.EachNumber(a, func(x float64) {
			if x = math.Trunc(x); x < 0 || x >= 1<<53 {
				bad = true
			}
			if first {
				have, first = x, false
			} else {
				have = join(have, x)
			}
		})
		if err.IsError() {
			return err
		}
		if bad {
			return Fail(ErrNum)
		}
		return Num(have)
	}
}
