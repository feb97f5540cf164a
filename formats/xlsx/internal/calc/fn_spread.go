package calc

import "math"

// Averages and measures of spread and form of samples.

func init() {
	deviation := func(less int) func(t totals) Value {
		return func(t totals) Value { return spread(t, less, math.Sqrt) }
	}
	variance := func(less int) func(t totals) Value {
		return func(t totals) Value { return spread(t, less, func(x float64) float64 { return x }) }
	}
	for _, f := range []struct {
		names []string
		call  func(*Call, []Value) Value
	}{
		{[]string{"STDEV", "STDEV.S"}, reduced(deviation(1))},
		{[]string{"STDEVP", "STDEV.P"}, reduced(deviation(0))},
		{[]string{"VAR", "VAR.S"}, reduced(variance(1))},
		{[]string{"VARP", "VAR.P"}, reduced(variance(0))},
		{[]string{"STDEVA"}, reducedA(deviation(1))},
		{[]string{"STDEVPA"}, reducedA(deviation(0))},
		{[]string{"VARA"}, reducedA(variance(1))},
		{[]string{"VARPA"}, reducedA(variance(0))},
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
