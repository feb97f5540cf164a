package calc

// Functions of securities without regular interest, and of treasury bills.

func init() {
	// term makes a row of a function of two amounts and the years between settlement
	// and maturity.
	term := func(name string, f func(x, y, years float64) float64) Func {
		return Func{Name: name, Min: 4, Max: 5, Args: "n n n n n?", Call: func(c *Call, a []Value) Value {
			from, to, basis, bad := c.term(a, 4)
			if bad.IsError() || a[2].num <= 0 || a[3].num <= 0 {
				return Fail(ErrNum)
			}
			return Num(f(a[2].num, a[3].num, c.years(from, to, basis)))
		}}
	}
	bill := func(name string, f func(c *Call, x, days float64) float64) Func {
		return Func{Name: name, Min: 3, Max: 3, Args: "n", Call: func(c *Call, a []Value) Value {
			from, to, _, bad := c.term(a, 3)
			if bad.IsError() || a[2].num <= 0 {
				return Fail(ErrNum)
			}
			days := to.serial - from.serial
			if days > 366 {
				return Fail(ErrNum)
			}
			if days > 360 {
				c.stop(ReasonForm, "a treasury bill of about a year")
			}
			return Num(f(c, a[2].num, days))
		}}
	}
	register(
		term("DISC", func(price, redemption, years float64) float64 { return (redemption - price) / redemption / years }),
		term("INTRATE", func(paid, redemption, years float64) float64 { return (redemption - paid) / paid / years }),
		term("PRICEDISC", func(discount, redemption, years float64) float64 { return redemption - discount*redemption*years }),
		term("RECEIVED", func(paid, discount, years float64) float64 { return paid / (1 - discount*years) }),
		term("YIELDDISC", func(price, redemption, years float64) float64 { return (redemption/price - 1) / years }),
		bill("TBILLPRICE", func(_ *Call, discount, days float64) float64 { return 100 * (1 - discount*days/360) }),
		bill("TBILLYIELD", func(_ *Call, price, days float64) float64 { return (100 - price) / price * 360 / days }),
		bill("TBILLEQ", func(c *Call, discount, days float64) float64 {
			if days > 182 {
				c.stop(ReasonForm, "TBILLEQ over half a year")
			}
			return 365 * discount / (360 - discount*days)
		}),
		Func{Name: "ACCRINTM", Min: 3, Max: 5, Args: "n n n n? n?", Call: func(c *Call, a []Value) Value {
			from, to, basis, bad := c.term(a, 4)
			par := number(a, 3, 1000)
			if bad.IsError() || a[2].num <= 0 || par <= 0 {
				return Fail(ErrNum)
			}
			return Num(par * a[2].num * c.years(from, to, basis))
		}},
		Func{Name: "PRICEMAT", Min: 5, Max: 6, Args: "n n n n n n?", Call: atMaturity(func(toEnd, toIssue, all, rate, yield float64) float64 {
			return 100*(1+all*rate)/(1+toEnd*yield) - 100*toIssue*rate
		})},
		Func{Name: "YIELDMAT", Min: 5, Max: 6, Args: "n n n n n n?", Call: atMaturity(func(toEnd, toIssue, all, rate, price float64) float64 {
			paid := price/100 + toIssue*rate
			return ((1 + all*rate) - paid) / paid / toEnd
		})},
	)
}

// atMaturity is a function of a security whose interest is paid at the end: of the
// years from settlement, those from issue to settlement and all of them.
func atMaturity(f func(toEnd, toIssue, all, rate, x float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		from, to, basis, bad := c.term(a, 5)
		issue, ok := c.day(a[2].num)
		if bad.IsError() || !ok || a[3].num < 0 || a[4].num < 0 {
			return Fail(ErrNum)
		}
		if issue.serial >= from.serial {
			c.stop(ReasonForm, "a security settled before its issue")
		}
		return Num(f(c.years(from, to, basis), c.years(issue, from, basis), c.years(issue, to, basis), a[3].num, a[4].num))
	}
}
