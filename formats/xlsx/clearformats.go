package xlsx

import (
	"bufio"
	"context"
	"io"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// clearFormats gives the cells of r the default format and leaves all else,
// cached values included, as it is.
func (e *structure) clearFormats(ctx context.Context, i int, r cellref.Range) error {
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{})
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
	pkg, part := e.wb.Package, e.wb.Sheets[i].Part
	e.ed.SetStream(part, func(dst io.Writer) error {
		s, rc, err := book.OpenRows(ctx, pkg, part)
		if err != nil {
			return err
		}
		defer rc.Close()
		if _, err := s.Head(); err != nil {
			return err
		}
		w := bufio.NewWriterSize(dst, 64<<10)
		head, tail := fa.skel.Split(nil)
		w.Write(head)
		for {
			ev, err := s.Next()
			if err != nil {
				return err
			}
			raw := s.Raw()
			if ev == sheetml.WholeCell && r.Has(s.Cell.Row, s.Cell.Col) && s.Cell.HasStyle {
				tag := raw[s.Start:s.Cell.TagEnd]
				raw = xmlscan.Apply(raw, []xmlscan.Splice{{Start: s.Start, End: s.Cell.TagEnd, New: sheetml.EditTag(tag, "", "s")}})
			}
			w.Write(raw)
			if ev == sheetml.DataEnd {
				w.Write(tail)
				return w.Flush()
			}
		}
	})
	return nil
}
