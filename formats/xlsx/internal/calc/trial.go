package calc

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
)

// Trial is a Book in which some cells are set to other values for a while.
type Trial struct {
	Resized bool // a dynamic array changed its size; Close cannot put that back

	book   *Book
	opts   Options
	inputs []Input
	saved  []savedCell // what Close puts back: dependants in reading order, then inputs
	deps   int         // how many of saved are dependants
	texts  int         // lengths of the lists of the book, without those of the trial
	objs   int
	bytes  int
}

// savedCell is a cell as it was before a trial.
type savedCell struct {
	at   Place
	cell cell
}

// Try sets cells and calculates all formulas that may read them or an area of
// changed, until Close. Formulas that are due must have been calculated before. The
// error is that of ctx.
func (b *Book) Try(ctx context.Context, opts Options, inputs []Input, changed ...Area) (*Trial, error) {
	t := &Trial{book: b, opts: opts, inputs: inputs, texts: len(b.texts), objs: len(b.objects), bytes: b.calculated}
	var old []savedCell
	for _, in := range inputs {
		c := b.find(in.At)
		if c == nil {
			c = &cell{col: uint16(in.At.Col)}
		}
		old = append(old, savedCell{in.At, *c})
		changed = append(changed, cellArea(in.At))
	}
	t.set()
	e := NewEvaluator(ctx, b, opts)
	if err := e.dependants(ctx, changed); err != nil {
		t.saved = old
		return nil, err
	}
	isInput := map[Place]bool{}
	for _, in := range inputs {
		isInput[in.At] = true
	}
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if at := At(i, row, int(c.col)); c.state == due && !isInput[at] {
				was := *c
				was.state = done
				t.saved = append(t.saved, savedCell{at, was})
			}
			return true
		})
	}
	t.deps = len(t.saved)
	t.saved = append(t.saved, old...)
	return t, t.calculate(e)
}

// set puts the inputs into the book.
func (t *Trial) set() {
	for _, in := range t.inputs {
		t.book.set(in)
	}
}

// calculate calculates what is due, with arrays that change their sizes.
func (t *Trial) calculate(e *Evaluator) error {
	olds, spills := &formers{}, map[Place]cellref.Range{}
	var changed []Area
	for range maxRounds {
		if err := e.calculateDue(olds); err != nil {
			return err
		}
		e.forgetIndexes()
		changed = t.book.takeResized(olds, spills)
		t.Resized = t.Resized || len(changed) > 0
		tables, err := e.runTables()
		if err != nil {
			return err
		}
		if changed = append(changed, tables...); len(changed) == 0 {
			break
		}
		if err := e.dependants(e.ctx, changed); err != nil {
			return err
		}
	}
	t.book.refuse(changed)
	if t.book.Iterates == nil {
		return nil
	}
	before := map[Place]Value{}
	for _, s := range t.saved[:t.deps] {
		before[s.at] = t.book.load(&s.cell)
	}
	_, err := e.iterate(func(at Place) Value { return before[at] }, false)
	return err
}

// Again gives the last input, which must not be a formula, another value and
// calculates again what reads the inputs.
func (t *Trial) Again(ctx context.Context, v Value) error {
	t.forget()
	t.inputs[len(t.inputs)-1].Value = v
	for _, s := range t.saved[:t.deps] {
		c := t.book.find(s.at)
		*c = s.cell
		c.state = due
	}
	t.set()
	return t.calculate(NewEvaluator(ctx, t.book, t.opts))
}

// forget drops the texts that calculations of the trial stored. All cells that have
// them are calculated again, or put back, before they are read.
func (t *Trial) forget() {
	if !t.Resized {
		t.book.texts, t.book.objects, t.book.calculated = t.book.texts[:t.texts], t.book.objects[:t.objs], t.bytes
	}
}

// EachDependant calls f for the formulas that may read the inputs, in reading order, with
// the values before and in the trial. It does not call f for inputs.
func (t *Trial) EachDependant(f func(at Place, was, now Value)) {
	for _, s := range t.saved[:t.deps] {
		f(s.at, t.book.load(&s.cell), t.book.ValueAt(s.at))
	}
}

// Reaches reports whether a cell may read the inputs.
func (t *Trial) Reaches(at Place) bool {
	for _, s := range t.saved {
		if s.at == at {
			return true
		}
	}
	return false
}

// Close puts back what the trial changed. After a trial with Resized the book is of no
// use.
func (t *Trial) Close() {
	if t.Resized {
		return
	}
	for _, s := range t.saved {
		*t.book.find(s.at) = s.cell
	}
	t.forget()
}

// ValueAt returns the value that a cell has, the zero Value for an empty one. It
// calculates nothing: a formula that is due has none.
func (b *Book) ValueAt(at Place) Value {
	if c := b.find(at); c != nil {
		return b.load(c)
	}
	return Value{}
}

// HasFormula reports whether a cell has a formula, or is of the block of an array
// formula.
func (b *Book) HasFormula(at Place) bool {
	c := b.find(at)
	return c != nil && c.formula != 0
}

// EachCell calls f for the cells of an area that are not empty, in reading order, until
// it returns false.
func (b *Book) EachCell(a Area, f func(at Place, v Value) bool) {
	b.sheets[a.Sheet].grid.each(a.Range, func(row int, c *cell) bool {
		return c.kind == Empty && c.formula == 0 || f(At(a.Sheet, row, int(c.col)), b.load(c))
	})
}
