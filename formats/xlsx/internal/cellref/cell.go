package cellref

import (
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// The size of a sheet (Excel specifications; 18.3.1.73 leaves it open).
const (
	MaxRow = 1 << 20
	MaxCol = 1 << 14
)

// Cell is the position of a cell, 1-based.
type Cell struct{ Row, Col int }

// ColumnName returns the letters of a column: AB for 28.
func ColumnName(col int) string { return string(AppendColumn(nil, col)) }

// AppendColumn appends the letters of a column to b.
func AppendColumn(b []byte, col int) []byte {
	if col > 0 && col <= 26 {
		return append(b, byte('A'+col-1))
	}
	var name [8]byte
	i := len(name)
	for col > 0 {
		i--
		col--
		name[i] = byte('A' + col%26)
		col /= 26
	}
	return append(b, name[i:]...)
}

// Name returns the reference of a cell, such as B2.
func Name(row, col int) string { return ColumnName(col) + strconv.Itoa(row) }

// AppendName appends the reference of a cell to b.
func AppendName(b []byte, row, col int) []byte {
	return strconv.AppendInt(AppendColumn(b, col), int64(row), 10)
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// ParseCell reads a cell reference that a person or model wrote.
func ParseCell(s string) (Cell, error) {
	a := ParseEnd(strings.TrimSpace(s))
	if a.Kind != CellEnd {
		return Cell{}, formats.Errorf(formats.CodeInvalid, "invalid cell reference: %s (expected a form like B2, columns A to XFD, rows 1 to %d)", QuoteArg(s), MaxRow)
	}
	return Cell{a.Row, a.Col}, nil
}

// QuoteArg shortens an argument for an error message.
func QuoteArg(s string) string {
	if s == "" {
		return `""`
	}
	return textclip.HeadBytes(s, 60)
}

// At returns the cell in a row and column.
func At(row, col int) Cell { return Cell{row, col} }
