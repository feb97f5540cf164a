package cellref

import (
	"strconv"
)

// EndKind says which parts an End has.
type EndKind uint8

const (
	NoEnd     EndKind = iota
	CellEnd           // A1
	ColumnEnd         // A
	RowEnd            // 1
)

// End is one end of a reference, with its dollar signs.
type End struct {
	Kind           EndKind
	Row, Col       int
	AbsRow, AbsCol bool
}

// ParseEnd reads all of s as A1, $A$1, A or 1, in any case. The kind is NoEnd
// when s is something else or lies outside the sheet.
func ParseEnd(s string) End {
	var a End
	i := 0
	dollar := false
	if i < len(s) && s[i] == '$' {
		dollar = true
		i++
	}
	start := i
	for i < len(s) && IsLetter(s[i]) && i-start < 4 {
		a.Col = a.Col*26 + int(s[i]|0x20-'a') + 1
		i++
	}
	if i > start {
		if a.Col > MaxCol {
			return End{}
		}
		a.AbsCol = dollar
		if i == len(s) {
			a.Kind = ColumnEnd
			return a
		}
		a.Kind = CellEnd
		if s[i] == '$' {
			a.AbsRow = true
			i++
		}
	} else {
		a.Kind, a.AbsRow = RowEnd, dollar
	}
	digits := s[i:]
	if len(digits) == 0 || len(digits) > 7 || digits[0] == '0' {
		return End{}
	}
	for j := 0; j < len(digits); j++ {
		if digits[j] < '0' || digits[j] > '9' {
			return End{}
		}
		a.Row = a.Row*10 + int(digits[j]-'0')
	}
	if a.Row > MaxRow {
		return End{}
	}
	return a
}

// Between returns the range between two ends of the same kind.
func Between(a, b End) (Range, bool) {
	if a.Kind != b.Kind || a.Kind == NoEnd {
		return Range{}, false
	}
	r := WholeSheet
	if a.Kind != ColumnEnd {
		r.R1, r.R2 = min(a.Row, b.Row), max(a.Row, b.Row)
	}
	if a.Kind != RowEnd {
		r.C1, r.C2 = min(a.Col, b.Col), max(a.Col, b.Col)
	}
	return r, true
}

// Index returns the column or row.
func (a End) Index(cols bool) int {
	if cols {
		return a.Col
	}
	return a.Row
}

// Absolute reports whether the column or row has a dollar sign.
func (a End) Absolute(cols bool) bool {
	if cols {
		return a.AbsCol
	}
	return a.AbsRow
}

// SetIndex sets the column or row.
func (a *End) SetIndex(cols bool, i int) {
	if cols {
		a.Col = i
	} else {
		a.Row = i
	}
}

// Move returns the text of the reference moved by rows and columns, as far as
// it is relative. It returns false when the result is outside the sheet.
func (a End) Move(dr, dc int) (string, bool) {
	a, ok := a.Moved(dr, dc)
	if !ok {
		return "", false
	}
	return a.String(), true
}

// Moved is Move without its text.
func (a End) Moved(dr, dc int) (End, bool) {
	if a.Kind != ColumnEnd && !a.AbsRow {
		a.Row += dr
	}
	if a.Kind != RowEnd && !a.AbsCol {
		a.Col += dc
	}
	return a, (a.Kind == ColumnEnd || a.Row >= 1 && a.Row <= MaxRow) && (a.Kind == RowEnd || a.Col >= 1 && a.Col <= MaxCol)
}

// String returns the text of the reference in a formula.
func (a End) String() string { return string(a.Append(nil)) }

// Append appends the text of the reference in a formula.
func (a End) Append(b []byte) []byte {
	if a.Kind != RowEnd {
		if a.AbsCol {
			b = append(b, '$')
		}
		b = AppendColumn(b, a.Col)
	}
	if a.Kind != ColumnEnd {
		if a.AbsRow {
			b = append(b, '$')
		}
		b = strconv.AppendInt(b, int64(a.Row), 10)
	}
	return b
}
