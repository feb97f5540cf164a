package xlsx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// droppedValues counts the cached values that an edit takes from formulas.
type droppedValues struct {
	n       int
	through int  // of formulas that may read any cell
	unknown bool // which formulas depend on the edit was not found out
	places  placeList
}

// add counts the value of the formula at a cell.
func (d *droppedValues) add(sheet string, at cellref.Cell) {
	d.n++
	d.places.add(sheet, at)
}

// then adds what a later edit drops, which also may have moved the cells of
// this one.
func (d *droppedValues) then(later droppedValues) {
	if d.n > 0 {
		later.places = placeList{}
	}
	later.n += d.n
	later.through += d.through
	later.unknown = later.unknown || d.unknown
	*d = later
}

// warning says what was dropped and what readers see, "" for nothing.
func (d *droppedValues) warning() string {
	if d.n == 0 {
		return ""
	}
	var sb strings.Builder
	switch {
	case d.unknown:
		fmt.Fprintf(&sb, "the values of all %d formulas were dropped, since it could not be found out which of them depend on the edit", d.n)
	default:
		fmt.Fprintf(&sb, "%s dropped", formats.Count(d.n, "value of a formula that depends on the edit was", "values of formulas that depend on the edit were"))
		if s := d.places.String(); s != "" {
			sb.WriteString(" (" + s + ")")
		}
	}
	if d.through > 0 {
		fmt.Fprintf(&sb, "; %d of them may read any cell (INDIRECT, OFFSET or the like)", d.through)
	}
	sb.WriteString(": spreadsheet programs calculate them when they open the file; reads show the formula until then")
	if d.n <= maxFormulas {
		sb.WriteString("; recalculate does it here where LibreOffice is installed")
	}
	return sb.String()
}

// placeList is a list of cells in few words: cells below one another are one
// block, and only some blocks are kept.
type placeList struct {
	n      int
	blocks []placeBlock
}

type placeBlock struct {
	sheet string
	cellref.Range
}

// maxBlocks bounds the blocks of a placeList.
const maxBlocks = 64

func (p *placeList) add(sheet string, at cellref.Cell) {
	p.n++
	for i := len(p.blocks) - 1; i >= 0; i-- {
		if b := &p.blocks[i]; b.sheet == sheet && b.C2 == at.Col && b.R2+1 == at.Row {
			b.R2++
			return
		}
	}
	if len(p.blocks) < maxBlocks {
		p.blocks = append(p.blocks, placeBlock{sheet, cellref.Block(at.Row, at.Col, at.Row, at.Col)})
	}
}

// String names the first blocks and counts the cells of the others.
func (p *placeList) String() string {
	var merged []placeBlock
	for _, b := range p.blocks {
		if k := len(merged) - 1; k >= 0 && merged[k].sheet == b.sheet && merged[k].C2+1 == b.C1 && merged[k].R1 == b.R1 && merged[k].R2 == b.R2 {
			merged[k].C2 = b.C2
			continue
		}
		merged = append(merged, b)
	}
	var said []string
	rest := p.n
	for _, b := range merged[:min(len(merged), maxListed)] {
		said = append(said, b.sheet+"!"+b.Range.String())
		rest -= (b.R2 - b.R1 + 1) * (b.C2 - b.C1 + 1)
	}
	s := strings.Join(said, ", ")
	if rest > 0 && s != "" {
		s += fmt.Sprintf(" and %d more", rest)
	}
	return s
}

// formulasOf gives the formulas of a sheet: those kept of it, or all of them
// from the file where they are too many to keep.
func (wb *workbook) formulasOf(ctx context.Context, f *facts, fn func(book.FormulaCell) error) error {
	return wb.formulasWith(ctx, f, true, fn)
}

// formulaPlaces is formulasOf for what asks for places only; texts may lack.
func (wb *workbook) formulaPlaces(ctx context.Context, f *facts, fn func(book.FormulaCell) error) error {
	return wb.formulasWith(ctx, f, false, fn)
}

func (wb *workbook) formulasWith(ctx context.Context, f *facts, texts bool, fn func(book.FormulaCell) error) error {
	if f.many {
		return wb.ScanFormulas(ctx, f.info, texts, fn)
	}
	i := 0
	for fc := range f.formulas.each(texts) {
		if i++; i&4095 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(fc); err != nil {
			return err
		}
	}
	return nil
}

// staleCells are the formulas of a sheet that lose their values.
type staleCells struct {
	sheet   string       // its name
	cells   *cellref.Set // nil: all
	through *cellref.Set // those among them that may read any cell
	// place says where a cell ends up and whether its formula stays.
	place func(cellref.Cell) (cellref.Cell, bool)
}

// noteDropped counts the values that a sheet loses.
func (wb *workbook) noteDropped(ctx context.Context, f *facts, s staleCells) error {
	if s.cells != nil && s.cells.Empty() {
		return nil
	}
	wb.dropped.unknown = wb.dropped.unknown || s.cells == nil && f.hasF
	return wb.formulaPlaces(ctx, f, func(fc book.FormulaCell) error {
		if !fc.Cached || s.cells != nil && !s.cells.Has(fc.Row, fc.Col) {
			return nil
		}
		if to, stays := s.place(cellref.At(fc.Row, fc.Col)); stays {
			wb.dropped.add(s.sheet, to)
			if s.through.Has(fc.Row, fc.Col) {
				wb.dropped.through++
			}
		}
		return nil
	})
}
