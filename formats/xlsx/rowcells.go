package xlsx

import (
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/reader"
)

// RowCell is a cell of a line that shows a row of a sheet.
type RowCell = reader.RowCell

// RowCells returns the cells of a line whose address (formats.Part.At) is the
// number of a row.
func RowCells(line string) []RowCell { return reader.RowCells(line) }

// Address returns the address of a cell or range with its sheet, as tools take it:
// "Sales!B7", "'Net sales'!B7".
func Address(sheet, ref string) string { return formula.SheetPrefix(sheet) + ref }
