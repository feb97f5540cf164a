package calc

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
	return c.ranked(k, t.all, a[3:])
}

// rankedFunctions are the functions 12 to 19 of AGGREGATE.
var rankedFunctions = [...]string{"MEDIAN", "MODE.SNGL", "LARGE", "SMALL", "PERCENTILE.INC", "QUARTILE.INC", "PERCENTILE.EXC", "QUARTILE.EXC"}

// ranked calculates one of rankedFunctions of numbers, for each place that more
// gives.
func (c *Call) ranked(k int, xs []float64, more []Value) Value {
	if len(xs) == 0 {
		if k == 13 {
			return Fail(ErrNA)
		}
		return Fail(ErrNum)
	}
	column := c.NewArray(len(xs), 1)
	for i, x := range xs {
		column.Set(i, 0, Num(x))
	}
	numbers := Value{kind: ArrayKind, obj: &object{array: column}}
	f := &Call{c.Evaluator, functions[rankedFunctions[k-12]], nil}
	if k < 14 {
		return f.with([]Value{numbers})
	}
	return c.lift([]Value{c.values(more[0])}, func(place []Value) Value { return f.with([]Value{numbers, place[0]}) })
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
