package column

import "atelier/formats/tablequery/internal/image"

// Builder makes a Table of values that come row by row, without a database image.
type Builder struct {
	types []image.Kind
	cols  []*built // nil for columns that are not built
	at    *built   // the column of the next value
	rows  int
	most  int // rows
}

// built is a column at work: numbers of a numeric column, else codes.
type built struct {
	kind image.Kind
	numbers
	of    []uint16
	coder *coder
}

// NewBuilder makes a builder of a table with at most so many rows and columns of these
// kinds, of which those of only get values; nil where the arrays would be too large.
func NewBuilder(types []image.Kind, only []bool, rows int) *Builder {
	b := &Builder{types: types, cols: make([]*built, len(types)), most: rows}
	size := 0
	for i, kind := range types {
		if !only[i] {
			continue
		}
		c := &built{kind: kind}
		if size += 9 * rows; rows > maxRows || size > maxBytes {
			return nil
		}
		switch kind {
		case image.Int:
			c.ints = make([]int64, 0, rows)
		case image.Float:
			c.floats = make([]float64, 0, rows)
		default:
			c.of, c.coder = make([]uint16, 0, rows), newCoder(kind)
		}
		b.cols[i] = c
	}
	return b
}

// Column says of which column the next value is. Each row has a value of each column that
// is built, or none (Null).
func (b *Builder) Column(i int) { b.at = b.cols[i] }

// Null adds an empty value.
func (b *Builder) Null() {
	c := b.at
	switch {
	case c.coder != nil:
		c.of = append(c.of, 0)
		return
	case c.null == nil:
		c.null = make([]bool, b.most)
	}
	if b.rows < b.most { // else End tells
		c.null[b.rows] = true
	}
	if c.kind == image.Int {
		c.ints = append(c.ints, 0)
	} else {
		c.floats = append(c.floats, 0)
	}
}

// Int adds an integer to a column of image.Int.
func (b *Builder) Int(v int64) { b.at.ints = append(b.at.ints, v) }

// Float adds a number to a column of image.Float.
func (b *Builder) Float(v float64) {
	if v == 0 {
		v = 0 // as in an image, where zero has no sign
	}
	b.at.floats = append(b.at.floats, v)
}

// Text adds a text.
func (b *Builder) Text(t []byte) {
	b.at.of = append(b.at.of, b.at.coder.code(image.Value{Kind: image.Text, Text: t}))
}

// End finishes a row; it returns false for a row too many.
func (b *Builder) End() bool {
	b.rows++
	return b.rows <= b.most
}

// Table returns the table. It answers questions about the columns that were built, those
// alone.
func (b *Builder) Table() *Table {
	t := New(nil, b.rows, 0, b.types)
	for i, c := range b.cols {
		if c == nil {
			continue
		}
		if c.coder == nil {
			t.numbers[i] = &numbers{c.ints, c.floats, c.null}
			t.size.Add(int64(9 * b.rows))
			continue
		}
		t.codes[i] = finished(c.of, c.coder)
		t.size.Add(int64(2*len(t.codes[i].of) + 64*len(t.codes[i].values)))
	}
	return t
}

// finished brings the codes of all rows into the order of their values.
func finished(of []uint16, e *coder) *codes {
	if e.first, e.last = 0, len(of)-1; len(of) == 0 {
		e.first = -1
	}
	c := &codes{of: of}
	if c.values, c.failed = joinCodes(of, []*coder{e}); c.failed {
		c.of = nil
	}
	return c
}

// codesOf returns the codes of a numeric column.
func (n *numbers) codesOf(kind image.Kind) *codes {
	e := newCoder(kind)
	of := make([]uint16, max(len(n.ints), len(n.floats)))
	for i := range of {
		switch {
		case n.null != nil && n.null[i]:
		case kind == image.Int:
			of[i] = e.code(image.Value{Kind: image.Int, Int: n.ints[i]})
		default:
			of[i] = e.code(image.Value{Kind: image.Float, Float: n.floats[i]})
		}
	}
	return finished(of, e)
}
