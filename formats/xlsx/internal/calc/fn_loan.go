package calc

import "math"

// Functions of loans and savings with equal payments. Money paid is negative.

func init() {
	register(
		Func{Name: "PMT", Min: 3, Max: 5, Args: "n", Call: func(c *Call, a []Value) Value { return c.loan(a, 0, 1, 2).payment() }},
		Func{Name: "FV", Min: 3, Max: 5, Args: "n", Call: futureValue},
		Func{Name: "PV", Min: 3, Max: 5, Args: "n", Call: presentValue},
		Func{Name: "NPER", Min: 3, Max: 5, Args: "n", Call: periods},
		Func{Name: "IPMT", Min: 4, Max: 6, Args: "n", Call: periodPart(func(_, interest float64) float64 { return interest })},
		Func{Name: "PPMT", Min: 4, Max: 6, Args: "n", Call: periodPart(func(payment, interest float64) float64 { return payment - interest })},
		Func{Name: "CUMIPMT", Min: 6, Max: 6, Args: "n", Call: cumulative(func(_, interest float64) float64 { return interest })},
		Func{Name: "CUMPRINC", Min: 6, Max: 6, Args: "n", Call: cumulative(func(payment, interest float64) float64 { return payment - interest })},
		Func{Name: "ISPMT", Min: 4, Max: 4, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[2].num == 0 {
				return Fail(ErrDiv0)
			}
			return Num(a[3].num * a[0].num * (a[1].num/a[2].num - 1))
		}},
		Func{Name: "RATE", Min: 3, Max: 6, Args: "n n n n n n?", Call: rateFunc},
		Func{Name: "EFFECT", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			n := math.Trunc(a[1].num)
			if a[0].num <= 0 || n < 1 {
				return Fail(ErrNum)
			}
			return Num(math.Pow(1+a[0].num/n, n) - 1)
		}},
		Func{Name: "NOMINAL", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			n := math.Trunc(a[1].num)
			if a[0].num <= 0 || n < 1 {
				return Fail(ErrNum)
			}
			return Num((math.Pow(a[0].num+1, 1/n) - 1) * n)
		}},
		Func{Name: "RRI", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[0].num <= 0 || a[1].num == 0 {
				return Fail(ErrNum)
			}
			return Num(math.Pow(a[2].num/a[1].num, 1/a[0].num) - 1)
		}},
		Func{Name: "PDURATION", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			if a[0].num <= 0 || a[1].num <= 0 || a[2].num <= 0 {
				return Fail(ErrNum)
			}
			return Num((math.Log(a[2].num) - math.Log(a[1].num)) / math.Log(1+a[0].num))
		}},
		Func{Name: "FVSCHEDULE", Min: 2, Max: 2, Args: "n a", Call: futureSchedule},
		Func{Name: "DOLLARDE", Min: 2, Max: 2, Args: "n", Call: dollars(func(frac, f, unit float64) float64 { return frac * unit / f })},
		Func{Name: "DOLLARFR", Min: 2, Max: 2, Args: "n", Call: dollars(func(frac, f, unit float64) float64 { return frac * f / unit })},
	)
}

// loan is a loan or a saving.
type loan struct {
	rate, n, pv, fv float64
	first           float64 // 1 when payments are at the beginning of periods
}

// loan takes the rate, number of periods and present value from arguments, and
// behind the last of them the future value and when payments are.
func (c *Call) loan(a []Value, rate, n, pv int) loan {
	l := loan{rate: a[rate].num, n: a[n].num, pv: a[pv].num, fv: number(a, pv+1, 0), first: atStart(a, pv+2)}
	c.saneRate(l.rate)
	return l
}

// number returns an argument that may not be there.
func number(a []Value, i int, otherwise float64) float64 {
	if i < len(a) && !a[i].Missing() {
		return a[i].num
	}
	return otherwise
}

func atStart(a []Value, i int) float64 {
	if number(a, i, 0) != 0 {
		return 1
	}
	return 0
}

// saneRate ends the formula for rates at which nothing is left after a period.
func (c *Call) saneRate(rate float64) {
	if rate <= -1 {
		c.stop(ReasonForm, "a rate of -100 %% or less")
	}
}

// growth returns what 1 has become after the periods, and what payments of 1 have.
func growth(rate, n, first float64) (one, payments float64) {
	if rate == 0 {
		return 1, n
	}
	more := math.Expm1(n * math.Log1p(rate))
	return math.Exp(n * math.Log1p(rate)), (1 + rate*first) * more / rate
}

func (l loan) payment() Value {
	one, payments := growth(l.rate, l.n, l.first)
	if payments == 0 {
		return Fail(ErrNum)
	}
	return Num(-(l.fv + l.pv*one) / payments)
}

func futureValue(c *Call, a []Value) Value {
	c.saneRate(a[0].num)
	one, payments := growth(a[0].num, a[1].num, atStart(a, 4))
	return Num(-(number(a, 3, 0)*one + a[2].num*payments))
}

func presentValue(c *Call, a []Value) Value {
	c.saneRate(a[0].num)
	one, payments := growth(a[0].num, a[1].num, atStart(a, 4))
	return Num(-(number(a, 3, 0) + a[2].num*payments) / one)
}

func periods(c *Call, a []Value) Value {
	rate, payment, pv, fv := a[0].num, a[1].num, a[2].num, number(a, 3, 0)
	c.saneRate(rate)
	if rate == 0 {
		if payment == 0 {
			return Fail(ErrNum)
		}
		return Num(-(pv + fv) / payment)
	}
	payment *= 1 + rate*atStart(a, 4)
	up, down := payment-fv*rate, payment+pv*rate
	if down == 0 || up/down <= 0 {
		return Fail(ErrNum)
	}
	return Num(math.Log(up/down) / math.Log(1+rate))
}

// interest returns the interest of a period, of which the payments are known.
func (l loan) interest(payment, period float64) float64 {
	if l.first == 1 {
		if period == 1 {
			return 0
		}
		one, payments := growth(l.rate, period-2, 1)
		return -(l.pv*one + payment*payments + payment) * l.rate
	}
	one, payments := growth(l.rate, period-1, 0)
	return -(l.pv*one + payment*payments) * l.rate
}

func periodPart(part func(payment, interest float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		l := c.loan(a, 0, 2, 3)
		period := a[1].num
		if period < 1 || period >= l.n+1 {
			return Fail(ErrNum)
		}
		if period != math.Trunc(period) || l.n != math.Trunc(l.n) {
			c.stop(ReasonForm, "a part of a period")
		}
		payment := l.payment()
		if payment.IsError() {
			return payment
		}
		return Num(part(payment.num, l.interest(payment.num, period)))
	}
}

func cumulative(part func(payment, interest float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		first, last := math.Trunc(a[3].num), math.Trunc(a[4].num)
		l := loan{rate: a[0].num, n: a[1].num, pv: a[2].num, first: math.Trunc(a[5].num)}
		if l.rate <= 0 || l.n <= 0 || l.pv <= 0 || first < 1 || last < first || last > l.n || l.first != 0 && l.first != 1 {
			return Fail(ErrNum)
		}
		if l.n != math.Trunc(l.n) {
			c.stop(ReasonForm, "a part of a period")
		}
		payment, sum := l.payment(), 0.0
		if payment.IsError() {
			return payment
		}
		for period := first; period <= last; period++ {
			c.step(termSteps)
			sum += part(payment.num, l.interest(payment.num, period))
		}
		return Num(sum)
	}
}

func rateFunc(c *Call, a []Value) Value {
	n, payment, pv, fv, first := a[0].num, a[1].num, a[2].num, number(a, 3, 0), atStart(a, 4)
	if n <= 0 {
		return Fail(ErrNum)
	}
	return c.rateOf(number(a, 5, 0.1), func(rate float64) float64 {
		one, payments := growth(rate, n, first)
		return (pv*one + payment*payments + fv) / one
	})
}

func futureSchedule(c *Call, a []Value) Value {
	x, bad := a[0].num, Value{}
	c.Each(a[1], func(v Value, _ bool) bool {
		switch v.kind {
		case Number:
			x *= 1 + v.num
		case Err:
			bad = v
		default:
			bad = Fail(ErrValue)
		}
		return bad.kind != Err
	})
	return orBad(bad, Num(x))
}

// dollars converts the fraction of a price. Its unit is the power of ten that has
// as many digits as the denominator.
func dollars(part func(frac, f, unit float64) float64) func(*Call, []Value) Value {
	return func(_ *Call, a []Value) Value {
		f := math.Trunc(a[1].num)
		switch {
		case a[1].num < 0:
			return Fail(ErrNum)
		case f < 1:
			return Fail(ErrDiv0)
		}
		whole, frac := math.Modf(a[0].num)
		unit := 1.0
		for unit < f {
			unit *= 10
		}
		return Num(whole + part(frac, f, unit))
	}
}
