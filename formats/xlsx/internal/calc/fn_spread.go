package calc

import "math"

// Averages and measures of spread and form of samples.

func init() {
	same := func(x float64) float64 { return x }
	for _, f := range []struct {
		names []string
		call  func(*Call, []Value) Value
	}{
		{[]string{"STDEV", "STDEV.S"}, variance(false, 1, math.Sqrt)},
		{[]string{"STDEVP", "STDEV.P"}, variance(false, 0, math.Sqrt)},
		{[]string{"VAR", "VAR.S"}, variance(false, 1, same)},
		{[]string{"VARP", "VAR.P"}, variance(false, 0, same)},
		{[]string{"STDEVA"}, variance(true, 1, math.Sqrt)},
		{[]string{"STDEVPA"}, variance(true, 0, math.Sqrt)},
		{[]string{"VARA"}, variance(true, 1, same)},
		{[]string{"VARPA"}, variance(true, 0, same)},
		{[]string{"AVEDEV"}, sample(ErrNum, meanDeviation)},
		{[]string{"DEVSQ"}, sample(ErrNum, func(xs []float64) Value { return Num(squaredDeviations(xs)) })},
		{[]string{"GEOMEAN"}, sample(ErrNum, geometricMean)},
		{[]string{"SKEW"}, sample(ErrDiv0, skewness)},
		{[]string{"SKEW.P"}, sample(ErrDiv0, skewnessOfAll)},
		{[]string{"KURT"}, sample(ErrDiv0, kurtosis)},
		{[]string{"HARMEAN"}, harmonicMean},
	} {
		for _, name := range f.names {
			register(Func{Name: name, Min: 1, Max: -1, Args: "a", Call: f.call})
		}
	}
	register(
		Func{Name: "TRIMMEAN", Min: 2, Max: 2, Args: "a n", Call: trimmedMean},
		Func{Name: "STANDARDIZE", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[2].num <= 0 {
				return Fail(ErrNum)
			}
			return Num((a[0].num - a[1].num) / a[2].num)
		}},
		Func{Name: "FISHER", Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value { return Num(math.Atanh(a[0].num)) }},
		Func{Name: "FISHERINV", Min: 1, Max: 1, Args: "n", Call: func(_ *Call, a []Value) Value { return Num(math.Tanh(a[0].num)) }},
	)
}

// variance is a function of the variance of numbers, of which less are not free;
// texts and truth values of cells count when they are given.
func variance(texts bool, less int, f func(float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		t := newTotals()
		t.keeps = true
		see := func(x float64) {
			if t.n&0xffff == 0xffff {
				c.takeRoom(1 << 14)
			}
			t.add(x)
		}
		each := c.EachNumber
		if texts {
			each = c.EachNumberA
		}
		if bad := each(a, see); bad.IsError() {
			return bad
		}
		return spread(t, less, f)
	}
}

// sample makes a function of the numbers of its arguments; without any it is an
// error.
func sample(none Error, f func(xs []float64) Value) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		xs, bad := c.Numbers(a)
		switch {
		case bad.IsError():
			return bad
		case len(xs) == 0:
			return Fail(none)
		}
		return f(xs)
	}
}

// mean returns the average of numbers, of which there is at least one.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// moment returns the sum of powers of the distances from the mean, each over scale.
func moment(xs []float64, power int, scale float64) float64 {
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += math.Pow((x-m)/scale, float64(power))
	}
	return sum
}

// squaredDeviations returns the sum of the squares of the distances from the mean.
func squaredDeviations(xs []float64) float64 {
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return sum
}

func meanDeviation(xs []float64) Value {
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += math.Abs(x - m)
	}
	return Num(sum / float64(len(xs)))
}

func geometricMean(xs []float64) Value {
	sum := 0.0
	for _, x := range xs {
		if x <= 0 {
			return Fail(ErrNum)
		}
		sum += math.Log(x)
	}
	return Num(math.Exp(sum / float64(len(xs))))
}

func harmonicMean(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a)
	if bad.IsError() {
		return bad
	}
	if len(xs) == 0 {
		c.stop(ReasonForm, "HARMEAN of no numbers")
	}
	sum := 0.0
	for _, x := range xs {
		if x <= 0 {
			return Fail(ErrNum)
		}
		sum += 1 / x
	}
	return Num(float64(len(xs)) / sum)
}

func skewness(xs []float64) Value {
	n := float64(len(xs))
	s := math.Sqrt(squaredDeviations(xs) / (n - 1))
	if n < 3 || s == 0 {
		return Fail(ErrDiv0)
	}
	return Num(n / ((n - 1) * (n - 2)) * moment(xs, 3, s))
}

func skewnessOfAll(xs []float64) Value {
	n := float64(len(xs))
	s := math.Sqrt(squaredDeviations(xs) / n)
	if n < 3 || s == 0 {
		return Fail(ErrDiv0)
	}
	return Num(moment(xs, 3, s) / n)
}

func kurtosis(xs []float64) Value {
	n := float64(len(xs))
	s := math.Sqrt(squaredDeviations(xs) / (n - 1))
	if n < 4 || s == 0 {
		return Fail(ErrDiv0)
	}
	return Num(n*(n+1)/((n-1)*(n-2)*(n-3))*moment(xs, 4, s) - 3*(n-1)*(n-1)/((n-2)*(n-3)))
}

// trimmedMean leaves out as many of the least as of the greatest numbers.
func trimmedMean(c *Call, a []Value) Value {
	xs, bad := c.sorted(a[0])
	if bad.IsError() {
		return bad
	}
	if part := a[1].num; len(xs) == 0 || part < 0 || part >= 1 {
		return Fail(ErrNum)
	}
	drop := int(c.floor(a[1].num*float64(len(xs)))) / 2
	return Num(mean(xs[drop : len(xs)-drop]))
}
