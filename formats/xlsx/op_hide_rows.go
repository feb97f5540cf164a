package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type hideRowsArgs struct {
	rowsWhereArgs
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
		w.saidHidden(false, runs, hide)
		return
	}
	for _, r := range runs {
		w.hidden = w.hidden.set(hiddenRun{r.from, r.to, hide})
	}
}

// saidProtected warns that the sheet of an edit is protected.
func (e *structure) saidProtected(fa *facts, i int) {
	if len(fa.skel.Elements("sheetProtection")) > 0 {
		e.warn("the sheet %q is protected; it was edited all the same", e.wb.Sheets[i].Name)
	}
}

// hideColumns hides columns or shows them again (18.3.1.13).
func (p *plan) hideColumns(_ context.Context, op hideColumnsArgs) (int, error) {
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	runs, err := op.runs()
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		w.hideColumns(runs, hides(op.hiddenArgs))
		return nil
	})
	return 0, nil
}

// hideColumns hides or shows the columns that one operation names.
func (w *sheetWork) hideColumns(runs []lineRun, hide bool) {
	now, rest := w.skel.HiddenColumns(), 0
	for _, r := range runs {
		for c := r.from; c <= r.to; c++ {
			if now[c] != hide {
				rest++
			}
		}
		w.rep.Hits += r.to - r.from + 1
	}
	if rest == 0 {
		w.rep.Hits = 0
		w.saidHidden(true, runs, hide)
		return
	}
	mark, width := "", w.skel.DefaultWidth()
	if hide {
		mark = ` hidden="1"`
	}
	w.edit(columnEdits(w.skel, runs, w.prefix, func(_ int, tag []byte) []byte {
		switch {
		case tag != nil:
			return sheetml.EditTag(tag, mark, "hidden")
		case hide:
			return []byte("<" + w.prefix + `col width="` + width + `" hidden="1"/>`)
		}
		return nil
	})...)
}

// saidHidden warns that an operation changes nothing.
func (w *sheetWork) saidHidden(cols bool, runs []lineRun, hide bool) {
	what := make([]string, 0, len(runs))
	for _, r := range runs {
		what = append(what, runName(cols, r.from, r.to))
	}
	names := listed(what, len(what))
	if hide {
		w.warn("%s is hidden already; nothing was changed", names)
	} else {
		w.warn("nothing in %s is hidden; nothing was changed", names)
	}
}
