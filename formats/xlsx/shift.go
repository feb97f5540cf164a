package xlsx

// cellShift inserts or deletes rows (or columns) of a sheet: n > 0 inserts n before
// at, n < 0 deletes -n from at on.
type cellShift struct {
	cols  bool
	at, n int
}

func (s cellShift) limit() int {
	if s.cols {
		return maxCol
	}
	return maxRow
}

// last is the last of the deleted rows.
func (s cellShift) last() int { return s.at - s.n - 1 }

// point follows one row; false when it is deleted or pushed off the sheet.
func (s cellShift) point(i int) (int, bool) {
	switch {
	case i < s.at:
		return i, true
	case s.n < 0 && i <= s.last():
		return s.at, false
	}
	return min(i+s.n, s.limit()), i+s.n <= s.limit()
}

// span follows the rows a to b as Excel does: it grows when rows are inserted
// inside, shrinks when some are deleted, and is gone with the last. A span
// over all rows stays one.
func (s cellShift) span(a, b int) (from, to int, ok bool) {
	if a == 1 && b == s.limit() {
		return a, b, true
	}
	from, okA := s.point(a)
	to, okB := s.point(b)
	if s.n > 0 {
		return from, to, okA
	}
	if !okB {
		to = s.at - 1
	}
	return from, to, from <= to
}

// rect follows a block; the empty rect when it is gone.
func (s cellShift) rect(r rect) rect {
	if r.empty() {
		return r
	}
	ok := true
	if s.cols {
		r.c1, r.c2, ok = s.span(r.c1, r.c2)
	} else {
		r.r1, r.r2, ok = s.span(r.r1, r.r2)
	}
	if !ok {
		return rect{}
	}
	return r
}

// along gives the side of r that the shift is about.
func (s cellShift) along(r rect) (from, to int) {
	if s.cols {
		return r.c1, r.c2
	}
	return r.r1, r.r2
}

// splits reports whether the shift tears r apart: an insertion inside, or the
// deletion of a part of it.
func (s cellShift) splits(r rect) bool {
	a, b := s.along(r)
	if s.n > 0 {
		return a < s.at && s.at <= b
	}
	return s.at <= b && a <= s.last() && !s.swallows(r)
}

// swallows reports whether r is deleted as a whole.
func (s cellShift) swallows(r rect) bool {
	a, b := s.along(r)
	return s.n < 0 && s.at <= a && b <= s.last()
}

// cell follows one cell, to its nearest neighbour when it is gone.
func (s cellShift) cell(at ref) (ref, bool) {
	var ok bool
	if s.cols {
		at.col, ok = s.point(at.col)
	} else {
		at.row, ok = s.point(at.row)
	}
	return at, ok
}

// anchor follows the ends of a drawing; zero says that the offset inside the
// row is void. to is 0 for one that has no lower end.
func (s cellShift) anchor(from, to int, keepSize bool) (a int, zero bool, b int, zeroTo bool) {
	a, ok := s.point(from)
	if !ok {
		a, zero = s.at, s.n < 0
	}
	if to == 0 {
		return a, zero, 0, false
	}
	switch {
	case keepSize, s.n < 0 && from >= s.at && to <= s.last():
		b = a + to - from
	case s.n < 0 && to >= s.at && to <= s.last():
		b, zeroTo = s.at, true
	default:
		b, _ = s.point(to)
	}
	return min(a, s.limit()), zero, min(b, s.limit()), zeroTo
}
