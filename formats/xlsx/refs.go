package xlsx

import (
	"strconv"
	"strings"

	"atelier/formats"
)

// The size of a sheet (Excel specifications; 18.3.1.73 leaves it open).
const (
	maxRow = 1 << 20
	maxCol = 1 << 14
)

// ref is the place of a cell, 1-based.
type ref struct{ row, col int }

// rect is a block of cells, 1-based and inclusive; the zero rect is empty.
type rect struct{ r1, c1, r2, c2 int }

var wholeSheet = rect{1, 1, maxRow, maxCol}

func (a rect) empty() bool { return a.r2 < a.r1 || a.r1 == 0 }

func (a rect) has(row, col int) bool {
	return row >= a.r1 && row <= a.r2 && col >= a.c1 && col <= a.c2
}

// add grows a so that it holds the cell.
func (a *rect) add(row, col int) {
	if a.empty() {
		*a = rect{row, col, row, col}
		return
	}
	a.r1, a.r2 = min(a.r1, row), max(a.r2, row)
	a.c1, a.c2 = min(a.c1, col), max(a.c2, col)
}

func (a rect) String() string {
	switch {
	case a.empty():
		return ""
	case a.r1 == a.r2 && a.c1 == a.c2:
		return cellName(a.r1, a.c1)
	}
	return cellName(a.r1, a.c1) + ":" + cellName(a.r2, a.c2)
}

// colName turns 28 into AB.
func colName(col int) string {
	var b [8]byte
	i := len(b)
	for col > 0 {
		i--
		col--
		b[i] = byte('A' + col%26)
		col /= 26
	}
	return string(b[i:])
}

func cellName(row, col int) string { return colName(col) + strconv.Itoa(row) }

func appendCellName(b []byte, row, col int) []byte {
	b = append(b, colName(col)...)
	return strconv.AppendInt(b, int64(row), 10)
}

// atomKind says which parts a reference atom has.
type atomKind uint8

const (
	noAtom atomKind = iota
	cellAt          // A1
	colAt           // A
	rowAt           // 1
)

// atom is one end of a reference with its dollar signs.
type atom struct {
	kind           atomKind
	row, col       int
	absRow, absCol bool
}

// parseAtom reads a whole string as A1, $A$1, A or 1, in any case; noAtom when
// it is none of them or lies outside the sheet.
func parseAtom(s string) atom {
	var a atom
	i := 0
	dollar := false
	if i < len(s) && s[i] == '$' {
		dollar = true
		i++
	}
	start := i
	for i < len(s) && isLetter(s[i]) && i-start < 4 {
		a.col = a.col*26 + int(s[i]|0x20-'a') + 1
		i++
	}
	if i > start {
		if a.col > maxCol {
			return atom{}
		}
		a.absCol = dollar
		if i == len(s) {
			a.kind = colAt
			return a
		}
		a.kind = cellAt
		if s[i] == '$' {
			a.absRow = true
			i++
		}
	} else {
		a.kind, a.absRow = rowAt, dollar
	}
	digits := s[i:]
	if len(digits) == 0 || len(digits) > 7 || digits[0] == '0' {
		return atom{}
	}
	for j := 0; j < len(digits); j++ {
		if digits[j] < '0' || digits[j] > '9' {
			return atom{}
		}
		a.row = a.row*10 + int(digits[j]-'0')
	}
	if a.row > maxRow {
		return atom{}
	}
	return a
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// parseCell reads a cell reference a person or model wrote.
func parseCell(s string) (ref, error) {
	a := parseAtom(strings.TrimSpace(s))
	if a.kind != cellAt {
		return ref{}, formats.Errorf(formats.CodeInvalid, "invalid cell reference: %s (expected a form like B2, columns A to XFD, rows 1 to %d)", quoteArg(s), maxRow)
	}
	return ref{a.row, a.col}, nil
}

// parseRange reads A1:E50, B2, A:C or 3:9; an end left open reaches to the
// edge of the sheet.
func parseRange(s string) (rect, error) {
	from, to, two := strings.Cut(strings.TrimSpace(s), ":")
	a := parseAtom(strings.TrimSpace(from))
	b := a
	if two {
		b = parseAtom(strings.TrimSpace(to))
	}
	if r, ok := area(a, b); ok {
		return r, nil
	}
	return rect{}, formats.Errorf(formats.CodeInvalid, "invalid range: %s (expected a form like A1:E50, B2, A:C or 3:9)", quoteArg(s))
}

// area is the block between two atoms of one kind.
func area(a, b atom) (rect, bool) {
	if a.kind != b.kind || a.kind == noAtom {
		return rect{}, false
	}
	r := wholeSheet
	if a.kind != colAt {
		r.r1, r.r2 = min(a.row, b.row), max(a.row, b.row)
	}
	if a.kind != rowAt {
		r.c1, r.c2 = min(a.col, b.col), max(a.col, b.col)
	}
	return r, true
}

// parseRefAttr reads a ref attribute of a file; an unreadable one is empty.
func parseRefAttr(s string) rect {
	r, err := parseRange(s)
	if err != nil {
		return rect{}
	}
	return r
}

// quoteArg shows an argument in a message: as it is when it is short and plain.
func quoteArg(s string) string {
	if s == "" {
		return `""`
	}
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

// sqref lists blocks as an ST_Sqref (18.18.76).
func sqref(rects []rect) string {
	var out []string
	for _, r := range rects {
		out = append(out, r.String())
	}
	return strings.Join(out, " ")
}

// readSqref reads an ST_Sqref.
func readSqref(s string) []rect {
	var out []rect
	for _, f := range strings.Fields(s) {
		if r := parseRefAttr(f); !r.empty() {
			out = append(out, r)
		}
	}
	return out
}

func (a atom) on(cols bool) int {
	if cols {
		return a.col
	}
	return a.row
}

func (a atom) abs(cols bool) bool {
	if cols {
		return a.absCol
	}
	return a.absRow
}

func (a *atom) set(cols bool, i int) {
	if cols {
		a.col = i
	} else {
		a.row = i
	}
}

func (a atom) shift(dr, dc int) (string, bool) {
	if a.kind != colAt && !a.absRow {
		a.row += dr
	}
	if a.kind != rowAt && !a.absCol {
		a.col += dc
	}
	ok := (a.kind == colAt || a.row >= 1 && a.row <= maxRow) && (a.kind == rowAt || a.col >= 1 && a.col <= maxCol)
	if !ok {
		return "", false
	}
	s := ""
	if a.kind != rowAt {
		if a.absCol {
			s = "$"
		}
		s += colName(a.col)
	}
	if a.kind != colAt {
		if a.absRow {
			s += "$"
		}
		s += strconv.Itoa(a.row)
	}
	return s, true
}

func (a rect) meets(b rect) bool {
	return a.r1 <= b.r2 && b.r1 <= a.r2 && a.c1 <= b.c2 && b.c1 <= a.c2
}

// inside reports whether all of a lies in b.
func (a rect) inside(b rect) bool {
	return a.r1 >= b.r1 && a.r2 <= b.r2 && a.c1 >= b.c1 && a.c2 <= b.c2
}

// String is the atom as it stands in a formula.
func (a atom) String() string {
	s := ""
	if a.kind != rowAt {
		if a.absCol {
			s = "$"
		}
		s += colName(a.col)
	}
	if a.kind != colAt {
		if a.absRow {
			s += "$"
		}
		s += strconv.Itoa(a.row)
	}
	return s
}

// minus is a without the cells of b, in at most four blocks.
func (a rect) minus(b rect) []rect {
	if !a.meets(b) {
		return []rect{a}
	}
	var out []rect
	if a.r1 < b.r1 {
		out = append(out, rect{a.r1, a.c1, b.r1 - 1, a.c2})
		a.r1 = b.r1
	}
	if below := (rect{b.r2 + 1, a.c1, a.r2, a.c2}); a.r2 > b.r2 {
		out = append(out, below)
		a.r2 = b.r2
	}
	if a.c1 < b.c1 {
		out = append(out, rect{a.r1, a.c1, a.r2, b.c1 - 1})
	}
	if a.c2 > b.c2 {
		out = append(out, rect{a.r1, b.c2 + 1, a.r2, a.c2})
	}
	return out
}

// without cuts blocks out of others; it reports whether anything went.
func without(have, cut []rect) (out []rect, hit bool) {
	for _, c := range cut {
		out = nil
		for _, r := range have {
			hit = hit || r.meets(c)
			out = append(out, r.minus(c)...)
		}
		have = out
	}
	return have, hit
}

// base is the cell that relative formulas of a list of blocks are written for.
func base(rects []rect) ref {
	b := rect{}
	for _, r := range rects {
		b.add(r.r1, r.c1)
	}
	return ref{b.r1, b.c1}
}
