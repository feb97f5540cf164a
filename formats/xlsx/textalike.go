package xlsx

import (
	"context"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// row looks through the scanner's row of a form; false where that has to be done cell by
// cell, which is so where a number or formula holds what is searched.
func (t *textEdit) row(ctx context.Context, sc *sheetml.RowScanner, f *sheetml.RowForm, texts []sheetml.Span, s *planSheet, tables []*book.Table) (bool, error) {
	if t.r.needle == nil {
		return false, nil
	}
	inline := false
	for i := range f.Cells {
		c := &f.Cells[i]
		n := -1
		switch {
		case c.Formula:
			n = c.FormulaText
		case c.Type == sheetml.TypeNumber:
			n = c.ValueText
		case c.RunTag != "":
			inline = true
		}
		if c.RunTag != "" && c.Type != sheetml.TypeInline {
			return false, nil // an unusual cell
		}
		if n >= 0 && !t.r.misses(sc.Text(texts[n])) {
			return false, nil
		}
	}
	for i := range f.Cells {
		if !inline {
			break
		}
		c := &f.Cells[i]
		if c.Run < 0 || c.Formula {
			continue
		}
		run := texts[c.Run]
		raw := sc.Text(sheetml.Piece(run.Start-len(c.RunTag), run.End+len("</t>")))
		at := cellref.At(sc.Row, c.Col)
		hits, err := t.r.hits(ctx, raw)
		if err != nil {
			return false, inCell(err, at)
		}
		if hits > 0 {
			t.count(hits)
			if err := t.put(ctx, s, tables, at, raw); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}
