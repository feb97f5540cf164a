package calc

import "math"

// Functions of discrete distributions.

func init() {
	for _, name := range []string{"BINOMDIST", "BINOM.DIST"} {
		register(Func{Name: name, Min: 4, Max: 4, Args: "n n n b", Call: binomialDist})
	}
	for _, name := range []string{"POISSON", "POISSON.DIST"} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n n b", Call: poissonDist})
	}
	for _, name := range []string{"CRITBINOM", "BINOM.INV"} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n", Call: binomialInverse})
	}
	register(
		Func{Name: "BINOM.DIST.RANGE", Min: 3, Max: 4, Args: "n", Call: binomialRange},
		Func{Name: "NEGBINOM.DIST", Min: 4, Max: 4, Args: "n n n b", Call: negativeBinomial},
		Func{Name: "NEGBINOMDIST", Min: 3, Max: 3, Args: "n", Call: negativeBinomial},
		Func{Name: "HYPGEOM.DIST", Min: 5, Max: 5, Args: "n n n n b", Call: hypergeometric},
		Func{Name: "HYPGEOMDIST", Min: 4, Max: 4, Args: "n", Call: hypergeometric},
	)
}

// termSteps is the work of one term of a sum of probabilities.
const termSteps = 20

func binomialDist(c *Call, a []Value) Value {
	k, n, p := math.Trunc(a[0].num), math.Trunc(a[1].num), a[2].num
	if k < 0 || k > n || p < 0 || p > 1 {
		return Fail(ErrNum)
	}
	if !a[3].Bool() {
		return Num(binomial(k, n, p, 1-p))
	}
	if k == n {
		return Num(1)
	}
	_, upper := c.betas(k+1, n-k, p, 1-p)
	return Num(upper)
}

func binomialRange(c *Call, a []Value) Value {
	n, p, from := math.Trunc(a[0].num), a[1].num, math.Trunc(a[2].num)
	to := from
	if len(a) > 3 {
		to = math.Trunc(a[3].num)
	}
	if n < 0 || p < 0 || p > 1 || from < 0 || from > n || to < from || to > n {
		return Fail(ErrNum)
	}
	sum := 0.0
	for k := from; k <= to; k++ {
		c.step(termSteps)
		sum += binomial(k, n, p, 1-p)
	}
	return Num(sum)
}

// binomialInverse returns the least number of successes up to which the
// distribution is at least alpha.
func binomialInverse(c *Call, a []Value) Value {
	n, p, alpha := math.Trunc(a[0].num), a[1].num, a[2].num
	if n < 0 || p < 0 || p > 1 || alpha < 0 || alpha > 1 {
		return Fail(ErrNum)
	}
	if n == 0 || p == 0 || p == 1 || alpha == 0 || alpha == 1 {
		c.atEnd()
	}
	sum := 0.0
	for k := 0.0; k < n; k++ {
		c.step(termSteps)
		sum += binomial(k, n, p, 1-p)
		if math.Abs(sum-alpha) < 1e-12*alpha {
			c.stop(ReasonForm, "a probability that is met but for an error of rounding")
		}
		if sum > alpha {
			return Num(k)
		}
	}
	return Num(n)
}

func poissonDist(c *Call, a []Value) Value {
	k, m := math.Trunc(a[0].num), a[1].num
	if k < 0 || m < 0 {
		return Fail(ErrNum)
	}
	if m == 0 {
		c.atEnd()
	}
	if !a[2].Bool() {
		return Num(poisson(k, m))
	}
	_, upper := c.gammas(k+1, m)
	return Num(upper)
}

func negativeBinomial(c *Call, a []Value) Value {
	fails, hits, p := math.Trunc(a[0].num), math.Trunc(a[1].num), a[2].num
	if fails < 0 || hits < 1 || p < 0 || p > 1 {
		return Fail(ErrNum)
	}
	if p == 0 || p == 1 {
		c.atEnd()
	}
	if len(a) > 3 && a[3].Bool() {
		lower, _ := c.betas(hits, fails+1, p, 1-p)
		return Num(lower)
	}
	return Num(binomial(hits, fails+hits, p, 1-p) * hits / (fails + hits))
}

func hypergeometric(c *Call, a []Value) Value {
	s, n, hits, all := math.Trunc(a[0].num), math.Trunc(a[1].num), math.Trunc(a[2].num), math.Trunc(a[3].num)
	least := max(0, n-all+hits)
	if s < least || s > min(n, hits) || n <= 0 || n > all || hits <= 0 || hits > all {
		return Fail(ErrNum)
	}
	one := func(s float64) float64 {
		p := n / all
		return binomial(s, hits, p, 1-p) * binomial(n-s, all-hits, p, 1-p) / binomial(n, all, p, 1-p)
	}
	if len(a) < 5 || !a[4].Bool() {
		return Num(one(s))
	}
	sum := 0.0
	for k := least; k <= s; k++ {
		c.step(termSteps)
		sum += one(k)
	}
	return Num(sum)
}
