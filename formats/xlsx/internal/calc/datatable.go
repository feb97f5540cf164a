package calc

import (
	"slices"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// What-if data tables (18.3.1.40): each cell of a block has the value that a formula
// beside the block would have if one or two cells had the values above and left of it.
// Tables are calculated when all other formulas are, and then what reads them once more.

// dataTable says how the cells of a block are calculated.
type dataTable struct {
	both bool         // with two inputs: of the row above, and of the column to the left
	row  bool         // with one input: the values are in the row above, formulas to the left
	in1  cellref.Cell // of the row, or the only one
	in2  cellref.Cell // of the column
}

// What data tables may take.
const (
	maxTables     = 200
	maxTableCells = 100_000 // of one
	maxTableSteps = 50_000_000
)

// dataTable reads the data table that begins in a cell.
func (l *loader) dataTable(s *sheetml.RowScanner, fa sheetml.FormulaAttrs) int32 {
	block := fa.Ref
	t := &dataTable{both: fa.TwoInputs, row: fa.RowInput, in1: fa.Input1, in2: fa.Input2}
	size := (block.R2 - block.R1 + 1) * (block.C2 - block.C1 + 1)
	switch {
	case block.Empty() || block.R1 != s.Cell.Row || block.C1 != s.Cell.Col || block.R1 < 2 || block.C1 < 2 || block.R2 > cellref.MaxRow || block.C2 > cellref.MaxCol:
		return l.unreadable(ReasonForm, "a damaged data table")
	case fa.InputGone || t.in1.Row == 0 || t.both && t.in2.Row == 0:
		return l.unreadable(ReasonForm, "a data table whose input cell was deleted")
	case size > maxTableCells || l.filled+size > maxFilled || len(l.blocks) > maxBlocks || l.tables == maxTables:
		return l.unreadable(ReasonLimit, "the data tables are too large")
	}
	l.filled += size
	l.tables++
	l.formulas = append(l.formulas, &form{table: t, block: block, sheet: l.index})
	index := int32(len(l.formulas))
	if size > 1 {
		l.blocks = append(l.blocks, index)
	}
	return index
}

// areas are the cells beside the block that a table reads: with its corner.
func (f *form) tableReads() []Area {
	return []Area{
		{f.sheet, cellref.Block(f.block.R1-1, f.block.C1-1, f.block.R1-1, f.block.C2)},
		{f.sheet, cellref.Block(f.block.R1, f.block.C1-1, f.block.R2, f.block.C1-1)},
	}
}

// pendTable notes that a table is to be calculated and keeps the value that its cell has
// until then. While a table is calculated, another one has no value.
func (e *Evaluator) pendTable(a activeCell) {
	if e.inTable {
		e.book.store(a.cell, unknown(&Reason{Code: ReasonForm, Text: "a data table that reads a data table", From: a.at}), done)
		e.calculated = append(e.calculated, a.cell)
		return
	}
	a.cell.state = done
	if e.tables == nil {
		e.tables = map[int32]bool{}
	}
	e.tables[a.cell.formula] = true
}

// runTables calculates the tables that are due, and returns those with other values.
func (e *Evaluator) runTables() (changed []Area, err error) {
	var list []int32
	for index := range e.tables {
		list = append(list, index)
	}
	slices.Sort(list)
	e.tables = nil
	for _, index := range list {
		f := e.book.formulas[index-1]
		other, err := e.runTable(f, index)
		if err != nil {
			return nil, err
		}
		if other {
			changed = append(changed, Area{f.sheet, f.block})
		}
	}
	return changed, nil
}

// runTable calculates a table and reports whether a value of it is another one now.
func (e *Evaluator) runTable(f *form, index int32) (changed bool, err error) {
	r := &tableRun{Evaluator: NewEvaluator(e.ctx, e.book, e.opts), f: f}
	r.inTable = true
	r.steps = maxSteps - maxTableSteps + e.tableSteps // of all tables together
	r.nextCheck = r.steps
	values, err := r.all(e)
	r.close()
	if err != nil {
		return false, err
	}
	e.tableSteps = r.steps - maxSteps + maxTableSteps
	e.book.sheets[f.sheet].grid.each(f.block, func(row int, c *cell) bool {
		if c.formula != index {
			return true
		}
		v := values[(row-f.block.R1)*(f.block.C2-f.block.C1+1)+int(c.col)-f.block.C1]
		changed = changed || !alike(v, e.book.load(c))
		e.book.store(c, e.stored(v, At(f.sheet, row, int(c.col))), done)
		return true
	})
	return changed, nil
}

// tableRun is a table being calculated: the inputs are set to other values, and the
// formulas that may read them are due, until close.
type tableRun struct {
	*Evaluator
	f      *form
	saved  []savedCell
	texts  int
	objs   int
	length int
}

// begin sets the inputs and makes due what reads them.
func (r *tableRun) begin() error {
	b, f := r.book, r.f
	r.texts, r.objs, r.length = len(b.texts), len(b.objects), b.calculated
	inputs := []cellref.Cell{f.table.in1}
	if f.table.both {
		inputs = append(inputs, f.table.in2)
	}
	var areas []Area
	for _, in := range inputs {
		at := Place{f.sheet, in}
		c := b.sheets[f.sheet].grid.put(in.Row, in.Col)
		r.saved = append(r.saved, savedCell{at, *c})
		c.formula, c.kind, c.state = 0, Empty, stored
		areas = append(areas, cellArea(at))
	}
	err := r.dependants(r.ctx, areas)
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.state == due {
				r.saved = append(r.saved, savedCell{At(i, row, int(c.col)), *c})
			}
			return true
		})
	}
	return err
}

// close puts back the cells.
func (r *tableRun) close() {
	b := r.book
	for _, s := range r.saved {
		was := s.cell
		if was.state == due && was.kind != Empty { // it had a value, which dependants only made due
			was.state = done
		}
		*b.find(s.at) = was
	}
	if r.saved != nil {
		b.texts, b.objects, b.calculated = b.texts[:r.texts], b.objects[:r.objs], r.length
	}
}

// all returns the values of the table, row by row. The values of its row and column are
// those that e has.
func (r *tableRun) all(e *Evaluator) ([]Value, error) {
	f, t := r.f, r.f.table
	at := func(row, col int) Place { return At(f.sheet, row, col) }
	var top, left []Value // what the row and the column have, before the inputs change
	for col := f.block.C1; col <= f.block.C2; col++ {
		v, err := e.Value(at(f.block.R1-1, col))
		if top = append(top, v); err != nil {
			return nil, err
		}
	}
	for row := f.block.R1; row <= f.block.R2; row++ {
		v, err := e.Value(at(row, f.block.C1-1))
		if left = append(left, v); err != nil {
			return nil, err
		}
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	var out []Value
	for i, x := range left {
		for k, y := range top {
			row, col := f.block.R1+i, f.block.C1+k
			formula, values := at(f.block.R1-1, f.block.C1-1), []Value{y, x}
			switch {
			case t.both:
			case t.row:
				formula, values = at(row, f.block.C1-1), []Value{y}
			default:
				formula, values = at(f.block.R1-1, col), []Value{x}
			}
			v, err := r.one(formula, values)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// one returns the value of a formula with values in the inputs.
func (r *tableRun) one(formula Place, values []Value) (Value, error) {
	b := r.book
	for _, c := range r.calculated {
		c.state = due
	}
	r.calculated = r.calculated[:0]
	r.forgetIndexes()
	b.texts, b.objects, b.calculated = b.texts[:r.texts], b.objects[:r.objs], r.length
	for i, v := range values {
		if v.kind == Unknown {
			return v, nil
		}
		b.store(b.find(r.saved[i].at), v, stored)
	}
	sizes := len(b.resized)
	v, err := r.Value(formula)
	if len(b.resized) > sizes {
		b.resized = b.resized[:sizes]
		v = unknown(&Reason{Code: ReasonForm, Text: "a data table in which an array changes its size", From: formula})
	}
	return zeroForEmpty(v), err
}

// markCalculated notes the cells that a calculation of a table has filled.
func (e *Evaluator) markCalculated(f *form, c *cell) {
	if !e.inTable {
		return
	}
	if !f.array {
		e.calculated = append(e.calculated, c)
		return
	}
	e.book.sheets[f.sheet].grid.each(f.block, func(_ int, c *cell) bool {
		if c.formula != 0 && e.book.formulas[c.formula-1] == f {
			e.calculated = append(e.calculated, c)
		}
		return true
	})
}
