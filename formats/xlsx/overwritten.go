package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// saidOfCells tells what a person would not expect of the cells that set_cells
// and set_range write: formulas that are gone, cells that nobody sees, and
// those that a pivot table writes over.
func (f *finisher) saidOfCells(ctx context.Context, i int) error {
	s, fa := f.keep[i], f.facts[i]
	if !f.typed || len(s.cells) == 0 {
		return nil
	}
	gone := &placeList{}
	err := f.wb.formulaPlaces(ctx, fa, func(fc book.FormulaCell) error {
		if v, edited := s.cells[cellref.At(fc.Row, fc.Col)]; edited && !v.formula() {
			gone.add(s.name, cellref.At(fc.Row, fc.Col))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if gone.n > 0 {
		f.warn("%s: %s", formats.Count(gone.n, "formula was overwritten or cleared", "formulas were overwritten or cleared"), gone.String())
	}
	hidden := fa.skel.HiddenColumns()
	unseen := &placeList{}
	for _, at := range planned(s.cells, cellref.WholeSheet) {
		if s.cells[at].kind != valClear && (fa.hiddenRows[at.Row] || hidden[at.Col]) {
			unseen.add(s.name, at)
		}
	}
	if unseen.n > 0 {
		f.warn("%s in hidden rows or columns: %s", formats.Count(unseen.n, "value was written", "values were written"), unseen.String())
	}
	pivots, err := f.wb.pivotsOf(ctx, s.info.Part)
	if err != nil {
		return err
	}
	for _, p := range pivots {
		if f.seeds[i].Meets(p) {
			f.warn("cells were written in the pivot table in %s of sheet %q; its next refresh writes over them", p, s.name)
		}
	}
	return nil
}

// saidRagged tells of rows of values that are shorter than others: what stands
// in the cells beyond them stays.
func (p *plan) saidRagged(rows [][]any) {
	wide, short := 0, 0
	for _, r := range rows {
		wide = max(wide, len(r))
	}
	for _, r := range rows {
		if len(r) < wide {
			short++
		}
	}
	if short > 0 {
		p.warnOp("%s than %d values; the cells beyond them stay as they were (null clears a cell)", formats.Count(short, "row has fewer", "rows have fewer"), wide)
	}
}

// pivotsOf gives where the pivot tables of a sheet lie.
func (wb *workbook) pivotsOf(ctx context.Context, part string) ([]cellref.Range, error) {
	rels, err := wb.Package.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	var out []cellref.Range
	for _, r := range rels {
		if r.Type != relPivotTable || r.External || !wb.Package.Has(r.Target) {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			if t.Local == "location" {
				out = append(out, cellref.ParseAttr(t.AttrLocal("ref")))
			}
			return t.Local != "location"
		})
	}
	return out, nil
}

// hiddenRow reports whether a row's start tag hides it.
func hiddenRow(tag []byte) bool {
	sp, ok := attrSpan(tag, "hidden")
	return ok && sheetml.IsTrue(string(tag[sp.Start:sp.End]))
}
