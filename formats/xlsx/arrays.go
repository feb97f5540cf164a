package xlsx

import (
	"context"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// maxArrayCells bounds the cells that one array formula may be written over.
const maxArrayCells = 100_000

// setArray writes an array formula over a block of several cells, as Ctrl+Shift+Enter
// does (18.3.1.40): the first cell has the formula, and the others lose what they hold.
func (s *planSheet) setArray(block cellref.Range, v value) {
	for row := block.R1; row <= block.R2; row++ {
		for col := block.C1; col <= block.C2; col++ {
			s.set(cellref.At(row, col), value{})
		}
	}
	at := cellref.At(block.R1, block.C1)
	v.block = &block
	s.set(at, v)
	s.arrays = append(s.arrays, at)
}

// arrayBlock reads where a cell of set_cells goes that names several cells.
func arrayBlock(ref string, v value) (cellref.Range, error) {
	r, err := cellref.ParseRange(ref)
	if err != nil {
		return r, err
	}
	if v.kind != valArray {
		return r, formats.Errorf(formats.CodeInvalid, "cell %s is a range, which only an array formula {=…} is written over; give one cell, or use set_range or fill for a formula in each cell", r)
	}
	if r.R2 > cellref.MaxRow || r.C2 > cellref.MaxCol || (r.R2-r.R1+1)*(r.C2-r.C1+1) > maxArrayCells {
		return r, formats.Errorf(formats.CodeTooLarge, "the array formula would fill more than %d cells; take a smaller range", maxArrayCells)
	}
	return r, nil
}

// checkNewArrays refuses to write into a part of an array formula that was written
// before in the same call.
func (s *planSheet) checkNewArrays() error {
	for _, at := range s.arrays {
		b := s.cells[at].block
		if b == nil {
			continue
		}
		for row := b.R1; row <= b.R2; row++ {
			for col := b.C1; col <= b.C2; col++ {
				if c := cellref.At(row, col); c != at && s.cells[c].kind != valClear {
					return formats.Errorf(formats.CodeInvalid, "cell %s of sheet %q is part of the array formula that was written in %s; write the whole block, or another cell", cellref.Name(row, col), s.name, b)
				}
			}
		}
	}
	return nil
}

// arraysOutside refuses array formulas over several cells that reach into r, what it
// names.
func (s *planSheet) arraysOutside(r cellref.Range, what string) error {
	for _, at := range s.arrays {
		if b := s.cells[at].block; b != nil && b.Meets(r) {
			return formats.Errorf(formats.CodeInvalid, "the array formula in %s of sheet %q would reach into %s %s, which cannot hold one over several cells", b, s.name, what, r)
		}
	}
	return nil
}

// appendArray writes the rest of the start tag, the formula and the end of a cell.
func (v value) appendArray(b []byte, prefix string, at cellref.Cell) []byte {
	if v.cm > 0 {
		b = append(strconv.AppendUint(append(b, ` cm="`...), uint64(v.cm), 10), '"')
	}
	b = append(append(append(b, "><"...), prefix...), `f t="array" ref="`...)
	if v.block != nil {
		b = append(b, v.block.String()...)
	} else {
		b = cellref.AppendName(b, at.Row, at.Col)
	}
	b = append(append(b, `">`...), xmlscan.Escape(v.s)...)
	b = append(append(append(b, "</"...), prefix...), "f></"...)
	return append(append(b, prefix...), "c>"...)
}

// markDynamic gives the dynamic array formulas of the plan the metadata that makes
// them ones.
func (f *finisher) markDynamic(ctx context.Context) error {
	if !f.dynamic {
		return nil
	}
	cm := 0
	for _, s := range f.sheets {
		for at, v := range s.cells {
			if v.kind != valDynamic {
				continue
			}
			if cm == 0 {
				var err error
				if cm, err = f.wb.dynamicMetadata(ctx, f.ed); err != nil {
					return err
				}
			}
			v.cm = uint32(cm)
			s.cells[at] = v
		}
	}
	return nil
}

// checkArrays refuses to write a part of an array formula of the file. A dynamic array
// formula may be written over alone: the cells that it filled are emptied.
func (f *finisher) checkArrays(ctx context.Context, i int) error {
	s := f.keep[i]
	for fc := range f.facts[i].formulas.places() {
		if _, edited := s.cells[cellref.At(fc.Row, fc.Col)]; fc.Blocked && !edited {
			f.emptySpill(i, fc.Spill) // what is in its way may be among what changes
			continue
		}
		if fc.Spill.Empty() || !f.seeds[i].Meets(fc.Spill) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at, ok := partly(s.cells, fc)
		if !ok {
			at, ok = s.texts.first(fc.Spill)
		}
		if !ok {
			continue
		}
		if !fc.Dynamic {
			return formats.Errorf(formats.CodeInvalid, "cell %s of sheet %q is part of the array formula in %s; write the whole block, or another cell", cellref.Name(at.Row, at.Col), s.name, fc.Spill)
		}
		home := cellref.At(fc.Row, fc.Col)
		if _, edited := s.cells[home]; !edited {
			return formats.Errorf(formats.CodeInvalid, "cell %s of sheet %q shows a value of the formula in %s, which spills into %s; write that cell or clear it, or write another one", cellref.Name(at.Row, at.Col), s.name, cellref.Name(fc.Row, fc.Col), fc.Spill)
		}
		f.emptySpill(i, fc.Spill)
	}
	return nil
}

// emptySpill takes away the values that a dynamic array formula filled cells with, but
// for those that are written.
func (f *finisher) emptySpill(i int, r cellref.Range) {
	if f.spills == nil {
		f.spills = map[int]*cellref.Set{}
	}
	if f.spills[i] == nil {
		f.spills[i] = &cellref.Set{}
	}
	f.spills[i].AddRange(r)
	f.seeds[i].AddRange(r)
}

// partly finds an edited cell of an array formula whose block is not edited as
// a whole.
func partly(cells map[cellref.Cell]value, fc book.FormulaCell) (cellref.Cell, bool) {
	r := fc.Spill
	area := (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1)
	if area <= len(cells) {
		var hit cellref.Cell
		hits := 0
		for row := r.R1; row <= r.R2; row++ {
			for col := r.C1; col <= r.C2; col++ {
				if _, ok := cells[cellref.At(row, col)]; ok {
					hit = cellref.At(row, col)
					hits++
				}
			}
		}
		return hit, hits > 0 && hits < area
	}
	for at := range cells {
		if r.Has(at.Row, at.Col) {
			return at, true
		}
	}
	return cellref.Cell{}, false
}
