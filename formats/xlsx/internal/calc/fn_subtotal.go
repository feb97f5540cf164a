package calc

import "math"

func init() {
	register(
		Func{Name: "SUBTOTAL", Min: 2, Max: -1, Args: "n r", Each: true, Call: subtotal},
	)
}

// subtotalFunctions are the functions of SUBTOTAL and AGGREGATE by number.
var subtotalFunctions = map[int]func(t totals, filled int) Value{
	1: func(t totals, _ int) Value { return averageOf(t) },
	2: func(t totals, _ int) Value { return Num(float64(t.n)) },
	3: func(_ totals, filled int) Value { return Num(float64(filled)) },
	4: func(t totals, _ int) Value { return maxOf(t) },
	5: func(t totals, _ int) Value { return minOf(t) },
	6: func(t totals, _ int) Value { return productOf(t) },
	7: func(t totals, _ int) Value { return spread(t, 1, math.Sqrt) },
	8: func(t totals, _ int) Value { return spread(t, 0, math.Sqrt) },
	9: func(t totals, _ int) Value { return sumOf(t) },
	10: func(t totals, _ int) Value {
		return spread(t, 1, func(x float64) float64 { return x })
	},
	11: func(t totals, _ int) Value {
		return spread(t, 0, func(x float64) float64 { return x })
	},
}

// spread is a function of the variance of numbers, of which less are not free.
func spread(t totals, less int, f func(float64) float64) Value {
	if t.n <= less {
		return Fail(ErrDiv0)
	}
	mean, squares := t.sum/float64(t.n), 0.0
	for _, x := range t.all {
		squares += (x - mean) * (x - mean)
	}
	return Num(f(squares / float64(t.n-less)))
}

// subtotal leaves out cells that hold subtotals, rows that a filter hides and,
// from 101 on, rows hidden by hand.
func subtotal(c *Call, a []Value) Value {
	k := a[0].Int()
	manual := k > 100
	if manual {
		k -= 100
	}
	f := subtotalFunctions[k]
	if f == nil {
		return Fail(ErrValue)
	}
	kind := runningShown
	if manual {
		kind = runningShownByHand
	}
	t := runningTotal{totals: newTotals()}
	t.totals.keeps = k == 7 || k == 8 || k >= 10
	for i, v := range a[1:] {
		for n, area := range v.Ref() {
			if i+n == 0 && !t.totals.keeps {
				t = c.total(kind, area)
				continue
			}
			c.read(&t, kind, area)
		}
	}
	if t.bad.kind == Err && k != 2 && k != 3 {
		return t.bad
	}
	return f(t.totals, t.filled)
}

// visible calls f for the values of an area that a subtotal counts.
func (e *Evaluator) visible(area Area, manual bool, f func(v Value)) {
	s := e.book.sheets[area.Sheet]
	e.cellsOf(s, area, func(row int, x *cell, at Place) {
		if s.grid.rows[s.grid.row(row)].hidden && (manual || s.filtered) {
			return
		}
		if x.formula != 0 && e.book.formulas[x.formula-1].skipped {
			return
		}
		if v := e.cellValue(at, x); v.kind != Empty {
			f(v)
		}
	})
}

// cellsOf calls f for the cells of an area.
func (e *Evaluator) cellsOf(s *sheet, area Area, f func(row int, x *cell, at Place)) {
	s.grid.each(area.Range, func(row int, x *cell) bool {
		e.step(1)
		f(row, x, At(area.Sheet, row, int(x.col)))
		return true
	})
}
