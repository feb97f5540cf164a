package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

type moveRowsArgs struct {
	rowsArgs
	To any `json:"to" usage:"to" jsonschema:"{ops}: the row or column to move them before, as it is named now"`
}

type moveColumnsArgs struct {
	columnsArgs
	To any `json:"to" usage:"to" jsonschema:"{ops}: the row or column to move them before, as it is named now"`
}

// moveRows moves rows to another place of the sheet, as cutting and inserting
// them does in Excel.
func moveRows(ctx context.Context, e *structure, op moveRowsArgs) error {
	return e.move(ctx, op.Sheet, false, op.To, func() ([]lineRun, error) { return op.runs() })
}

// moveColumns moves columns to another place of the sheet.
func moveColumns(ctx context.Context, e *structure, op moveColumnsArgs) error {
	return e.move(ctx, op.Sheet, true, op.To, func() ([]lineRun, error) { return op.runs() })
}

// move moves the rows or columns of a sheet that places returns to before to.
func (e *structure) move(ctx context.Context, sheet string, cols bool, to any, places func() ([]lineRun, error)) error {
	i, err := e.worksheet(sheet)
	if err != nil {
		return err
	}
	runs, err := places()
	if err != nil {
		return err
	}
	if len(runs) != 1 {
		return formats.Errorf(formats.CodeInvalid, "only neighbours move together; use one operation for each place")
	}
	what, limit := map[bool]string{false: "a 1-based row number", true: "a letter such as F, or a 1-based number"}[cols], cellref.Shift{Cols: cols}.Limit()
	if to == nil {
		return formats.Errorf(formats.CodeInvalid, "to is required: %s, before which they go", what)
	}
	before, err := columnIndex(to)
	if s, letter := to.(string); cols && letter {
		if end := cellref.ParseEnd(s); end.Kind == cellref.ColumnEnd {
			before = end.Col
		}
	}
	if err != nil || before < 1 || before > limit {
		return formats.Errorf(formats.CodeInvalid, "invalid to: %s (expected %s, before which they go)", argText(to), what)
	}
	at, n := runs[0].from, runs[0].to-runs[0].from+1
	if before >= at && before <= at+n {
		e.warn("%s of sheet %q is there already; nothing was changed", runName(cols, at, at+n-1), e.wb.Sheets[i].Name)
		return nil
	}
	return e.shift(ctx, i, cellref.Shift{Cols: cols, At: at, Count: n, To: before})
}

// mayMove refuses a move that would tear merged cells or a filter apart.
func (g *following) mayMove() error {
	fa, sh := g.facts[g.sheet], *g.rw.Shift
	for _, m := range fa.skel.Merges() {
		a, b := sh.Side(m)
		first, _ := sh.Index(a)
		from, _, _ := sh.Span(a, b)
		if grows := sh.To > a && sh.To <= b && !inBlock(sh, a, b, true); sh.Splits(m) && (grows || first != from) {
			return formats.Errorf(formats.CodeInvalid, "this would tear apart the merged cells %s; unmerge them first (unmerge_cells), or move them as a whole", m)
		}
	}
	for _, t := range fa.skel.Elements("autoFilter") {
		if t.Depth != 2 {
			continue
		}
		if r := cellref.ParseAttr(t.AttrLocal("ref")); !r.Empty() && tears(sh, r, 1, 0) {
			return formats.Errorf(formats.CodeInvalid, "this would tear apart the filter of %s; move columns inside it, or all of it, or take the filter away first (autofilter with remove)", r)
		}
	}
	return nil
}

// inBlock reports whether the rows that move are in a to b; with all, whether all
// of them are.
func inBlock(sh cellref.Shift, a, b int, all bool) bool {
	last := sh.At + sh.Count - 1
	if all {
		return sh.At >= a && last <= b
	}
	return sh.At <= b && last >= a
}

// tears reports whether a move takes columns into or out of a list, or its
// first or last rows, which are headers and totals, away from it.
func tears(sh cellref.Shift, list cellref.Range, headers, totals int) bool {
	if !sh.Splits(list) {
		return false
	}
	if sh.Cols {
		return !inBlock(sh, list.C1, list.C2, true) || sh.To < list.C1 || sh.To > list.C2+1
	}
	return headers > 0 && (inBlock(sh, list.R1, list.R1+headers-1, false) || sh.To > list.R1 && sh.To < list.R1+headers) || totals > 0 && inBlock(sh, list.R2-totals+1, list.R2, false)
}

// resized reports whether a move changes the size of a range.
func resized(sh cellref.Shift, r cellref.Range) bool {
	a, b := sh.Side(r)
	from, to := sh.Side(sh.Range(r))
	return to-from != b-a
}

// moveInTable refuses a move that a table cannot follow, and notes that formulas
// may read its rows in another order.
func (g *following) moveInTable(t *book.Table, sh cellref.Shift) error {
	if !sh.Splits(t.Ref) {
		return nil
	}
	if tears(sh, t.Ref, t.Headers, t.Totals) {
		if sh.Cols {
			return formats.Errorf(formats.CodeInvalid, "columns cannot move into or out of the table %s (%s); move them inside it, or all of it", t.Name, t.Ref)
		}
		return formats.Errorf(formats.CodeInvalid, "the header and the totals of the table %s (%s) stay with it; move only rows between them, or all of it", t.Name, t.Ref)
	}
	if sh.Cols && fromElsewhere(t) {
		return formats.Errorf(formats.CodeUnsupported, "the table %s gets its columns from elsewhere; columns inside it cannot be moved", t.Name)
	}
	if first, last := t.Ref.R1+t.Headers, t.Ref.R2-t.Totals; !sh.Cols && resized(sh, t.Ref) && sh.At <= first && sh.At+sh.Count-1 >= last {
		return formats.Errorf(formats.CodeInvalid, "these are all data rows of the table %s (%s), which needs at least one; move the whole table, or copy them (copy_range)", t.Name, t.Ref)
	}
	g.unsure = g.unsure || resized(sh, t.Ref)
	g.reorderedIn(t.Ref)
	return nil
}

// reordered notes the cells that names see in another order.
func (g *following) reordered() {
	for _, d := range g.wb.Names {
		if strings.HasPrefix(d.Name, "_xlnm.") { // no formula reads print areas and filters
			continue
		}
		p := formula.Place{Keep: true}
		if d.Local >= 0 && d.Local < len(g.wb.Sheets) {
			p.Sheet = g.rw.At(g.wb.Sheets[d.Local].Name).Sheet
		}
		torn := g.rw.Torn
		_, _, changed := g.rw.Formula(d.Text, p)
		if g.rw.Torn > torn {
			g.warn("the name %s covers more or fewer cells than before, since a part of them moved", d.Name)
		}
		for tok := range formula.Tokens(d.Text) {
			if changed && tok.Kind == formula.Ref {
				g.reorderedIn(within(tok.Range(), g.facts[g.sheet].used))
			}
		}
	}
}

// within returns what two blocks have in common; it is empty when they do not
// meet.
func within(a, b cellref.Range) cellref.Range {
	if !a.Meets(b) {
		return cellref.Range{}
	}
	return cellref.Block(max(a.R1, b.R1), max(a.C1, b.C1), min(a.R2, b.R2), min(a.C2, b.C2))
}

// reorderedIn makes the formulas that read moved cells of a block count as
// changed.
func (g *following) reorderedIn(r cellref.Range) {
	from, to := g.rw.Shift.Window()
	if g.rw.Shift.Cols {
		r.C1, r.C2 = max(r.C1, from), min(r.C2, to)
	} else {
		r.R1, r.R2 = max(r.R1, from), min(r.R2, to)
	}
	switch {
	case r.R1 > r.R2 || r.C1 > r.C2 || r.R1 < 1:
	case (r.R2-r.R1+1)*(r.C2-r.C1+1) > maxFilled:
		g.unsure = true
	default:
		g.dirty[g.sheet].AddRange(r)
	}
}
