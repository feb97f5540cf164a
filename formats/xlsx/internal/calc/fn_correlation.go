package calc

import "math"

// Functions of pairs of numbers.

func init() {
	for name, f := range map[string]func(p paired) Value{
		"CORREL":       correlation,
		"PEARSON":      correlation,
		"COVAR":        func(p paired) Value { return ratio(p.xy, p.n) },
		"COVARIANCE.P": func(p paired) Value { return ratio(p.xy, p.n) },
		"COVARIANCE.S": func(p paired) Value { return ratio(p.xy, p.n-1) },
		"RSQ": func(p paired) Value {
			return ratio(p.xy*p.xy, p.xx*p.yy)
		},
		"SLOPE":     func(p paired) Value { return ratio(p.xy, p.yy) }, // the first argument is y
		"INTERCEPT": func(p paired) Value { return p.line(0) },
		"STEYX": func(p paired) Value {
			if p.n < 3 || p.yy == 0 {
				return Fail(ErrDiv0)
			}
			return Num(math.Sqrt(max(p.xx-p.xy*p.xy/p.yy, 0) / (p.n - 2)))
		},
	} {
		register(Func{Name: name, Min: 2, Max: 2, Args: "A", Call: func(c *Call, a []Value) Value {
			p, bad := c.paired(a[0], a[1])
			return orBad(bad, f(p))
		}})
	}
	for _, name := range []string{"FORECAST", "FORECAST.LINEAR"} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "n A A", Call: func(c *Call, a []Value) Value {
			p, bad := c.paired(a[1], a[2])
			return orBad(bad, p.line(a[0].num))
		}})
	}
	register(
		Func{Name: "PROB", Min: 3, Max: 4, Args: "A A n n", Call: probability},
	)
}

// paired are sums over pairs of numbers, about their means.
type paired struct {
	n, meanX, meanY float64
	xx, yy, xy      float64
}

func ratio(x, y float64) Value {
	if y == 0 || math.IsNaN(y) {
		return Fail(ErrDiv0)
	}
	return Num(x / y)
}

func correlation(p paired) Value { return ratio(p.xy, math.Sqrt(p.xx)*math.Sqrt(p.yy)) }

// line returns the value that the line through the pairs has at a place; the
// first of the pair is the one that depends on the second.
func (p paired) line(at float64) Value {
	if p.n == 0 || p.yy == 0 {
		return Fail(ErrDiv0)
	}
	return Num(p.meanX + p.xy/p.yy*(at-p.meanY))
}

// numberPairs returns the numbers at places at which both arguments have one.
func (c *Call) numberPairs(a, b Value) (xs, ys []float64, bad Value) {
	x, bad := c.ArrayOf(a)
	if bad.IsError() {
		return nil, nil, bad
	}
	y, bad := c.ArrayOf(b)
	if bad.IsError() {
		return nil, nil, bad
	}
	if x.Len() != y.Len() {
		return nil, nil, Fail(ErrNA)
	}
	for i := range max(len(x.data), len(y.data)) {
		c.step(1)
		u, v := x.Index(i), y.Index(i)
		switch {
		case u.kind == Err:
			return nil, nil, u
		case v.kind == Err:
			return nil, nil, v
		case u.kind == Number && v.kind == Number:
			xs, ys = append(xs, u.num), append(ys, v.num)
		}
	}
	return xs, ys, Value{}
}

func (c *Call) paired(a, b Value) (p paired, bad Value) {
	xs, ys, bad := c.numberPairs(a, b)
	if bad.IsError() || len(xs) == 0 {
		return p, bad
	}
	p.n, p.meanX, p.meanY = float64(len(xs)), mean(xs), mean(ys)
	for i, x := range xs {
		dx, dy := x-p.meanX, ys[i]-p.meanY
		p.xx, p.yy, p.xy = p.xx+dx*dx, p.yy+dy*dy, p.xy+dx*dy
	}
	return p, bad
}

// probability sums the probabilities of values within limits.
func probability(c *Call, a []Value) Value {
	xs, ps, bad := c.numberPairs(a[0], a[1])
	if bad.IsError() {
		return bad
	}
	low, high := a[2].num, a[len(a)-1].num
	all, within := 0.0, 0.0
	for i, p := range ps {
		if p <= 0 || p > 1 {
			return Fail(ErrNum)
		}
		if all += p; xs[i] >= low && xs[i] <= high {
			within += p
		}
	}
	if digits15(all) != 1 {
		return Fail(ErrNum)
	}
	return Num(within)
}
