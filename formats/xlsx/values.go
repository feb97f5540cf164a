package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/reader"
)

// What Rows and PickTable return.
type (
	ValueKind = reader.ValueKind
	Value     = reader.Value
	TableRows = reader.TableRows
	TablePick = reader.TablePick
)

// The kinds of values.
const (
	EmptyValue   = reader.EmptyValue
	TextValue    = reader.TextValue
	NumberValue  = reader.NumberValue
	BoolValue    = reader.BoolValue
	DateValue    = reader.DateValue
	ErrorValue   = reader.ErrorValue
	Uncalculated = reader.Uncalculated
)

// Rows opens a sheet, a table or a range for reading its values. The range is
// as in formats.Selector, of one block; without one it is all of the sheet, and
// without a sheet the first worksheet. Close it.
func Rows(ctx context.Context, src formats.Source, sheet, rng string) (*TableRows, error) {
	return reader.Rows(ctx, src, sheet, rng)
}

// PickTable finds the table of a sheet: its only table or block with a header,
// or the one beside which the others are small. Titles above it, totals and
// notes below it are no part of it. A sheet with several is refused with what
// there is.
func PickTable(ctx context.Context, src formats.Source, sheet string) (*TablePick, error) {
	return reader.PickTable(ctx, src, sheet)
}

// TotalLabel reports whether a text is what the row of a total begins with; bare
// means that it says nothing else, so that it is no name.
func TotalLabel(text string) (is, bare bool) { return reader.TotalLabel(text) }

// Date1904 reports whether the dates of a workbook count from 1904 (18.2.28).
func Date1904(ctx context.Context, src formats.Source) (bool, error) {
	return reader.Date1904(ctx, src)
}

// Filled calls each for the cells of a sheet that hold something, row by row.
// A sheet that is not there is CodeNotFound.
func Filled(ctx context.Context, src formats.Source, sheet string, each func(row, col int) error) error {
	return reader.Filled(ctx, src, sheet, each)
}

// Serial returns the number that a cell holds for an ISO 8601 date or time
// without a zone. ok is false for other text, and for dates before 1900-03-01,
// where Excel and the calendar differ.
func Serial(s string, date1904 bool) (v float64, ok bool) { return numfmt.Serial(s, date1904) }

// ColumnName is the letter of a 1-based column: 28 is AB.
func ColumnName(col int) string { return cellref.ColumnName(col) }

// ParseCell reads a cell reference such as B2 into its 1-based row and column.
func ParseCell(s string) (row, col int, err error) {
	at, err := cellref.ParseCell(s)
	return at.Row, at.Col, err
}
