package preview

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx"
)

// Cells draws a block of cells of a workbook as people see it, with its column letters
// and row numbers; r.Page is not looked at. LibreOffice prints a copy whose only page the
// block is. Without LibreOffice it is the text of the block, and the note says so.
func (m *Maker) Cells(ctx context.Context, src formats.Source, v xlsx.RangeView, r Request) (Page, error) {
	if r.Area == nil {
		r.Area = &Area{0, 0, 1, 1}
	}
	if r.Scale == 0 {
		r.Scale = 1
	}
	if err := r.check(); err != nil {
		return Page{}, err
	}
	r.Page = 0
	why := "LibreOffice is not installed"
	switch {
	case opc.Locked(src):
		why = "the file is encrypted, and LibreOffice would put its content on the disk"
	case m.CanConvert():
		p, err := m.printCells(ctx, src, v, r)
		if err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return Page{}, ctx.Err()
		}
		why = err.Error()
	}
	p, err := m.writeCells(ctx, src, v, r)
	p.Note = joinNotes("plain text view: "+why, p.Note)
	return p, err
}

// printCells draws a block through LibreOffice.
func (m *Maker) printCells(ctx context.Context, src formats.Source, v xlsx.RangeView, r Request) (Page, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", src.Hash(), v.Sheet, v.Range))
	made, _, err := m.convertCopyToPDF(ctx, src, hex.EncodeToString(key[:]), func(w io.Writer) error { return xlsx.CopyRange(ctx, src, w, v) })
	if err != nil {
		return Page{}, err
	}
	defer made.Close()
	p, err := m.drawPDF(ctx, made, Request{Scale: 1})
	if err != nil {
		return p, err
	}
	cells, err := inked(p.PNG)
	if err != nil {
		return p, err
	}
	if p, err = m.drawPDF(ctx, made, r); err != nil {
		return p, err
	}
	p.Count, p.Rendering = 1, ByLibreOffice
	p.PNG, err = crop(p.PNG, r.Area.in(cells))
	return p, err
}

// writeCells draws the text of a block.
func (m *Maker) writeCells(ctx context.Context, src formats.Source, v xlsx.RangeView, r Request) (Page, error) {
	f, err := m.set.Detect(ctx, src)
	if err != nil {
		return Page{}, err
	}
	t, err := f.Reader.Read(ctx, src, formats.Selector{Sheet: v.Sheet, Range: v.Range})
	if err != nil {
		return Page{}, err
	}
	p, err := drawPlain(t.Text, nil, r)
	if err != nil {
		return p, err
	}
	if p.Count > 1 {
		p.Note = joinNotes(p.Note, formats.Count(p.Count-1, "further page")+" of its text not shown")
	}
	p.Count = 1
	p.PNG, err = crop(p.PNG, *r.Area)
	return p, err
}

// joinNotes joins what there is to say.
func joinNotes(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "; " + b
}
