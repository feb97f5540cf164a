package book

import (
	"context"
	"io"
	"sync"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/seekflate"
)

// LayoutFrom is the inflated size from which a part has a layout: smaller ones are
// written as a whole. A test makes it smaller.
var LayoutFrom int64 = indexFrom

// PlaceStep is the least distance of two places of rows, in bytes. A test makes it
// smaller.
var PlaceStep int64 = 16 << 10

// maxPlaces bounds the places of a part to 512 KiB.
const maxPlaces = 32 << 10

// PartLayout is where rows of a worksheet part are, and how it is deflated, so that a
// pass that changes few rows inflates and deflates little else. A pass over all rows
// fills it; see Window.
type PartLayout struct {
	Marks    int               // most marks of Deflated, of 32 KiB each
	Deflated *seekflate.Layout // nil for a small part
	Rows     []RowPlace        // some of its rows in order, with the first
	DataEnd  int64             // offset of the end of the rows
	Prefix   string            // of the elements, with colon
	step     int64
	bad      bool // its rows are not in order
}

// RowPlace is the offset of a row's start tag in the inflated part.
type RowPlace struct {
	Row int
	Off int64
}

// OK reports whether the pass filled the layout.
func (l *PartLayout) OK() bool {
	return l != nil && !l.bad && l.Deflated.Whole() && len(l.Rows) > 0 && l.DataEnd > 0
}

// open opens a part for the pass that fills l.
func (l *PartLayout) open(ctx context.Context, pkg *opc.Package, part string) (io.ReadCloser, error) {
	size := pkg.Size(part)
	if l == nil || size < LayoutFrom || !pkg.CanMark(part) {
		return pkg.Stream(ctx, part)
	}
	l.step = max(PlaceStep, size/maxPlaces)
	rc, d, err := pkg.StreamLayout(ctx, part, l.Marks)
	l.Deflated = d
	return rc, err
}

// drop says that the offsets of rows are not those in the part.
func (l *PartLayout) drop() {
	if l != nil {
		l.bad = true
	}
}

// note takes down where a row begins.
func (l *PartLayout) note(row int, off int64) {
	if l == nil || l.Deflated == nil {
		return
	}
	n := len(l.Rows)
	if n == 0 || off >= l.Rows[n-1].Off+l.step && n < maxPlaces {
		l.bad = l.bad || n > 0 && row <= l.Rows[n-1].Row
		l.Rows = append(l.Rows, RowPlace{row, off})
	}
}

// finish reads what is behind the rows, where the pass came so far and did not.
func (l *PartLayout) finish(r *indexedRows) {
	if l == nil || l.Deflated == nil || r.Event != sheetml.DataEnd {
		return
	}
	if rest, ok := r.rc.(io.Reader); ok && !l.bad {
		io.Copy(io.Discard, rest) // an error leaves the layout as it is, which is not OK then
	}
}

// Layouts are the layouts of the parts of a workbook that its passes fill.
type Layouts struct {
	marks int // that others may have
	parts map[string]*PartLayout
	lock  sync.Mutex
}

// marksOfPart is how many marks the layout of a part has.
const marksOfPart = 128

// NewLayouts returns layouts with at most marks marks of 32 KiB in all.
func NewLayouts(marks int) *Layouts {
	return &Layouts{marks: marks, parts: map[string]*PartLayout{}}
}

// next returns the layout that a pass over a part is to fill, nil for none.
func (l *Layouts) next(part string, size int64) *PartLayout {
	if l == nil || size < LayoutFrom {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.parts[part] != nil || l.marks < marksOfPart {
		return nil
	}
	l.marks -= marksOfPart
	l.parts[part] = &PartLayout{Marks: marksOfPart}
	return l.parts[part]
}

// Of returns the layout of a part. It is OK once a pass has read all rows.
func (l *Layouts) Of(part string) *PartLayout {
	if l == nil {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.parts[part]
}
