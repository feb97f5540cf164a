package calc

import "strings"

// Functions of lists with labels in their first row: DSUM and its like.

func init() {
	for name, f := range map[string]func(t totals, filled int) Value{
		"DAVERAGE": subtotalFunctions[1], "DCOUNT": subtotalFunctions[2], "DCOUNTA": subtotalFunctions[3], "DMAX": subtotalFunctions[4], "DMIN": subtotalFunctions[5],
		"DPRODUCT": subtotalFunctions[6], "DSTDEV": subtotalFunctions[7], "DSTDEVP": subtotalFunctions[8], "DSUM": subtotalFunctions[9], "DVAR": subtotalFunctions[10],
		"DVARP": subtotalFunctions[11],
	} {
		register(Func{Name: name, Min: 3, Max: 3, Args: "r v? r", Call: func(c *Call, a []Value) Value { return c.listed(a, f) }})
	}
	register(
		Func{Name: "DGET", Min: 3, Max: 3, Args: "r v? r", Call: func(c *Call, a []Value) Value {
			l, bad := c.list(a)
			if bad.IsError() {
				return bad
			}
			var got []Value
			l.each(func(v Value) bool {
				got = append(got, v)
				return len(got) < 2
			})
			switch len(got) {
			case 0:
				return Fail(ErrValue)
			case 1:
				return zeroForEmpty(got[0])
			}
			return Fail(ErrNum)
		}},
	)
}

// list is a range with labels, and the conditions of its rows.
type list struct {
	*Call
	area  Area
	field int      // the column that counts, from 0; -1 for the rows themselves
	any   [][]rule // a row counts for which all of one of these hold
}

// rule is a condition of a column.
type rule struct {
	col int
	criterion
}

func (c *Call) list(a []Value) (*list, Value) {
	if len(a[0].Ref()) != 1 || len(a[2].Ref()) != 1 {
		return nil, Fail(ErrValue)
	}
	l := &list{Call: c, area: a[0].Ref()[0], field: -1}
	if a[1].Missing() {
		if c.Func.Name != "DCOUNT" && c.Func.Name != "DCOUNTA" {
			return nil, Fail(ErrValue)
		}
	} else if l.field = l.column(a[1]); l.field < 0 {
		return nil, Fail(ErrValue)
	}
	l.rules(a[2].Ref()[0])
	return l, Value{}
}

// column returns the column with a label or number, -1 for none.
func (l *list) column(v Value) int {
	if v.kind == Number {
		if n := v.Int(); n >= 1 && n <= l.area.cols() {
			return n - 1
		}
		return -1
	}
	if v.kind != Text {
		return -1
	}
	for col := range l.area.cols() {
		l.step(1)
		if label := l.Cell(At(l.area.Sheet, l.area.R1, l.area.C1+col)); label.kind == Text && sameText(strings.TrimSpace(label.str), strings.TrimSpace(v.str)) {
			return col
		}
	}
	return -1
}

// rules reads conditions, whose columns have labels of the list in their first row.
func (l *list) rules(from Area) {
	if from.rows() < 2 {
		l.stop(ReasonForm, "conditions without a row")
	}
	columns := map[int]int{}
	rows := map[int][]rule{}
	l.EachCell(from, func(row, col int, v Value) bool {
		if row == from.R1 {
			if columns[col] = l.column(v); v.kind != Text {
				columns[col] = -1
			}
			return true
		}
		at, labelled := columns[col]
		if !labelled || at < 0 {
			l.stop(ReasonForm, "a condition that is a formula")
		}
		rows[row] = append(rows[row], rule{at, l.condition(v)})
		return true
	})
	if len(rows) < from.rows()-1 {
		l.any = [][]rule{nil} // a row without conditions holds for all
		return
	}
	for row := from.R1 + 1; row <= from.R2; row++ {
		l.any = append(l.any, rows[row])
	}
}

// condition reads a condition: a text without a sign is how a value begins.
func (l *list) condition(v Value) criterion {
	if v.kind == Text && v.str != "" && !strings.ContainsAny(v.str[:1], "<>=") {
		if x := l.criterion(v); x.value.kind != Text {
			return x
		}
		return l.criterion(Str(v.str + "*"))
	}
	return l.criterion(v)
}

// each calls f for the values of the column in rows that count, until it returns
// false.
func (l *list) each(f func(v Value) bool) {
	used := l.book.sheets[l.area.Sheet].grid.used
	for row := l.area.R1 + 1; row <= min(l.area.R2, used.R2); row++ {
		if !l.counts(row) {
			continue
		}
		v := Value{kind: Number}
		if l.field >= 0 {
			v = l.Cell(At(l.area.Sheet, row, l.area.C1+l.field))
		}
		if !f(v) {
			return
		}
	}
}

func (l *list) counts(row int) bool {
	for _, all := range l.any {
		holds := true
		for _, r := range all {
			l.step(1)
			if holds = r.matches(l.Cell(At(l.area.Sheet, row, l.area.C1+r.col))); !holds {
				break
			}
		}
		if holds {
			return true
		}
	}
	l.step(1)
	return false
}

// listed is a function of the values that a list has in a column.
func (c *Call) listed(a []Value, f func(t totals, filled int) Value) Value {
	l, bad := c.list(a)
	if bad.IsError() {
		return bad
	}
	t, filled := newTotals(), 0
	t.keeps = true
	counting := c.Func.Name == "DCOUNT" || c.Func.Name == "DCOUNTA"
	l.each(func(v Value) bool {
		switch v.kind {
		case Number:
			t.add(v.num)
		case Err:
			if !counting {
				bad = v
			}
		}
		if v.kind != Empty {
			filled++
		}
		return bad.kind != Err
	})
	return orBad(bad, f(t, filled))
}
