package xlsx

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// eachFormula streams the formulas of a worksheet, however many there are.
func (wb *baseBook) eachFormula(ctx context.Context, info sheetInfo, fn func(formulaCell) error) error {
	return wb.scanFormulas(ctx, info, true, fn)
}

// scanFormulas is eachFormula; without texts the members of shared formulas have
// none, which costs nothing however long that of their master is.
func (wb *baseBook) scanFormulas(ctx context.Context, info sheetInfo, texts bool, fn func(formulaCell) error) error {
	shared := map[int]sharedFormula{}
	return wb.eachSheetCell(ctx, info, func(s *sheetml.RowScanner) error {
		if !s.Cell.HasFormula {
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
func (wb *baseBook) eachSheetCell(ctx context.Context, info sheetInfo, fn func(*sheetml.RowScanner) error) error {
	for s, err := range wb.rows(ctx, info.part, window{}) {
		if err != nil {
			return cellsOrNone(err)
		}
		if s.Event != sheetml.WholeCell {
			continue
		}
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// formulaOf is the formula of the scanner's cell; that of a group is the one of
// its master shifted to it.
func (wb *baseBook) formulaOf(s *sheetml.RowScanner, shared map[int]sharedFormula, texts bool) (fc formulaCell, err error) {
	c := &s.Cell
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	fc = formulaCell{row: c.Row, col: c.Col, cached: !c.NoValue()}
	if c.Formula.OK() {
		fc.text = sheetml.CharData(s.Text(c.Formula))
	}
	switch fa.Kind {
	case "shared":
		fc.group, fc.master = fa.SharedIndex+1, fc.text != ""
		if fc.master {
			shared[fa.SharedIndex] = sharedFormula{fc.text, c.Row, c.Col}
		} else if m, ok := shared[fa.SharedIndex]; ok && texts {
			fc.text, err = wb.allowance.written(m, c.Row, c.Col)
		}
	case "array", "dataTable":
		fc.spill, fc.table = fa.Ref, fa.Kind == "dataTable"
	}
	return fc, err
}

// formulaCell is a formula of the file.
type formulaCell struct {
	row, col int
	text     string        // of its own or of its group, shifted to it
	spill    cellref.Range // the block its result fills, for an array or data table
	table    bool          // a what-if data table: its inputs are elsewhere
	group    int           // 1 + index of its shared formula, 0 for none
	master   bool          // it holds the text of its group
	cached   bool          // it has a value
}
