package xlsx

import (
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// alike takes note of the row that begins as a whole, where it is like one before and
// nothing asks for its cells; else these come one by one.
func (f *facts) alike(s *sheetml.RowScanner, o scanOptions, edited map[int]bool) error {
	if o.each != nil && o.alike == nil || o.strings != nil || f.styles != nil || len(o.cells) > 0 && edited[s.Row] {
		return nil
	}
	form, texts := s.AlikeTexts()
	if form == nil || !form.Plain {
		return nil
	}
	if o.alike != nil {
		if ok, err := o.alike(s, form, texts); !ok || err != nil {
			return err
		}
	}
	for i := range form.Cells {
		c := &form.Cells[i]
		if !c.Blank {
			f.used.Add(s.Row, c.Col)
		}
		if !c.Formula {
			continue
		}
		if f.hasF = true; o.budget == nil {
			continue
		}
		if *o.budget <= 0 {
			f.many = true
			continue
		}
		text := sheetml.CharData(s.Text(texts[c.FormulaText]))
		*o.budget -= 1 + len(text)/128
		f.formulas.add(book.FormulaCell{Row: s.Row, Col: c.Col, Text: text, Cached: !c.Uncached})
	}
	s.RestOfRow()
	return nil
}
