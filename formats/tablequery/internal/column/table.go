package column

import (
	"runtime"
	"sync"
	"sync/atomic"

	"atelier/formats/tablequery/internal/image"
)

// Limits: over them questions are left to SQLite.
const (
	maxRows   = 8 << 20
	maxValues = 1<<16 - 1 // different ones in a column that is grouped by
	maxGroups = 1 << 20
	maxBytes  = 128 << 20 // of arrays kept of a table
)

// Table is a table in memory whose columns are read when they are needed. It is
// safe for concurrent use.
type Table struct {
	img   func() []byte // the database image; nil for a table of a Builder
	rows  int
	types []image.Kind

	mu      sync.Mutex
	numbers map[int]*numbers
	codes   map[int]*codes
	size    atomic.Int64

	base    *Table   // of a table with derived columns: the one without
	derived []*codes // the columns behind those of base

	lacks atomic.Bool // a column was asked for that a Builder did not build
}

// New makes a table of a database image with that many rows, whose columns
// hold the kinds of values given (whole numbers in a column of Float count as
// such) or none. nil is a table that answers nothing, for one that is too
// large.
func New(img func() []byte, rows, longest int, types []image.Kind) *Table {
	if rows > maxRows || longest > image.MaxScan {
		return nil
	}
	return &Table{img: img, rows: rows, types: types, numbers: map[int]*numbers{}, codes: map[int]*codes{}}
}

// Size returns about how much memory the arrays take, in bytes.
func (t *Table) Size() int64 {
	if t == nil {
		return 0
	}
	return t.size.Load()
}

// numbers are the values of a numeric column: ints or floats.
type numbers struct {
	ints   []int64
	floats []float64
	null   []bool // nil when there is none
}

// codes are the values of a column by their place in order: 0 is none, 1 the
// least. failed says that there are too many.
type codes struct {
	of     []uint16
	values []any // by code
	failed bool
}

// countBytes counts bytes, and lets all arrays go when there are too many; those in
// use live on until they are not. The caller holds mu.
func (t *Table) countBytes(n int) {
	if t.size.Add(int64(n)) > maxBytes && t.img != nil {
		clear(t.numbers)
		clear(t.codes)
		t.size.Store(int64(n))
	}
}

// eachShare calls f for even shares of n things at once.
func eachShare(n int, f func(share, from, to int)) {
	k := max(1, min(runtime.GOMAXPROCS(0), 4, n))
	var wg sync.WaitGroup
	for i := range k {
		wg.Go(func() { f(i, n*i/k, n*(i+1)/k) })
	}
	wg.Wait()
}

// readNumbers returns the values of a numeric column.
func (t *Table) readNumbers(column int) *numbers {
	if t.base != nil {
		if column < len(t.base.types) {
			return t.base.readNumbers(column)
		}
		return t.derivedNumbers(column)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.numbers[column]; c != nil {
		return c
	}
	c := &numbers{}
	null := make([]bool, t.rows)
	if t.img == nil {
		t.lacks.Store(true)
		return &numbers{ints: make([]int64, t.rows), null: null}
	}
	var any atomic.Bool
	if t.types[column] == image.Int {
		c.ints = make([]int64, t.rows)
	} else {
		c.floats = make([]float64, t.rows)
	}
	img := t.img()
	eachShare(image.Pages(img), func(_, from, to int) {
		image.Scan(img, from, to, []int{column}, func(row, _ int, v image.Value) {
			switch {
			case v.Kind == image.Null:
				null[row] = true
				any.Store(true)
			case c.ints != nil:
				c.ints[row] = v.Int
			case v.Kind == image.Int:
				c.floats[row] = float64(v.Int)
			default:
				c.floats[row] = v.Float
			}
		})
	})
	if any.Load() {
		c.null = null
	}
	t.countBytes(9 * t.rows)
	t.numbers[column] = c
	return c
}

// readCodes returns the values of a column by code.
func (t *Table) readCodes(column int) *codes {
	if t.base != nil {
		if column < len(t.base.types) {
			return t.base.readCodes(column)
		}
		return t.derived[column-len(t.base.types)]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.codes[column]; c != nil {
		return c
	}
	if t.img == nil {
		n := t.numbers[column]
		if n == nil {
			t.lacks.Store(true)
			return &codes{failed: true}
		}
		c := n.codesOf(t.types[column])
		t.countBytes(2*len(c.of) + 64*len(c.values))
		t.codes[column] = c
		return c
	}
	c := &codes{of: make([]uint16, t.rows)}
	img := t.img()
	parts := make([]*coder, 4)
	eachShare(image.Pages(img), func(share, from, to int) {
		e := newCoder(t.types[column])
		parts[share] = e
		image.Scan(img, from, to, []int{column}, func(row, _ int, v image.Value) {
			if e.first < 0 {
				e.first = row
			}
			e.last = row
			c.of[row] = e.code(v)
		})
	})
	c.values, c.failed = joinCodes(c.of, parts)
	if c.failed {
		c.of = nil
	}
	t.countBytes(2*len(c.of) + 64*len(c.values))
	t.codes[column] = c
	return c
}
