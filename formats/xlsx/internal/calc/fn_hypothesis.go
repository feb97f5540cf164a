package calc

import "math"

// Statistical tests: the probability of what was seen, or more, by chance.

func init() {
	for name, f := range map[string]func(c *Call, a []Value) Value{"TTEST": tTest, "T.TEST": tTest} {
		register(Func{Name: name, Min: 4, Max: 4, Args: "A A n n", Call: f})
	}
	for name, f := range map[string]func(c *Call, a []Value) Value{
		"FTEST": fTest, "F.TEST": fTest, "CHITEST": chiTest, "CHISQ.TEST": chiTest,
	} {
		register(Func{Name: name, Min: 2, Max: 2, Args: "A", Call: f})
	}
	for _, name := range []string{"ZTEST", "Z.TEST"} {
		register(Func{Name: name, Min: 2, Max: 3, Args: "a n n?", Call: zTest})
	}
}

// samples returns the numbers of two arguments, with their variances.
func (c *Call) samples(a []Value) (xs, ys []float64, vx, vy float64, bad Value) {
	if xs, bad = c.Numbers(a[:1]); bad.IsError() {
		return
	}
	if ys, bad = c.Numbers(a[1:2]); bad.IsError() {
		return
	}
	if len(xs) < 2 || len(ys) < 2 {
		bad = Fail(ErrDiv0)
		return
	}
	vx, vy = squaredDeviations(xs)/float64(len(xs)-1), squaredDeviations(ys)/float64(len(ys)-1)
	return
}

func tTest(c *Call, a []Value) Value {
	tails, kind := math.Trunc(a[2].num), math.Trunc(a[3].num)
	if tails != 1 && tails != 2 || kind < 1 || kind > 3 {
		return Fail(ErrNum)
	}
	t, df, bad := c.tPaired(a)
	if kind > 1 {
		t, df, bad = c.tUnpaired(a, kind == 2)
	}
	switch {
	case bad.IsError():
		return bad
	case math.IsNaN(t) || math.IsInf(t, 0):
		return Fail(ErrDiv0)
	}
	return Num(tails * c.tRest(math.Abs(t), df))
}

func (c *Call) tPaired(a []Value) (t, df float64, bad Value) {
	xs, ys, bad := c.numberPairs(a[0], a[1])
	if bad.IsError() {
		return 0, 0, bad
	}
	if len(xs) < 2 {
		return 0, 0, Fail(ErrDiv0)
	}
	for i := range xs {
		xs[i] -= ys[i]
	}
	n := float64(len(xs))
	return mean(xs) / math.Sqrt(squaredDeviations(xs)/(n-1)/n), n - 1, Value{}
}

// tUnpaired takes the variances of both samples for equal, or for different.
func (c *Call) tUnpaired(a []Value, equal bool) (t, df float64, bad Value) {
	xs, ys, vx, vy, bad := c.samples(a)
	if bad.IsError() {
		return 0, 0, bad
	}
	n, m := float64(len(xs)), float64(len(ys))
	difference := mean(xs) - mean(ys)
	if equal {
		df = n + m - 2
		return difference / math.Sqrt(((n-1)*vx+(m-1)*vy)/df*(1/n+1/m)), df, Value{}
	}
	sx, sy := vx/n, vy/m
	return difference / math.Sqrt(sx+sy), (sx + sy) * (sx + sy) / (sx*sx/(n-1) + sy*sy/(m-1)), Value{}
}

func fTest(c *Call, a []Value) Value {
	xs, ys, vx, vy, bad := c.samples(a)
	if bad.IsError() {
		return bad
	}
	if vx == 0 || vy == 0 {
		return Fail(ErrDiv0)
	}
	lower, upper := c.fParts(vx/vy, float64(len(xs)-1), float64(len(ys)-1))
	return Num(2 * min(lower, upper))
}

func chiTest(c *Call, a []Value) Value {
	seen, bad := c.matrix(a[0])
	if bad.IsError() {
		return bad
	}
	expected, bad := c.matrix(a[1])
	if bad.IsError() {
		return bad
	}
	rows, cols := len(seen), len(seen[0])
	if rows != len(expected) || cols != len(expected[0]) || rows*cols == 1 {
		return Fail(ErrNA)
	}
	sum := 0.0
	for i, row := range seen {
		for j, x := range row {
			switch e := expected[i][j]; {
			case e == 0:
				return Fail(ErrDiv0)
			case e < 0:
				return Fail(ErrNum)
			default:
				sum += (x - e) * (x - e) / e
			}
		}
	}
	df := float64((rows - 1) * (cols - 1))
	if rows == 1 || cols == 1 {
		df = float64(rows*cols - 1)
	}
	_, upper := c.gammas(df/2, sum/2)
	return Num(upper)
}

func zTest(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a[:1])
	if bad.IsError() {
		return bad
	}
	n := float64(len(xs))
	if n == 0 {
		return Fail(ErrNA)
	}
	sigma := number(a, 2, math.Sqrt(squaredDeviations(xs)/(n-1)))
	if sigma == 0 || math.IsNaN(sigma) {
		return Fail(ErrDiv0)
	}
	if sigma < 0 {
		return Fail(ErrNum)
	}
	return Num(normal((a[1].num - mean(xs)) * math.Sqrt(n) / sigma))
}
