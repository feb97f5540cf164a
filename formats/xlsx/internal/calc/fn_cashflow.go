package calc

import "math"

// Functions of flows of cash.

func init() {
	register(
		Func{Name: "NPV", Min: 2, Max: -1, Args: "n a", Call: netPresentValue},
		Func{Name: "IRR", Min: 1, Max: 2, Args: "a n?", Call: internalRate},
		Func{Name: "MIRR", Min: 3, Max: 3, Args: "a n n", Call: modifiedRate},
		Func{Name: "XNPV", Min: 3, Max: 3, Args: "n a a", Call: datedValue},
		Func{Name: "XIRR", Min: 2, Max: 3, Args: "a a n?", Call: datedRate},
	)
}

// What a search for a rate takes at most: steps along tangents, and halvings.
const (
	maxIterations = 100
	maxHalvings   = 80
)

// rateOf returns the rate at which a value is zero. It is #NUM! where there is
// none; where several rates are possible, programs find different ones.
func (c *Call) rateOf(guess float64, value func(rate float64) float64) Value {
	if guess <= -1 {
		c.stop(ReasonForm, "a guess of -100 %% or less")
	}
	roots, before, last := 0, 0.0, 0.0
	low, high := 0.0, 0.0
	for i := 1; i <= 400; i++ { // from nearly -1 up, in steps that grow
		rate := math.Pow(10, float64(i)/40-5) - 1
		c.step(1)
		y := value(rate)
		if y == 0 || math.IsNaN(y) {
			continue
		}
		if y < 0 && last > 0 || y > 0 && last < 0 {
			roots, low, high = roots+1, before, rate
		}
		before, last = rate, y
	}
	switch {
	case roots == 0:
		return Fail(ErrNum)
	case roots > 1:
		c.stop(ReasonForm, "several rates are possible")
	}
	return Num(c.between(low, high, value))
}

// between halves an interval, at whose ends a function has different signs, to its
// zero.
func (c *Call) between(low, high float64, f func(float64) float64) float64 {
	rises := f(high) > 0
	for range maxHalvings {
		c.step(1)
		mid := low + (high-low)/2
		y := f(mid)
		switch {
		case mid == low || mid == high || y == 0:
			return mid
		case (y > 0) == rises:
			high = mid
		default:
			low = mid
		}
	}
	return low + (high-low)/2
}

// root finds a zero by steps along the tangent, whose slope it measures.
func (c *Call) root(x float64, f func(float64) float64) (float64, bool) {
	best, size := x, math.Inf(1)
	for range maxIterations {
		c.step(1)
		y := f(x)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return 0, false
		}
		if math.Abs(y) >= size && size < math.Inf(1) && math.Abs(x-best) <= 1e-9*max(math.Abs(best), 1e-3) {
			return best, true // it gets no nearer
		}
		if math.Abs(y) < size {
			best, size = x, math.Abs(y)
		}
		if y == 0 {
			return x, true
		}
		h := 1e-6 * max(math.Abs(x), 1e-3)
		slope := (f(x+h) - f(x-h)) / (2 * h)
		next := x - y/slope
		if slope == 0 || math.IsNaN(next) || math.IsInf(next, 0) {
			return 0, false
		}
		if next <= -1 {
			next = (x - 1) / 2
		}
		if next == x {
			return x, true
		}
		x = next
	}
	return 0, false
}

func netPresentValue(c *Call, a []Value) Value {
	c.saneRate(a[0].num)
	sum, factor := 0.0, 1.0
	bad := c.EachNumber(a[1:], func(x float64) {
		factor *= 1 + a[0].num
		sum += x / factor
	})
	return orBad(bad, Num(sum))
}

// bothSigns reports whether numbers have both signs.
func bothSigns(xs []float64) bool {
	up, down := false, false
	for _, x := range xs {
		up, down = up || x > 0, down || x < 0
	}
	return up && down
}

// present returns the value of a flow at a rate.
func present(xs []float64, rate float64) float64 {
	sum, factor := 0.0, 1.0
	for _, x := range xs {
		sum += x / factor
		factor *= 1 + rate
	}
	return sum
}

func internalRate(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a[:1])
	if bad.IsError() {
		return bad
	}
	if !bothSigns(xs) {
		return Fail(ErrNum)
	}
	return c.rateOf(number(a, 1, 0.1), func(rate float64) float64 {
		c.step(len(xs))
		return present(xs, rate)
	})
}

func modifiedRate(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a[:1])
	if bad.IsError() {
		return bad
	}
	if !bothSigns(xs) {
		return Fail(ErrDiv0)
	}
	c.saneRate(min(a[1].num, a[2].num))
	in, out := make([]float64, len(xs)), make([]float64, len(xs))
	for i, x := range xs {
		in[i], out[i] = max(x, 0), min(x, 0)
	}
	n := float64(len(xs) - 1)
	end := present(in, a[2].num) * math.Pow(1+a[2].num, n)
	return Num(math.Pow(-end/present(out, a[1].num), 1/n) - 1)
}

// dated reads amounts and their days.
func (c *Call) dated(amounts, days Value) (xs, years []float64, bad Value) {
	xs, bad = c.Numbers([]Value{amounts})
	if bad.IsError() {
		return nil, nil, bad
	}
	ds, bad := c.Numbers([]Value{days})
	if bad.IsError() {
		return nil, nil, bad
	}
	if len(xs) != len(ds) || len(xs) == 0 {
		return nil, nil, Fail(ErrNum)
	}
	for _, d := range ds {
		if math.Trunc(d) < math.Trunc(ds[0]) || d > maxDay {
			return nil, nil, Fail(ErrNum)
		}
		years = append(years, (math.Trunc(d)-math.Trunc(ds[0]))/365)
	}
	return xs, years, Value{}
}

func presentDated(xs, years []float64, rate float64) float64 {
	sum := 0.0
	for i, x := range xs {
		sum += x / math.Pow(1+rate, years[i])
	}
	return sum
}

func datedValue(c *Call, a []Value) Value {
	xs, years, bad := c.dated(a[1], a[2])
	if bad.IsError() {
		return bad
	}
	if a[0].num <= 0 {
		c.stop(ReasonForm, "XNPV at a rate that is not positive")
	}
	return Num(presentDated(xs, years, a[0].num))
}

// datedRate does not tell negative and very large rates: for some Excel returns
// 2.98E-09.
func datedRate(c *Call, a []Value) Value {
	xs, years, bad := c.dated(a[0], a[1])
	if bad.IsError() {
		return bad
	}
	if !bothSigns(xs) {
		return Fail(ErrNum)
	}
	rate := c.rateOf(number(a, 2, 0.1), func(rate float64) float64 {
		c.step(len(xs))
		return presentDated(xs, years, rate)
	})
	if xs[0] == 0 || rate.num < 0 || rate.num > 10 {
		c.stop(ReasonForm, "XIRR of a flow that begins with zero, below zero or over 1000 %%, which Excel does not always find")
	}
	return rate
}
