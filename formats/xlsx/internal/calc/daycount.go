package calc

import "math"

// Counts of days of securities by their basis: 0 US 30/360, 1 actual/actual, 2
// actual/360, 3 actual/365, 4 European 30/360.

// day is a day of the calendar.
type day struct {
	serial  float64
	y, m, d int
}

func (c *Call) day(serial float64) (day, bool) {
	y, m, d, ok := c.calendar(serial)
	return day{math.Floor(serial), y, m, d}, ok
}

// last reports whether it is the last day of its month.
func (d day) last() bool { return d.d >= monthDays(d.y, d.m) }

// term reads the days of settlement and maturity, and the basis at place i of the
// arguments.
func (c *Call) term(a []Value, i int) (from, to day, basis int, bad Value) {
	from, ok := c.day(a[0].num)
	to, ok2 := c.day(a[1].num)
	basis = optional(a, i, 0)
	if !ok || !ok2 || basis < 0 || basis > 4 || from.serial >= to.serial {
		return from, to, basis, Fail(ErrNum)
	}
	return from, to, basis, Value{}
}

// days360 counts days of months of 30 days.
func (c *Call) days360(from, to day, european bool) float64 {
	d1, d2 := min(from.d, 30), to.d
	if !european && from.m == 2 && from.last() {
		c.stop(ReasonForm, "months of 30 days from the end of February")
	}
	if d2 == 31 && (european || d1 == 30) {
		d2 = 30
	}
	return float64((to.y-from.y)*360 + (to.m-from.m)*30 + d2 - d1)
}

// days counts days by a basis.
func (c *Call) days(from, to day, basis int) float64 {
	if basis == 0 || basis == 4 {
		return c.days360(from, to, basis == 4)
	}
	return to.serial - from.serial
}

// years returns the part of years between two days. Programs differ in the length
// of a year of basis 1.
func (c *Call) years(from, to day, basis int) float64 {
	switch basis {
	case 1:
		c.stop(ReasonForm, "parts of a year with basis 1")
	case 3:
		return c.days(from, to, basis) / 365
	}
	return c.days(from, to, basis) / 360
}

// coupons are the days of interest about the settlement of a security.
type coupons struct {
	settlement, before, after day
	frequency, count          float64 // a year, and after settlement
	basis                     int
}

// coupons finds the days of interest, counted back from maturity. The basis is at
// place i of the arguments, the frequency before it.
func (c *Call) coupons(a []Value, i int) (k coupons, bad Value) {
	from, to, basis, bad := c.term(a, i)
	f := a[i-1].Int()
	if bad.IsError() || f != 1 && f != 2 && f != 4 {
		return k, Fail(ErrNum)
	}
	if to.last() && to.d < 31 {
		c.stop(ReasonForm, "days of interest counted back from the end of a month of less than 31 days")
	}
	k = coupons{settlement: from, after: to, frequency: float64(f), basis: basis}
	months := 12 / f
	n := max(((to.y-from.y)*12+to.m-from.m)/months-1, 0)
	for ; ; n++ {
		c.step(1)
		serial, ok := c.addMonths(to.serial, -n*months)
		d, _ := c.day(serial)
		if !ok {
			return k, Fail(ErrNum)
		}
		if d.serial <= from.serial {
			k.before, k.count = d, float64(n)
			return k, Value{}
		}
		k.after = d
	}
}

// length returns the days of the period of interest, elapsed those up to
// settlement.
func (c *Call) length(k coupons) float64 {
	switch k.basis {
	case 1:
		return k.after.serial - k.before.serial
	case 3:
		return 365 / k.frequency
	}
	return 360 / k.frequency
}

func (c *Call) elapsed(k coupons) float64 { return c.days(k.before, k.settlement, k.basis) }

// left returns the days from settlement to the next day of interest.
func (c *Call) left(k coupons) float64 {
	left := c.days(k.settlement, k.after, k.basis)
	if (k.basis == 0 || k.basis == 4) && left != c.length(k)-c.elapsed(k) {
		c.stop(ReasonForm, "days to the next interest with months of 30 days")
	}
	return left
}
