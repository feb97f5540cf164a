package xlsx

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// writeArrays writes the results of a sheet with array formulas: the cells that these
// fill, which the file may lack, and their blocks where these have another size now.
func (c *calculation) writeArrays(ctx context.Context, sheet int, results sheetResults, arrays []calc.CalculatedArray) error {
	info := c.wb.Sheets[sheet]
	filled := map[cellref.Cell]value{}
	refs := map[cellref.Cell]cellref.Range{}
	for _, a := range arrays {
		if a.Block != a.FormerBlock {
			refs[cellref.At(a.Block.R1, a.Block.C1)] = a.Block
			eachCellOf(a.FormerBlock, func(at cellref.Cell) { filled[at] = value{} })
		}
	}
	for _, a := range arrays {
		if err := ctx.Err(); err != nil {
			return err
		}
		eachCellOf(a.Block, func(at cellref.Cell) {
			r := results.of(at)
			if r == nil {
				return
			}
			if v := writtenOf(r); v != nil {
				filled[at] = v.spilledValue()
			} else {
				delete(filled, at)
			}
		})
	}
	budget := maxHeldFormulas
	fa, err := scanSheet(ctx, c.wb.Package, info, scanOptions{budget: &budget})
	if err != nil {
		return err
	}
	err = c.wb.formulaPlaces(ctx, fa, func(fc book.FormulaCell) error {
		delete(filled, cellref.At(fc.Row, fc.Col))
		return nil
	})
	if err != nil {
		return err
	}
	if fa, err = scanSheet(ctx, c.wb.Package, info, scanOptions{cells: filled}); err != nil {
		return err
	}
	e := &sheetEdit{part: info.Part, cells: filled, exists: fa.exists, rowExists: fa.rowExists, selfData: fa.selfData, colStyles: fa.skel.ColStyles(), results: results.at, refs: refs}
	e.head, e.tail = fa.skel.Apply(dimensionEdit(fa.skel, &planSheet{cells: filled})).Split(nil)
	pkg := c.wb.Package
	c.ed.SetStream(info.Part, spliceSheet(ctx, pkg, e))
	return nil
}

// eachCellOf calls f for the cells of an array formula's block but the first, which
// has the formula.
func eachCellOf(r cellref.Range, f func(cellref.Cell)) {
	for row := r.R1; row <= r.R2; row++ {
		for col := r.C1; col <= r.C2; col++ {
			if row > r.R1 || col > r.C1 {
				f(cellref.At(row, col))
			}
		}
	}
}

// spilledValue is a result as the value of a cell without a formula.
func (c *blockCell) spilledValue() value {
	switch {
	case c.typ == sheetml.TypeString:
		return value{kind: valString, s: c.v}
	case c.v == "":
		return value{}
	case c.typ == sheetml.TypeBool:
		return value{kind: valBool, s: c.v}
	case c.typ == sheetml.TypeError:
		return value{kind: valError, s: c.v}
	}
	return value{kind: valNumber, s: c.v}
}

// resultCuts adds what a calculation changes of the current cell, which has a formula.
func (p *splicer) resultCuts(cuts []xmlscan.Splice) []xmlscan.Splice {
	if p.e.results == nil {
		return cuts
	}
	c := &p.s.Cell
	at := cellref.At(c.Row, c.Col)
	if ref, ok := p.e.refs[at]; ok {
		if sp, ok := attrSpan(p.s.Text(c.FormulaTag), "ref"); ok {
			cuts = append(cuts, xmlscan.Splice{Start: c.FormulaTag.Start + sp.Start, End: c.FormulaTag.Start + sp.End, New: []byte(ref.String())})
		}
	}
	if now := p.e.results(at); now != nil {
		cuts = appendResultCuts(cuts, p.s, now)
	}
	return cuts
}

// saidOfArrays tells which formulas spill into other cells than before, and which
// cannot since something is in the way.
func (c *calculation) saidOfArrays() (effects, warnings []string) {
	var spills, blocked outcomeList
	for _, a := range c.arrays {
		at := c.wb.Sheets[a.Sheet].Name + "!" + cellref.Name(a.Block.R1, a.Block.C1)
		switch {
		case a.BlockedBy != "":
			blocked.add(func() string { return fmt.Sprintf("%s would fill %s, but %s is in the way", at, a.Wanted, a.BlockedBy) })
		case a.Block == a.FormerBlock:
		case a.FormerBlock.R1 == a.FormerBlock.R2 && a.FormerBlock.C1 == a.FormerBlock.C2:
			spills.add(func() string { return fmt.Sprintf("%s into %s", at, a.Block) })
		default:
			spills.add(func() string { return fmt.Sprintf("%s into %s instead of %s", at, a.Block, a.FormerBlock) })
		}
	}
	if spills.n > 0 {
		effects = append(effects, formats.Count(spills.n, "formula spills", "formulas spill")+": "+spills.String())
	}
	if blocked.n > 0 {
		warnings = append(warnings, "#SPILL!: "+blocked.String()+"; move or clear what is in the way, or write the formula elsewhere")
	}
	return effects, warnings
}
