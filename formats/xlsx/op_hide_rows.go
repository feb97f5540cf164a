package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type hideRowsArgs struct {
	sheetArgs
	Row *lenient.Int `json:"row" usage:"row" jsonschema:"insert_, delete_ and hide_rows: 1-based first row"`
	countArgs
	Range string `json:"range" usage:"or range"`
	whereArgs
	hiddenArgs
}

// anew: the condition needs the values of the operations before.
func (op hideRowsArgs) anew() bool { return len(op.Where) > 0 }

type hideColumnsArgs struct {
	columnsArgs
	hiddenArgs
}

// hiddenArgs is the member of operations that hide or show.
type hiddenArgs struct {
	Hidden *lenient.Bool `json:"hidden" jsonschema:"{ops}: false shows them again"`
}

// maxHidden bounds the rows that hiding makes elements for.
const maxHidden = 100_000

func hides(op hiddenArgs) bool { return op.Hidden == nil || bool(*op.Hidden) }

// hideRows hides rows or shows them again (18.3.1.73).
func (p *plan) hideRows(ctx context.Context, op hideRowsArgs) (int, error) {
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	runs, err := op.runs(ctx, p, s)
	if err != nil || len(runs) == 0 {
		return 0, err
	}
	hide, n := hides(op.hiddenArgs), 0
	for _, r := range runs {
		if n += r.to - r.from + 1; hide && n > maxHidden {
			return 0, formats.Errorf(formats.CodeTooLarge, "%d rows are too many to hide at once; the limit is %d; filter_rows hides as many as a filter has", n, maxHidden)
		}
	}
	for _, r := range runs {
		s.hidden = s.hidden.set(hiddenRun{r.from, r.to, hide})
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		w.hideRows(runs, hide)
		return nil
	})
	return 0, nil
}

// lineRun is the rows from to to.
type lineRun struct{ from, to int }

// runs are the rows that the operation names, in order, neighbours as one run.
func (op *hideRowsArgs) runs(ctx context.Context, p *plan, s *planSheet) ([]lineRun, error) {
	switch {
	case op.Row == nil && strings.TrimSpace(op.Range) == "":
		return nil, formats.Errorf(formats.CodeInvalid, "row is required: a 1-based row number; or range, such as 3:5,9:9")
	case op.Row != nil && op.Range != "":
		return nil, formats.Errorf(formats.CodeInvalid, "give row and count, or range, not both")
	case op.Row != nil && len(op.Where) > 0:
		return nil, formats.Errorf(formats.CodeInvalid, "where needs range: the cells with their header row, such as A1:D50")
	case op.Row != nil:
		r, err := runFrom(false, int(*op.Row), op.Count)
		return []lineRun{{r.first, r.first + r.n - 1}}, err
	case len(op.Where) > 0:
		_, runs, err := p.rowsWhere(ctx, s, op.Range, op.Where)
		return runs, err
	}
	var runs []lineRun
	for _, part := range strings.FieldsFunc(op.Range, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		if !strings.Contains(part, ":") {
			part += ":" + part
		}
		r, err := cellref.ParseRange(strings.ReplaceAll(part, "$", ""))
		if err != nil || r.R2 == cellref.MaxRow && r.R1 == 1 {
			return nil, formats.Errorf(formats.CodeInvalid, "range: expected rows such as 3:5 or 3:5,9:9, got %s", cellref.QuoteArg(part))
		}
		runs = append(runs, lineRun{r.R1, r.R2})
	}
	slices.SortFunc(runs, func(a, b lineRun) int { return a.from - b.from })
	return joined(runs), nil
}

// joined makes one run of those that touch or overlap.
func joined(runs []lineRun) []lineRun {
	out := runs[:0]
	for _, r := range runs {
		if n := len(out) - 1; n >= 0 && r.from <= out[n].to+1 {
			out[n].to = max(out[n].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// hideRows notes the rows that one operation hides or shows; those that are so already
// do not count.
func (w *sheetWork) hideRows(runs []lineRun, hide bool) {
	changes := 0
	for _, r := range runs {
		for row := r.from; row <= r.to; row++ {
			now, noted := w.hidden.at(row)
			if !noted {
				now = w.facts != nil && w.facts.hiddenRows[row]
			}
			if now != hide {
				changes++
			}
		}
		w.rep.Hits += r.to - r.from + 1
	}
	if changes == 0 {
		w.rep.Hits = 0
		what := make([]string, 0, len(runs))
		for _, r := range runs {
			what = append(what, runName(false, r.from, r.to))
		}
		names := listed(what, len(what))
		if hide {
			w.warn("%s is hidden already; nothing was changed", names)
		} else {
			w.warn("nothing in %s is hidden; nothing was changed", names)
		}
		return
	}
	for _, r := range runs {
		w.hidden = w.hidden.set(hiddenRun{r.from, r.to, hide})
	}
}

// saidHidden warns that an operation on columns changes nothing.
func (e *structure) saidHidden(what string, hide bool) {
	if hide {
		e.warn("%s is hidden already; nothing was changed", what)
	} else {
		e.warn("nothing in %s is hidden; nothing was changed", what)
	}
}

// saidProtected warns that the sheet of an edit is protected.
func (e *structure) saidProtected(fa *facts, i int) {
	if len(fa.skel.Elements("sheetProtection")) > 0 {
		e.warn("the sheet %q is protected; it was edited all the same", e.wb.Sheets[i].Name)
	}
}

// hideColumns hides columns or shows them again (18.3.1.13).
func hideColumns(ctx context.Context, e *structure, op hideColumnsArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	r, err := columnsNamed(op.columnsArgs)
	if err != nil {
		return err
	}
	first, n, hide := r.first, r.n, hides(op.hiddenArgs)
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{})
	if err != nil {
		return err
	}
	now, rest := fa.skel.HiddenColumns(), 0
	for c := first; c < first+n; c++ {
		if now[c] != hide {
			rest++
		}
	}
	if rest == 0 {
		e.saidHidden(runName(true, first, first+n-1), hide)
		return nil
	}
	e.saidProtected(fa, i)
	old, start, end := sheetml.ReadColumns(fa.skel)
	cols := hiddenColumns(old, sheetml.ColumnRange{From: first, To: first + n - 1}, hide, fa.prefix, fa.skel.DefaultWidth())
	e.rep.Hits = n
	if len(cols) == 0 {
		return nil
	}
	var edits []xmlscan.Splice
	edits = append(edits, colsXML(fa.skel, cols, start, end, fa.prefix)...)
	e.around(ctx, e.wb.Sheets[i].Part, fa, edits)
	return nil
}

// hiddenColumns sets the hidden mark of a run, splitting definitions at its ends.
func hiddenColumns(cols []sheetml.ColumnRange, run sheetml.ColumnRange, hide bool, prefix, width string) []sheetml.ColumnRange {
	mark := ""
	if hide {
		mark = ` hidden="1"`
	}
	var out []sheetml.ColumnRange
	next := run.From
	gap := func(to int) {
		if hide && next <= to {
			out = append(out, sheetml.Columns(next, to, []byte("<"+prefix+`col width="`+width+`" hidden="1"/>`)))
		}
	}
	for _, c := range cols {
		if c.To < run.From || c.From > run.To {
			out = append(out, c)
			continue
		}
		if c.From < run.From {
			out = append(out, sheetml.Columns(c.From, run.From-1, c.Tag))
		}
		gap(c.From - 1)
		out = append(out, sheetml.Columns(max(c.From, run.From), min(c.To, run.To), sheetml.EditTag(c.Tag, mark, "hidden")))
		if c.To > run.To {
			out = append(out, sheetml.Columns(run.To+1, c.To, c.Tag))
		}
		next = max(next, c.To+1)
	}
	gap(run.To)
	return out
}
