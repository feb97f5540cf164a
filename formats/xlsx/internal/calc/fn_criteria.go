package calc

import "atelier/formats/xlsx/internal/cellref"

func init() {
	register(
		Func{Name: "COUNTIF", Min: 2, Max: 2, Args: "r e", Each: true, Call: func(c *Call, a []Value) Value {
			t, bad := c.where(nil, a)
			return orBad(bad, Num(float64(t.rows)))
		}},
		Func{Name: "COUNTIFS", Min: 2, Max: -1, Args: "r e", Each: true, Repeat: 2, Call: func(c *Call, a []Value) Value {
			t, bad := c.where(nil, a)
			return orBad(bad, Num(float64(t.rows)))
		}},
		Func{Name: "SUMIF", Min: 2, Max: 3, Args: "r e r", Each: true, Call: oneCriterion(sumOf)},
		Func{Name: "AVERAGEIF", Min: 2, Max: 3, Args: "r e r", Each: true, Call: oneCriterion(averageOf)},
		Func{Name: "SUMIFS", Min: 3, Max: -1, Args: "r r e", Each: true, Repeat: 2, Call: allCriteria(sumOf)},
		Func{Name: "AVERAGEIFS", Min: 3, Max: -1, Args: "r r e", Each: true, Repeat: 2, Call: allCriteria(averageOf)},
		Func{Name: "MINIFS", Min: 3, Max: -1, Args: "r r e", Each: true, Repeat: 2, Call: allCriteria(minOf)},
		Func{Name: "MAXIFS", Min: 3, Max: -1, Args: "r r e", Each: true, Repeat: 2, Call: allCriteria(maxOf)},
	)
}

func orBad(bad, v Value) Value {
	if bad.IsError() {
		return bad
	}
	return v
}

// oneCriterion is SUMIF: the range to sum begins at its first cell and has the
// size of the range of the criterion.
func oneCriterion(f func(totals) Value) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		over := a[0]
		if len(a) == 3 && a[2].kind == RefKind {
			from, to := a[0].Ref()[0], a[2].Ref()[0]
			to.R2, to.C2 = to.R1+from.rows()-1, to.C1+from.cols()-1 // maybe behind the sheet, where nothing is
			over = refTo(to)
		}
		t, bad := c.where(&over, a[:2])
		return orBad(bad, f(t.totals))
	}
}

// allCriteria is SUMIFS.
func allCriteria(f func(totals) Value) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		t, bad := c.where(&a[0], a[1:])
		return orBad(bad, f(t.totals))
	}
}

// found is what where finds.
type found struct {
	totals
	rows int // places at which all criteria hold
}

// where goes through the places at which all pairs of range and criterion hold,
// and sums the numbers that over has there.
func (c *Call) where(over *Value, pairs []Value) (out found, bad Value) {
	out.totals = newTotals()
	if len(pairs)%2 == 1 {
		return out, Fail(ErrValue)
	}
	var areas []Area
	var tests []criterion
	var given []Value
	for i := 0; i < len(pairs); i += 2 {
		if len(pairs[i].Ref()) != 1 {
			return out, Fail(ErrValue)
		}
		areas, tests = append(areas, pairs[i].Ref()[0]), append(tests, c.criterion(pairs[i+1]))
		given = append(given, pairs[i+1])
	}
	size := areas[0]
	all := areas
	if over != nil {
		if len(over.Ref()) != 1 {
			return out, Fail(ErrValue)
		}
		all = append(all[:len(all):len(all)], over.Ref()[0])
	}
	for _, a := range all {
		if a.rows() != size.rows() || a.cols() != size.cols() {
			return out, Fail(ErrValue)
		}
	}
	m := &matcher{Call: c, areas: areas, tests: tests, given: given, over: over, out: out}
	return m.found(), m.bad
}

// matcher finds the places of equal ranges at which criteria hold.
type matcher struct {
	*Call
	areas  []Area
	tests  []criterion
	given  []Value // the tests as they were given
	over   *Value
	out    found
	bad    Value
	blanks bool // places behind the last cell that is used count
}

// rest looks at the places behind the first rows, and returns how many rows it has seen
// then. It looks at the cells of the first range whose criterion no empty cell satisfies;
// without one at all places.
func (m *matcher) rest(from int) int {
	rows := m.areas[0].rows()
	if m.indexed(from) {
		return rows
	}
	for i, t := range m.tests {
		if t.matches(Value{}) {
			continue
		}
		a := m.areas[i]
		m.EachCell(behind(a, from), func(row, col int, v Value) bool {
			if t.matches(v) {
				m.place(row-a.R1, col-a.C1, i)
			}
			return m.bad.kind != Err
		})
		return rows
	}
	return m.everywhere(from)
}

// behind is an area without its first rows.
func behind(a Area, rows int) Area {
	a.R1 += rows
	return a
}

// indexed looks at the places behind the first rows that an index knows, where a criterion
// is a value in a long column.
func (m *matcher) indexed(from int) bool {
	for i, t := range m.tests {
		if t.op != opEq || t.bare || t.value.kind == Text && (t.value.str == "" || t.pattern == nil || !t.pattern.literal(t.value.str)) {
			continue
		}
		a := m.areas[i]
		rows, ok := m.rowsWith(behind(a, from), t.value)
		if !ok {
			continue
		}
		for _, r := range rows {
			if row := int(r.row) - a.R1; t.matches(m.Cell(At(a.Sheet, int(r.row), a.C1))) {
				m.place(row, 0, i)
			}
			if m.bad.kind == Err {
				break
			}
		}
		return true
	}
	return false
}

// everywhere looks at all places behind the first rows up to the last cell that is used,
// and returns how many rows it has seen then.
func (m *matcher) everywhere(from int) int {
	m.blanks = true
	a := m.areas[0]
	rows, cols := 0, 0
	see := func(b Area) {
		used := m.book.sheets[b.Sheet].grid.used
		if !used.Empty() {
			rows, cols = max(rows, used.R2-b.R1+1), max(cols, used.C2-b.C1+1)
		}
	}
	for _, b := range m.areas {
		see(b)
	}
	if m.over != nil {
		see(m.over.Ref()[0])
	}
	rows, cols = min(max(rows, from), a.rows()), min(max(cols, 0), a.cols())
	for row := from; row < rows; row++ {
		for col := range cols {
			m.step(1)
			if m.place(row, col, -1); m.bad.kind == Err {
				return rows
			}
		}
		m.out.rows += a.cols() - cols
	}
	return rows
}

// withBlanks returns what was found in so many rows, with the places behind them that no
// cell is in.
func (m *matcher) withBlanks(rows int) found {
	if a := m.areas[0]; m.blanks {
		m.out.rows += (a.rows() - rows) * a.cols()
	}
	return m.out
}

// place takes a place, counted from the corner of the ranges, where all criteria
// but the known one are still to be looked at.
func (m *matcher) place(row, col, known int) {
	for i, t := range m.tests {
		if i == known {
			continue
		}
		b := m.areas[i]
		if !t.matches(m.Cell(At(b.Sheet, b.R1+row, b.C1+col))) {
			return
		}
	}
	m.out.rows++
	if m.over == nil {
		return
	}
	b := m.over.Ref()[0]
	if b.R1+row > cellref.MaxRow || b.C1+col > cellref.MaxCol {
		return
	}
	switch v := m.Cell(At(b.Sheet, b.R1+row, b.C1+col)); v.kind {
	case Number:
		m.out.add(v.num)
	case Err:
		m.bad = v
	}
}
