package calc

import (
	"math"
	"slices"
)

// Functions of the order of numbers.

func init() {
	nth := func(name string, index func(n, k int) int) Func {
		return Func{Name: name, Min: 2, Max: 2, Args: "a n", Call: func(c *Call, a []Value) Value {
			if c.wholeNumber(a[1].num); a[1].num < 1 {
				return Fail(ErrNum)
			}
			xs, bad := c.sorted(a[0])
			if bad.IsError() {
				return bad
			}
			if a[1].num > float64(len(xs)) {
				return Fail(ErrNum)
			}
			return Num(xs[index(len(xs), a[1].Int())])
		}}
	}
	register(
		nth("SMALL", func(_, k int) int { return k - 1 }),
		nth("LARGE", func(n, k int) int { return n - k }),
		Func{Name: "MEDIAN", Min: 1, Max: -1, Args: "a", Call: median},
		Func{Name: "MODE.MULT", Min: 1, Max: -1, Args: "A", Call: modes},
		Func{Name: "FREQUENCY", Min: 2, Max: 2, Args: "a", Call: frequency},
	)
	for _, name := range []string{"MODE", "MODE.SNGL"} {
		register(Func{Name: name, Min: 1, Max: -1, Args: "A", Call: mode})
	}
	for _, name := range []string{"PERCENTILE", "PERCENTILE.INC"} {
		register(Func{Name: name, Min: 2, Max: 2, Args: "a n", Call: quantile(1, 0)})
	}
	for _, name := range []string{"QUARTILE", "QUARTILE.INC"} {
		register(Func{Name: name, Min: 2, Max: 2, Args: "a n", Call: quantile(4, 0)})
	}
	for _, name := range []string{"PERCENTRANK", "PERCENTRANK.INC"} {
		register(Func{Name: name, Min: 2, Max: 3, Args: "a n n?", Call: percentRank(0)})
	}
	for _, name := range []string{"RANK", "RANK.EQ"} {
		register(Func{Name: name, Min: 2, Max: 3, Args: "n r n", Call: rankFunc(func(before, _ int) float64 { return float64(before + 1) })})
	}
	register(
		Func{Name: "PERCENTILE.EXC", Min: 2, Max: 2, Args: "a n", Call: quantile(1, 1)},
		Func{Name: "QUARTILE.EXC", Min: 2, Max: 2, Args: "a n", Call: quantile(4, 1)},
		Func{Name: "PERCENTRANK.EXC", Min: 2, Max: 3, Args: "a n n?", Call: percentRank(1)},
		Func{Name: "RANK.AVG", Min: 2, Max: 3, Args: "n r n", Call: rankFunc(func(before, equal int) float64 { return float64(before) + float64(equal+1)/2 })},
	)
}

// sorted returns the numbers of an argument in rising order.
func (c *Call) sorted(v Value) ([]float64, Value) {
	xs, bad := c.Numbers([]Value{v})
	c.step(len(xs))
	slices.Sort(xs)
	return xs, bad
}

// wholeNumber ends the formula for a place with a fraction, which programs round
// in different ways.
func (c *Call) wholeNumber(x float64) {
	if x != math.Trunc(x) {
		c.stop(ReasonForm, "a place of an order that is no whole number")
	}
}

func median(c *Call, a []Value) Value {
	xs, bad := c.Numbers(a)
	if bad.IsError() {
		return bad
	}
	n := len(xs)
	if n == 0 {
		return Fail(ErrNum)
	}
	c.step(n)
	slices.Sort(xs)
	if n%2 == 1 {
		return Num(xs[n/2])
	}
	return Num((xs[n/2-1] + xs[n/2]) / 2)
}

// mostFrequent returns the numbers that are there most often, in the order in which
// they come; none when each is there once.
func (c *Call) mostFrequent(a []Value) (best []float64, bad Value) {
	xs, bad := c.Numbers(a)
	c.takeRoom(len(xs))
	counts := map[float64]int{}
	most := 1
	for _, x := range xs {
		counts[x]++
		most = max(most, counts[x])
	}
	if most == 1 {
		return nil, bad
	}
	for _, x := range xs {
		if counts[x] == most {
			best = append(best, x)
			delete(counts, x)
		}
	}
	return best, bad
}

func mode(c *Call, a []Value) Value {
	best, bad := c.mostFrequent(a)
	switch {
	case bad.IsError():
		return bad
	case len(best) == 0:
		return Fail(ErrNA)
	}
	return Num(best[0])
}

func modes(c *Call, a []Value) Value {
	best, bad := c.mostFrequent(a)
	switch {
	case bad.IsError():
		return bad
	case len(best) == 0:
		return Fail(ErrNA)
	}
	return c.column(best)
}

// column returns numbers as an array of one column.
func (c *Call) column(xs []float64) Value {
	out := c.NewArray(len(xs), 1)
	for i, x := range xs {
		out.Set(i, 0, Num(x))
	}
	return out.Result()
}

// frequency counts the numbers up to each limit and over the limit before it.
func frequency(c *Call, a []Value) Value {
	xs, bad := c.sorted(a[0])
	if bad.IsError() {
		return bad
	}
	limits, bad := c.Numbers(a[1:])
	if bad.IsError() {
		return bad
	}
	if len(limits) == 0 {
		c.stop(ReasonForm, "FREQUENCY without limits")
	}
	order := make([]int, len(limits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case limits[i] < limits[j]:
			return -1
		case limits[i] > limits[j]:
			return 1
		}
		return 0
	})
	counts := make([]float64, len(limits)+1)
	at := 0
	for _, k := range order {
		from := at
		for at < len(xs) && xs[at] <= limits[k] {
			at++
		}
		counts[k] = float64(at - from)
	}
	counts[len(limits)] = float64(len(xs) - at)
	return c.column(counts)
}

// quantile interpolates between numbers in rising order. The second argument is in
// parts of one; outside is 1 for the forms that leave out both ends.
func quantile(parts, outside float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		xs, bad := c.sorted(a[0])
		if bad.IsError() {
			return bad
		}
		k := a[1].num
		if parts > 1 {
			k = math.Trunc(k)
		}
		if k /= parts; len(xs) == 0 || k < 0 || k > 1 {
			return Fail(ErrNum)
		}
		at := k*(float64(len(xs))-1+2*outside) - outside
		if r := math.Round(at); digits15(at+1) == r+1 {
			at = r
		}
		if at < 0 || at > float64(len(xs)-1) {
			return Fail(ErrNum)
		}
		i := int(at)
		if at == float64(i) {
			return Num(xs[i])
		}
		return Num(xs[i] + (at-float64(i))*(xs[i+1]-xs[i]))
	}
}

// percentRank returns the part of the numbers that is less than a value,
// interpolated and cut to some digits.
func percentRank(outside float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		xs, bad := c.sorted(a[0])
		if bad.IsError() {
			return bad
		}
		x, digits := a[1].num, optional(a, 2, 3)
		switch {
		case len(xs) == 0 || digits < 1:
			return Fail(ErrNum)
		case x < xs[0] || x > xs[len(xs)-1]:
			return Fail(ErrNA)
		case len(xs) == 1:
			c.stop(ReasonForm, "PERCENTRANK of a single number")
		}
		i, found := slices.BinarySearch(xs, x)
		rank := float64(i)
		if !found {
			rank += (x-xs[i-1])/(xs[i]-xs[i-1]) - 1
		}
		return Num(c.toward((rank+outside)/(float64(len(xs))-1+2*outside), digits, false))
	}
}

// rankFunc is the place of a number by how many come before it and how many are
// equal.
func rankFunc(place func(before, equal int) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		rising := len(a) > 2 && a[2].num != 0
		before, equal := 0, 0
		bad := c.EachNumber(a[1:2], func(x float64) {
			switch {
			case x == a[0].num:
				equal++
			case x < a[0].num == rising:
				before++
			}
		})
		switch {
		case bad.IsError():
			return bad
		case equal == 0:
			return Fail(ErrNA)
		}
		return Num(place(before, equal))
	}
}
