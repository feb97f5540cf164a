package xlsx

import (
	"bufio"
	"context"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// blockList names the first of several ranges.
func blockList(rects []cellref.Range) string {
	if len(rects) > 1 {
		return rects[0].String() + " and " + strconv.Itoa(len(rects)-1) + " more"
	}
	return rects[0].String()
}

// clearFormats gives the cells of rects the default format and leaves all else,
// cached values included, as it is.
func (e *structure) clearFormats(ctx context.Context, i int, rects []cellref.Range) error {
	part := e.wb.Sheets[i].Part
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{})
	if err != nil {
		return err
	}
	cells, err := e.targetCells(ctx, i, around(rects), rects...)
	if err != nil {
		return err
	}
	for _, c := range cells {
		if c.style > 0 {
			e.rep.Cells++
		}
	}
	if e.rep.Cells == 0 {
		e.warn("no cell in %s has a format", blockList(rects))
		return nil
	}
	head, tail := fa.skel.Split(nil)
	e.ed.SetStream(part, rowCopier(ctx, e.wb.Package, part, func(w *bufio.Writer, s *sheetml.RowScanner) error {
		raw := s.Raw()
		switch {
		case s.Event == sheetml.HeadEnd:
			raw = head
		case s.Event == sheetml.WholeCell && anyHas(rects, s.Cell.Row, s.Cell.Col) && s.Cell.HasStyle:
			tag := raw[s.Start:s.Cell.TagEnd]
			raw = xmlscan.Apply(raw, []xmlscan.Splice{{Start: s.Start, End: s.Cell.TagEnd, New: sheetml.EditTag(tag, "", "s")}})
		case s.Event == sheetml.DataEnd:
			w.Write(raw)
			raw = tail
		}
		_, err := w.Write(raw)
		return err
	}))
	return nil
}
