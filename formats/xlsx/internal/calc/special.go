package calc

import "math"

// Special functions that the distributions need, in double precision.

// stirling returns ln Γ(x+1) without its leading parts (x+1/2) ln x - x + ln √2π.
func stirling(x float64) float64 {
	if x > 15 {
		q := 1 / (x * x)
		return (1.0/12 - q*(1.0/360-q*(1.0/1260-q*(1.0/1680-q*(1.0/1188-q*691.0/360360))))) / x
	}
	g, _ := math.Lgamma(x + 1)
	return g - (x+0.5)*math.Log(x) + x - 0.5*math.Log(2*math.Pi)
}

// deviance returns x ln(x/m) + m - x without the loss of digits where x is near m.
func deviance(x, m float64) float64 {
	d := (x - m) / (x + m)
	if math.Abs(d) > 0.1 {
		return x*math.Log(x/m) + m - x
	}
	// ln(x/m) = 2 artanh d
	sum, power := (x-m)*d, 2*x*d
	for j := 1.0; j < 100; j++ {
		power *= d * d
		next := sum + power/(2*j+1)
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}

// poisson returns m^x e^-m / Γ(x+1), also for an x with a fraction.
func poisson(x, m float64) float64 {
	switch {
	case x < 0:
		return 0
	case m == 0:
		if x == 0 {
			return 1
		}
		return 0
	case x == 0:
		return math.Exp(-m)
	}
	return math.Exp(-stirling(x)-deviance(x, m)) / math.Sqrt(2*math.Pi*x)
}

// binomial returns Γ(n+1) / (Γ(x+1) Γ(n-x+1)) p^x q^(n-x), also for numbers with a
// fraction; q is 1-p.
func binomial(x, n, p, q float64) float64 {
	switch {
	case x < 0 || x > n:
		return 0
	case p == 0 || q == 0:
		if p == 0 && x == 0 || q == 0 && x == n {
			return 1
		}
		return 0
	case x == 0:
		return math.Exp(n * logOf(q, p))
	case x == n:
		return math.Exp(n * logOf(p, q))
	}
	y := n - x
	e := stirling(n) - stirling(x) - stirling(y) - deviance(x, n*p) - deviance(y, n*q)
	return math.Exp(e) * math.Sqrt(n/(2*math.Pi*x*y))
}

// logOf returns ln p, of which q = 1-p is known.
func logOf(p, q float64) float64 {
	if q < 0.5 {
		return math.Log1p(-q)
	}
	return math.Log(p)
}

// maxTerms bounds the terms of a series or continued fraction.
const maxTerms = 200_000

// tooSlow ends the formula when a series takes too many terms.
func (e *Evaluator) tooSlow() {
	e.stop(ReasonLimit, "a distribution with parameters so large takes too long")
}

// gammas returns the two parts of the regularized incomplete gamma function, P(a,x)
// and Q(a,x).
func (e *Evaluator) gammas(a, x float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case math.IsInf(x, 1):
		return 1, 0
	case x < a+1:
		sum, term := 1.0, 1.0
		for n := 1.0; term > sum*1e-17; n++ {
			e.step(1)
			if n > maxTerms {
				e.tooSlow()
			}
			term *= x / (a + n)
			sum += term
		}
		lower = min(sum*poisson(a, x), 1)
		return lower, 1 - lower
	}
	f := e.fraction(x+1-a, func(n float64) (num, den float64) { return n * (a - n), x + 2*n + 1 - a })
	upper = min(poisson(a, x)*a/f, 1)
	return 1 - upper, upper
}

// fraction returns the continued fraction first + num1/(den1 + num2/(den2 + …)) by
// the method of Lentz.
func (e *Evaluator) fraction(first float64, part func(n float64) (num, den float64)) float64 {
	const tiny = 1e-300
	f := first
	if f == 0 {
		f = tiny
	}
	c, d := f, 0.0
	for n := 1.0; ; n++ {
		e.step(1)
		if n > maxTerms {
			e.tooSlow()
		}
		num, den := part(n)
		if d = den + num*d; d == 0 {
			d = tiny
		}
		if c = den + num/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < 2e-16 {
			return f
		}
	}
}

// betas returns the regularized incomplete beta function of x with parameters a and
// b, and what is left to 1; y is 1-x.
func (e *Evaluator) betas(a, b, x, y float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case y <= 0:
		return 1, 0
	case x > (a+1)/(a+b+2):
		upper, lower = e.betas0(b, a, y, x)
		return lower, upper
	}
	return e.betas0(a, b, x, y)
}

func (e *Evaluator) betas0(a, b, x, y float64) (lower, upper float64) {
	f := e.fraction(1, func(n float64) (num, den float64) {
		m := math.Floor(n / 2)
		if n == 2*m {
			return m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)), 1
		}
		return -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)), 1
	})
	lower = min(binomial(a, a+b, x, y)*b/(a+b)/f, 1)
	return lower, 1 - lower
}

// normal returns the standard normal distribution up to x.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// density returns the standard normal density.
func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// normalInverse returns where the standard normal distribution is p, between 0 and 1.
func normalInverse(p float64) float64 {
	if p > 0.5 {
		return -normalInverse(1 - p)
	}
	x := 0.0
	if p < 0.1 {
		t := math.Sqrt(-2 * math.Log(p))
		x = -t + math.Log(t*t*2*math.Pi)/(2*t)
	}
	for range 50 {
		off := (normal(x) - p) / density(x)
		next := x - off/(1+x*off/2)
		if math.Abs(next-x) <= 1e-16*math.Abs(x) {
			return next
		}
		x = next
	}
	return x
}

// inverse returns where a rising function is p, of which q = 1-p is known, between
// the ends of an interval whose upper end may be infinite. The function returns
// what is left to 1 too.
func (e *Evaluator) inverse(p, q, low, high float64, f func(x float64) (lower, upper float64)) float64 {
	before := func(x float64) bool {
		lower, upper := f(x)
		if p < q {
			return lower < p
		}
		return upper > q
	}
	if math.IsInf(high, 1) {
		for high = low + 1; before(high) && high < 1e300; high = low + 2*(high-low) {
			e.step(1)
		}
		for step := (high - low) / 2; step > 1e-300 && !before(low+step); step /= 16 {
			high = low + step
		}
	}
	for range 1100 {
		e.step(1)
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if before(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
