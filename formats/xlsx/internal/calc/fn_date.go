package calc

import "math"

func init() {
	// part makes a row of a function of the calendar day of a number.
	part := func(name string, f func(y, m, d int) int) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(c *Call, a []Value) Value {
			y, m, d, ok := c.calendar(a[0].num)
			if !ok {
				return Fail(ErrNum)
			}
			return Num(float64(f(y, m, d)))
		}}
	}
	// time makes a row of a function of the seconds of a day.
	time := func(name string, f func(seconds int) int) Func {
		return Func{Name: name, Min: 1, Max: 1, Args: "n", Call: func(c *Call, a []Value) Value {
			if a[0].num < 0 {
				return Fail(ErrNum)
			}
			return Num(float64(f(clock(a[0].num))))
		}}
	}
	register(
		part("YEAR", func(y, _, _ int) int { return y }),
		part("MONTH", func(_, m, _ int) int { return m }),
		part("DAY", func(_, _, d int) int { return d }),
		time("HOUR", func(s int) int { return s / 3600 }),
		time("MINUTE", func(s int) int { return s / 60 % 60 }),
		time("SECOND", func(s int) int { return s % 60 }),
		Func{Name: "DATE", Min: 3, Max: 3, Args: "n", Call: dateFunc},
		Func{Name: "TIME", Min: 3, Max: 3, Args: "n", Call: func(_ *Call, a []Value) Value {
			for _, x := range a { // Excel's documentation: up to 32767
				if math.Abs(x.num) >= 32768 {
					return Fail(ErrNum)
				}
			}
			s := math.Trunc(a[0].num)*3600 + math.Trunc(a[1].num)*60 + math.Trunc(a[2].num)
			if s < 0 {
				return Fail(ErrNum)
			}
			return Num(math.Mod(s, 86400) / 86400)
		}},
		Func{Name: "TODAY", Call: func(c *Call, _ []Value) Value { return Num(math.Floor(c.now())) }},
		Func{Name: "NOW", Call: func(c *Call, _ []Value) Value { return Num(c.now()) }},
		Func{Name: "DATEVALUE", Min: 1, Max: 1, Args: "v", Call: dateValue(math.Floor)},
		Func{Name: "TIMEVALUE", Min: 1, Max: 1, Args: "v", Call: dateValue(func(x float64) float64 { return x - math.Floor(x) })},
		Func{Name: "EDATE", Min: 2, Max: 2, Args: "n", NoRange: true, Call: func(c *Call, a []Value) Value {
			x, ok := c.addMonths(a[0].num, a[1].Int())
			if !ok {
				return Fail(ErrNum)
			}
			return Num(x)
		}},
		Func{Name: "EOMONTH", Min: 2, Max: 2, Args: "n", NoRange: true, Call: endOfMonth},
		Func{Name: "DAYS", Min: 2, Max: 2, Args: "n", Call: func(_ *Call, a []Value) Value {
			return Num(math.Floor(a[0].num) - math.Floor(a[1].num))
		}},
		Func{Name: "WEEKDAY", Min: 1, Max: 2, Args: "n", Call: weekday},
	)
}

// now returns the present time as a number; without one NOW has no fixed value.
func (c *Call) now() float64 {
	t := c.opts.Now
	if t.IsZero() {
		c.stop(ReasonVolatile, "%s: it has another value each time", c.Func.Name)
	}
	day, _ := c.dayOf(t.Year(), int(t.Month()), t.Day())
	return day + float64(t.Hour()*3600+t.Minute()*60+t.Second())/86400
}

func dateFunc(c *Call, a []Value) Value {
	y, m, d := a[0].Int(), a[1].Int(), a[2].Int()
	if y < 0 || y > 9999 {
		return Fail(ErrNum)
	}
	if y < 1900 {
		y += 1900
	}
	x, ok := c.dayOf(y, m, d)
	if !ok {
		return Fail(ErrNum)
	}
	return Num(x)
}

func dateValue(part func(float64) float64) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		if a[0].kind != Text {
			return Fail(ErrValue)
		}
		if _, ok := c.plain(a[0].str); ok {
			return Fail(ErrValue)
		}
		x, ok := c.readDate(a[0].str)
		if !ok {
			return Fail(ErrValue)
		}
		return Num(part(x))
	}
}

func endOfMonth(c *Call, a []Value) Value {
	y, m, _, ok := c.calendar(a[0].num)
	months := a[1].Int()
	if !ok || months < -120_000 || months > 120_000 {
		return Fail(ErrNum)
	}
	x, ok := c.dayOf(y, m+months+1, 1)
	if !ok {
		return Fail(ErrNum)
	}
	if x--; x < 0 {
		return Fail(ErrNum)
	}
	return Num(x)
}

// weekday numbers the days of a week by the second argument.
func weekday(c *Call, a []Value) Value {
	n := math.Floor(a[0].num)
	if n < 0 || n > maxDay {
		return Fail(ErrNum)
	}
	sunday := int(math.Mod(n+6, 7)) // 0 for Sunday
	if c.book.Date1904 {
		sunday = int(math.Mod(n+5, 7))
	}
	kind := optional(a, 1, 1)
	switch {
	case kind == 1:
		return Num(float64(sunday + 1))
	case kind == 2:
		return Num(float64((sunday+6)%7 + 1))
	case kind == 3:
		return Num(float64((sunday + 6) % 7))
	case kind >= 11 && kind <= 17:
		return Num(float64((sunday-(kind-10)+7)%7 + 1))
	}
	return Fail(ErrNum)
}
