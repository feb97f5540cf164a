package calc

import (
	"math"
	"slices"
)

func init() {
	register(Func{Name: "AGGREGATE", Min: 3, Max: -1, Args: "n n A", Call: aggregate})
}

// aggregateOptions are what the second argument of AGGREGATE leaves out.
type aggregateOptions struct{ hidden, errors, nested bool }

// aggregate is SUBTOTAL with more functions, which may leave out errors.
func aggregate(c *Call, a []Value) Value {
	k, option := a[0].Int(), a[1].Int()
	if k < 1 || k > 19 || option < 0 || option > 7 || k >= 14 && len(a) != 4 {
		return Fail(ErrValue)
	}
	o := aggregateOptions{hidden: option%2 == 1, errors: option == 2 || option == 3 || option >= 6, nested: option < 4}
	from := a[2:]
	if k >= 14 {
		from = a[2:3]
	}
	t := newTotals()
	t.keeps = true
	filled, bad := 0, Value{}
	see := func(v Value) {
		switch {
		case v.kind == Err && o.errors || v.kind == Empty:
			return
		case v.kind == Err && bad.kind != Err:
			bad = v
		case v.kind == Number:
			t.add(v.num)
		}
		filled++
	}
	for _, v := range from {
		if k < 14 && v.kind != RefKind {
			return orBad(v, Fail(ErrValue))
		}
		c.aggregated(v, o, see)
	}
	if bad.kind == Err && k != 2 && k != 3 {
		return bad
	}
	if k <= 11 {
		return subtotalFunctions[k](t, filled)
	}
	xs := t.all
	slices.Sort(xs)
	if k < 14 {
		return c.ranked(k, xs, 0)
	}
	return c.lift([]Value{c.values(a[3])}, func(rank []Value) Value {
		x := c.toNumber(rank[0])
		if x.kind == Err {
			return x
		}
		return c.ranked(k, xs, x.num)
	})
}

// aggregated calls f for the values of an argument that count.
func (c *Call) aggregated(v Value, o aggregateOptions, f func(Value)) {
	if v.kind != RefKind {
		c.Each(v, func(v Value, _ bool) bool {
			f(v)
			return true
		})
		return
	}
	for _, area := range v.Ref() {
		s := c.book.sheets[area.Sheet]
		c.cellsOf(s, area, func(row int, x *cell, at Place) {
			if s.grid.rows[s.grid.row(row)].hidden {
				if o.hidden {
					return
				}
				if s.filtered {
					c.stop(ReasonForm, "AGGREGATE of rows that a filter hides")
				}
			}
			if o.nested && x.formula != 0 && c.book.formulas[x.formula-1].skipped {
				return
			}
			f(c.cellValue(at, x))
		})
	}
}

// ranked are the functions 12 to 19 of AGGREGATE over sorted numbers.
func (c *Call) ranked(k int, xs []float64, rank float64) Value {
	n := float64(len(xs))
	switch k {
	case 12:
		return percentile(xs, 0.5)
	case 13:
		mode, several, ok := modeOf(xs)
		if !ok {
			return Fail(ErrNA)
		}
		if several {
			c.stop(ReasonForm, "the mode of numbers of which several are equally frequent")
		}
		return Num(mode)
	case 14, 15:
		c.wholeNumber(rank)
		at := rank
		if at < 1 || at > n {
			return Fail(ErrNum)
		}
		if k == 14 {
			return Num(xs[len(xs)-int(at)])
		}
		return Num(xs[int(at)-1])
	case 17, 19:
		rank = math.Trunc(rank) / 4
	}
	if k >= 18 {
		// Of n numbers n+1 parts are made, so that none is at 0 or 1.
		if rank <= 0 || rank >= 1 || rank*(n+1) < 1 || rank*(n+1) > n {
			return Fail(ErrNum)
		}
		rank = (rank*(n+1) - 1) / (n - 1)
	}
	return percentile(xs, rank)
}

// percentile is the value below which a part of sorted numbers lies.
func percentile(xs []float64, part float64) Value {
	if len(xs) == 0 || part < 0 || part > 1 {
		return Fail(ErrNum)
	}
	at := part * float64(len(xs)-1)
	i := int(math.Floor(at))
	if i+1 >= len(xs) {
		return Num(xs[len(xs)-1])
	}
	return Num(xs[i] + (at-float64(i))*(xs[i+1]-xs[i]))
}

// modeOf is the most frequent of sorted numbers; of several ones the smallest.
func modeOf(xs []float64) (mode float64, several, ok bool) {
	times := 1
	for i := 0; i < len(xs); {
		j := i
		for j < len(xs) && xs[j] == xs[i] {
			j++
		}
		switch {
		case j-i > times:
			mode, times, several, ok = xs[i], j-i, false, true
		case j-i == times && ok:
			several = true
		}
		i = j
	}
	return mode, several, ok
}
