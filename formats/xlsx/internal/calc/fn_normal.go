package calc

import "math"

// Functions of the normal distribution, and Γ.

func init() {
	one := func(name string, ok func(x float64) bool, f func(x float64) float64) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value {
			if !ok(a[0].num) {
				return Fail(ErrNum)
			}
			return Num(f(a[0].num))
		}}
	}
	all := func(float64) bool { return true }
	inside := func(p float64) bool { return p > 0 && p < 1 }
	positive := func(x float64) bool { return x > 0 }
	lnGamma := func(x float64) float64 { g, _ := math.Lgamma(x); return g }
	register(
		one("NORMSDIST", all, normal),
		one("PHI", all, density),
		one("GAUSS", all, func(x float64) float64 { return math.Erf(x/math.Sqrt2) / 2 }),
		one("NORMSINV", inside, normalInverse),
		one("NORM.S.INV", inside, normalInverse),
		one("GAMMALN", positive, lnGamma),
		one("GAMMALN.PRECISE", positive, lnGamma),
		one("GAMMA", func(x float64) bool { return x > 0 || x != math.Trunc(x) }, math.Gamma),
		one("ERF.PRECISE", all, math.Erf),
		one("ERFC", all, math.Erfc),
		one("ERFC.PRECISE", all, math.Erfc),
		Func{Name: "ERF", Min: 1, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			if len(a) == 1 {
				return Num(math.Erf(a[0].num))
			}
			return Num(math.Erf(a[1].num) - math.Erf(a[0].num))
		}},
		Func{Name: "NORM.S.DIST", Min: 2, Max: 2, Args: "n b", Call: func(_ *Call, a []Value) Value {
			return Num(either(a[1], normal, density)(a[0].num))
		}},
		Func{Name: "LOGNORM.DIST", Min: 4, Max: 4, Args: "n n n b", Call: func(_ *Call, a []Value) Value {
			x, sd := a[0].num, a[2].num
			if x <= 0 || sd <= 0 {
				return Fail(ErrNum)
			}
			z := (math.Log(x) - a[1].num) / sd
			if a[3].Bool() {
				return Num(normal(z))
			}
			return Num(density(z) / (x * sd))
		}},
		Func{Name: "LOGNORMDIST", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[0].num <= 0 || a[2].num <= 0 {
				return Fail(ErrNum)
			}
			return Num(normal((math.Log(a[0].num) - a[1].num) / a[2].num))
		}},
	)
	for _, name := range []string{"NORMDIST", "NORM.DIST"} {
		register(Func{Name: name, Min: 4, Max: 4, Args: "n n n b", Call: func(_ *Call, a []Value) Value {
			if a[2].num <= 0 {
				return Fail(ErrNum)
			}
			z := (a[0].num - a[1].num) / a[2].num
			if a[3].Bool() {
				return Num(normal(z))
			}
			return Num(density(z) / a[2].num)
		}})
	}
	for name, shape := range map[string]func(float64) float64{
		"NORMINV": func(x float64) float64 { return x }, "NORM.INV": func(x float64) float64 { return x },
		"LOGINV": math.Exp, "LOGNORM.INV": math.Exp,
	} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if !inside(a[0].num) || a[2].num <= 0 {
				return Fail(ErrNum)
			}
			return Num(shape(a[1].num + a[2].num*normalInverse(a[0].num)))
		}})
	}
	for _, name := range []string{"CONFIDENCE", "CONFIDENCE.NORM"} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			n := math.Trunc(a[2].num)
			if !inside(a[0].num) || a[1].num <= 0 || n < 1 {
				return Fail(ErrNum)
			}
			return Num(-normalInverse(a[0].num/2) * a[1].num / math.Sqrt(n))
		}})
	}
}

// either returns the distribution when an argument is TRUE, else the density.
func either(cumulative Value, distribution, density func(float64) float64) func(float64) float64 {
	if cumulative.Bool() {
		return distribution
	}
	return density
}
