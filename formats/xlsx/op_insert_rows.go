package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

const relPivotTable = opc.RelPrefix + "pivotTable"

func insertRows(ctx context.Context, e *structure, op rowsArgs) error {
	return e.shiftAt(ctx, op.Sheet, false, 1, func(int) ([]lineRun, error) { return op.runs() })
}

func deleteRows(ctx context.Context, e *structure, op rowsWhereArgs) error {
	return e.shiftAt(ctx, op.Sheet, false, -1, func(i int) ([]lineRun, error) {
		p := newPlan(e.wb, false)
		runs, err := op.runs(ctx, p, p.sheets[i])
		e.rep.Warnings, e.rep.Notes = append(e.rep.Warnings, p.at.Warnings...), append(e.rep.Notes, p.at.Notes...)
		return runs, err
	})
}

func insertColumns(ctx context.Context, e *structure, op columnsArgs) error {
	return e.shiftAt(ctx, op.Sheet, true, 1, func(int) ([]lineRun, error) { return op.runs() })
}

func deleteColumns(ctx context.Context, e *structure, op columnsArgs) error {
	return e.shiftAt(ctx, op.Sheet, true, -1, func(int) ([]lineRun, error) { return op.runs() })
}

// shiftAt inserts (sign 1) or deletes (sign -1) rows or columns of a sheet, of
// which places returns the runs; none change nothing.
func (e *structure) shiftAt(ctx context.Context, sheet string, cols bool, sign int, places func(sheet int) ([]lineRun, error)) error {
	i, err := e.worksheet(sheet)
	if err != nil {
		return err
	}
	lines, err := places(i)
	if err != nil || len(lines) == 0 {
		return err
	}
	var runs []cellref.Run
	for _, r := range lines {
		runs = append(runs, cellref.Run{At: r.from, Count: sign * (r.to - r.from + 1)})
	}
	return e.shift(ctx, i, cellref.NewShift(cols, runs))
}

// shift inserts, deletes or moves rows or columns of sheet i; everything that
// refers to its cells follows.
func (e *structure) shift(ctx context.Context, i int, sh cellref.Shift) error {
	g := &following{structure: e, sheet: i, rw: &formula.Rewriter{Sheet: strings.ToLower(e.wb.Sheets[i].Name), Shift: &sh}, skip: map[string]bool{}, drop: map[string]bool{}}
	for _, s := range e.wb.Sheets {
		g.rw.Order = append(g.rw.Order, strings.ToLower(s.Name))
	}
	if err := g.look(ctx); err != nil {
		return err
	}
	if err := g.mayShift(ctx); err != nil {
		return err
	}
	if sh.Moves() {
		if err := g.mayMove(); err != nil {
			return err
		}
		g.reordered()
	}
	if err := g.shiftTables(ctx); err != nil {
		return err
	}
	g.lost()
	if _, last := sh.Side(g.facts[i].used); sh.Deletes() && (g.facts[i].used.Empty() || last < sh.At) {
		e.warn("no cell of the deleted %s held anything", shiftNames(sh))
	}
	if err := g.write(ctx); err != nil {
		return err
	}
	if !sh.Inserts() {
		err := e.wb.stalePivots(ctx, func(sheet int, r cellref.Range) bool {
			return sheet == i && (sh.Deletes() && (sh.Splits(r) || sh.Swallows(r)) || sh.Moves() && resized(sh, r))
		})
		if err != nil {
			return err
		}
	}
	e.rep.Hits = sh.Total()
	if !sh.Deletes() {
		e.rep.Made = e.wb.Sheets[i].Name + "!" + shiftNames(sh)
	}
	g.shiftWarnings()
	return nil
}

// shiftNames writes the rows or columns that go, or those that have come.
func shiftNames(sh cellref.Shift) string {
	var names []string
	if sh.Moves() {
		at, _ := sh.Index(sh.At)
		return runName(sh.Cols, at, at+sh.Count-1)
	}
	runs := sh.Runs()
	for _, r := range runs[:min(len(runs), 20)] {
		if r.Count > 0 {
			names = append(names, runName(sh.Cols, r.First(), r.First()+r.Count-1))
		} else {
			names = append(names, runName(sh.Cols, r.At, r.Last()))
		}
	}
	return listed(names, len(runs))
}

// worksheet finds the sheet of an operation that has cells.
func (e *structure) worksheet(name string) (int, error) {
	i, err := e.sheet(name)
	if err == nil && !e.wb.Sheets[i].Worksheet() {
		err = formats.Errorf(formats.CodeUnsupported, "the sheet %q is a %s: it has no cells", e.wb.Sheets[i].Name, e.wb.Sheets[i].Kind)
	}
	return i, err
}

// sheet finds the sheet of an operation.
func (e *structure) sheet(name string) (int, error) {
	if strings.TrimSpace(name) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	i := e.wb.Find(name)
	if i < 0 {
		return 0, book.UnknownSheet(name)
	}
	return i, nil
}

func (e *structure) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if len(e.rep.Warnings) < maxWarnings && slices.Index(e.rep.Warnings, w) < 0 {
		e.rep.Warnings = append(e.rep.Warnings, w)
	}
}

// runName is a run of rows or columns as a range: 3:5 or C:E.
func runName(cols bool, a, b int) string {
	if cols {
		return cellref.ColumnName(a) + ":" + cellref.ColumnName(b)
	}
	return fmt.Sprintf("%d:%d", a, b)
}

// mayShift refuses what would tear something apart.
func (g *following) mayShift(ctx context.Context) error {
	fa, sh := g.facts[g.sheet], *g.rw.Shift
	s := g.wb.Sheets[g.sheet]
	if _, last := sh.Side(fa.used); sh.Inserts() && last > 0 {
		if _, ok := sh.Index(last); !ok {
			return formats.Errorf(formats.CodeInvalid, "the sheet %q holds values as far as %s; %d more would push them off its end", s.Name, cellref.Name(fa.used.R2, fa.used.C2), sh.Total())
		}
	}
	for fc := range fa.formulas.places() {
		if fc.Blocked || fc.Dynamic && sh.Splits(fc.Spill) { // it spills anew
			g.dirty[g.sheet].AddRange(fc.Spill)
			g.stale[g.sheet].AddRange(fc.Spill)
			continue
		}
		if !fc.Spill.Empty() && sh.Splits(fc.Spill) && (fc.Spill.R1 != fc.Spill.R2 || fc.Spill.C1 != fc.Spill.C2) {
			return formats.Errorf(formats.CodeInvalid, "this would tear apart the array formula in %s of sheet %q; clear it first, or choose another place", fc.Spill, s.Name)
		}
	}
	pivots, err := g.wb.pivotsOf(ctx, s.Part)
	if err != nil {
		return err
	}
	for _, at := range pivots {
		if sh.Splits(at) || sh.Swallows(at) {
			return formats.Errorf(formats.CodeUnsupported, "the pivot table in %s of sheet %q lies there; a part of a pivot table cannot be inserted, deleted or moved", at, s.Name)
		}
	}
	return nil
}

// shiftTables finds what happens to the tables of the sheet: columns that go
// or come, or a whole table that goes.
func (g *following) shiftTables(ctx context.Context) error {
	sh := *g.rw.Shift
	s := g.wb.Sheets[g.sheet]
	rels, err := g.wb.Package.Rels(ctx, s.Part)
	if err != nil {
		return err
	}
	g.inject = map[cellref.Cell]string{}
	for _, t := range g.tables[g.sheet] {
		var err error
		switch {
		case sh.Moves():
			err = g.moveInTable(t, sh)
		case sh.Swallows(t.Ref):
			err = g.dropTable(ctx, s.Part, t, rels)
		case sh.Cols && sh.Splits(t.Ref):
			err = g.shiftColumns(t, sh)
		case !sh.Cols && sh.Deletes() && sh.Splits(t.Ref):
			err = shrinks(t, sh)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropTable removes a table all of whose cells go.
func (g *following) dropTable(ctx context.Context, part string, t *book.Table, rels []opc.Relationship) error {
	g.rw.ChangeTable(t.Name, formula.TableChange{Removed: true})
	said, err := g.wb.orphanedSlicers(ctx, []*book.Table{t}, 0)
	if err != nil {
		return err
	}
	for _, s := range said {
		g.warn("%s", s)
	}
	for _, r := range rels {
		if strings.EqualFold(r.Target, t.Part) && !r.External {
			g.drop[r.ID] = true
			if err := g.dropPart(ctx, part, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// shiftColumns names the columns that come into a table, or those that go.
func (g *following) shiftColumns(t *book.Table, sh cellref.Shift) error {
	if fromElsewhere(t) {
		return formats.Errorf(formats.CodeUnsupported, "the table %s gets its columns from elsewhere; columns inside it cannot be inserted or deleted", t.Name)
	}
	if sh.Inserts() {
		runs, n := runsInside(t, sh)
		names := t.NewColumns(n)
		for _, r := range runs {
			for k, text := range names[:r.Count] {
				if t.Headers > 0 {
					g.inject[cellref.At(t.Ref.R1, r.First()+k)] = text
				}
			}
			names = names[r.Count:]
		}
		return nil
	}
	gone := map[string]bool{}
	for k, c := range t.Columns {
		if _, ok := sh.Index(t.Ref.C1 + k); !ok {
			gone[strings.ToLower(c.Name)] = true
		}
	}
	g.rw.ChangeTable(t.Name, formula.TableChange{Now: t.Name, Gone: gone})
	return nil
}

// fromElsewhere reports whether a query or a map of XML makes the columns of a
// table.
func fromElsewhere(t *book.Table) bool {
	return strings.Contains(string(t.Doc), `tableType="queryTable"`) || strings.Contains(string(t.Doc), "xmlColumnPr")
}

// shrinks refuses to leave a table without its header or without data.
func shrinks(t *book.Table, sh cellref.Shift) error {
	if _, ok := sh.Index(t.Ref.R1); !ok && t.Headers > 0 {
		return formats.Errorf(formats.CodeInvalid, "row %d is the header of the table %s (%s); delete the whole table's rows, or only rows below the header", t.Ref.R1, t.Name, t.Ref)
	}
	first, last := t.Ref.R1+t.Headers, t.Ref.R2-t.Totals
	if sh.Swallows(cellref.Block(first, t.Ref.C1, last, t.Ref.C2)) {
		return formats.Errorf(formats.CodeInvalid, "these are all data rows of the table %s (%s), which needs at least one; keep one and clear it", t.Name, t.Ref)
	}
	return nil
}

// lost seeds the search for changed values with the deleted cells.
func (g *following) lost() {
	sh, used := *g.rw.Shift, g.facts[g.sheet].used
	if !sh.Deletes() || used.Empty() {
		return
	}
	cells := 0
	for _, run := range sh.Runs() {
		r := used
		if sh.Cols {
			r.C1, r.C2 = max(r.C1, run.At), min(r.C2, run.Last())
		} else {
			r.R1, r.R2 = max(r.R1, run.At), min(r.R2, run.Last())
		}
		if r.R1 > r.R2 || r.C1 > r.C2 {
			continue
		}
		if cells += (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1); cells > maxFilled {
			g.unsure = true
			return
		}
		g.dirty[g.sheet].AddRange(r)
	}
}

// shiftWarnings says what a person would not expect.
func (g *following) shiftWarnings() {
	if n := g.broken.n; n > 0 {
		g.warn("%s (#REF!): %s", formats.Count(n, "formula now refers to nothing", "formulas now refer to nothing"), g.broken.String())
	}
	if n := g.torn.n; n > 0 {
		g.warn("%s more or fewer cells than before, since a part of what they read moved: %s", formats.Count(n, "formula reads", "formulas read"), g.torn.String())
	}
	if g.rw.Spans {
		g.warn("formulas that read several sheets at once (Sheet1:Sheet3!A1) keep their cells, as in Excel")
	}
	for _, p := range g.wb.Package.Names() {
		if strings.HasSuffix(strings.ToLower(p), "vbaproject.bin") {
			g.warn("the workbook has macros; cell addresses in them were not changed")
		}
	}
	if len(g.facts[g.sheet].skel.Elements("sheetProtection")) > 0 {
		g.warn("the sheet %q is protected; it was edited all the same", g.wb.Sheets[g.sheet].Name)
	}
}
