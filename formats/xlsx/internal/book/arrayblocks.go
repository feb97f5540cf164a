package book

import (
	"slices"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// ArrayBlock is an array formula that fills several cells. All but the first hold its
// values without a formula of their own (18.3.1.40).
type ArrayBlock struct {
	cellref.Range
	Dynamic bool // its block has the size of its result
}

// maxArrayBlocks bounds the blocks that ArrayBlocks remembers at a time.
const maxArrayBlocks = 2000

// ArrayBlocks finds the cells that array formulas fill in a pass over the rows of a
// sheet. The zero value is ready for use.
type ArrayBlocks struct {
	open []ArrayBlock // those that may reach the current row
}

// Note takes in the current cell of the pass, and returns its block where it has an
// array formula over several cells.
func (a *ArrayBlocks) Note(s *sheetml.RowScanner) (ArrayBlock, bool) {
	c := &s.Cell
	if !c.HasFormula || c.FormulaTag.End-c.FormulaTag.Start < len(`<f t="array" ref="A1:A2">`) {
		return ArrayBlock{}, false
	}
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	b := ArrayBlock{Range: fa.Ref}
	if fa.Kind != "array" || b.R1 != c.Row || b.C1 != c.Col || b.R1 == b.R2 && b.C1 == b.C2 {
		return ArrayBlock{}, false
	}
	b.Dynamic = s.HasCellMetadata()
	if len(a.open) >= maxArrayBlocks {
		a.open = slices.DeleteFunc(a.open, func(b ArrayBlock) bool { return b.R2 < c.Row })
	}
	if len(a.open) < maxArrayBlocks {
		a.open = append(a.open, b)
	}
	return b, true
}

// Fills reports whether an array formula fills a cell, which comes not before those noted.
func (a *ArrayBlocks) Fills(row, col int) bool { return len(a.open) > 0 && !a.Of(row, col).Empty() }

// FillsRow reports whether an array formula may fill a cell of a row, which comes not
// before those noted.
func (a *ArrayBlocks) FillsRow(row int) bool {
	a.open = slices.DeleteFunc(a.open, func(b ArrayBlock) bool { return b.R2 < row })
	return len(a.open) > 0
}

// Of returns the block that fills a cell, which comes not before those noted. It is
// empty for a cell that no array formula fills, and for the one with the formula.
func (a *ArrayBlocks) Of(row, col int) ArrayBlock {
	for i := 0; i < len(a.open); i++ {
		b := a.open[i]
		if b.R2 < row {
			a.open = slices.Delete(a.open, i, i+1)
			i--
			continue
		}
		if b.Has(row, col) && (row != b.R1 || col != b.C1) {
			return b
		}
	}
	return ArrayBlock{}
}
