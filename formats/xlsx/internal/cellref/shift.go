package cellref

// Shift describes the insertion or deletion of rows (columns if Cols) in a
// sheet. A positive Count inserts rows before At; a negative one deletes -Count
// rows from At on.
type Shift struct {
	Cols      bool
	At, Count int
}

// Limit returns the number of rows or columns of a sheet.
func (s Shift) Limit() int {
	if s.Cols {
		return MaxCol
	}
	return MaxRow
}

// Last returns the last of the deleted rows.
func (s Shift) Last() int { return s.At - s.Count - 1 }

// Index returns the new number of row i. ok is false when the row is deleted or
// pushed off the sheet.
func (s Shift) Index(i int) (int, bool) {
	switch {
	case i < s.At:
		return i, true
	case s.Count < 0 && i <= s.Last():
		return s.At, false
	}
	return min(i+s.Count, s.Limit()), i+s.Count <= s.Limit()
}

// Span returns the rows that a to b become, as in Excel: a span grows when rows
// are inserted inside it, shrinks when some of its rows are deleted, and is
// gone (ok is false) when all are. A span over all rows stays as it is.
func (s Shift) Span(a, b int) (from, to int, ok bool) {
	if a == 1 && b == s.Limit() {
		return a, b, true
	}
	from, okA := s.Index(a)
	to, okB := s.Index(b)
	if s.Count > 0 {
		return from, to, okA
	}
	if !okB {
		to = s.At - 1
	}
	return from, to, from <= to
}

// Range returns the range that r becomes; it is empty when r is deleted.
func (s Shift) Range(r Range) Range {
	if r.Empty() {
		return r
	}
	ok := true
	if s.Cols {
		r.C1, r.C2, ok = s.Span(r.C1, r.C2)
	} else {
		r.R1, r.R2, ok = s.Span(r.R1, r.R2)
	}
	if !ok {
		return Range{}
	}
	return r
}

// Side returns the rows (or columns) of r.
func (s Shift) Side(r Range) (from, to int) {
	if s.Cols {
		return r.C1, r.C2
	}
	return r.R1, r.R2
}

// Splits reports whether the shift changes the size of r: it inserts rows
// inside r or deletes a part of it.
func (s Shift) Splits(r Range) bool {
	a, b := s.Side(r)
	if s.Count > 0 {
		return a < s.At && s.At <= b
	}
	return s.At <= b && a <= s.Last() && !s.Swallows(r)
}

// Swallows reports whether the shift deletes all of r.
func (s Shift) Swallows(r Range) bool {
	a, b := s.Side(r)
	return s.Count < 0 && s.At <= a && b <= s.Last()
}

// Cell returns the new position of a cell. ok is false when the cell is
// deleted; the position is then that of the nearest cell.
func (s Shift) Cell(at Cell) (Cell, bool) {
	var ok bool
	if s.Cols {
		at.Col, ok = s.Index(at.Col)
	} else {
		at.Row, ok = s.Index(at.Row)
	}
	return at, ok
}

// Anchor returns the rows that the ends of a drawing move to. zero and zeroTo
// say that the offset inside the row no longer applies. to is 0 for a drawing
// without a lower end.
func (s Shift) Anchor(from, to int, keepSize bool) (a int, zero bool, b int, zeroTo bool) {
	a, ok := s.Index(from)
	if !ok {
		a, zero = s.At, s.Count < 0
	}
	if to == 0 {
		return a, zero, 0, false
	}
	switch {
	case keepSize, s.Count < 0 && from >= s.At && to <= s.Last():
		b = a + to - from
	case s.Count < 0 && to >= s.At && to <= s.Last():
		b, zeroTo = s.At, true
	default:
		b, _ = s.Index(to)
	}
	return min(a, s.Limit()), zero, min(b, s.Limit()), zeroTo
}
