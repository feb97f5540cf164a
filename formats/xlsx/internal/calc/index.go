package calc

import (
	"hash/maphash"
	"slices"
	"sort"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
)

// These decide when the values of a column are sorted to be found fast.
const (
	indexRows    = 64      // shorter columns are searched one by one
	maxIndexed   = 4 << 20 // values of all indexes together
	indexRetries = 8       // a column that is not calculated yet is tried again after so many times its length in steps
)

// columnIndex finds the places of a value in a column. It is made at the second
// search, once all cells of the column are calculated.
type columnIndex struct {
	entries []indexEntry
	built   bool
	touched bool // texts were read as numbers; see Evaluator.touched
	asked   int
	next    int // the step from which building may be tried again
}

type indexEntry struct {
	hash uint64
	row  int32
}

type columnKey struct {
	sheet, col int
	locale     *numfmt.Locale // in which texts were read as numbers
}

// forgetIndexes is called when values change. It drops running totals too.
func (e *Evaluator) forgetIndexes() { e.indexes, e.indexed, e.running = nil, 0, running{} }

// rowsWith returns the rows of an area of one column that may have a value, from
// top to bottom: those with its 15 digits, or its characters but for case. Numbers
// as text are among those of a number. ok is false where there is no index.
func (e *Evaluator) rowsWith(a Area, v Value) (rows []indexEntry, ok bool) {
	if a.cols() != 1 || a.rows() < indexRows || v.kind != Number && v.kind != Text {
		return nil, false
	}
	key := columnKey{a.Sheet, a.C1, e.locale}
	x := e.indexes[key]
	if x == nil {
		if e.indexes == nil {
			e.indexes = map[columnKey]*columnIndex{}
		}
		x = &columnIndex{}
		e.indexes[key] = x
	}
	if x.asked++; !x.built && (x.asked < 2 || !e.buildIndex(x, key)) {
		return nil, false
	}
	e.touched = e.touched || x.touched && v.kind == Number
	h := hashOf(v)
	from := sort.Search(len(x.entries), func(i int) bool {
		n := x.entries[i]
		return n.hash > h || n.hash == h && int(n.row) >= a.R1
	})
	to := from
	for to < len(x.entries) && x.entries[to].hash == h && int(x.entries[to].row) <= a.R2 {
		to++
	}
	e.step(1 + to - from)
	return x.entries[from:to], true
}

// buildIndex sorts a column. It returns false while a cell of it is not
// calculated, or where there is no room.
func (e *Evaluator) buildIndex(x *columnIndex, key columnKey) bool {
	if e.steps < x.next {
		return false
	}
	g := &e.book.sheets[key.sheet].grid
	n, known := 0, true
	g.each(cellref.Block(1, key.col, cellref.MaxRow, key.col), func(_ int, c *cell) bool {
		n++
		known = (c.state == stored || c.state == done) && c.kind != Unknown
		return known
	})
	e.step(n)
	if !known || n < indexRows || e.indexed+n > maxIndexed {
		x.next = e.steps + indexRetries*max(n, len(g.rows))
		return false
	}
	x.entries = make([]indexEntry, 0, n)
	touched := e.touched
	e.touched = false
	g.each(cellref.Block(1, key.col, cellref.MaxRow, key.col), func(row int, c *cell) bool {
		v := e.book.load(c)
		if v.kind == Number || v.kind == Text {
			x.entries = append(x.entries, indexEntry{hashOf(v), int32(row)})
		}
		if y, ok := e.plain(strings.TrimSpace(v.str)); ok && v.kind == Text {
			x.entries = append(x.entries, indexEntry{hashOf(Num(y)), int32(row)})
		}
		return true
	})
	x.touched, e.touched = e.touched, touched
	slices.SortFunc(x.entries, func(a, b indexEntry) int {
		switch {
		case a.hash < b.hash || a.hash == b.hash && a.row < b.row:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	e.step(4 * len(x.entries))
	e.indexed += len(x.entries)
	x.built = true
	return true
}

// hashOf is the same for values that count as equal.
func hashOf(v Value) uint64 {
	if v.kind == Number {
		return maphash.Comparable(book.HashSeed, digits15(v.num))
	}
	return maphash.String(book.HashSeed, strings.ToLower(v.str))
}
