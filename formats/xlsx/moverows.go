package xlsx

import (
	"bufio"
	"bytes"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxHeld bounds the bytes of the cells of a row that wait for those that come
// before them.
const maxHeld = 32 << 20

// rowsMove reports whether the pass still has to write the rows that move.
func (m *mover) rowsMove() bool { return m.sh.Moves() && !m.sh.Cols && !m.inner && !m.placed }

// placeRows writes the rows that move, which it reads in a pass of their own, so
// that none of them is held.
func (m *mover) placeRows() error {
	m.placed = true
	in := *m
	in.inner = true
	return m.again(func(w *bufio.Writer, s *sheetml.RowScanner) error {
		in.w, in.s = w, s
		switch s.Event {
		case sheetml.RowStart:
			in.rowStart()
		case sheetml.WholeCell:
			return in.cell()
		case sheetml.RowEnd:
			in.rowEnd()
		}
		return nil
	})
}

// placeCell writes a cell of a row whose columns move: what comes first in the
// row and last after the move is held until then.
func (m *mover) placeCell(raw []byte) error {
	first, last := m.sh.Window()
	second := m.sh.At // where the part begins that comes first after the move
	if m.sh.To > m.sh.At {
		second = m.sh.At + m.sh.Count
	}
	switch col := m.s.Cell.Col; {
	case col >= first && col < second:
		if m.held = append(m.held, raw...); len(m.held) > maxHeld {
			return formats.Errorf(formats.CodeTooLarge, "row %d holds more than %d MiB in the columns that move; move fewer columns", m.s.Row, maxHeld>>20)
		}
		return nil
	case col > last:
		m.flush()
	}
	m.w.Write(raw)
	return nil
}

// flush writes the cells that were held.
func (m *mover) flush() {
	m.w.Write(m.held)
	m.held = m.held[:0]
}

// beside moves a block by as much as the current cell moves.
func (m *mover) beside(r cellref.Range) cellref.Range {
	c := &m.s.Cell
	at, _ := m.sh.Cell(cellref.At(c.Row, c.Col))
	r.R1, r.R2 = clamp(r.R1+at.Row-c.Row, cellref.MaxRow), clamp(r.R2+at.Row-c.Row, cellref.MaxRow)
	r.C1, r.C2 = clamp(r.C1+at.Col-c.Col, cellref.MaxCol), clamp(r.C2+at.Col-c.Col, cellref.MaxCol)
	return r
}

func clamp(i, limit int) int { return min(max(i, 1), limit) }

// movedColumns rewrites the definitions of columns (18.3.1.17) after a move of
// columns.
func movedColumns(k sheetml.Skeleton, sh cellref.Shift, prefix string) []xmlscan.Splice {
	if !sh.Moves() || !sh.Cols {
		return nil
	}
	old, start, end := sheetml.ReadColumns(k)
	if start < 0 || len(old) == 0 {
		return nil
	}
	var cols []sheetml.ColumnRange
	for _, c := range old {
		tag := sheetml.EditTag(c.Tag, "", "min", "max")
		for _, p := range sh.Pieces(c.From, c.To) {
			cols = append(cols, sheetml.Columns(p.Now, p.Now+p.To-p.From, tag))
		}
	}
	slices.SortStableFunc(cols, func(a, b sheetml.ColumnRange) int { return a.From - b.From })
	out := cols[:0]
	for _, c := range cols {
		if n := len(out) - 1; n >= 0 && out[n].To == c.From-1 && bytes.Equal(out[n].Tag, c.Tag) {
			out[n].To = c.To
			continue
		}
		out = append(out, c)
	}
	return colsXML(k, out, start, end, prefix)
}

// joinRef adds a block to a list as a move leaves it, as one with a block beside
// it.
func joinRef(list []string, r cellref.Range, cols bool) []string {
	const far = 50 // blocks back to look at
	for i := len(list) - 1; i >= max(0, len(list)-far); i-- {
		o := cellref.ParseAttr(list[i])
		switch {
		case o.Empty():
		case cols && o.R1 == r.R1 && o.R2 == r.R2 && (o.C2+1 == r.C1 || r.C2+1 == o.C1), !cols && o.C1 == r.C1 && o.C2 == r.C2 && (o.R2+1 == r.R1 || r.R2+1 == o.R1):
			r.Add(o.R1, o.C1)
			r.Add(o.R2, o.C2)
			return joinRef(slices.Delete(list, i, i+1), r, cols)
		}
	}
	return append(list, r.String())
}

// kid is a child of an element whose order a move changes: where it begins, and
// its place among the others.
type kid struct{ start, place int }

// noteKid notes a column of a table (18.5.1.3) or a filter (18.3.2.7), which are
// in the order of the sheet's columns.
func (w *walk) noteKid(t xmlscan.Token) {
	n := len(w.open)
	if n == 0 || !w.rw.Shift.Moves() || !w.rw.Shift.Cols {
		return
	}
	f := &w.open[n-1]
	place := cellref.MaxCol + f.kids
	switch {
	case f.local == "tableColumns" && w.table != nil:
		place, _ = w.rw.Shift.Index(w.table.Ref.C1 + f.kids - 1)
	case f.local == "autoFilter" && t.Local == "filterColumn":
		place, _ = w.rw.Shift.Index(f.area.C1 + sheetml.Atoi([]byte(t.AttrLocal("colId"))))
	case f.local != "autoFilter":
		return
	}
	f.order = append(f.order, kid{t.Start, place})
}

// reorder puts the children of an element that ends at end into their order.
func (w *walk) reorder(f frame, end int) {
	if slices.IsSortedFunc(f.order, func(a, b kid) int { return a.place - b.place }) {
		return
	}
	texts := map[int][]byte{} // by place
	var places []int
	for i, k := range f.order {
		to := end
		if i+1 < len(f.order) {
			to = f.order[i+1].start
		}
		var inside []xmlscan.Splice
		for _, e := range w.edits[f.mark:] {
			if e.Start >= k.start && e.End <= to && e.Start < to {
				inside = append(inside, xmlscan.Splice{Start: e.Start - k.start, End: e.End - k.start, New: e.New})
			}
		}
		texts[k.place] = append(texts[k.place], xmlscan.Apply(bytes.Clone(w.doc[k.start:to]), inside)...)
		places = append(places, k.place)
	}
	first := f.order[0].start
	w.edits = slices.DeleteFunc(w.edits, func(e xmlscan.Splice) bool { return e.Start >= first && e.End <= end })
	slices.Sort(places)
	var all []byte
	for _, p := range slices.Compact(places) {
		all = append(all, texts[p]...)
	}
	w.put(first, end, string(all))
}
