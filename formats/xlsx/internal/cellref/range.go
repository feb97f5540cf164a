package cellref

import (
	"strings"

	"atelier/formats"
)

// Range is a block of cells, 1-based and inclusive. The zero Range is empty.
type Range struct{ R1, C1, R2, C2 int }

// WholeSheet is the range of all cells of a sheet.
var WholeSheet = Range{1, 1, MaxRow, MaxCol}

// Empty reports whether the range has no cells.
func (a Range) Empty() bool { return a.R2 < a.R1 || a.R1 == 0 }

// Has reports whether the range contains a cell.
func (a Range) Has(row, col int) bool {
	return row >= a.R1 && row <= a.R2 && col >= a.C1 && col <= a.C2
}

// Add extends the range to contain a cell.
func (a *Range) Add(row, col int) {
	if a.Empty() {
		*a = Range{row, col, row, col}
		return
	}
	a.R1, a.R2 = min(a.R1, row), max(a.R2, row)
	a.C1, a.C2 = min(a.C1, col), max(a.C2, col)
}

// String returns A1:B2, or A1 for one cell, or "" for an empty range.
func (a Range) String() string {
	switch {
	case a.Empty():
		return ""
	case a.R1 == a.R2 && a.C1 == a.C2:
		return Name(a.R1, a.C1)
	}
	return Name(a.R1, a.C1) + ":" + Name(a.R2, a.C2)
}

// ParseRange reads A1:E50, B2, A:C or 3:9 as a person or model wrote it. A:C
// and 3:9 extend to the edge of the sheet.
func ParseRange(s string) (Range, error) {
	from, to, two := strings.Cut(strings.TrimSpace(s), ":")
	a := ParseEnd(strings.TrimSpace(from))
	b := a
	if two {
		b = ParseEnd(strings.TrimSpace(to))
	}
	if r, ok := Between(a, b); ok {
		return r, nil
	}
	return Range{}, formats.Errorf(formats.CodeInvalid, "invalid range: %s (expected a form like A1:E50, B2, A:C or 3:9)", QuoteArg(s))
}

// ParseAttr reads a ref attribute of a file; one that cannot be read is empty.
func ParseAttr(s string) Range {
	r, err := ParseRange(s)
	if err != nil {
		return Range{}
	}
	return r
}

// FormatList writes ranges as an ST_Sqref (18.18.76).
func FormatList(rects []Range) string {
	var out []string
	for _, r := range rects {
		out = append(out, r.String())
	}
	return strings.Join(out, " ")
}

// ParseList reads an ST_Sqref and skips what is no range.
func ParseList(s string) []Range {
	var out []Range
	for _, f := range strings.Fields(s) {
		if r := ParseAttr(f); !r.Empty() {
			out = append(out, r)
		}
	}
	return out
}

// Meets reports whether two ranges have a cell in common. Neither may be empty.
func (a Range) Meets(b Range) bool {
	return a.R1 <= b.R2 && b.R1 <= a.R2 && a.C1 <= b.C2 && b.C1 <= a.C2
}

// Inside reports whether b contains all of a.
func (a Range) Inside(b Range) bool {
	return a.R1 >= b.R1 && a.R2 <= b.R2 && a.C1 >= b.C1 && a.C2 <= b.C2
}

// minus returns a without the cells of b, as at most four ranges.
func (a Range) minus(b Range) []Range {
	if !a.Meets(b) {
		return []Range{a}
	}
	var out []Range
	if a.R1 < b.R1 {
		out = append(out, Range{a.R1, a.C1, b.R1 - 1, a.C2})
		a.R1 = b.R1
	}
	if below := (Range{b.R2 + 1, a.C1, a.R2, a.C2}); a.R2 > b.R2 {
		out = append(out, below)
		a.R2 = b.R2
	}
	if a.C1 < b.C1 {
		out = append(out, Range{a.R1, a.C1, a.R2, b.C1 - 1})
	}
	if a.C2 > b.C2 {
		out = append(out, Range{a.R1, b.C2 + 1, a.R2, a.C2})
	}
	return out
}

// Subtract removes the cells of cut from have. hit reports whether any were
// removed.
func Subtract(have, cut []Range) (out []Range, hit bool) {
	for _, c := range cut {
		out = nil
		for _, r := range have {
			hit = hit || r.Meets(c)
			out = append(out, r.minus(c)...)
		}
		have = out
	}
	return have, hit
}

// TopLeft returns the cell that relative references are written for in a rule
// that applies to several ranges.
func TopLeft(rects []Range) Cell {
	b := Range{}
	for _, r := range rects {
		b.Add(r.R1, r.C1)
	}
	return Cell{b.R1, b.C1}
}

// Block returns the range between two corners.
func Block(r1, c1, r2, c2 int) Range { return Range{r1, c1, r2, c2} }
