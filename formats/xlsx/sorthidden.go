package xlsx

import (
	"bytes"
	"context"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// hideSorted lets hidden rows of a sorted range stay hidden in their new places, so that
// a filter still shows the rows that meet it and what a person hid does not appear
// (18.3.1.73). from gives the former row of each row of rows, the block that has cells.
// Where r has not all columns and no filter hides rows, the row numbers that are hidden
// stay the same. A warning says which of the two happened.
func (e *structure) hideSorted(w *blockWriter, r, rows cellref.Range, hidden []int, fa *facts, from func(row int) int) {
	if len(hidden) == 0 {
		return
	}
	slices.Sort(hidden)
	count := formats.Count(len(hidden), "hidden row is", "hidden rows are")
	if (r.C1 > fa.used.C1 || r.C2 < fa.used.C2) && !w.filteredIn(r, fa) {
		e.warn("%s in the range and sorted too; the same row numbers stay hidden, because the range has not all columns of the rows", count)
		return
	}
	was := func(row int) bool {
		_, ok := slices.BinarySearch(hidden, row)
		return ok
	}
	var runs hiddenRuns
	for row := rows.R1; row <= rows.R2; row++ {
		if hide := was(from(row)); hide != was(row) {
			runs = runs.add(row, hide)
		}
	}
	w.plan.deferEdit(w.plan.sheets[w.sheet], func(_ context.Context, sw *sheetWork) error {
		for _, run := range runs {
			sw.hidden = sw.hidden.set(run)
		}
		return nil
	})
	e.warn("%s in the range and sorted too; what was hidden is hidden in its new place", count)
}

// filteredIn reports whether a filter of the sheet or of a table has criteria and all
// its columns in r.
func (w *blockWriter) filteredIn(r cellref.Range, fa *facts) bool {
	in := func(ref cellref.Range) bool { return ref.Meets(r) && ref.C1 >= r.C1 && ref.C2 <= r.C2 }
	for _, t := range w.tables {
		if tag, end, ok := tableChild(t.Doc, "autoFilter"); ok && in(filterRef(t)) && bytes.Contains(t.Doc[tag.Start:end], []byte("filterColumn")) {
			return true
		}
	}
	sheet := &sheetWork{skel: fa.skel}
	tag, end, ok := sheet.child("autoFilter")
	return ok && in(cellref.ParseAttr(tag.AttrLocal("ref"))) && bytes.Contains(fa.skel.Doc[tag.Start:end], []byte("filterColumn"))
}
