package book

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// EachFormula streams the formulas of a worksheet, however many there are.
func (wb *Workbook) EachFormula(ctx context.Context, info SheetInfo, fn func(FormulaCell) error) error {
	return wb.ScanFormulas(ctx, info, true, fn)
}

// ScanFormulas is eachFormula; without texts the members of shared formulas have
// none, which costs nothing however long that of their master is.
func (wb *Workbook) ScanFormulas(ctx context.Context, info SheetInfo, texts bool, fn func(FormulaCell) error) error {
	shared := map[int]SharedFormula{}
	return wb.EachSheetCell(ctx, info, func(s *sheetml.RowScanner) error {
		if !s.Cell.HasFormula {
			return nil
		}
		fc, err := wb.FormulaOf(s, shared, texts)
		if err != nil {
			return err
		}
		return fn(fc)
	})
}

// EachSheetCell streams the cells of a worksheet.
func (wb *Workbook) EachSheetCell(ctx context.Context, info SheetInfo, fn func(*sheetml.RowScanner) error) error {
	for s, err := range wb.Rows(ctx, info.Part, Window{}) {
		if err != nil {
			return IgnoreNoCells(err)
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

// FormulaOf is the formula of the scanner's cell; that of a group is the one of
// its master shifted to it.
func (wb *Workbook) FormulaOf(s *sheetml.RowScanner, shared map[int]SharedFormula, texts bool) (fc FormulaCell, err error) {
	c := &s.Cell
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	fc = FormulaCell{Row: c.Row, Col: c.Col, Cached: !c.NoValue()}
	if c.Formula.OK() {
		fc.Text = sheetml.CharData(s.Text(c.Formula))
	}
	switch fa.Kind {
	case "shared":
		fc.Group, fc.Master = fa.SharedIndex+1, fc.Text != ""
		if fc.Master {
			shared[fa.SharedIndex] = SharedFormula{fc.Text, c.Row, c.Col}
		} else if m, ok := shared[fa.SharedIndex]; ok && texts {
			fc.Text, err = wb.Allowance.Written(m, c.Row, c.Col)
		}
	case "array", "dataTable":
		fc.Spill, fc.Table = fa.Ref, fa.Kind == "dataTable"
		fc.Dynamic = fa.Kind == "array" && s.HasCellMetadata()
	}
	return fc, err
}

// FormulaCell is a formula of the file.
type FormulaCell struct {
	Row, Col int
	Text     string        // written in the cell, or of its group and shifted to the cell
	Spill    cellref.Range // the block its result fills, for an array or data table
	Dynamic  bool          // a dynamic array formula, whose block has the size of its result
	Blocked  bool          // a dynamic array formula that something is in the way of (#SPILL!)
	Table    bool          // a what-if data table: its inputs are elsewhere
	Group    int           // 1 + index of its shared formula, 0 for none
	Master   bool          // it holds the text of its group
	Cached   bool          // it has a value
}
