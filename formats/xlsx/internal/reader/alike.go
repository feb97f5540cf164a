package reader

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// alikeFormulas are the blocks of formulas that a read writes once: those that are
// the same but for their place, such as =B2*C2 filled down. The first cell of a
// block shows the formula and how far it goes, the others an equals sign.
type alikeFormulas struct {
	ends map[cellref.Cell]cellref.Range // by the first cell
	same map[cellref.Cell]bool          // the others
}

const (
	minAlike     = 3  // cells of a block
	alikeNote    = 25 // characters that tell how far a formula goes
	minShownCell = 5  // bytes that a cell takes in a read: fewer cells than its room by this are shown
)

// alikeRun is a block of formulas of one form while blocks are looked for.
type alikeRun struct {
	cellref.Range
	form   uint64
	length int // of the formula
}

// findAlike looks for blocks of alike formulas among the cells that the read may
// show.
func (p *page) findAlike(ctx context.Context) error {
	if !p.formulas || p.collect {
		return nil
	}
	f := &alikeFinder{p: p, display: &book.Display{Styles: p.d.Styles, Strings: p.d.Strings}, open: map[int]*alikeRun{}, groups: map[groupKey]uint64{}, left: maxReadBytes / minShownCell}
	if p.fit > 0 {
		f.left = p.fit / minShownCell
	}
	for s, err := range p.wb.Rows(ctx, p.sheet.Part, book.Window{First: p.block.R1, Last: p.block.R2, Display: f.display}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		if s.Event == sheetml.WholeCell && !f.cell(s) {
			break
		}
	}
	p.alike = f.blocks()
	return nil
}

// alikeFinder gathers runs down the columns.
type alikeFinder struct {
	p       *page
	display *book.Display
	open    map[int]*alikeRun // the last run of each column
	runs    []*alikeRun
	groups  map[groupKey]uint64 // forms of shared formulas
	first   int                 // row with content
	left    int                 // cells that may still be shown
}

// groupKey is a shared formula: an index may have several masters.
type groupKey struct{ index, row, col int }

// cell takes in a cell; false when no more are shown.
func (f *alikeFinder) cell(s *sheetml.RowScanner) bool {
	c, p := &s.Cell, f.p
	if c.Blank() || !p.block.Has(c.Row, c.Col) || p.under(c.Row, c.Col) {
		return true
	}
	if f.first == 0 {
		f.first = c.Row
	}
	if f.left--; f.left < 0 || !p.ranged && c.Row >= f.first+windowRows {
		return false
	}
	if !c.HasFormula || !p.ranged && c.Col > windowCols {
		return true
	}
	form, length := f.form(s)
	if length == 0 {
		return true
	}
	if r := f.open[c.Col]; r != nil && r.form == form && r.R2 == c.Row-1 {
		r.R2 = c.Row
		return true
	}
	r := &alikeRun{cellref.Block(c.Row, c.Col, c.Row, c.Col), form, length}
	f.open[c.Col] = r
	f.runs = append(f.runs, r)
	return true
}

// form is the hash of the cell's formula in relative form, and its length; 0 for an
// array formula and where it is not known.
func (f *alikeFinder) form(s *sheetml.RowScanner) (form uint64, length int) {
	c := &s.Cell
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	if fa.Kind == "array" || fa.Kind == "dataTable" {
		return 0, 0
	}
	if c.Formula.OK() && c.Formula.End > c.Formula.Start && fa.Kind != "shared" {
		text := sheetml.CharData(s.Text(c.Formula))
		return formHash(text, c.Row, c.Col), len(text)
	}
	m, ok := f.display.Shared[fa.SharedIndex]
	if fa.Kind != "shared" || !ok {
		return 0, 0
	}
	// All of a group have the form of its master, so that long texts are not
	// written for each.
	key := groupKey{fa.SharedIndex, m.Row, m.Col}
	form, known := f.groups[key]
	if !known {
		form = formHash(m.Text, m.Row, m.Col)
		f.groups[key] = form
	}
	return form, len(m.Text)
}

func formHash(text string, row, col int) uint64 {
	return maphash.String(book.HashSeed, book.RelativeForm(text, row, col))
}

// blocks joins runs that are side by side, and keeps those that make the text
// shorter.
func (f *alikeFinder) blocks() alikeFormulas {
	slices.SortFunc(f.runs, func(a, b *alikeRun) int {
		return cmp.Or(cmp.Compare(a.R1, b.R1), cmp.Compare(a.R2, b.R2), cmp.Compare(a.C1, b.C1))
	})
	out := alikeFormulas{map[cellref.Cell]cellref.Range{}, map[cellref.Cell]bool{}}
	for i := 0; i < len(f.runs); {
		b := *f.runs[i]
		for i++; i < len(f.runs); i++ {
			n := f.runs[i]
			if n.R1 != b.R1 || n.R2 != b.R2 || n.C1 != b.C2+1 || n.form != b.form {
				break
			}
			b.C2 = n.C2
		}
		out.add(b)
	}
	return out
}

func (a alikeFormulas) add(b alikeRun) {
	n := (b.R2 - b.R1 + 1) * (b.C2 - b.C1 + 1)
	if n < minAlike || (n-1)*b.length <= alikeNote {
		return
	}
	a.ends[cellref.At(b.R1, b.C1)] = b.Range
	for row := b.R1; row <= b.R2; row++ {
		for col := b.C1; col <= b.C2; col++ {
			if row != b.R1 || col != b.C1 {
				a.same[cellref.At(row, col)] = true
			}
		}
	}
}

// shown returns a formula f of a cell with how far it goes, where it is the first of a
// block.
func (a alikeFormulas) shown(f string, row, col int) string {
	b, ok := a.ends[cellref.At(row, col)]
	if !ok || f == "" {
		return f
	}
	way := "down"
	switch {
	case b.C2 > b.C1 && b.R2 > b.R1:
		way = "down and right"
	case b.C2 > b.C1:
		way = "right"
	}
	return f + " (filled " + way + " to " + cellref.Name(b.R2, b.C2) + ")"
}
