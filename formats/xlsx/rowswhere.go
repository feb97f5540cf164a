package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// rowsWhere finds the rows of a block below its header that meet conditions, in
// runs, and reports how many they are.
func (p *plan) rowsWhere(ctx context.Context, s *planSheet, ref string, where []FilterCriterion) (block cellref.Range, runs []lineRun, err error) {
	if s.orig < 0 {
		return block, nil, formats.Errorf(formats.CodeInvalid, "where: the sheet %q has no cells yet", s.name)
	}
	if block, err = cellref.ParseRange(ref); err != nil {
		return block, nil, formats.Errorf(formats.CodeInvalid, "where needs one range, the cells with their header row, such as A1:D50: %w", err)
	}
	f := &rowFilter{ref: block, data: block}
	f.data.R1++
	if f.data.R2 == cellref.MaxRow { // only as far as there are cells
		f.data.R2 = 0
		if err := p.wb.eachCell(ctx, s.info.Part, block, func(at cellref.Cell, _ cellView) error {
			f.data.R2 = max(f.data.R2, at.Row)
			return nil
		}); err != nil {
			return block, nil, err
		}
	}
	if f.data.R2 < f.data.R1 {
		return block, nil, formats.Errorf(formats.CodeInvalid, "where: %s has no rows below its header", block)
	}
	e := &structure{wb: p.wb}
	if err := f.takeCriteria(ctx, e, s.orig, filterRowsArgs{Criteria: where}); err != nil {
		return block, nil, err
	}
	keeps, err := f.decide(ctx, e, s.orig)
	p.at.Warnings = append(p.at.Warnings, e.rep.Warnings...)
	if err != nil {
		return block, nil, err
	}
	n := 0
	for i, keep := range keeps {
		if keep {
			row := f.data.R1 + i
			if n++; len(runs) > 0 && runs[len(runs)-1].to == row-1 {
				runs[len(runs)-1].to = row
				continue
			}
			runs = append(runs, lineRun{row, row})
		}
	}
	if n == 0 {
		p.warnOp("no row of %s meets the conditions; nothing was changed", block)
		return block, nil, nil
	}
	p.at.Notes = append(p.at.Notes, formats.Count(n, "row meets", "rows meet")+" the conditions: "+runNames(runs))
	return block, runs, nil
}

// runNames writes runs of rows as 3:5, 9:9.
func runNames(runs []lineRun) string {
	var names []string
	for _, r := range runs[:min(len(runs), 20)] {
		names = append(names, runName(false, r.from, r.to))
	}
	return listed(names, len(runs))
}

// seedSubtotals begins the dependency search at the formulas over rows that
// operations hide or show, of which they count only the visible ones.
func (f *finisher) seedSubtotals(ctx context.Context) error {
	for i, s := range f.keep {
		if len(s.hidden) == 0 {
			continue
		}
		block := cellref.Block(s.hidden[0].from, 1, s.hidden[len(s.hidden)-1].to, cellref.MaxCol)
		for k, fa := range f.facts {
			if !fa.hasF {
				continue
			}
			if err := f.wb.formulasOf(ctx, fa, func(fc book.FormulaCell) error {
				if readsVisible(fc.Text, block, s.info.Name, i == k) {
					f.seeds[k].Add(fc.Row, fc.Col)
					if f.edits[k].stale == nil {
						f.edits[k].stale = &cellref.Set{}
					}
					f.edits[k].stale.Add(fc.Row, fc.Col)
				}
				return nil
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
