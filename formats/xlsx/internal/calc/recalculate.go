package calc

import (
	"context"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
)

// Input is what a cell is set to before a calculation.
type Input struct {
	At      Place
	Value   Value
	Formula string // as stored in files, without "="; "" for a value
	Array   bool   // the formula is a dynamic array formula, as Book.NeedsArray says
}

// Request says what to calculate of a workbook. The formulas without a value are
// calculated, but for those of Blank.
type Request struct {
	Options
	Inputs  []Input // set first; for a question what would be
	Changed []Area  // cells that were changed: what may read them is calculated again
	All     bool    // calculate all formulas again
	// Blank reports of a formula without a value whether it is to stay so unless a
	// formula that is calculated reads it. Nil stands for none.
	Blank func(Place) bool
	// Before returns the value that a formula had before the edit removed it, Empty for
	// none: circular formulas begin with it. Nil stands for none.
	Before func(Place) Value
}

// Result is the value that a calculation gave a cell, or the reason why it has
// none.
type Result struct {
	At  Place
	Old Value // Empty where it had none
	New Value // Unknown where it could not be calculated
	// Spill is the block of a dynamic array formula whose size is another one now;
	// empty for other cells.
	Spill cellref.Range
	// Random says that the formula drew a random number: programs draw another one when
	// they calculate it.
	Random bool
	// Repeated says what became of a circular formula of a workbook that iterates.
	Repeated Repeated
}

// Results are what a calculation gave, in reading order. Cells whose values stay
// the same are among them.
type Results struct {
	Cells    []Result
	Arrays   []CalculatedArray // of several cells, or that had or have another size
	Language string            // that texts were read and shown in; "" when none is known, several separated by "|" when it is one of them
	resized  bool              // arrays left cells, which have no formula now
}

// CalculatedArray is an array formula that was calculated.
type CalculatedArray struct {
	Sheet       int
	Block       cellref.Range // the cells of its result, from that of the formula on
	FormerBlock cellref.Range // those in the file
	BlockedBy   string        // what is in the way of a result, which is #SPILL! then
	Wanted      cellref.Range // the cells that such a result would fill
}

// Recalculate calculates formulas of a workbook. It writes nothing. Errors are
// *formats.Error, such as CodeTooLarge, or those of ctx.
func Recalculate(ctx context.Context, wb *book.Workbook, req Request) (*Results, error) {
	b, err := Load(ctx, wb)
	if err != nil {
		return nil, err
	}
	return b.Recalculate(ctx, req)
}

// RecalculateNeeded is Recalculate for a workbook that is too large to hold, of which it
// reads what the formulas without a value need (LoadNeeded). Nothing of req may change
// cells.
func RecalculateNeeded(ctx context.Context, wb *book.Workbook, req Request) (*Results, error) {
	b, err := LoadNeeded(ctx, wb, req.Blank)
	if err != nil {
		return nil, err
	}
	return b.Recalculate(ctx, req)
}

// RecalculateFew is RecalculateNeeded where LoadFew can read the workbook; else ok is false.
func RecalculateFew(ctx context.Context, wb *book.Workbook, req Request) (out *Results, ok bool, err error) {
	b, ok, err := LoadFew(ctx, wb, req.Blank)
	if err != nil || !ok {
		return nil, false, err
	}
	out, err = b.Recalculate(ctx, req)
	return out, true, err
}

// Recalculate is the function Recalculate over a workbook that was read.
func (b *Book) Recalculate(ctx context.Context, req Request) (*Results, error) {
	if req.Language == "" {
		var other bool
		if req.Language, other = b.language(ctx); req.Language == "" && !other || oneOf(req.Otherwise, req.Language) {
			req.Language = req.Otherwise
		}
	}
	e := NewEvaluator(ctx, b, req.Options)
	e.blank = req.Blank
	changed := req.Changed
	for _, in := range req.Inputs {
		b.set(in)
		changed = append(changed, cellArea(in.At))
	}
	if req.All {
		b.Forget()
	}
	out := &Results{Language: req.Language}
	olds := &formers{}
	spills := map[Place]cellref.Range{}
	for range maxRounds {
		if len(changed) > 0 {
			if err := e.dependants(ctx, changed); err != nil {
				return nil, err
			}
		}
		if err := e.calculateDue(olds); err != nil {
			return nil, err
		}
		e.forgetIndexes()
		changed = b.takeResized(olds, spills)
		out.resized = out.resized || len(changed) > 0
		tables, err := e.runTables()
		if err != nil {
			return nil, err
		}
		if changed = append(changed, tables...); len(changed) == 0 {
			break
		}
	}
	b.refuse(changed)
	repeated, err := e.iterate(func(at Place) Value {
		if v, _ := olds.of(at); v.kind != Empty || req.Before == nil {
			return v
		}
		return req.Before(at)
	}, true)
	if err != nil {
		return nil, err
	}
	out.collect(e, olds, spills, repeated)
	return out, nil
}

// set puts an input into its cell.
func (b *Book) set(in Input) {
	switch {
	case in.Formula == "":
		b.SetValue(in.At, in.Value)
	case in.Array:
		b.SetArrayFormula(in.At.Sheet, cellArea(in.At).Range, in.Formula, true)
	default:
		b.SetFormula(in.At, in.Formula)
	}
}

// ArrayAt returns the cells of the array formula or data table that a cell is of, if they
// are several; dynamic: they follow the size of its result.
func (b *Book) ArrayAt(at Place) (block cellref.Range, dynamic, ok bool) {
	c := b.find(at)
	if c == nil || c.formula == 0 {
		return cellref.Range{}, false, false
	}
	f := b.formulas[c.formula-1]
	several := f.block.R1 != f.block.R2 || f.block.C1 != f.block.C2
	return f.block, f.spills, (f.array || f.table != nil) && several
}

// oneOf reports whether a language is one of several that a workbook may be in.
func oneOf(language, list string) bool {
	l := numfmt.LocaleOf(language)
	if l == nil || !strings.Contains(list, "|") {
		return false
	}
	return slices.ContainsFunc(strings.Split(list, "|"), func(tag string) bool { return numfmt.LocaleOf(tag).Tag == l.Tag })
}

// staysBlank reports whether a formula without a value is calculated only where
// another one reads it. An array is as its first cell.
func (e *Evaluator) staysBlank(at Place, c *cell) bool {
	if e.blank == nil || c.formula == 0 {
		return false
	}
	if f := e.book.formulas[c.formula-1]; f.array || f.table != nil {
		at.Row, at.Col = f.block.R1, f.block.C1
	}
	return e.blank(at)
}

// maxRounds bounds how often dynamic arrays that read each other may change their
// sizes.
const maxRounds = 10

// countDue returns how many cells are due.
func (b *Book) countDue() (n int) {
	for _, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(_ int, c *cell) bool {
			if c.state == due {
				n++
			}
			return true
		})
	}
	return n
}

// calculateDue calculates all cells that are due. It notes in olds the values that
// they had before.
func (e *Evaluator) calculateDue(olds *formers) error {
	list := make([]former, 0, e.book.countDue())
	for i, s := range e.book.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.state != due {
				return true
			}
			if at := At(i, row, int(c.col)); !e.staysBlank(at, c) {
				list = append(list, former{at, e.book.load(c)})
			}
			return true
		})
	}
	if !olds.begun {
		olds.first, olds.begun = list, true
	} else {
		for _, f := range list {
			olds.note(f.at, f.value)
		}
	}
	for i := range list {
		if i&1023 == 0 && e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		if _, err := e.Value(list[i].at); err != nil {
			return err
		}
	}
	return nil
}

// collect lists the cells that were calculated.
func (r *Results) collect(e *Evaluator, olds *formers, spills map[Place]cellref.Range, repeated map[Place]Repeated) {
	b := e.book
	r.Cells = make([]Result, 0, olds.len())
	oldOf := olds.inOrder()
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.formula == 0 && !r.resized {
				return true
			}
			at := At(i, row, int(c.col))
			if old, ok := oldOf(at); ok || c.state == done && e.staysBlank(at, c) {
				r.Cells = append(r.Cells, Result{At: at, Old: old, New: b.load(c)})
				n := &r.Cells[len(r.Cells)-1]
				if len(spills) > 0 {
					n.Spill = spills[at]
				}
				if len(e.random) > 0 {
					n.Random = e.random[at]
				}
				if len(repeated) > 0 {
					n.Repeated = repeated[at]
				}
			}
			return true
		})
	}
	for _, f := range b.formulas {
		if !f.array || f.former.Empty() && f.blocked == "" && f.block.R1 == f.block.R2 && f.block.C1 == f.block.C2 {
			continue
		}
		a := CalculatedArray{Sheet: f.sheet, Block: f.block, FormerBlock: f.block}
		if f.blocked != "" {
			a.BlockedBy, a.Wanted = f.blocked, f.wanted
		}
		if !f.former.Empty() {
			a.FormerBlock = f.former
		}
		if _, ok := olds.of(At(f.sheet, f.block.R1, f.block.C1)); ok {
			r.Arrays = append(r.Arrays, a)
		}
	}
}
