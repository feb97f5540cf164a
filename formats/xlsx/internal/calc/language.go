package calc

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
)

// maxEvidence bounds the formulas that tell the language of a workbook.
const maxEvidence = 200

// language finds out from the values that a file has whether the program that
// calculated it was in English: then results of formulas that depend on the
// language are those of English, and none is another. It returns "en" or "", and
// whether a value is of another language.
func (b *Book) language(ctx context.Context) (found string, other bool) {
	plain, in := NewEvaluator(ctx, b, Options{}), NewEvaluator(ctx, b, Options{Language: "en"})
	seen, equal, differs := 0, 0, false
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.formula == 0 || c.state != stored || !b.formulas[c.formula-1].language {
				return true
			}
			if seen++; seen > maxEvidence || ctx.Err() != nil {
				return false
			}
			at, f := At(i, row, int(c.col)), b.formulas[c.formula-1]
			if v, err := plain.calculateForm(at, f); err != nil || v.kind != Unknown || v.Reason().Code != ReasonLanguage {
				return true
			}
			v, err := in.calculateForm(at, f)
			if want := b.load(c); err == nil && v.kind == want.kind {
				equal, differs = equal+1, differs || v.str != want.str || v.num != want.num
			}
			return !differs
		})
	}
	if equal > 0 && !differs {
		return "en", false
	}
	return "", differs
}
