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
	"atelier/internal/lenient"
)

const relPivotTable = opc.RelPrefix + "pivotTable"

// rowsArgs are the members of operations on rows in a row.
type rowsArgs struct {
	sheetArgs
	Row *lenient.Int `json:"row" usage:"row (1-based)" jsonschema:"insert_, delete_ and hide_rows: 1-based first row"`
	countArgs
}

// columnsArgs are the members of operations on columns side by side.
type columnsArgs struct {
	sheetArgs
	Column any `json:"column" usage:"column" jsonschema:"insert_, delete_ and hide_columns: letter such as C, or 1-based number"`
	countArgs
}

// countArgs is how many rows or columns an operation is about.
type countArgs struct {
	Count *lenient.Int `json:"count" jsonschema:"insert_, delete_ and hide_rows, _columns: how many, default 1"`
}

func insertRows(ctx context.Context, e *structure, op rowsArgs) error {
	r, err := rowsNamed(op)
	return e.shift(ctx, op.Sheet, r, err, 1)
}

func deleteRows(ctx context.Context, e *structure, op rowsArgs) error {
	r, err := rowsNamed(op)
	return e.shift(ctx, op.Sheet, r, err, -1)
}

func insertColumns(ctx context.Context, e *structure, op columnsArgs) error {
	r, err := columnsNamed(op)
	return e.shift(ctx, op.Sheet, r, err, 1)
}

func deleteColumns(ctx context.Context, e *structure, op columnsArgs) error {
	r, err := columnsNamed(op)
	return e.shift(ctx, op.Sheet, r, err, -1)
}

// shift inserts (sign 1) or deletes (sign -1) the rows or columns r of a sheet;
// everything that refers to its cells follows. invalid is the error of reading
// r, which an unknown sheet comes before.
func (e *structure) shift(ctx context.Context, sheet string, r shiftRun, invalid error, sign int) error {
	i, err := e.worksheet(sheet)
	if err != nil {
		return err
	}
	if invalid != nil {
		return invalid
	}
	cols, first, n := r.cols, r.first, r.n
	sh := &cellref.Shift{Cols: cols, At: first, Count: sign * n}
	g := &following{structure: e, sheet: i, rw: &formula.Rewriter{Sheet: strings.ToLower(e.wb.Sheets[i].Name), Shift: sh}, skip: map[string]bool{}, drop: map[string]bool{}}
	for _, s := range e.wb.Sheets {
		g.rw.Order = append(g.rw.Order, strings.ToLower(s.Name))
	}
	if err := g.look(ctx); err != nil {
		return err
	}
	if err := g.mayShift(ctx); err != nil {
		return err
	}
	if err := g.shiftTables(ctx); err != nil {
		return err
	}
	g.lost()
	if _, last := sh.Side(g.facts[i].used); sign < 0 && (g.facts[i].used.Empty() || last < first) {
		e.warn("no cell of the deleted %s held anything", runName(cols, first, first+n-1))
	}
	if err := g.write(ctx); err != nil {
		return err
	}
	if sign < 0 {
		gone := cellref.Block(first, 1, first+n-1, cellref.MaxCol)
		if cols {
			gone = cellref.Block(1, first, cellref.MaxRow, first+n-1)
		}
		err := e.wb.stalePivots(ctx, func(sheet int, r cellref.Range) bool { return sheet == i && r.Meets(gone) })
		if err != nil {
			return err
		}
	}
	e.rep.Hits = n
	if sign > 0 {
		e.rep.Made = e.wb.Sheets[i].Name + "!" + runName(cols, first, first+n-1)
	}
	g.shiftWarnings()
	return nil
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

// shiftRun is rows or columns that an operation names.
type shiftRun struct {
	cols     bool
	first, n int
}

func rowsNamed(op rowsArgs) (shiftRun, error) {
	if op.Row == nil {
		return shiftRun{}, formats.Errorf(formats.CodeInvalid, "row is required: a 1-based row number")
	}
	return runFrom(false, int(*op.Row), op.Count)
}

func columnsNamed(op columnsArgs) (shiftRun, error) {
	if op.Column == nil {
		return shiftRun{}, formats.Errorf(formats.CodeInvalid, "column is required: a letter such as C, or a 1-based number")
	}
	first, err := columnNumber(op.Column)
	if err != nil {
		return shiftRun{}, err
	}
	return runFrom(true, first, op.Count)
}

func runFrom(cols bool, first int, count *lenient.Int) (shiftRun, error) {
	limit, n := cellref.Shift{Cols: cols}.Limit(), countOf(count)
	if first < 1 || first > limit {
		return shiftRun{}, formats.Errorf(formats.CodeInvalid, "invalid row %d: expected 1 to %d", first, limit)
	}
	if n < 1 || first+n-1 > limit {
		return shiftRun{}, formats.Errorf(formats.CodeInvalid, "invalid count %d: %s would reach beyond the sheet or be none", n, runName(cols, first, first+max(n, 1)-1))
	}
	return shiftRun{cols, first, n}, nil
}

func countOf(n *lenient.Int) int {
	if n == nil {
		return 1
	}
	return int(*n)
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
	if _, last := sh.Side(fa.used); sh.Count > 0 && last >= sh.At && last+sh.Count > sh.Limit() {
		return formats.Errorf(formats.CodeInvalid, "the sheet %q holds values as far as %s; %d more would push them off its end", s.Name, cellref.Name(fa.used.R2, fa.used.C2), sh.Count)
	}
	for _, fc := range fa.formulas {
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
			return formats.Errorf(formats.CodeUnsupported, "the pivot table in %s of sheet %q lies there; a part of a pivot table cannot be inserted or deleted", at, s.Name)
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
		case sh.Swallows(t.Ref):
			err = g.dropTable(ctx, s.Part, t, rels)
		case sh.Cols && sh.Splits(t.Ref):
			err = g.shiftColumns(t, sh)
		case !sh.Cols && sh.Count < 0 && sh.Splits(t.Ref):
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
	if strings.Contains(string(t.Doc), `tableType="queryTable"`) || strings.Contains(string(t.Doc), "xmlColumnPr") {
		return formats.Errorf(formats.CodeUnsupported, "the table %s gets its columns from elsewhere; columns inside it cannot be inserted or deleted", t.Name)
	}
	if sh.Count > 0 {
		for k, text := range t.NewColumns(sh.Count) {
			if t.Headers > 0 {
				g.inject[cellref.At(t.Ref.R1, sh.At+k)] = text
			}
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

// shrinks refuses to leave a table without its header or without data.
func shrinks(t *book.Table, sh cellref.Shift) error {
	if _, ok := sh.Index(t.Ref.R1); !ok && t.Headers > 0 {
		return formats.Errorf(formats.CodeInvalid, "row %d is the header of the table %s (%s); delete the whole table's rows, or only rows below the header", t.Ref.R1, t.Name, t.Ref)
	}
	first, last := t.Ref.R1+t.Headers, t.Ref.R2-t.Totals
	if sh.At <= first && sh.Last() >= last {
		return formats.Errorf(formats.CodeInvalid, "these are all data rows of the table %s (%s), which needs at least one; keep one and clear it", t.Name, t.Ref)
	}
	return nil
}

// lost seeds the search for changed values with the deleted cells.
func (g *following) lost() {
	sh, used := *g.rw.Shift, g.facts[g.sheet].used
	if sh.Count > 0 || used.Empty() {
		return
	}
	r := used
	if sh.Cols {
		r.C1, r.C2 = max(r.C1, sh.At), min(r.C2, sh.Last())
	} else {
		r.R1, r.R2 = max(r.R1, sh.At), min(r.R2, sh.Last())
	}
	if r.R1 > r.R2 || r.C1 > r.C2 {
		return
	}
	if (r.R2-r.R1+1)*(r.C2-r.C1+1) > maxFilled {
		g.unsure = true
		return
	}
	g.dirty[g.sheet].AddRange(r)
}

// shiftWarnings says what a person would not expect.
func (g *following) shiftWarnings() {
	if n := g.broken.n; n > 0 {
		g.warn("%s (#REF!): %s", formats.Count(n, "formula now refers to nothing", "formulas now refer to nothing"), g.broken.String())
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
