package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// rewriteFormulas finds the sheets whose formulas the rewriter changes.
func (f *finisher) rewriteFormulas(ctx context.Context) error {
	if f.rw.Idle() {
		return nil
	}
	broken := &placeList{}
	rewrite := func(s string) (string, bool) { return f.rw.Text(s, formula.Place{}) }
	for i, fa := range f.facts {
		rewritten := &cellref.Set{}
		err := f.wb.formulasOf(ctx, fa, func(fc book.FormulaCell) error {
			now, changed := rewrite(fc.Text)
			if !changed {
				return nil
			}
			f.calc = true
			f.seeds[i].Add(fc.Row, fc.Col)
			rewritten.Add(fc.Row, fc.Col)
			if strings.Count(now, "#REF!") > strings.Count(fc.Text, "#REF!") {
				broken.add(f.keep[i].name, cellref.At(fc.Row, fc.Col))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !rewritten.Empty() {
			f.edits[i].rewrite = rewrite
			f.edits[i].stale = rewritten
		}
		if len(f.rw.Tables) > 0 {
			f.keep[i].rewriteFormulas(f.rw)
		}
	}
	if n := broken.n; n > 0 {
		f.warn("%s (#REF!): %s", formats.Count(n, "formula now refers to nothing", "formulas now refer to nothing"), broken.String())
	}
	return nil
}

// rewriteFormulas rewrites the formulas that a plan writes.
func (s *planSheet) rewriteFormulas(rw *formula.Rewriter) {
	for at, v := range s.cells {
		if !v.formula() {
			continue
		}
		if now, changed := rw.Text(v.s, formula.Place{}); changed {
			s.cells[at] = value{kind: v.kind, s: now, block: v.block}
		}
	}
}

// markStale finds the formulas whose cached values can no longer be trusted.
func (f *finisher) markStale(ctx context.Context) error {
	seeded := len(f.deleted) > 0
	formulas := false
	for i, s := range f.seeds {
		seeded = seeded || !s.Empty()
		formulas = formulas || f.facts[i].hasF
	}
	if !seeded || !formulas {
		return nil
	}
	sheets := make([]depSheet, len(f.keep))
	for i, s := range f.keep {
		sheets[i] = depSheet{s.name, f.facts[i], f.tables[i], f.seeds[i]}
	}
	g := f.wb.newDepGraph(sheets)
	g.gone, g.goneTables = f.rw.Deleted, f.rw.Tables
	changed, ok := g.run(ctx)
	for i, e := range f.edits {
		switch {
		case !ok && f.facts[i].hasF:
			e.allStale = true
			f.calc = true
		case !changed[i].Empty():
			e.stale = e.stale.Union(changed[i])
			f.calc = true
		}
		s := f.keep[i]
		e.stale = e.stale.Union(f.spills[i])
		stays := func(at cellref.Cell) (cellref.Cell, bool) {
			return at, !s.plans(at)
		}
		lost := staleCells{sheet: s.name, through: g.throughOf(i), place: stays}
		if !e.allStale {
			lost.cells = e.stale.Union(nil)
		}
		if err := f.wb.noteDropped(ctx, f.facts[i], lost); err != nil {
			return err
		}
	}
	return nil
}

// noteBlank notes the formulas that have no value and neither are written nor depend on
// what is. Of sheets with too many formulas it notes none.
func (f *finisher) noteBlank() {
	if f.wb.former == nil {
		return
	}
	f.wb.blank = map[string]*cellref.Set{}
	for i, e := range f.edits {
		if e.allStale {
			continue
		}
		s := &cellref.Set{}
		for fc := range f.facts[i].formulas.places() {
			if !fc.Cached && !f.keep[i].plans(cellref.At(fc.Row, fc.Col)) && !e.stale.Has(fc.Row, fc.Col) {
				s.Add(fc.Row, fc.Col)
			}
		}
		if !s.Empty() {
			f.wb.blank[e.part] = s
		}
	}
}

// stream sets the pass over sheet i when anything changes in it.
func (f *finisher) stream(ctx context.Context, i int) error {
	e, fa := f.edits[i], f.facts[i]
	w, err := f.around(ctx, f.keep[i], e.part, fa.prefix, fa.skel.Apply(f.skel[i]), e.styles)
	if err != nil {
		return err
	}
	e.hidden, e.fits = w.hidden, w.fits
	if !f.keep[i].writes() && len(e.heights) == 0 && len(e.hidden) == 0 && len(e.fits) == 0 && e.stale.Empty() && !e.allStale && e.rewrite == nil && len(f.skel[i]) == 0 && e.styles == nil && !w.changed {
		return nil
	}
	e.head, e.tail = w.skel.Split(nil)
	setSpliced(ctx, f.ed, e, fa)
	return nil
}

const signatureWarning = "the file was digitally signed; the signature is not valid any more"

// signature warns when the file was signed.
func (f *finisher) signature(ctx context.Context) error {
	signed, err := f.wb.signed(ctx)
	if signed && f.ed.Changed() {
		f.warn(signatureWarning)
	}
	return err
}

// signed reports whether the package carries a digital signature.
func (wb *workbook) signed(ctx context.Context) (bool, error) {
	rels, err := wb.Package.Rels(ctx, "")
	return slices.ContainsFunc(rels, func(r opc.Relationship) bool { return r.Type == book.RelSignature }), err
}
