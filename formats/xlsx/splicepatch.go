package xlsx

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sort"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/seekflate"
)

// An edit of few rows of a large sheet reads and deflates these again, with some rows
// around them, and copies the deflated blocks of all others.

const (
	sheetMarks = 128 // most marks of the layout of a sheet: 4 MiB
	bookMarks  = 256 // of all sheets of an edit
)

// maxDeflatedShare is which share of a part may be deflated again for the rest to be
// copied. A test makes it larger.
var maxDeflatedShare = 0.6

// marks returns how many marks the layout of the next sheet may have.
func (p *plan) marks() int { return min(sheetMarks, bookMarks-p.marked) }

// scan is scanSheet with a layout, where there are marks left for it.
func (p *plan) scan(ctx context.Context, pkg *opc.Package, info book.SheetInfo, o scanOptions) (*facts, error) {
	o.marks = p.marks()
	f, err := scanSheet(ctx, pkg, info, o)
	if err == nil && f.layout.OK() {
		p.marked += f.layout.Marks
	}
	return f, err
}

// setSpliced sets the pass over the sheet that e changes; fa has its facts.
func setSpliced(ctx context.Context, ed *opc.Edit, e *sheetEdit, fa *facts) {
	e.ordered = fa.ordered
	write := spliceSheet(ctx, ed.Package(), e)
	if patches, ok := e.patches(ctx, fa); ok {
		ed.SetPatched(e.part, write, fa.layout.Deflated, patches)
		return
	}
	ed.SetStream(e.part, write)
}

// everywhere reports whether the edit may change any row.
func (e *sheetEdit) everywhere() bool {
	return e.selfData || e.moved != nil || e.allStale || len(e.expand) > 0 || e.rewrite != nil || e.results != nil || e.refs != nil
}

// patches returns the edit as patches of the part; ok is false where it has to be
// written as a whole.
func (e *sheetEdit) patches(ctx context.Context, fa *facts) (list []seekflate.Patch, ok bool) {
	l := fa.layout
	if !l.OK() || e.everywhere() || l.DataEnd+int64(len(fa.skel.Doc)-fa.skel.Cut) != l.Deflated.Size() {
		return nil, false
	}
	p := &splicer{e: e, style: -1}
	p.order()
	if head := fa.skel.Doc[:fa.skel.Cut]; !bytes.Equal(head, e.head) {
		list = append(list, replacedBytes(0, int64(len(head)), e.head))
	}
	event := func(w *bufio.Writer, s *sheetml.RowScanner, next int) error {
		if p.w, p.s = w, s; s.Event != sheetml.DataEnd {
			return p.event(w, s)
		}
		p.newRows(next)
		_, err := w.Write(s.Raw())
		return err
	}
	list = append(list, rowPatches(ctx, l, e.touched(l.Rows, p.rows), event)...)
	if tail := fa.skel.Doc[fa.skel.Cut:]; !bytes.Equal(tail, e.tail) {
		list = append(list, replacedBytes(l.DataEnd, l.Deflated.Size(), e.tail))
	}
	return list, saves(l, list)
}

// saves reports whether patches leave enough of a part as it is.
func saves(l *book.PartLayout, list []seekflate.Patch) bool {
	return float64(l.Deflated.Deflated(list)) <= maxDeflatedShare*float64(l.Deflated.Size())
}

// rowPatches returns patches for the rows from each touched place to the next one. event
// writes what becomes of an event; that of the end of these rows comes as DataEnd, with
// the row that is next.
func rowPatches(ctx context.Context, l *book.PartLayout, touched []bool, event func(w *bufio.Writer, s *sheetml.RowScanner, next int) error) (list []seekflate.Patch) {
	for i := 0; i < len(touched); i++ {
		first := i
		for i < len(touched) && touched[i] {
			i++
		}
		if first == i {
			continue
		}
		to, next := l.DataEnd, cellref.MaxRow+1
		if i < len(l.Rows) {
			to, next = l.Rows[i].Off, l.Rows[i].Row
		}
		from := l.Rows[first]
		list = append(list, seekflate.Patch{From: from.Off, To: to, Write: func(w io.Writer, old io.Reader) error {
			return someRows(ctx, w, old, l.Prefix, from, func(w *bufio.Writer, s *sheetml.RowScanner) error { return event(w, s, next) })
		}})
	}
	return list
}

func replacedBytes(from, to int64, b []byte) seekflate.Patch {
	return seekflate.Patch{From: from, To: to, Write: func(w io.Writer, _ io.Reader) error {
		_, err := w.Write(b)
		return err
	}}
}

// touched reports for each place whether a row from it to the next one changes. Rows
// that are made stand before the row behind them.
func (e *sheetEdit) touched(places []book.RowPlace, rows []int) []bool {
	out := make([]bool, len(places))
	mark := func(r1, r2 int) {
		for i, last := placeOf(places, r1), placeOf(places, r2); i <= last; i++ {
			out[i] = true
		}
	}
	for _, r := range rows {
		mark(r, r)
	}
	for _, run := range e.hidden {
		mark(run.from, run.to)
	}
	if e.styles != nil {
		for _, a := range e.styles.areas {
			mark(a.R1, a.R2)
		}
	}
	for i, place := range places {
		block := cellref.Range{R1: place.Row, R2: cellref.MaxRow, C1: 1, C2: cellref.MaxCol}
		if i == 0 {
			block.R1 = 1
		}
		if i+1 < len(places) {
			block.R2 = places[i+1].Row - 1
		}
		out[i] = out[i] || e.stale.Meets(block) || e.texts != nil && e.texts.rows.Meets(block)
	}
	return out
}

// placeOf returns the index of the place at or before a row, or of the first.
func placeOf(places []book.RowPlace, row int) int {
	return max(0, sort.Search(len(places), func(i int) bool { return places[i].Row > row })-1)
}

// someRows writes what event writes for the rows that old has, from a place on.
func someRows(ctx context.Context, dst io.Writer, old io.Reader, prefix string, from book.RowPlace, event func(*bufio.Writer, *sheetml.RowScanner) error) error {
	s := sheetml.NewRowScanner(io.MultiReader(old, strings.NewReader("</"+prefix+"sheetData>")))
	s.Prefix = prefix
	s.Resume(from.Off, from.Row-1)
	return copyRows(s.Rows(ctx), event, dst)
}
