package xlsx

import (
	"bufio"
	"context"
	"io"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

// clearFormats gives the cells of r the default format and leaves all else,
// cached values included, as it is.
func (e *structure) clearFormats(ctx context.Context, i int, r cellref.Range) error {
	fa, err := scanSheet(ctx, e.wb.pkg, e.wb.sheets[i], scanOptions{})
	if err != nil {
		return err
	}
	cells, err := e.targetCells(ctx, i, r)
	if err != nil {
		return err
	}
	for _, c := range cells {
		if c.style > 0 {
			e.rep.Cells++
		}
	}
	if e.rep.Cells == 0 {
		e.warn("no cell in %s has a format", r)
		return nil
	}
	pkg, part := e.wb.pkg, e.wb.sheets[i].part
	e.ed.SetStream(part, func(dst io.Writer) error {
		s, rc, err := openRows(ctx, pkg, part)
		if err != nil {
			return err
		}
		defer rc.Close()
		if _, err := s.head(); err != nil {
			return err
		}
		w := bufio.NewWriterSize(dst, 64<<10)
		head, tail := fa.skel.split(nil)
		w.Write(head)
		for {
			ev, err := s.next()
			if err != nil {
				return err
			}
			raw := s.raw()
			if ev == evCell && r.Has(s.cell.row, s.cell.col) && s.cell.hasStyle {
				tag := raw[s.start:s.cell.tagEnd]
				raw = xmlscan.Apply(raw, []xmlscan.Splice{{Start: s.start, End: s.cell.tagEnd, New: editTag(tag, "", "s")}})
			}
			w.Write(raw)
			if ev == evEnd {
				w.Write(tail)
				return w.Flush()
			}
		}
	})
	return nil
}
