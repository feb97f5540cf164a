package xlsx

import (
	"context"
	"errors"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// following lets the whole workbook follow a change of one sheet.
type following struct {
	*structure
	rw      *formula.Rewriter
	sheet   int // index in wb.sheets of the sheet concerned
	facts   []*facts
	tables  map[int][]*book.Table
	dirty   []*cellref.Set // cells whose value changes, by sheet, where they were
	stale   []*cellref.Set
	through map[int]*cellref.Set // of stale, the formulas that may read any cell
	unsure  bool                 // every formula counts as changed
	calc    bool
	moved   bool      // the calculation chain is wrong
	broken  placeList // formulas that refer to nothing now
	torn    placeList // formulas whose ranges lost or gained cells in a move
	inject  map[cellref.Cell]string
	drop    map[string]bool     // relationship ids of the sheet's tables that go
	skip    map[string]bool     // parts written already
	name    *book.DefinedName   // that the operation sets, or removes when its text is empty
	hides   bool                // the name is hidden
	lines   map[int]outlineLine // rows of the sheet concerned whose groups change
	hidden  hiddenRuns          // rows of the sheet concerned to hide or to show
	touched bool                // the skeleton of the sheet concerned changed
}

// look reads the facts of all worksheets; those without rows have none.
func (g *following) look(ctx context.Context) error {
	budget := maxHeldFormulas
	g.facts = make([]*facts, len(g.wb.Sheets))
	g.tables = map[int][]*book.Table{}
	g.through = map[int]*cellref.Set{}
	for i, s := range g.wb.Sheets {
		g.dirty = append(g.dirty, &cellref.Set{})
		g.stale = append(g.stale, &cellref.Set{})
		if !s.Worksheet() {
			continue
		}
		fa, err := scanSheet(ctx, g.wb.Package, s, scanOptions{budget: &budget, hidden: g.hiddenOf(i)})
		if errors.Is(err, sheetml.ErrNoCells) && (i != g.sheet || g.rw == nil || g.rw.Shift == nil) {
			continue
		}
		if err != nil {
			return err
		}
		g.facts[i] = fa
		if g.tables[i], err = g.wb.TablesOf(ctx, s.Part); err != nil {
			return err
		}
	}
	return nil
}

// volatileByPlace are functions whose value depends on where things stand.
var volatileByPlace = map[string]bool{"ROW": true, "ROWS": true, "COLUMN": true, "COLUMNS": true, "CELL": true, "ADDRESS": true, "COUNTBLANK": true, "AREAS": true}

// sheetPlan is what becomes of the formulas of one sheet.
type sheetPlan struct {
	changed bool
	expand  map[int]book.SharedFormula
}

// formulas finds the formulas that change, the shared ones that have to be
// written out, and the cells whose values may be others.
func (g *following) formulas(ctx context.Context) ([]sheetPlan, error) {
	plans := make([]sheetPlan, len(g.facts))
	for i, fa := range g.facts {
		if fa == nil {
			continue
		}
		p := &plans[i]
		p.expand = map[int]book.SharedFormula{}
		masters := map[int]book.FormulaCell{}
		steps := map[int]cellref.Cell{} // how far the master of a group moves
		at, placed := g.rw.At(g.wb.Sheets[i].Name), g.placeOf(i)
		err := g.wb.formulasOf(ctx, fa, func(fc book.FormulaCell) error {
			torn := g.rw.Torn
			now, changed, resized := g.rw.Formula(fc.Text, at)
			p.changed = p.changed || changed
			if changed {
				g.noteBroken(i, fc, now)
			}
			if g.rw.Shift == nil {
				return nil
			}
			if resized || changesByPlace(fc.Text) {
				g.dirty[i].Add(fc.Row, fc.Col)
				g.stale[i].Add(fc.Row, fc.Col)
			}
			place, stays := placed(cellref.At(fc.Row, fc.Col))
			if g.rw.Torn > torn {
				g.torn.add(g.wb.Sheets[i].Name, place)
			}
			step := cellref.At(place.Row-fc.Row, place.Col-fc.Col)
			if fc.Master {
				steps[fc.Group] = step
			}
			apart := g.rw.Shift.Moves() && step != steps[fc.Group]
			if fc.Group > 0 && stays && (sharedDiffers(masters, fc, place, now) || apart) {
				p.expand[fc.Group-1] = fa.shared[fc.Group-1]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		p.changed = p.changed || len(p.expand) > 0 && !(i == g.sheet && g.rw.Shift != nil)
	}
	return plans, nil
}

// sharedDiffers reports whether a member of a shared formula, which is now at a
// place with a text, is no longer its master moved there.
func sharedDiffers(masters map[int]book.FormulaCell, fc book.FormulaCell, place cellref.Cell, now string) bool {
	if fc.Master {
		masters[fc.Group] = book.FormulaCell{Row: place.Row, Col: place.Col, Text: now}
		return false
	}
	m, ok := masters[fc.Group]
	return !ok || formula.Move(m.Text, place.Row-m.Row, place.Col-m.Col) != now
}

func changesByPlace(f string) bool {
	if strings.IndexByte(f, '(') < 0 { // there is no function
		return false
	}
	for t := range formula.Tokens(f) {
		if t.Kind == formula.Function && volatileByPlace[strings.ToUpper(f[t.Start:t.End])] {
			return true
		}
	}
	return false
}

// dependants spreads the changed values over the formulas that read them.
func (g *following) dependants(ctx context.Context) {
	sheets := make([]depSheet, len(g.facts))
	hasF := false
	for i, fa := range g.facts {
		sheets[i] = depSheet{g.wb.Sheets[i].Name, fa, g.tables[i], g.dirty[i]}
		hasF = hasF || fa != nil && fa.hasF
	}
	if !hasF {
		return
	}
	graph := g.wb.newDepGraph(sheets)
	graph.moves, graph.moved = g.sheet >= 0, g.sheet
	changed, ok := graph.run(ctx)
	if g.unsure = g.unsure || !ok; !ok {
		return
	}
	for i := range changed {
		g.stale[i], g.through[i] = g.stale[i].Union(changed[i]), graph.throughOf(i)
	}
}

// write lets every part follow.
func (g *following) write(ctx context.Context) error {
	plans, err := g.formulas(ctx)
	if err != nil {
		return err
	}
	if g.rw.Shift != nil {
		g.dependants(ctx)
	}
	for i := range g.facts {
		if g.facts[i] == nil {
			continue
		}
		if err := g.sheetPart(ctx, i, plans[i]); err != nil {
			return err
		}
		if err := g.noteStale(ctx, i); err != nil {
			return err
		}
	}
	if err := g.wb.rewriteParts(ctx, g.ed, g.rw, g.tables[g.sheet], g.skip); err != nil {
		return err
	}
	b := newBookEdit(g.wb)
	b.rw, b.calc = g.rw, g.calc
	if g.name != nil {
		b.set(*g.name, g.hides)
	}
	for i := range b.sheets {
		b.sheets[i].name = g.nameOf(i)
	}
	if err := b.apply(g.ed); err != nil {
		return err
	}
	f := &finisher{plan: newPlan(g.wb, false), wb: g.wb, ed: g.ed, drop: g.moved}
	return f.dropCalcChain(ctx)
}

// noteStale counts the values that sheet i loses.
func (g *following) noteStale(ctx context.Context, i int) error {
	g.calc = g.calc || !g.stale[i].Empty() || g.unsure && g.facts[i].hasF
	lost := staleCells{sheet: g.nameOf(i), through: g.through[i], place: g.placeOf(i)}
	if !g.unsure {
		lost.cells = g.stale[i]
	}
	return g.wb.noteDropped(ctx, g.facts[i], lost)
}

// nameOf is the name that a sheet has afterwards.
func (g *following) nameOf(i int) string {
	if now, ok := g.rw.Names[strings.ToLower(g.wb.Sheets[i].Name)]; ok {
		return now
	}
	return g.wb.Sheets[i].Name
}

// placeOf says where the cells of a sheet are afterwards.
func (g *following) placeOf(i int) func(cellref.Cell) (cellref.Cell, bool) {
	if i == g.sheet && g.rw.Shift != nil {
		return g.rw.Shift.Cell
	}
	return func(at cellref.Cell) (cellref.Cell, bool) { return at, true }
}

// noteBroken takes note of a formula that refers to something that is gone.
func (g *following) noteBroken(i int, fc book.FormulaCell, now string) {
	if strings.Count(now, "#REF!") <= strings.Count(fc.Text, "#REF!") {
		return
	}
	if at, stays := g.placeOf(i)(cellref.At(fc.Row, fc.Col)); stays {
		g.broken.add(g.nameOf(i), at)
	}
}

// sheetPart writes sheet i when anything changes in it.
func (g *following) sheetPart(ctx context.Context, i int, p sheetPlan) error {
	fa, s := g.facts[i], g.wb.Sheets[i]
	home := strings.ToLower(s.Name)
	w := &walk{rw: g.rw, home: home, elems: formulaElems}
	if i == g.sheet {
		w.drop = g.drop // relationship ids are those of a sheet
	}
	edits, err := w.run(fa.skel.Doc)
	if err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", s.Part, err)
	}
	pkg, part := g.wb.Package, s.Part
	if i == g.sheet && g.rw.Shift != nil {
		edits = append(edits, movedColumns(fa.skel, *g.rw.Shift, fa.prefix)...)
		e := &shiftEdit{part: part, former: g.wb.former, rw: g.rw, home: home, expand: p.expand, room: g.wb.Allowance, stale: g.stale[i], allStale: g.unsure, inject: g.inject}
		e.head, e.tail = fa.skel.Split(edits)
		g.moved = g.moved || fa.hasF
		g.ed.SetStream(part, shiftRows(ctx, pkg, part, e))
		return nil
	}
	hidden, lines := g.hiddenOf(i), g.lines
	if i != g.sheet {
		lines = nil
	}
	if len(lines) == 0 && !p.changed && len(edits) == 0 && len(hidden) == 0 && !(g.touched && i == g.sheet) && g.stale[i].Empty() && !(g.unsure && fa.hasF) {
		return nil
	}
	at := g.rw.At(s.Name)
	e := &sheetEdit{part: part, hidden: hidden, lines: lines, exists: map[cellref.Cell]bool{}, rowExists: fa.rowExists, expand: p.expand, room: g.wb.Allowance, selfData: fa.selfData, stale: g.stale[i], allStale: g.unsure, former: g.wb.former}
	e.rewrite = func(f string) (string, bool) { return g.rw.Text(f, at) }
	e.head, e.tail = fa.skel.Split(edits)
	g.ed.SetStream(part, spliceSheet(ctx, pkg, e))
	return nil
}

// hiddenOf are the rows of sheet i to hide or to show.
func (g *following) hiddenOf(i int) hiddenRuns {
	if i != g.sheet {
		return nil
	}
	return g.hidden
}
