package calc

import (
	"math"
	"strings"
)

// Functions of the time between two days.

func init() {
	register(
		Func{Name: "DATEDIF", Min: 3, Max: 3, Args: "n n s", Call: dateDif},
		Func{Name: "DAYS360", Min: 2, Max: 3, Args: "n n b", Call: days360Func},
		Func{Name: "YEARFRAC", Min: 2, Max: 3, Args: "n n n?", NoRange: true, Call: yearFrac},
	)
}

// dateDif counts whole years, months or days.
func dateDif(c *Call, a []Value) Value {
	from, ok := c.day(a[0].num)
	to, ok2 := c.day(a[1].num)
	if !ok || !ok2 || from.serial > to.serial {
		return Fail(ErrNum)
	}
	months := (to.y-from.y)*12 + to.m - from.m
	if to.d < from.d {
		months--
	}
	switch strings.ToUpper(a[2].str) {
	case "D":
		return Num(to.serial - from.serial)
	case "M":
		return Num(float64(months))
	case "Y":
		return Num(float64(months / 12))
	case "YM":
		return Num(float64(months % 12))
	case "MD":
		return c.daysOverMonths(from, to)
	case "YD":
		return c.daysOverYears(from, to)
	}
	return Fail(ErrNum)
}

// daysOverMonths is the unit MD. Excel's documentation warns of its results where
// the month before the last day is too short for the first one.
func (c *Call) daysOverMonths(from, to day) Value {
	if to.d >= from.d {
		return Num(float64(to.d - from.d))
	}
	before := monthDays(to.y, to.m-1)
	if from.d > before {
		c.stop(ReasonForm, "DATEDIF with MD over a month of %d days", before)
	}
	return Num(float64(before - from.d + to.d))
}

// daysOverYears is the unit YD. Programs count 29 February by the first year or by
// the last one.
func (c *Call) daysOverYears(from, to day) Value {
	next := 0
	if to.m < from.m || to.m == from.m && to.d < from.d {
		next = 1
	}
	first, ok := c.dayOf(from.y+next, to.m, to.d)
	last, ok2 := c.dayOf(to.y-next, from.m, from.d)
	if !ok || !ok2 {
		return Fail(ErrNum)
	}
	if first-from.serial != to.serial-last {
		c.stop(ReasonForm, "DATEDIF with YD over 29 February")
	}
	return Num(to.serial - last)
}

// days360Func counts the days between two dates with months of 30 days.
func days360Func(c *Call, a []Value) Value {
	from, ok := c.day(a[0].num)
	to, ok2 := c.day(a[1].num)
	if !ok || !ok2 {
		return Fail(ErrNum)
	}
	european := flag(a, 2, false)
	if !european && from.serial > to.serial && (to.d == 31 || from.d == 31 || from.last() || to.last()) {
		c.stop(ReasonForm, "DAYS360 backwards from or to the end of a month")
	}
	d1, d2 := min(from.d, 30), to.d
	if !european && from.m == 2 && from.last() {
		d1 = 30
	}
	if d2 == 31 && (european || d1 == 30) {
		d2 = 30
	}
	return Num(float64((to.y-from.y)*360 + (to.m-from.m)*30 + d2 - d1))
}

// yearFrac returns the part of years between two days, in any order.
func yearFrac(c *Call, a []Value) Value {
	from, ok := c.day(a[0].num)
	to, ok2 := c.day(a[1].num)
	basis := number(a, 2, 0)
	if !ok || !ok2 || basis < 0 || basis >= 5 {
		return Fail(ErrNum)
	}
	if from.serial > to.serial {
		from, to = to, from
	}
	days := to.serial - from.serial
	switch int(basis) {
	case 0:
		return Num(usDays(from, to) / 360)
	case 1:
		return Num(days / c.yearLength(from, to))
	case 2:
		return Num(days / 360)
	case 3:
		return Num(days / 365)
	}
	return Num(c.days360(from, to, true) / 360)
}

// usDays counts days with months of 30 days as the securities of the US do, where
// the end of February is the 30th.
func usDays(from, to day) float64 {
	d1, d2 := from.d, to.d
	if from.m == 2 && from.last() {
		if to.m == 2 && to.last() {
			d2 = 30
		}
		d1 = 30
	}
	d1 = min(d1, 30)
	if d2 == 31 && d1 == 30 && from.d >= 30 {
		d2 = 30
	}
	return float64((to.y-from.y)*360 + (to.m-from.m)*30 + d2 - d1)
}

// yearLength is the length of a year of basis 1: up to a year the one that has the
// days, else the mean of all years from the first day to the last.
func (c *Call) yearLength(from, to day) float64 {
	oneYear := from.y == to.y || from.y+1 == to.y && (from.m > to.m || from.m == to.m && from.d >= to.d)
	if !oneYear {
		first, _ := c.dayOf(from.y, 1, 1)
		last, ok := c.dayOf(to.y, 12, 31)
		if !ok {
			c.stop(ReasonForm, "YEARFRAC with basis 1 to the end of the calendar")
		}
		return (last - first + 1) / float64(to.y-from.y+1)
	}
	leap := func(y int) bool { return monthDays(y, 2) == 29 }
	after := func(d day) bool { return d.m > 2 } // 29 February
	switch {
	case from.y == to.y && leap(from.y),
		from.y != to.y && leap(from.y) && !after(from),
		from.y != to.y && leap(to.y) && (after(to) || to.m == 2 && to.d == 29):
		return 366
	}
	return 365
}

// dayOfWeek counts days from Monday, 0.
func (c *Call) dayOfWeek(serial float64) int {
	if c.book.Date1904 {
		return int(math.Mod(serial+4, 7))
	}
	return int(math.Mod(serial+5, 7))
}
