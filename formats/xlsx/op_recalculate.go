package xlsx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/formats"
	"atelier/formats/libreoffice"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

type recalculateArgs struct {
	_ struct{} `usage:"(takes nothing; calculates the formulas that have no value, all others keep theirs)"`
}

// recalcLimit bounds the workbook that LibreOffice is given, in bytes.
const recalcLimit = 64 << 20

// take writes the results into the sheets.
func (r *recalculation) take(ctx context.Context) error {
	for _, s := range r.sheets {
		if s == nil || len(s.results) == 0 {
			continue
		}
		if err := r.takeResults(ctx, s.part, s.results); err != nil {
			return err
		}
	}
	return nil
}

// recalculate fills the formulas that have no value, and leaves everything else of
// the file as it is. What is not known here LibreOffice calculates, where it is
// installed.
func recalculate(ctx context.Context, e *edit, args recalculateArgs) error {
	left, known := 0, 0
	err := runAlone(ctx, e, args, func(ctx context.Context, s *structure, _ recalculateArgs) error {
		s.calculated = true
		var err error
		known, left, err = s.recalculateHere(ctx)
		return err
	})
	e.rep.Calculated += known
	if err != nil || left == 0 {
		return err
	}
	changed := e.pass.ed.Changed()
	err = runAlone(ctx, e, args, recalculateElsewhere)
	e.pass.changed = changed
	return err
}

// recalculateHere calculates what is known here. It returns how many formulas have a
// value now and how many are left for LibreOffice.
func (e *structure) recalculateHere(ctx context.Context) (known, left int, err error) {
	c, err := e.calculate(ctx, nil, nil)
	if err != nil {
		return 0, 0, err
	}
	if c == nil {
		return 0, 0, formats.Errorf(formats.CodeTooLarge, "the workbook is too large to calculate here; spreadsheet programs calculate it when they open the file")
	}
	if len(c.cells) == 0 {
		e.warn("every formula has a value, or there is none; nothing was calculated. A value that is wrong is calculated anew once a cell that its formula reads is written")
		return 0, 0, nil
	}
	unknown := len(c.cells) - c.known
	pkg := e.wb.Package
	elsewhere := unknown > 0 && libreoffice.Installed() && !pkg.Locked() && pkg.Source().Size() <= recalcLimit
	effects, warnings := c.said(!elsewhere)
	e.rep.Notes = append(e.rep.Notes, effects...)
	for _, w := range warnings {
		e.warn("%s", w)
	}
	if elsewhere {
		return c.known, unknown, nil
	}
	return c.known, 0, nil
}

// recalculateElsewhere lets LibreOffice calculate the formulas that have no value in a
// throw-away copy, and takes their results, also where it would calculate others
// otherwise.
func recalculateElsewhere(ctx context.Context, e *structure, _ recalculateArgs) error {
	e.calculated = true
	r := &recalculation{structure: e}
	if err := r.find(ctx); err != nil {
		return err
	}
	if r.wanted == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "atelier-calc-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	book := filepath.Join(dir, "book.xlsx")
	if err := r.copy(ctx, book); err != nil {
		return err
	}
	calculated, err := libreoffice.Convert(ctx, book, "xlsx", dir)
	if err != nil {
		return err
	}
	if err := r.results(ctx, calculated); err != nil {
		return err
	}
	if err := r.refuseDependants(ctx); err != nil {
		return err
	}
	if err := r.take(ctx); err != nil {
		return err
	}
	r.say()
	return nil
}

// recalculation is one recalculate at work.
type recalculation struct {
	*structure
	sheets   []*uncalculated // by sheet of the workbook; nil for those without
	formulas int
	wanted   int
	asIs     bool // a formula asks what formulas there are, so that none may go from the copy
}

// uncalculated are the cells of a sheet that have no value.
type uncalculated struct {
	name, part string
	facts      *facts
	cells      *cellref.Set
	formulas   map[cellref.Cell]string // of the cells that hold one
	order      []cellref.Cell
	results    map[cellref.Cell]*blockCell
	why        map[cellref.Cell]string // why a cell stays without a value
}

// aware are functions whose results depend on which cells hold formulas.
var aware = map[string]bool{"ISFORMULA": true, "FORMULATEXT": true, "CELL": true}

// find lists the formulas without a value, and the cells of their blocks.
func (r *recalculation) find(ctx context.Context) error {
	r.sheets = make([]*uncalculated, len(r.wb.Sheets))
	for i, info := range r.wb.Sheets {
		if !info.Worksheet() {
			continue
		}
		u := &uncalculated{name: info.Name, part: info.Part, facts: &facts{}, cells: &cellref.Set{}, formulas: map[cellref.Cell]string{}, results: map[cellref.Cell]*blockCell{}, why: map[cellref.Cell]string{}}
		err := r.wb.EachFormula(ctx, info, func(fc book.FormulaCell) error {
			if r.formulas++; fc.Cached {
				return nil
			}
			if r.wanted++; r.wanted > maxFormulas {
				return formats.Errorf(formats.CodeTooLarge, "more than %d formulas have no value; Excel calculates them when it opens the file", maxFormulas)
			}
			u.add(fc)
			for t := range formula.Tokens(fc.Text) {
				r.asIs = r.asIs || t.Kind == formula.Function && aware[strings.ToUpper(formula.BareFunction(fc.Text[t.Start:t.End]))]
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(u.order) > 0 {
			r.sheets[i] = u
		}
	}
	return nil
}

// add notes a formula without a value.
func (u *uncalculated) add(fc book.FormulaCell) {
	at := cellref.At(fc.Row, fc.Col)
	u.cells.Add(fc.Row, fc.Col)
	if !fc.Spill.Empty() {
		u.cells.AddRange(fc.Spill)
	}
	u.formulas[at] = fc.Text
	u.order = append(u.order, at)
	u.facts.formulas.add(fc)
}

// refuseDependants drops the results that were calculated from a cell which
// stays without a value: LibreOffice knew another one for it than will stand
// there.
func (r *recalculation) refuseDependants(ctx context.Context) error {
	sheets := make([]depSheet, len(r.wb.Sheets))
	refused := false
	for i, s := range r.wb.Sheets {
		sheets[i] = depSheet{name: s.Name, dirty: &cellref.Set{}}
		if !s.Worksheet() {
			continue
		}
		var err error
		if sheets[i].tables, err = r.wb.TablesOf(ctx, s.Part); err != nil {
			return err
		}
		sheets[i].facts = &facts{}
		if u := r.sheets[i]; u != nil {
			sheets[i].facts, u.facts.hasF = u.facts, true
			u.seed(sheets[i].dirty)
			refused = refused || len(u.why) > 0
		}
	}
	if !refused {
		return nil
	}
	changed, ok := r.wb.newDepGraph(sheets).run(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, u := range r.sheets {
		if u != nil {
			u.drop(func(at cellref.Cell) bool { return !ok || changed[i].Has(at.Row, at.Col) })
		}
	}
	return nil
}

// seed adds the cells that stay without a value.
func (u *uncalculated) seed(dirty *cellref.Set) {
	for at := range u.why {
		dirty.Add(at.Row, at.Col)
	}
}

// drop drops the results of cells that may depend on one without a value.
func (u *uncalculated) drop(depends func(cellref.Cell) bool) {
	for at := range u.results {
		if !depends(at) {
			continue
		}
		delete(u.results, at)
		if _, formula := u.formulas[at]; formula {
			u.why[at] = "it may depend on one of these"
		}
	}
}

// say reports which cells got which values and which still have none.
func (r *recalculation) say() {
	var got, left []string
	nGot, nLeft := 0, 0
	for _, u := range r.sheets {
		if u == nil {
			continue
		}
		for _, at := range u.order {
			place := u.name + "!" + cellref.Name(at.Row, at.Col)
			if c := u.results[at]; c != nil {
				if nGot++; nGot <= maxListed {
					got = append(got, place+" = "+c.said())
				}
			} else if nLeft++; nLeft <= maxListed {
				left = append(left, fmt.Sprintf("%s (%s)", place, u.why[at]))
			}
		}
	}
	if nGot > 0 {
		r.warn("%s: %s", formats.Count(nGot, "formula without a value got one", "formulas without a value got one"), listed(got, nGot))
	}
	if nLeft > 0 {
		r.warn("still without a value: %s; Excel calculates when it opens the file", listed(left, nLeft))
	}
}

// said is a result for an answer.
func (c *blockCell) said() string {
	v := sheetml.CharData([]byte(c.v))
	if c.typ == sheetml.TypeBool {
		return map[bool]string{true: "TRUE", false: "FALSE"}[sheetml.IsTrue(v)]
	}
	if c.typ == sheetml.TypeString {
		if v == "" {
			return `""`
		}
		return `"` + cellref.QuoteArg(sheetml.Unescape(v)) + `"`
	}
	return v
}
