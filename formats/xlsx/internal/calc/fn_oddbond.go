package calc

import "math"

// Functions of securities whose first or last period of interest is shorter or longer
// than the others, and of interest that is due. How to count days is documented for all
// of them; what is not calculated are terms for which programs are known to differ.

func init() {
	register(
		Func{Name: "ACCRINT", Min: 6, Max: 8, Args: "n n n n n? n n? b?", Call: accruedInterest},
		Func{Name: "ODDFPRICE", Min: 8, Max: 9, Args: "n n n n n n n n n?", Call: func(c *Call, a []Value) Value {
			b, bad := c.oddFirst(a)
			if bad.IsError() || a[5].num < 0 {
				return Fail(ErrNum)
			}
			return Num(c.oddFirstPrice(b, a[5].num))
		}},
		Func{Name: "ODDFYIELD", Min: 8, Max: 9, Args: "n n n n n n n n n?", Call: func(c *Call, a []Value) Value {
			b, bad := c.oddFirst(a)
			if bad.IsError() || a[5].num <= 0 {
				return Fail(ErrNum)
			}
			y, ok := c.root(max(a[4].num, 0.01), func(y float64) float64 { return c.oddFirstPrice(b, y) - a[5].num })
			if !ok || y < 0 {
				c.stop(ReasonForm, "a yield that is not found, or below zero")
			}
			return Num(y)
		}},
		Func{Name: "ODDLPRICE", Min: 7, Max: 8, Args: "n n n n n n n n?", Call: oddLast(func(l lastPeriod, yield float64) float64 {
			return (l.redemption+l.interest*l.whole)/(1+l.left*yield/l.frequency) - l.interest*l.elapsed
		})},
		Func{Name: "ODDLYIELD", Min: 7, Max: 8, Args: "n n n n n n n n?", Call: oddLast(func(l lastPeriod, price float64) float64 {
			paid := price + l.interest*l.elapsed
			return (l.redemption + l.interest*l.whole - paid) / paid * l.frequency / l.left
		})},
	)
}

// plainDays returns the days between days of a month up to the 28th, for which months of
// 30 days are counted in one way only. The days must not be beyond it with basis 0 and 4.
func (c *Call) plainDays(basis int, days ...day) {
	if basis == 1 {
		c.stop(ReasonForm, "%s with basis 1", c.Func.Name)
	}
	for _, d := range days {
		if (basis == 0 || basis == 4) && d.d > 28 {
			c.stop(ReasonForm, "%s with months of 30 days and a day after the 28th", c.Func.Name)
		}
	}
}

// yearDays is the length of a year by a basis other than 1.
func yearDays(basis int) float64 {
	if basis == 3 {
		return 365
	}
	return 360
}

// accruedInterest is ACCRINT. The periods of interest between issue and settlement all
// have the same length with a basis other than 1, so that their parts add up.
func accruedInterest(c *Call, a []Value) Value {
	issue, ok := c.day(a[0].num)
	first, ok2 := c.day(a[1].num)
	settlement, ok3 := c.day(a[2].num)
	rate, par, f, basis := a[3].num, number(a, 4, 1000), a[5].Int(), optional(a, 6, 0)
	if !ok || !ok2 || !ok3 || rate <= 0 || par <= 0 || f != 1 && f != 2 && f != 4 || basis < 0 || basis > 4 || issue.serial >= settlement.serial {
		return Fail(ErrNum)
	}
	if first.serial <= issue.serial {
		c.stop(ReasonForm, "ACCRINT with interest before the issue")
	}
	if settlement.serial > first.serial && !flag(a, 7, true) {
		c.stop(ReasonForm, "ACCRINT from the first interest on")
	}
	c.plainDays(basis, issue, settlement)
	return Num(par * rate * c.days(issue, settlement, basis) / yearDays(basis))
}

// lastPeriod is a security in its last period of interest, of which whole, elapsed and
// left are in units of a normal period.
type lastPeriod struct {
	interest, redemption, frequency float64
	whole, elapsed, left            float64
}

// oddLast is a function of a security in an odd last period: settlement, maturity, last
// interest, rate, yield or price, redemption, frequency, basis.
func oddLast(f func(l lastPeriod, x float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		from, to, basis, bad := c.term(a, 7)
		last, ok := c.day(a[2].num)
		n := a[6].Int()
		if bad.IsError() || !ok || a[3].num < 0 || a[4].num < 0 || a[5].num <= 0 || n != 1 && n != 2 && n != 4 || last.serial >= from.serial {
			return Fail(ErrNum)
		}
		c.plainDays(basis, from, to, last)
		period := yearDays(basis) / float64(n)
		return Num(f(lastPeriod{
			interest: 100 * a[3].num / float64(n), redemption: a[5].num, frequency: float64(n),
			whole: c.days(last, to, basis) / period, elapsed: c.days(last, from, basis) / period, left: c.days(from, to, basis) / period,
		}, a[4].num))
	}
}

// firstPeriod is a security before its first interest, which is paid for the part first
// of a normal period.
type firstPeriod struct {
	bond
	first, elapsed float64
}

// oddFirst reads settlement, maturity, issue, first interest, rate, price or yield,
// redemption, frequency and basis. First periods that are longer than the others are not
// calculated: no second program tells how their parts are counted.
func (c *Call) oddFirst(a []Value) (b firstPeriod, bad Value) {
	from, to, basis, bad := c.term(a, 8)
	issue, ok := c.day(a[2].num)
	first, ok2 := c.day(a[3].num)
	n := a[7].Int()
	if bad.IsError() || !ok || !ok2 || a[4].num < 0 || a[6].num <= 0 || n != 1 && n != 2 && n != 4 ||
		issue.serial >= from.serial || from.serial >= first.serial || first.serial >= to.serial {
		return b, Fail(ErrNum)
	}
	if basis == 2 || basis == 3 {
		c.stop(ReasonForm, "prices with basis 2 or 3")
	}
	if to.d > 28 || first.d > 28 || issue.d > 28 || from.d > 28 {
		c.stop(ReasonForm, "an odd first period with a day after the 28th")
	}
	months := (to.y-first.y)*12 + to.m - first.m
	if to.d != first.d || months%(12/n) != 0 {
		c.stop(ReasonForm, "a first interest that is not on a day of interest counted back from maturity")
	}
	serial, _ := c.addMonths(first.serial, -12/n)
	before, ok := c.day(serial)
	if !ok || issue.serial < before.serial {
		c.stop(ReasonForm, "a first period longer than the others")
	}
	k := coupons{before: before, after: first, frequency: float64(n), basis: basis}
	length := c.length(k)
	b.bond = bond{coupon: 100 * a[4].num / float64(n), redemption: a[6].num, count: float64(months/(12/n) + 1), frequency: float64(n), left: c.days(from, first, basis) / length}
	b.first, b.elapsed = c.days(issue, first, basis)/length, c.days(issue, from, basis)/length
	return b, Value{}
}

// oddFirstPrice returns the price without the interest due at settlement.
func (c *Call) oddFirstPrice(b firstPeriod, yield float64) float64 {
	c.step(int(b.count))
	grow := 1 + yield/b.frequency
	sum := b.redemption/math.Pow(grow, b.count-1+b.left) + b.coupon*b.first/math.Pow(grow, b.left)
	for k := 1; k < int(b.count); k++ {
		sum += b.coupon / math.Pow(grow, float64(k)+b.left)
	}
	return sum - b.coupon*b.elapsed
}
