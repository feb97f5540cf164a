package calc

import (
	"bytes"
	"context"
	"errors"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// What LoadNeeded may take.
const (
	maxScans      = 20        // passes over the sheets until no other formula is read
	maxNeededWork = 5_000_000 // columns of all ranges that are read
	maxTold       = 50        // formulas that tell the language
	maxFew        = 1000      // formulas that LoadFew is for
)

// errNotFew ends LoadFew.
var errNotFew = errors.New("the formulas without a value are not few, or not of the usual kind")

// needed are the cells of a workbook that formulas without a value are, or read.
type needed struct {
	cells  []*cellref.Set // by sheet
	looked []*cellref.Set // formulas whose reads are among cells
	shared []*cellref.Set // rows with formulas that others share, in column 1
	blank  func(Place) bool
	blanks int  // formulas without a value that are not to be calculated unless they are read
	few    bool // errNotFew where they are not
	due    int  // formulas that are calculated
	told   int
	work   int
	grew   bool
	eval   *Evaluator
}

// LoadNeeded is Load for workbooks that are too large to hold: it reads only the cells
// without a value, but for those of blank, and what they read, so that memory depends on
// these. Formulas that may read any cell, such as those with INDIRECT, and data tables
// cannot be calculated. The error of a workbook of which too much is needed is that of
// CodeTooLarge.
func LoadNeeded(ctx context.Context, wb *book.Workbook, blank func(Place) bool) (*Book, error) {
	return loadNeeded(ctx, wb, &needed{blank: blank})
}

// LoadFew is LoadNeeded where few formulas are without a value, and nothing but cells that
// they name decides over their results: no arrays, names or texts that depend on the
// language. ok is false for every other workbook.
func LoadFew(ctx context.Context, wb *book.Workbook, blank func(Place) bool) (b *Book, ok bool, err error) {
	if wb.Iterates {
		return nil, false, nil
	}
	b, err = loadNeeded(ctx, wb, &needed{blank: blank, few: true, told: maxTold})
	if errors.Is(err, errNotFew) || formats.CodeOf(err) == formats.CodeTooLarge {
		return nil, false, nil
	}
	return b, err == nil, err
}

func loadNeeded(ctx context.Context, wb *book.Workbook, n *needed) (*Book, error) {
	l, err := newLoader(ctx, wb)
	if err != nil {
		return nil, err
	}
	n.eval = NewEvaluator(ctx, l.Book, Options{})
	for range wb.Sheets {
		n.cells, n.looked, n.shared = append(n.cells, &cellref.Set{}), append(n.looked, &cellref.Set{}), append(n.shared, &cellref.Set{})
	}
	for pass := 0; ; pass++ {
		n.grew, n.blanks = false, 0
		if err := l.each(ctx, func(i int, s book.SheetInfo) error { return l.scan(ctx, n, i, s) }); err != nil {
			return nil, err
		}
		n.told = maxTold // the first pass has them
		if !n.grew || pass == 0 && n.blanks == 0 {
			break
		}
		if pass == maxScans || n.work > maxNeededWork {
			return nil, formats.Errorf(formats.CodeTooLarge, "the formulas without a value read too much of this large workbook to calculate them here; a spreadsheet program calculates them when it opens the file")
		}
	}
	if l, err = newLoader(ctx, wb); err != nil {
		return nil, err
	}
	l.needed = n
	return l.Book, l.each(ctx, func(i int, s book.SheetInfo) error { return l.sheet(ctx, i, s) })
}

// each calls f for the worksheets.
func (l *loader) each(ctx context.Context, f func(i int, s book.SheetInfo) error) error {
	for i, s := range l.wb.Sheets {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Worksheet() {
			if err := f(i, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan looks at the formulas of a sheet for those that are needed, without holding cells.
func (l *loader) scan(ctx context.Context, n *needed, index int, info book.SheetInfo) error {
	l.index, l.groups, l.blocks = index, map[int]int32{}, nil
	for s, err := range l.wb.Rows(ctx, info.Part, book.Window{}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		if s.Event == sheetml.RowStart && n.knows(s) {
			s.RestOfRow()
		}
		c := &s.Cell
		if s.Event != sheetml.WholeCell || !c.HasFormula || c.Row > cellref.MaxRow || c.Col > cellref.MaxCol {
			continue
		}
		at := At(index, c.Row, c.Col)
		due := c.NoValue() && !n.looked[index].Has(c.Row, c.Col)
		if due && n.blank != nil && n.blank(at) && !n.cells[index].Has(c.Row, c.Col) {
			n.blanks++
			due = false
		}
		tells := !c.NoValue() && !n.looked[index].Has(c.Row, c.Col) && n.told < maxTold && c.Formula.OK() && bytes.Contains(s.Text(c.Formula), []byte("TEXT("))
		if !due && !tells {
			kind := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)).Kind
			if n.few && kind == "dataTable" {
				return errNotFew
			}
			if kind != "shared" || !c.Formula.OK() {
				continue
			}
		}
		l.filled, l.tables = 0, 0
		var here cell
		if err := l.formulaOf(s, &here); err != nil {
			return err
		}
		if l.blocks = l.blocks[:0]; !due && !tells {
			n.shared[index].Add(c.Row, 1)
			continue
		}
		if tells {
			n.told++
		}
		if n.due++; n.few && (n.due > maxFew || !l.readsOf(l.formulas[here.formula-1]).usual(l.formulas[here.formula-1])) {
			return errNotFew
		}
		n.add(l.Book, at, l.formulas[here.formula-1])
		if n.work > maxNeededWork {
			n.grew = true
			return nil
		}
	}
	return ctx.Err()
}

// knows reports whether no cell of the row that begins has to be looked at.
func (n *needed) knows(s *sheetml.RowScanner) bool {
	f, texts := s.AlikeTexts()
	if f == nil || !f.Plain {
		return false
	}
	for i := range f.Cells {
		c := &f.Cells[i]
		if c.Formula && (c.Uncached || n.told < maxTold && bytes.Contains(s.Text(texts[c.FormulaText]), []byte("TEXT("))) {
			return false
		}
	}
	return true
}

// usual reports whether the result of a formula depends on nothing but the cells that it
// names.
func (r *reads) usual(f *form) bool {
	return !r.anything && !r.names && !f.array && f.table == nil && !f.language && !f.joins
}

// isMaster reports whether the current formula is one that others share.
func (l *loader) isMaster(s *sheetml.RowScanner) bool {
	return s.Cell.Formula.OK() && sheetml.ReadFormulaAttrs(s.Text(s.Cell.FormulaTag)).Kind == "shared"
}

// add adds a formula with what it reads.
func (n *needed) add(b *Book, at Place, f *form) {
	n.looked[at.Sheet].Add(at.Row, at.Col)
	n.cells[at.Sheet].Add(at.Row, at.Col)
	n.grew = true
	addArea := func(a Area) {
		n.work += a.cols()
		n.cells[a.Sheet].AddRange(a.Range)
	}
	n.eval.at = at
	if f.array {
		addArea(Area{at.Sheet, f.block})
	}
	r := b.readsOf(f)
	for _, a := range r.areas {
		addArea(a)
	}
	for _, ref := range r.refs {
		for s := ref.sheet; s <= ref.last; s++ {
			if a, ok := n.eval.area(ref, s); ok && n.work <= maxNeededWork {
				addArea(a)
			}
		}
	}
}

// skipsRow reports whether no cell of a row is needed.
func (l *loader) skipsRow(row int) bool {
	return l.needed != nil && !l.needed.cells[l.index].HasRow(row) && !l.needed.shared[l.index].HasRow(row)
}

// skips reports whether a cell is not needed; it reads the formula that others share.
func (l *loader) skips(s *sheetml.RowScanner) (bool, error) {
	c := &s.Cell
	if l.needed == nil || l.needed.cells[l.index].Has(c.Row, c.Col) {
		return false, nil
	}
	if c.HasFormula && l.isMaster(s) {
		return true, l.formulaOf(s, &cell{})
	}
	return true, nil
}

// refuseAnything makes a formula unknown that may read cells that are not loaded.
func (l *loader) refuseAnything(at *cell) {
	if l.needed == nil || at.state != due || at.formula == 0 {
		return
	}
	if f := l.formulas[at.formula-1]; f.reason == nil && (f.table != nil || l.readsOf(f).anything) {
		f.reason, f.table = &Reason{Code: ReasonLimit, Text: "it may read any cell, and the workbook is too large to hold all"}, nil
	}
}
