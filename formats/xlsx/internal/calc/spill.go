package calc

import (
	"maps"
	"slices"

	"atelier/formats/xlsx/internal/cellref"
)

// maxSpill bounds the cells that dynamic arrays whose sizes change may fill in one
// calculation: about 200 MB of results.
const maxSpill = 1 << 19

// resized is a dynamic array formula whose result has another size than its block.
type resized struct {
	form  *form
	index int32
	value Value
}

// newBlock returns the block that a result fills from the corner of a formula.
func (f *form) newBlock(v Value) cellref.Range {
	rows, cols := 1, 1
	if v.kind == ArrayKind {
		rows, cols = v.Array().Size()
	}
	return cellref.Block(f.block.R1, f.block.C1, f.block.R1+rows-1, f.block.C1+cols-1)
}

// blockedBy names what is in the way of a result: the edge of the sheet, a merged
// cell, a table or a cell that is not empty. It returns "" where nothing is.
func (b *Book) blockedBy(f *form, r cellref.Range) string {
	if r.R1 == r.R2 && r.C1 == r.C2 {
		return ""
	}
	if r.R2 > cellref.MaxRow || r.C2 > cellref.MaxCol {
		return "the edge of the sheet"
	}
	if i := slices.IndexFunc(b.sheets[f.sheet].merges, r.Meets); i >= 0 {
		return "the merged cell " + b.sheets[f.sheet].merges[i].String()
	}
	for _, name := range slices.Sorted(maps.Keys(b.tables)) {
		if t := b.tables[name]; t.sheet == f.sheet && t.ref.Meets(r) {
			return "the table in " + t.ref.String()
		}
	}
	found := ""
	b.sheets[f.sheet].grid.each(r, func(row int, c *cell) bool {
		if c.formula != 0 && b.formulas[c.formula-1] != f || c.formula == 0 && c.kind != Empty {
			found = "cell " + cellref.Name(row, int(c.col))
		}
		return found == ""
	})
	return found
}

// takeResized gives dynamic arrays the cells that their results fill, and returns
// the areas that changed.
func (b *Book) takeResized(olds *formers, spills map[Place]cellref.Range) []Area {
	var changed []Area
	for _, r := range b.resized {
		f, g := r.form, &b.sheets[r.form.sheet].grid
		changed = append(changed, Area{f.sheet, f.block})
		g.each(f.block, func(row int, c *cell) bool {
			if c.formula == r.index {
				*c = cell{col: c.col, state: done}
			}
			return true
		})
		if f.former.Empty() {
			f.former = f.block
		}
		f.block = f.newBlock(r.value)
		for row := f.block.R1; row <= f.block.R2; row++ {
			for col := f.block.C1; col <= f.block.C2; col++ {
				c := g.put(row, col)
				olds.note(At(f.sheet, row, col), Value{}) // listed as a cell that was empty
				c.formula = r.index
				x := r.value
				if x.kind == ArrayKind {
					x = x.Array().At(row-f.block.R1, col-f.block.C1)
				}
				b.store(c, zeroForEmpty(x), done)
			}
		}
		changed = append(changed, Area{f.sheet, f.block})
		spills[At(f.sheet, f.block.R1, f.block.C1)] = f.block
	}
	b.resized = nil
	return changed
}

// zeroForEmpty is what a formula shows for an empty value.
func zeroForEmpty(v Value) Value {
	if v.blank() {
		return Value{kind: Number}
	}
	return v
}

// refuse makes unknown what reads arrays whose sizes do not settle.
func (b *Book) refuse(areas []Area) {
	for _, a := range areas {
		b.sheets[a.Sheet].grid.each(a.Range, func(row int, c *cell) bool {
			b.store(c, unknown(&Reason{Code: ReasonForm, Text: "the size of its array does not settle", From: At(a.Sheet, row, int(c.col))}), done)
			return true
		})
	}
}
