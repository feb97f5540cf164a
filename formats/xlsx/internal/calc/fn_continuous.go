package calc

import "math"

// Functions of continuous distributions but the normal one.

func init() {
	for name, f := range map[string]func(c *Call, a []Value) Value{
		"T.DIST": tDist, "EXPON.DIST": exponential, "EXPONDIST": exponential, "CHISQ.DIST": chiDist,
	} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n n b", Call: f})
	}
	for name, f := range map[string]func(c *Call, a []Value) Value{
		"F.DIST": fDist, "GAMMA.DIST": gammaDist, "GAMMADIST": gammaDist, "WEIBULL": weibull, "WEIBULL.DIST": weibull,
	} {
		register(Func{Name: name, Min: 4, Max: 4, Args: "n n n b", Call: f})
	}
	for name, f := range map[string]func(c *Call, a []Value) Value{
		"T.DIST.2T":     tTail(2),
		"T.DIST.RT":     tTail(0),
		"T.INV":         tInverse(1),
		"T.INV.2T":      tInverse(2),
		"TINV":          tInverse(2),
		"CHISQ.DIST.RT": chiTail, "CHIDIST": chiTail,
		"CHISQ.INV":    chiInverse(false),
		"CHISQ.INV.RT": chiInverse(true), "CHIINV": chiInverse(true),
	} {
		register(Func{Name: name, Min: 2, Max: 2, Args: "n", Call: f})
	}
	for name, f := range map[string]func(c *Call, a []Value) Value{
		"F.DIST.RT": fTail, "FDIST": fTail,
		"F.INV":    fInverse(false),
		"F.INV.RT": fInverse(true), "FINV": fInverse(true),
		"GAMMA.INV": gammaInverse, "GAMMAINV": gammaInverse,
		"TDIST": func(c *Call, a []Value) Value {
			tails := math.Trunc(a[2].num)
			if a[0].num < 0 || tails != 1 && tails != 2 {
				return Fail(ErrNum)
			}
			return tTail(tails)(c, a)
		},
		"CONFIDENCE.T": func(c *Call, a []Value) Value {
			n := math.Trunc(a[2].num)
			switch {
			case a[0].num <= 0 || a[0].num >= 1 || a[1].num <= 0 || n < 1:
				return Fail(ErrNum)
			case n == 1:
				return Fail(ErrDiv0)
			}
			return Num(c.tUpper(a[0].num/2, n-1) * a[1].num / math.Sqrt(n))
		},
	} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n", Call: f})
	}
	register(
		Func{Name: "BETA.DIST", Min: 4, Max: 6, Args: "n n n b n? n?", Call: func(c *Call, a []Value) Value {
			return c.beta(a[:3], number(a, 4, 0), number(a, 5, 1), a[3].Bool())
		}},
		Func{Name: "BETADIST", Min: 3, Max: 5, Args: "n n n n? n?", Call: func(c *Call, a []Value) Value {
			return c.beta(a[:3], number(a, 3, 0), number(a, 4, 1), true)
		}},
	)
	for _, name := range []string{"BETA.INV", "BETAINV"} {
		register(Func{Name: name, Min: 3, Max: 5, Args: "n n n n? n?", Call: betaInverse})
	}
}

// degrees reads degrees of freedom, which lose their fraction.
func degrees(v Value) (float64, bool) {
	d := math.Trunc(v.num)
	return d, d >= 1 && d <= 1e10
}

// atEnd ends the formula for a density at the end of its range, which may have no
// bound.
func (c *Call) atEnd() { c.stop(ReasonForm, "a density at the end of its range") }

// tRest returns the part of Student's distribution above x, which is not negative.
func (e *Evaluator) tRest(x, df float64) float64 {
	lower, _ := e.betas(df/2, 0.5, df/(df+x*x), x*x/(df+x*x))
	return lower / 2
}

// tUpper returns the x above which a part of Student's distribution is, at most
// half of it.
func (e *Evaluator) tUpper(p, df float64) float64 {
	if p == 0.5 {
		return 0
	}
	return e.inverse(1-p, p, 0, math.Inf(1), func(x float64) (float64, float64) {
		up := e.tRest(x, df)
		return 1 - up, up
	})
}

func tDist(c *Call, a []Value) Value {
	df, ok := degrees(a[1])
	if !ok {
		return Fail(ErrNum)
	}
	x := a[0].num
	if a[2].Bool() {
		rest := c.tRest(math.Abs(x), df)
		if x > 0 {
			rest = 1 - rest
		}
		return Num(rest)
	}
	h := df / 2
	g := 0.0 // ln Γ(h+1/2) - ln Γ(h)
	if h > 15 {
		g = h*math.Log1p(0.5/h) + 0.5*math.Log(h) - 0.5 + stirling(h+0.5) - stirling(h)
	} else {
		up, _ := math.Lgamma(h + 0.5)
		low, _ := math.Lgamma(h)
		g = up - low
	}
	return Num(math.Exp(g-(h+0.5)*math.Log1p(x*x/df)) / math.Sqrt(df*math.Pi))
}

// tTail is the part above x, for 2 tails also that below -x, where x is not
// negative; 0 takes any x.
func tTail(tails float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		df, ok := degrees(a[1])
		if !ok || a[0].num < 0 && tails != 0 {
			return Fail(ErrNum)
		}
		rest := c.tRest(math.Abs(a[0].num), df)
		if a[0].num < 0 {
			rest = 1 - rest
		}
		return Num(rest * max(tails, 1))
	}
}

func tInverse(tails float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		df, ok := degrees(a[1])
		p := a[0].num
		if !ok || p <= 0 || p > 1 || p == 1 && tails == 1 {
			return Fail(ErrNum)
		}
		switch p /= tails; {
		case tails == 2:
			return Num(c.tUpper(p, df))
		case p < 0.5:
			return Num(-c.tUpper(p, df))
		}
		return Num(c.tUpper(1-p, df))
	}
}

func exponential(_ *Call, a []Value) Value {
	x, rate := a[0].num, a[1].num
	if x < 0 || rate <= 0 {
		return Fail(ErrNum)
	}
	if a[2].Bool() {
		return Num(-math.Expm1(-rate * x))
	}
	return Num(rate * math.Exp(-rate*x))
}

// gamma is the distribution or the density of a gamma distribution.
func (c *Call) gamma(x, shape, scale float64, cumulative bool) Value {
	if cumulative {
		lower, _ := c.gammas(shape, x/scale)
		return Num(lower)
	}
	if x == 0 {
		c.atEnd()
	}
	return Num(poisson(shape, x/scale) * shape / x)
}

func gammaDist(c *Call, a []Value) Value {
	if a[0].num < 0 || a[1].num <= 0 || a[2].num <= 0 {
		return Fail(ErrNum)
	}
	return c.gamma(a[0].num, a[1].num, a[2].num, a[3].Bool())
}

func chiDist(c *Call, a []Value) Value {
	df, ok := degrees(a[1])
	if !ok || a[0].num < 0 {
		return Fail(ErrNum)
	}
	return c.gamma(a[0].num, df/2, 2, a[2].Bool())
}

func chiTail(c *Call, a []Value) Value {
	df, ok := degrees(a[1])
	if !ok || a[0].num < 0 {
		return Fail(ErrNum)
	}
	_, upper := c.gammas(df/2, a[0].num/2)
	return Num(upper)
}

// partOf returns a probability and what is left to 1, changed for a right tail.
// Where the place would be infinite, ok is false.
func partOf(v Value, right bool) (p, q float64, ok bool) {
	p, q = v.num, 1-v.num
	if right {
		p, q = q, p
	}
	return p, q, p >= 0 && q > 0
}

func (c *Call) gammaAt(p, q, shape, scale float64) Value {
	if p == 0 {
		return Num(0)
	}
	return Num(scale * c.inverse(p, q, 0, math.Inf(1), func(x float64) (float64, float64) { return c.gammas(shape, x) }))
}

func chiInverse(right bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		df, ok := degrees(a[1])
		p, q, inside := partOf(a[0], right)
		if !ok || !inside {
			return Fail(ErrNum)
		}
		return c.gammaAt(p, q, df/2, 2)
	}
}

func gammaInverse(c *Call, a []Value) Value {
	p, q, inside := partOf(a[0], false)
	if !inside || a[1].num <= 0 || a[2].num <= 0 {
		return Fail(ErrNum)
	}
	return c.gammaAt(p, q, a[1].num, a[2].num)
}

// fParts returns the parts of the F distribution up to x and above.
func (e *Evaluator) fParts(x, d1, d2 float64) (lower, upper float64) {
	if math.IsInf(d1*x, 1) {
		return 1, 0
	}
	return e.betas(d1/2, d2/2, d1*x/(d1*x+d2), d2/(d1*x+d2))
}

func fDist(c *Call, a []Value) Value {
	d1, ok := degrees(a[1])
	d2, ok2 := degrees(a[2])
	x := a[0].num
	if !ok || !ok2 || x < 0 {
		return Fail(ErrNum)
	}
	if a[3].Bool() {
		lower, _ := c.fParts(x, d1, d2)
		return Num(lower)
	}
	if x == 0 {
		c.atEnd()
	}
	return Num(binomial(d1/2, (d1+d2)/2, d1*x/(d1*x+d2), d2/(d1*x+d2)) * d1 * d2 / (2 * (d1 + d2)) / x)
}

func fTail(c *Call, a []Value) Value {
	d1, ok := degrees(a[1])
	d2, ok2 := degrees(a[2])
	if !ok || !ok2 || a[0].num < 0 {
		return Fail(ErrNum)
	}
	_, upper := c.fParts(a[0].num, d1, d2)
	return Num(upper)
}

func fInverse(right bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		d1, ok := degrees(a[1])
		d2, ok2 := degrees(a[2])
		p, q, inside := partOf(a[0], right)
		if !ok || !ok2 || !inside {
			return Fail(ErrNum)
		}
		if p == 0 {
			return Num(0)
		}
		return Num(c.inverse(p, q, 0, math.Inf(1), func(x float64) (float64, float64) { return c.fParts(x, d1, d2) }))
	}
}

func (c *Call) beta(a []Value, low, high float64, cumulative bool) Value {
	x, alpha, beta := a[0].num, a[1].num, a[2].num
	if alpha <= 0 || beta <= 0 || x < low || x > high || low == high {
		return Fail(ErrNum)
	}
	u, v := (x-low)/(high-low), (high-x)/(high-low)
	if cumulative {
		lower, _ := c.betas(alpha, beta, u, v)
		return Num(lower)
	}
	if u == 0 || v == 0 {
		c.atEnd()
	}
	return Num(binomial(alpha, alpha+beta, u, v) * alpha * beta / (alpha + beta) / (u * v) / (high - low))
}

func betaInverse(c *Call, a []Value) Value {
	p, alpha, beta, low, high := a[0].num, a[1].num, a[2].num, number(a, 3, 0), number(a, 4, 1)
	if p < 0 || p > 1 || alpha <= 0 || beta <= 0 || low >= high {
		return Fail(ErrNum)
	}
	if p == 0 || p == 1 {
		c.atEnd()
	}
	u := c.inverse(p, 1-p, 0, 1, func(x float64) (float64, float64) { return c.betas(alpha, beta, x, 1-x) })
	return Num(low + u*(high-low))
}

func weibull(c *Call, a []Value) Value {
	x, shape, scale := a[0].num, a[1].num, a[2].num
	if x < 0 || shape <= 0 || scale <= 0 {
		return Fail(ErrNum)
	}
	t := math.Pow(x/scale, shape)
	if a[3].Bool() {
		return Num(-math.Expm1(-t))
	}
	if x == 0 {
		c.atEnd()
	}
	return Num(shape / x * t * math.Exp(-t))
}
