package calc

// AGGREGATE: functions of numbers that leave out errors, hidden rows and totals.

func init() {
	register(
		Func{Name: "AGGREGATE", Min: 3, Max: -1, Args: "n n A", Call: aggregate},
	)
}

// aggregateSample are the functions of AGGREGATE of one argument that need all
// numbers; aggregatePlace those that have a further argument.
var (
	aggregateSample = map[int]func(*Call, []Value) Value{12: median, 13: mode}
	aggregatePlace  = map[int]string{14: "LARGE", 15: "SMALL", 16: "PERCENTILE.INC", 17: "QUARTILE.INC", 18: "PERCENTILE.EXC", 19: "QUARTILE.EXC"}
)

// leaving says what is left out.
type leaving struct{ totals, hidden, errors bool }

func aggregate(c *Call, a []Value) Value {
	k, option := a[0].Int(), a[1].Int()
	if k < 1 || k > 19 || option < 0 || option > 7 {
		return Fail(ErrValue)
	}
	skip := leaving{totals: option < 4, hidden: option%2 == 1, errors: option%4 >= 2}
	if name := aggregatePlace[k]; name != "" {
		if len(a) != 4 {
			return Fail(ErrValue)
		}
		kept, bad := c.kept(a[2:3], skip)
		if bad.IsError() {
			return bad
		}
		f := &Call{c.Evaluator, functions[name], nil}
		return c.lift([]Value{c.values(a[3])}, func(place []Value) Value { return f.with([]Value{kept, place[0]}) })
	}
	for _, v := range a[2:] {
		if v.kind != RefKind {
			return orBad(v, Fail(ErrValue))
		}
	}
	if f := aggregateSample[k]; f != nil {
		kept, bad := c.kept(a[2:], skip)
		if bad.IsError() {
			return bad
		}
		return f(c, []Value{kept})
	}
	t, filled := newTotals(), 0
	bad := c.aggregated(a[2:], skip, func(v Value) {
		filled++
		if v.kind == Number {
			t.add(v.num)
		}
	})
	if bad.IsError() && k != 2 && k != 3 {
		return bad
	}
	return subtotalFunctions[k](t, filled)
}

// kept returns the numbers that are not left out as a column, or the first error.
func (c *Call) kept(a []Value, skip leaving) (Value, Value) {
	var xs []float64
	bad := c.aggregated(a, skip, func(v Value) {
		if v.kind == Number {
			if len(xs)&0xffff == 0xffff {
				c.takeRoom(1 << 14)
			}
			xs = append(xs, v.num)
		}
	})
	if bad.IsError() {
		return Value{}, bad
	}
	if len(xs) == 0 {
		return Value{}, Fail(ErrNum)
	}
	out := c.NewArray(len(xs), 1)
	for i, x := range xs {
		out.Set(i, 0, Num(x))
	}
	return Value{kind: ArrayKind, obj: &object{array: out}}, Value{}
}

// aggregated calls f for the values that are not left out, and returns the first
// error among them.
func (c *Call) aggregated(a []Value, skip leaving, f func(v Value)) (bad Value) {
	see := func(v Value) {
		switch {
		case v.kind != Err:
			f(v)
		case skip.errors:
		default:
			if f(v); bad.kind != Err {
				bad = v
			}
		}
	}
	for _, v := range a {
		if v.kind != RefKind {
			c.Each(v, func(v Value, _ bool) bool { see(v); return true })
			continue
		}
		for _, area := range v.Ref() {
			c.aggregatedArea(area, skip, see)
		}
	}
	return bad
}

func (c *Call) aggregatedArea(area Area, skip leaving, see func(v Value)) {
	s := c.book.sheets[area.Sheet]
	at := Place{Sheet: area.Sheet}
	s.grid.each(area.Range, func(row int, x *cell) bool {
		c.step(1)
		if s.grid.rows[s.grid.row(row)].hidden {
			if skip.hidden {
				return true
			}
			if s.filtered {
				c.stop(ReasonForm, "AGGREGATE of rows that a filter hides")
			}
		}
		if skip.totals && x.formula != 0 && c.book.formulas[x.formula-1].skipped {
			return true
		}
		at.Row, at.Col = row, int(x.col)
		if v := c.cellValue(at, x); v.kind != Empty {
			see(v)
		}
		return true
	})
}
