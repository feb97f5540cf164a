package diff

import (
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// A cell that an array formula fills has no formula, but its value is a result: where
// it changed since the array did, a person reads of it among the dependants.

// maxSpilled bounds the cells of array formulas that a comparison of a sheet knows.
const maxSpilled = 4 << 20

// noteArray notes the cells that the array formula of the scanner's cell fills.
func (p *sheetPass) noteArray() {
	if p.place != nil {
		return
	}
	b, ok := p.arrays.Note(p.s)
	if !ok {
		return
	}
	n := (b.R2 - b.R1 + 1) * (b.C2 - b.C1 + 1)
	if p.filled += n; p.filled > maxSpilled {
		return
	}
	if p.out.spilled == nil {
		p.out.spilled = &cellref.Set{}
	}
	p.out.spilled.AddRange(b.Range)
}

// holdsOwn reports whether a row has more than formats and values of array formulas
// above it.
func holdsOwn(cells []seenCell, row int, spilled *cellref.Set) bool {
	for _, c := range cells {
		if !c.blank && (c.formula != "" || !spilled.Has(row, c.col)) {
			return true
		}
	}
	return false
}

// spilledValue reports whether two cells that belong together differ only in what an
// array formula fills them with, and notes it as the value of a formula.
func (c *sheetCompare) spilledValue(a, b seenCell, rowA, rowB int) bool {
	inA, inB := c.a.spilled.Has(rowA, c.oldColumn(a.col)), c.b.spilled.Has(rowB, b.col)
	if !inA && !inB || a.formula != "" || b.formula != "" || !inA && !a.blank || !inB && !b.blank {
		return false
	}
	if a.value == b.value {
		return true
	}
	const empty = "(empty)"
	if a.blank && !inA {
		a.shown, a.value = empty, empty
	}
	if b.blank && !inB {
		b.shown, b.value = empty, empty
	}
	c.value(a, b, rowB)
	return true
}

// sameKind reports whether what cells have beside their values (RowScanner.Extra) is
// the same, but for where the block of an array formula lies, and for the size of that
// of a dynamic one.
func sameKind(a, b string) bool {
	if a == b {
		return true
	}
	bareA, refA := withoutBlock(a)
	bareB, refB := withoutBlock(b)
	if bareA != bareB || !strings.Contains(a, "t=array") || refA.Empty() || refB.Empty() {
		return false
	}
	return strings.HasPrefix(a, "cm=") || refA.R2-refA.R1 == refB.R2-refB.R1 && refA.C2-refA.C1 == refB.C2-refB.C1
}

// withoutBlock splits the block of a formula from the rest.
func withoutBlock(extra string) (string, cellref.Range) {
	before, after, ok := strings.Cut(extra, " ref=")
	if !ok {
		return extra, cellref.Range{}
	}
	ref, rest, _ := strings.Cut(after, " ")
	return before + " " + rest, cellref.ParseAttr(ref)
}
