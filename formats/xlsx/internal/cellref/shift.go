package cellref

import "sort"

// Shift describes rows (columns if Cols) of a sheet that are inserted, deleted
// or moved. A positive Count inserts rows before At; a negative one deletes
// -Count rows from At on. With a To, the Count rows from At on move so that they
// come before the row that was To.
type Shift struct {
	Cols      bool
	At, Count int
	More      []Run // further places behind At, made by NewShift
	To        int   // 0: nothing moves; else outside At to At+Count
}

// Run is one of several places of a Shift: Count rows inserted before row At, or
// -Count deleted from it on. Numbers are those before the shift.
type Run struct {
	At, Count int
	before    int // sum of the counts of the runs before it
}

// NewShift returns a shift at several places, which are in order, none touching
// the next, and all insertions or all deletions.
func NewShift(cols bool, runs []Run) Shift {
	s := Shift{Cols: cols, At: runs[0].At, Count: runs[0].Count}
	n := s.Count
	for _, r := range runs[1:] {
		r.before = n
		n += r.Count
		s.More = append(s.More, r)
	}
	return s
}

// Limit returns the number of rows or columns of a sheet.
func (s Shift) Limit() int {
	if s.Cols {
		return MaxCol
	}
	return MaxRow
}

// Moves reports whether rows move, and none come or go.
func (s Shift) Moves() bool { return s.To > 0 }

// Deletes reports whether rows go.
func (s Shift) Deletes() bool { return s.Count < 0 }

// Inserts reports whether rows come.
func (s Shift) Inserts() bool { return s.Count > 0 && s.To == 0 }

// Runs returns the places of insertions or deletions in order.
func (s Shift) Runs() []Run {
	return append([]Run{{At: s.At, Count: s.Count}}, s.More...)
}

// Total returns how many rows are inserted, deleted or moved.
func (s Shift) Total() int {
	n := s.Count
	if k := len(s.More); k > 0 {
		n = s.More[k-1].before + s.More[k-1].Count
	}
	return max(n, -n)
}

// run returns the last run that begins at or before row i.
func (s Shift) run(i int) (r Run, ok bool) {
	if i < s.At {
		return Run{}, false
	}
	if k := sort.Search(len(s.More), func(k int) bool { return s.More[k].At > i }); k > 0 {
		return s.More[k-1], true
	}
	return Run{At: s.At, Count: s.Count}, true
}

// Last returns the last of the deleted rows of a run.
func (r Run) Last() int { return r.At - r.Count - 1 }

// First returns the number that the first inserted row of a run gets.
func (r Run) First() int { return r.At + r.before }

// Before returns the run that inserts rows right before row i.
func (s Shift) Before(i int) (Run, bool) {
	r, ok := s.run(i)
	return r, ok && s.Inserts() && r.At == i
}

// Index returns the new number of row i. ok is false when the row is deleted or
// pushed off the sheet.
func (s Shift) Index(i int) (int, bool) {
	if s.To > 0 {
		return s.moved(i), true
	}
	r, ok := s.run(i)
	switch {
	case !ok:
		return i, true
	case r.Count < 0 && i <= r.Last():
		return r.At + r.before, false
	}
	to := i + r.before + r.Count
	return min(to, s.Limit()), to <= s.Limit()
}

// Inverse returns the shift that undoes a move.
func (s Shift) Inverse() Shift {
	if s.To > s.At {
		return Shift{Cols: s.Cols, At: s.To - s.Count, Count: s.Count, To: s.At}
	}
	return Shift{Cols: s.Cols, At: s.To, Count: s.Count, To: s.At + s.Count}
}

// moved is Index of a move.
func (s Shift) moved(i int) int {
	switch {
	case i >= s.At && i < s.At+s.Count && s.To > s.At:
		return i + s.To - s.At - s.Count
	case i >= s.At && i < s.At+s.Count:
		return i + s.To - s.At
	case i >= s.At && i < s.To:
		return i - s.Count
	case i >= s.To && i < s.At:
		return i + s.Count
	}
	return i
}

// Window returns the rows whose numbers a move changes.
func (s Shift) Window() (from, to int) {
	if s.To > s.At {
		return s.At, s.To - 1
	}
	return s.To, s.At + s.Count - 1
}

// Piece is a run of rows that keeps together in a move: where it was and where
// it is.
type Piece struct{ From, To, Now int }

// Pieces returns what becomes of the rows a to b in a move, in their old order.
func (s Shift) Pieces(a, b int) []Piece {
	var out []Piece
	lo, hi := s.Window()
	second := s.At
	if s.To > s.At {
		second = s.At + s.Count
	}
	for from, ends := a, []int{lo - 1, second - 1, hi, b}; len(ends) > 0; ends = ends[1:] {
		to := min(ends[0], b)
		if to < from {
			continue
		}
		out = append(out, Piece{from, to, s.moved(from)})
		from = to + 1
	}
	return out
}

// Together reports whether the rows a to b are side by side after a move, in
// any order.
func (s Shift) Together(a, b int) bool {
	from, to := s.moved(a), s.moved(a)
	for _, p := range s.Pieces(a, b) {
		from, to = min(from, p.Now), max(to, p.Now+p.To-p.From)
	}
	return to-from == b-a
}

// Keeps reports whether the rows a to b are side by side after a move, in their
// order.
func (s Shift) Keeps(a, b int) bool { return len(s.Pieces(a, b)) < 2 }

// Span returns the rows that a to b become, as in Excel: a span grows when rows
// are inserted inside it, shrinks when some of its rows are deleted, and is
// gone (ok is false) when all are. A span over all rows stays as it is.
//
// In a move a span keeps its rows as long as they are side by side. Else it
// keeps the rows that do not move, with what comes between them.
func (s Shift) Span(a, b int) (from, to int, ok bool) {
	if a == 1 && b == s.Limit() {
		return a, b, true
	}
	if s.To > 0 {
		from, to = s.movedSpan(a, b)
		return from, to, true
	}
	from, okA := s.Index(a)
	to, okB := s.Index(b)
	if s.Count > 0 {
		return from, to, okA
	}
	if !okB {
		to--
	}
	return from, to, from <= to
}

func (s Shift) movedSpan(a, b int) (from, to int) {
	all := s.Together(a, b)
	for _, p := range s.Pieces(a, b) {
		if block := p.From >= s.At && p.From < s.At+s.Count; block && !all {
			continue
		}
		end := p.Now + p.To - p.From
		if from == 0 {
			from, to = p.Now, end
			continue
		}
		from, to = min(from, p.Now), max(to, end)
	}
	return from, to
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

// Ranges returns the ranges that the cells of r become: several where a move
// tears r apart.
func (s Shift) Ranges(r Range) []Range {
	a, b := s.Side(r)
	if !s.Moves() || r.Empty() || s.Together(a, b) || a == 1 && b == s.Limit() {
		if r = s.Range(r); r.Empty() {
			return nil
		}
		return []Range{r}
	}
	pieces := s.Pieces(a, b)
	sort.Slice(pieces, func(i, k int) bool { return pieces[i].Now < pieces[k].Now })
	var out []Range
	for _, p := range pieces {
		end := p.Now + p.To - p.From
		if n := len(out) - 1; n >= 0 {
			if _, last := s.Side(out[n]); last == p.Now-1 {
				s.set(&out[n], 0, end)
				continue
			}
		}
		one := r
		s.set(&one, p.Now, end)
		out = append(out, one)
	}
	return out
}

// set changes the rows of r; from is 0 where the first one stays.
func (s Shift) set(r *Range, from, to int) {
	if s.Cols {
		r.C2 = to
		if from > 0 {
			r.C1 = from
		}
		return
	}
	r.R2 = to
	if from > 0 {
		r.R1 = from
	}
}

// Side returns the rows (or columns) of r.
func (s Shift) Side(r Range) (from, to int) {
	if s.Cols {
		return r.C1, r.C2
	}
	return r.R1, r.R2
}

// Splits reports whether the shift changes the size of r or the order inside it:
// it inserts rows inside r, deletes a part of it, or moves some of its rows.
func (s Shift) Splits(r Range) bool {
	a, b := s.Side(r)
	if s.Moves() {
		return !s.Keeps(a, b) || s.To > a && s.To <= b && !(s.At >= a && s.At+s.Count-1 <= b)
	}
	run, ok := s.run(b)
	if s.Count > 0 {
		return ok && a < run.At
	}
	return ok && a <= run.Last() && !s.Swallows(r)
}

// Swallows reports whether the shift deletes all of r.
func (s Shift) Swallows(r Range) bool {
	a, b := s.Side(r)
	run, ok := s.run(a)
	return s.Count < 0 && ok && b <= run.Last()
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
	zero = !ok && s.Count < 0
	if to == 0 {
		return a, zero, 0, false
	}
	if s.Moves() {
		if keepSize || s.Keeps(from, to) || to < from {
			return a, false, min(a+to-from, s.Limit()), false
		}
		a, b, _ = s.Span(from, to)
		return a, false, b, false
	}
	b, okTo := s.Index(to)
	switch {
	case keepSize, s.Count < 0 && from <= to && s.Swallows(Range{R1: from, C1: from, R2: to, C2: to}):
		b = a + to - from
	case !okTo && s.Count < 0:
		zeroTo = true
	}
	return min(a, s.Limit()), zero, min(b, s.Limit()), zeroTo
}
