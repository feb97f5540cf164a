package xlsx

import (
	"context"
	"errors"
)

// eachFormula streams the formulas of a worksheet, however many there are.
func (wb *workbook) eachFormula(ctx context.Context, info sheetInfo, fn func(formulaCell) error) error {
	return wb.scanFormulas(ctx, info, true, fn)
}

// scanFormulas is eachFormula; without texts the members of shared formulas have
// none, which costs nothing however long that of their master is.
func (wb *workbook) scanFormulas(ctx context.Context, info sheetInfo, texts bool, fn func(formulaCell) error) error {
	shared := map[int]sharedFormula{}
	return wb.eachSheetCell(ctx, info, func(s *rowScanner) error {
		if !s.cell.hasF {
			return nil
		}
		fc, err := wb.formulaOf(s, shared, texts)
		if err != nil {
			return err
		}
		return fn(fc)
	})
}

// eachSheetCell streams the cells of a worksheet.
func (wb *workbook) eachSheetCell(ctx context.Context, info sheetInfo, fn func(*rowScanner) error) error {
	s, rc, err := openRows(ctx, wb.pkg, info.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	if _, err := s.head(); errors.Is(err, errNoData) {
		return nil
	} else if err != nil {
		return err
	}
	for n := 0; ; n++ {
		ev, err := s.next()
		switch {
		case err != nil || ev == evEnd:
			return err
		case n&255 == 0 && ctx.Err() != nil:
			return ctx.Err()
		case ev != evCell:
			continue
		}
		if err := fn(s); err != nil {
			return err
		}
	}
}

// formulaOf is the formula of the scanner's cell; that of a group is the one of
// its master shifted to it.
func (wb *workbook) formulaOf(s *rowScanner, shared map[int]sharedFormula, texts bool) (fc formulaCell, err error) {
	c := &s.cell
	fa := readFormulaAttrs(s.text(c.fTag))
	fc = formulaCell{row: c.row, col: c.col, cached: !c.noValue()}
	if c.f.ok() {
		fc.text = charData(s.text(c.f))
	}
	switch fa.kind {
	case "shared":
		fc.group, fc.master = fa.si+1, fc.text != ""
		if fc.master {
			shared[fa.si] = sharedFormula{fc.text, c.row, c.col}
		} else if m, ok := shared[fa.si]; ok && texts {
			fc.text, err = wb.allowance.written(m, c.row, c.col)
		}
	case "array", "dataTable":
		fc.spill, fc.table = fa.ref, fa.kind == "dataTable"
	}
	return fc, err
}
