package calc

import "math"

// Functions of depreciation.

func init() {
	register(
		Func{Name: "SLN", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[2].num == 0 {
				return Fail(ErrDiv0)
			}
			return Num((a[0].num - a[1].num) / a[2].num)
		}},
		Func{Name: "SYD", Min: 4, Max: 4, Args: "n", Call: func(_ *Call, a []Value) Value {
			cost, salvage, life, period := a[0].num, a[1].num, a[2].num, a[3].num
			if salvage < 0 || life <= 0 || period < 1 || period > life {
				return Fail(ErrNum)
			}
			return Num((cost - salvage) * (life - period + 1) * 2 / (life * (life + 1)))
		}},
		Func{Name: "DB", Min: 4, Max: 5, Args: "n n n n n?", Call: fixedDeclining},
		Func{Name: "DDB", Min: 4, Max: 5, Args: "n n n n n?", Call: doubleDeclining},
		Func{Name: "VDB", Min: 5, Max: 7, Args: "n n n n n n? b", Call: variableDeclining},
	)
}

// wholePeriods ends the formula where a period has a fraction.
func (c *Call) wholePeriods(xs ...float64) {
	for _, x := range xs {
		if x != math.Trunc(x) {
			c.stop(ReasonForm, "depreciation of a part of a period")
		}
	}
}

func fixedDeclining(c *Call, a []Value) Value {
	cost, salvage, life, period, months := a[0].num, a[1].num, a[2].num, a[3].num, math.Trunc(number(a, 4, 12))
	if cost < 0 || salvage < 0 || life <= 0 || period <= 0 || months < 1 || months > 12 || period > life+1 || period > life && months == 12 {
		return Fail(ErrNum)
	}
	c.wholePeriods(life, period)
	if cost == 0 || salvage > cost {
		c.stop(ReasonForm, "depreciation of nothing")
	}
	rate := roundDigits(1-math.Pow(salvage/cost, 1/life), 3)
	depreciation := cost * rate * months / 12
	left := cost - depreciation
	for p := 2.0; p <= period; p++ {
		c.step(1)
		if depreciation = left * rate; p > life {
			depreciation *= (12 - months) / 12
		}
		left -= depreciation
	}
	return Num(depreciation)
}

// declining returns the depreciation of a period by a part of what is left.
func declining(cost, salvage, life, period, factor float64) float64 {
	rate := min(factor/life, 1)
	before, after := cost*math.Pow(1-rate, period-1), cost*math.Pow(1-rate, period)
	if rate == 1 && period > 1 {
		before = 0
	}
	return max(before-max(after, salvage), 0)
}

func doubleDeclining(c *Call, a []Value) Value {
	cost, salvage, life, period, factor := a[0].num, a[1].num, a[2].num, a[3].num, number(a, 4, 2)
	if cost < 0 || salvage < 0 || life <= 0 || period < 1 || period > life || factor <= 0 {
		return Fail(ErrNum)
	}
	c.wholePeriods(period)
	return Num(declining(cost, salvage, life, period, factor))
}

// variableDeclining sums the depreciation of periods. It goes over to equal parts of
// what is left where these are larger.
func variableDeclining(c *Call, a []Value) Value {
	cost, salvage, life, start, end, factor := a[0].num, a[1].num, a[2].num, a[3].num, a[4].num, number(a, 5, 2)
	if cost < 0 || salvage < 0 || life <= 0 || start < 0 || end < start || end > life || factor <= 0 {
		return Fail(ErrNum)
	}
	c.wholePeriods(life, start, end)
	if salvage > cost {
		c.stop(ReasonForm, "depreciation to more than the cost")
	}
	stays := len(a) > 6 && a[6].Bool()
	left, sum, straight := cost, 0.0, false
	for p := 1.0; p <= end; p++ {
		c.step(1)
		depreciation := min(left*min(factor/life, 1), left-salvage)
		if equal := (left - salvage) / (life - p + 1); !stays && (straight || equal > depreciation) {
			depreciation, straight = equal, true
		}
		if left -= depreciation; p > start {
			sum += depreciation
		}
	}
	return Num(sum)
}
