package calc

import (
	"math"
	"slices"
	"strings"
)

// Functions of weeks and of days of work.

func init() {
	register(
		Func{Name: "WEEKNUM", Min: 1, Max: 2, Args: "n n?", NoRange: true, Call: weekNumber},
		Func{Name: "ISOWEEKNUM", Min: 1, Max: 1, Args: "n", Call: isoWeek},
		Func{Name: "NETWORKDAYS", Min: 2, Max: 3, Args: "n n a", NoRange: true, Call: func(c *Call, a []Value) Value {
			return c.netWorkDays(a, Num(1), 2)
		}},
		Func{Name: "NETWORKDAYS.INTL", Min: 2, Max: 4, Args: "n n v? a", NoRange: true, Call: func(c *Call, a []Value) Value {
			return c.netWorkDays(a, weekendArgument(a), 3)
		}},
		Func{Name: "WORKDAY", Min: 2, Max: 3, Args: "n n a", NoRange: true, Call: func(c *Call, a []Value) Value {
			return c.workDay(a, Num(1), 2)
		}},
		Func{Name: "WORKDAY.INTL", Min: 2, Max: 4, Args: "n n v? a", NoRange: true, Call: func(c *Call, a []Value) Value {
			return c.workDay(a, weekendArgument(a), 3)
		}},
	)
}

// weekNumber counts the weeks of a year, of which the first has 1 January.
func weekNumber(c *Call, a []Value) Value {
	y, _, _, ok := c.calendar(a[0].num)
	if !ok {
		return Fail(ErrNum)
	}
	start := 0 // day on which weeks begin, from Monday
	switch kind := optional(a, 1, 1); {
	case kind == 1:
		start = 6
	case kind == 2:
	case kind >= 11 && kind <= 17:
		start = kind - 11
	case kind == 21:
		return isoWeek(c, a)
	default:
		return Fail(ErrNum)
	}
	first, _ := c.dayOf(y, 1, 1)
	offset := (c.dayOfWeek(first) - start + 7) % 7
	return Num(math.Floor((math.Floor(a[0].num)-first+float64(offset))/7) + 1)
}

// isoWeek counts weeks by ISO 8601: from Monday, the first with 4 January.
func isoWeek(c *Call, a []Value) Value {
	n := math.Floor(a[0].num)
	if _, _, _, ok := c.calendar(n); !ok {
		return Fail(ErrNum)
	}
	if n < fakeLeap+7 && !c.book.Date1904 {
		c.stop(ReasonForm, "weeks of ISO 8601 before March 1900")
	}
	thursday := n - float64(c.dayOfWeek(n)) + 3
	y, _, _, ok := c.calendar(thursday)
	if !ok {
		c.stop(ReasonForm, "the first or last week of the calendar")
	}
	first, _ := c.dayOf(y, 1, 1)
	return Num(math.Floor((thursday-first)/7) + 1)
}

func weekendArgument(a []Value) Value {
	if len(a) < 3 || a[2].Missing() {
		return Num(1)
	}
	return a[2]
}

// week says which days are free, from Monday.
type week [7]bool

// weekend reads a number, or a text of seven characters of which 1 is a free day.
func (c *Call) weekend(v Value) (w week, bad Value) {
	if v.kind != Text {
		if v = c.toNumber(v); v.IsError() {
			return w, v
		}
		switch k := v.Int(); {
		case k >= 1 && k <= 7:
			w[(k+4)%7], w[(k+5)%7] = true, true
		case k >= 11 && k <= 17:
			w[(k-5)%7] = true
		default:
			return w, Fail(ErrNum)
		}
		return w, Value{}
	}
	if len(v.str) != 7 || strings.Trim(v.str, "01") != "" {
		return w, Fail(ErrValue)
	}
	for i := range w {
		w[i] = v.str[i] == '1'
	}
	return w, Value{}
}

// workCalendar knows the days of work.
type workCalendar struct {
	*Call
	free     week
	perWeek  float64
	holidays []float64 // that are no free days of the week, in rising order
}

// workCalendar reads the free days of the week, and the holidays at place i.
func (c *Call) workCalendar(a []Value, weekend Value, i int) (w workCalendar, bad Value) {
	w = workCalendar{Call: c, perWeek: 7}
	if w.free, bad = c.weekend(weekend); bad.IsError() {
		return w, bad
	}
	for _, free := range w.free {
		if free {
			w.perWeek--
		}
	}
	if i >= len(a) || a[i].Missing() {
		return w, Value{}
	}
	c.Each(a[i], func(v Value, direct bool) bool {
		if v.kind == Text && !direct {
			if _, ok := c.readNumber(v.str); ok {
				c.stop(ReasonForm, "%s with holidays that are text", c.Func.Name)
			}
		}
		if v.blank() {
			return true
		}
		if v.kind == Bool {
			v = Fail(ErrValue)
		}
		if v = c.toNumber(v); v.IsError() {
			bad = v
			return false
		}
		if day := math.Floor(v.num); day >= 0 && !w.free[c.dayOfWeek(day)] {
			if len(w.holidays)&0xffff == 0xffff {
				c.takeRoom(1 << 14)
			}
			w.holidays = append(w.holidays, day)
		}
		return true
	})
	slices.Sort(w.holidays)
	w.holidays = slices.Compact(w.holidays)
	return w, bad
}

// between counts days of work, the first and the last day included.
func (w *workCalendar) between(first, last float64) float64 {
	days := last - first + 1
	n := math.Floor(days/7) * w.perWeek
	for d := first + math.Floor(days/7)*7; d <= last; d++ {
		if !w.free[w.dayOfWeek(d)] {
			n++
		}
	}
	from, _ := slices.BinarySearch(w.holidays, first)
	to, _ := slices.BinarySearch(w.holidays, last+1)
	return n - float64(to-from)
}

func (c *Call) netWorkDays(a []Value, weekend Value, holidays int) Value {
	from, to := math.Floor(a[0].num), math.Floor(a[1].num)
	if from < 0 || to < 0 || from > maxDay || to > maxDay {
		return Fail(ErrNum)
	}
	w, bad := c.workCalendar(a, weekend, holidays)
	switch {
	case bad.IsError():
		return bad
	case from > to:
		return Num(-w.between(to, from))
	}
	return Num(w.between(from, to))
}

// workDay returns the day that is some days of work later, or earlier.
func (c *Call) workDay(a []Value, weekend Value, holidays int) Value {
	at, left := math.Floor(a[0].num), math.Trunc(a[1].num)
	if at < 0 || at > maxDay {
		return Fail(ErrNum)
	}
	w, bad := c.workCalendar(a, weekend, holidays)
	switch {
	case bad.IsError():
		return bad
	case w.perWeek == 0:
		return Fail(ErrValue)
	}
	step := math.Copysign(1, left)
	for left = math.Abs(left); left > 0 && at >= 0 && at <= maxDay; {
		c.step(1)
		if left > w.perWeek { // the day is not within the next week
			a, b := at+step, at+7*step
			if a >= 0 && b >= 0 {
				left -= w.between(min(a, b), max(a, b))
				at = b
				continue
			}
		}
		if at += step; at >= 0 && w.between(at, at) == 1 {
			left--
		}
	}
	if at < 0 || at > maxDay {
		return Fail(ErrNum)
	}
	return Num(at)
}
