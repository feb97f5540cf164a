package calc

import "math"

// Bessel functions of whole orders (OpenFormula 6.16.6 to 6.16.9). Excel calculates
// them with approximations of about seven digits; the values here are exact to about
// fourteen, so that they can differ from those of Excel from the eighth digit on.

func init() {
	row := func(name string, positive bool, f func(c *Call, x float64, n int) float64) Func {
		return Func{Name: name, Min: 2, Max: 2, Args: "n", Call: func(c *Call, a []Value) Value {
			x, n := a[0].num, a[1].Int()
			if n < 0 || positive && x <= 0 {
				return Fail(ErrNum)
			}
			if n > maxOrder {
				c.stop(ReasonLimit, "%s of an order over %d", name, maxOrder)
			}
			c.step(n)
			return Num(f(c, x, n))
		}}
	}
	register(
		row("BESSELJ", false, func(_ *Call, x float64, n int) float64 { return math.Jn(n, x) }),
		row("BESSELY", true, func(_ *Call, x float64, n int) float64 { return math.Yn(n, x) }),
		row("BESSELI", false, (*Call).besselI),
		row("BESSELK", true, func(_ *Call, x float64, n int) float64 { return besselK(x, n) }),
	)
}

// maxOrder bounds the order of a Bessel function, which takes as many steps.
const maxOrder = 100_000

// besselI sums the power series, whose terms have one sign. Beyond what the numbers of
// cells hold it is infinite.
func (c *Call) besselI(x float64, n int) float64 {
	half := math.Abs(x) / 2
	switch {
	case x == 0 && n == 0:
		return 1
	case x == 0:
		return 0
	case half > 400:
		return math.Inf(1)
	}
	term := 1.0
	if n < 150 {
		for k := 1; k <= n; k++ {
			term *= half / float64(k)
		}
	} else {
		gamma, _ := math.Lgamma(float64(n) + 1)
		term = math.Exp(float64(n)*math.Log(half) - gamma)
	}
	sum := term
	for k := 1.0; term > sum*1e-17; k++ {
		c.step(1)
		term *= half / k * (half / (k + float64(n)))
		sum += term
	}
	if x < 0 && n%2 == 1 {
		return -sum
	}
	return sum
}

// besselK integrates exp(-x cosh t) cosh nt over t for the orders 0 and 1, for which the
// sum over steps of equal size converges fast, and goes on to higher ones by their
// recurrence, which is stable upwards.
func besselK(x float64, n int) float64 {
	step := min(1.0/16, 0.5/math.Sqrt(x)) // the function is about as wide as 1/√x
	k0, k1 := 0.5, 0.5
	for i := 1; ; i++ {
		t := float64(i) * step
		// cosh t - 1 without the loss of digits at small t.
		s := math.Sinh(t / 2)
		f := math.Exp(-2 * x * s * s)
		k0 += f
		k1 += f * math.Cosh(t)
		if f*math.Cosh(t) < 1e-18*k1 {
			break
		}
	}
	scale := step * math.Exp(-x)
	k0, k1 = k0*scale, k1*scale
	if n == 0 {
		return k0
	}
	for m := 1; m < n && !math.IsInf(k1, 0); m++ {
		k0, k1 = k1, k0+2*float64(m)/x*k1
	}
	return k1
}
