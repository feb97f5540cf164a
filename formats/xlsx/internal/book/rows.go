package book

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/sheetml"
)

// Window says which rows of a worksheet a pass reads.
type Window struct {
	// first is the first row that the pass must not miss, 0 for all of them. With
	// it, a large sheet that was read before is read from a place near that row,
	// without its head, and the places of rows are remembered for later passes.
	First int
	Last  int // the pass ends before the first row after it; 0: at the end of the rows
	// display is told the masters of shared formulas, also those before first.
	Display *Display
	// Layout is told where rows are; nil for none. It is for passes over all rows.
	Layout *PartLayout
}

// Rows yields the events of a worksheet part: HeadEnd, those of the rows and
// cells of a window in the order of the file, and DataEnd, unless the pass ends
// before. The scanner and its cell are valid until the next event. An error ends
// the pass; ErrNoCells comes with a scanner whose HeadXML is the whole part. The
// pass ends soon after ctx is done, with its error.
func Rows(ctx context.Context, pkg *opc.Package, part string, w Window) iter.Seq2[*sheetml.RowScanner, error] {
	return func(yield func(*sheetml.RowScanner, error) bool) {
		r, err := openWindow(ctx, pkg, part, w)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.close(w.Display)
		defer w.Layout.finish(r)
		for s, err := range r.Rows(ctx) {
			if err == nil && (r.Event != sheetml.WholeCell || w.Display != nil) && !w.takes(r) {
				return
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// takes remembers what the current event says for later cells and passes. It
// reports whether the event is not behind the window.
func (w Window) takes(r *indexedRows) bool {
	switch r.Event {
	case sheetml.WholeCell:
		if w.Display != nil && r.Cell.HasFormula {
			w.Display.Note(r.RowScanner)
		}
	case sheetml.RowStart:
		r.ix.note(r.Row, r.Offset())
		w.Layout.note(r.Row, r.Offset())
		return w.Last == 0 || r.Row <= w.Last
	case sheetml.HeadEnd:
		if w.Layout != nil {
			w.Layout.Prefix = r.Prefix
		}
	case sheetml.DataEnd:
		if w.Layout != nil {
			w.Layout.DataEnd = r.Offset()
		}
	}
	return true
}

// Rows is the function Rows over a part of the workbook.
func (wb *Workbook) Rows(ctx context.Context, part string, w Window) iter.Seq2[*sheetml.RowScanner, error] {
	if w.Layout == nil && w.First == 0 && w.Last == 0 {
		w.Layout = wb.Layouts.next(part, wb.Package.Size(part))
	}
	return Rows(ctx, wb.Package, part, w)
}

// IgnoreNoCells is the error of a pass for which a sheet without cells is empty.
func IgnoreNoCells(err error) error {
	if errors.Is(err, sheetml.ErrNoCells) {
		return nil
	}
	return err
}

// SheetHead is what stands before the rows of a sheet; ErrNoCells when it has
// none.
func (wb *Workbook) SheetHead(ctx context.Context, part string) ([]byte, error) {
	for s, err := range wb.Rows(ctx, part, Window{}) {
		if err != nil {
			return nil, err
		}
		return s.HeadXML, nil
	}
	return nil, nil
}

// OpenRows opens a worksheet part for scanning; close the closer.
func OpenRows(ctx context.Context, pkg *opc.Package, part string) (*sheetml.RowScanner, io.Closer, error) {
	return openRows(ctx, pkg, part, nil)
}

func openRows(ctx context.Context, pkg *opc.Package, part string, l *PartLayout) (*sheetml.RowScanner, io.Closer, error) {
	rc, err := l.open(ctx, pkg, part)
	if err != nil {
		return nil, nil, err
	}
	if pkg.Size(part) >= indexFrom {
		rc = NewReadAhead(rc)
	}
	s := sheetml.NewRowScanner(rc)
	first, err := s.Peek()
	if err != nil {
		rc.Close()
		return nil, nil, err
	}
	// UTF-16 cannot be scanned by bytes; such parts are rare and small.
	if utf16Doc(first) {
		rc.Close()
		l.drop()
		doc, err := pkg.ReadXML(ctx, part)
		if err != nil {
			return nil, nil, err
		}
		return sheetml.NewRowScanner(bytes.NewReader(doc)), io.NopCloser(nil), nil
	}
	return s, rc, nil
}

// utf16Doc reports whether a document that begins with h, of at least two
// bytes, is in UTF-16.
func utf16Doc(h []byte) bool { return len(h) >= 4 && (h[0] == 0 || h[1] == 0 || h[0] >= 0xFE) }
