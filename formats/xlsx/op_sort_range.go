package xlsx

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type sortRangeArgs struct {
	rangeArgs
	By []SortKey `json:"by" usage:"by" jsonschema:"{ops}: the columns to sort by"`
	headerArgs
}

// SortKey is one column that sort_range sorts by.
type SortKey struct {
	Column     any          `json:"column" jsonschema:"letter such as C, or 1-based number"`
	Descending lenient.Bool `json:"descending,omitempty"`
}

// sortRange sorts the rows of a range. Whole cells move, with their formats;
// relative references in them move along, as in Excel.
func sortRange(ctx context.Context, e *structure, op sortRangeArgs) error {
	i, r, err := e.rangeOf(op.rangeArgs)
	if err != nil {
		return err
	}
	if op.HasHeader != nil && bool(*op.HasHeader) {
		r.R1++
	}
	if len(op.By) == 0 {
		return formats.Errorf(formats.CodeInvalid, `by is required, such as [{"column":"B","descending":true}]`)
	}
	keys, err := op.keys(r)
	if err != nil {
		return err
	}
	w, err := e.writer(ctx, nil, i)
	if err != nil {
		return err
	}
	s, ok, err := e.readSorted(ctx, i, r, keys, w.strings)
	if err != nil {
		return err
	}
	if !ok {
		return e.sortArrays(ctx, w, r, keys, op)
	}
	if err := maySort(s.facts, w, e.wb.Sheets[i].Name, r); err != nil {
		return err
	}
	if s.rect.Empty() {
		e.warn("there was nothing in %s to sort", op.Range)
		return nil
	}
	e.rep.Hits = s.sort(op.By)
	if err := s.moved.failed(); err != nil {
		return err
	}
	if e.rep.Hits == 0 {
		e.warn("the rows were in this order already")
		return nil
	}
	if err := s.moved.arrange(ctx); err != nil {
		return err
	}
	e.hideSorted(w, r, s.rect, s.hidden, s.facts, s.former)
	e.saidOfReading(s.reading)
	sheet := w.plan.sheets[i]
	sheet.moved, sheet.known = s.moved, s.known()
	return e.sorted(ctx, w, r, keys, op, s.facts)
}

// sortArrays sorts rows with array formulas of one cell among them, which it holds cell
// by cell.
func (e *structure) sortArrays(ctx context.Context, w *blockWriter, r cellref.Range, keys []int, op sortRangeArgs) error {
	b, err := e.readBlock(ctx, w.sheet, r, arraysOfOneCell)
	if err != nil {
		return err
	}
	if err := maySort(b.facts, w, e.wb.Sheets[w.sheet].Name, r); err != nil {
		return err
	}
	if b.rect.Empty() {
		e.warn("there was nothing in %s to sort", op.Range)
		return nil
	}
	order := b.order(keys, op.By, w.strings)
	if e.rep.Hits = w.moveRows(b, order); e.rep.Hits == 0 {
		e.warn("the rows were in this order already")
		return nil
	}
	n := 0
	for at, c := range b.cells {
		if c.hasF && readsOtherRows(c.f, at.Row) {
			n++
		}
	}
	e.hideSorted(w, r, b.rect, b.hidden, b.facts, func(row int) int { return order[row-b.rect.R1] })
	e.saidOfReading(n)
	return e.sorted(ctx, w, r, keys, op, b.facts)
}

// sorted writes the rows in their new order.
func (e *structure) sorted(ctx context.Context, w *blockWriter, r cellref.Range, keys []int, op sortRangeArgs, fa *facts) error {
	w.noteSort(r, keys, op.By)
	if len(fa.skel.Elements("hyperlink")) > 0 {
		e.warn("links on cells stay in their places")
	}
	notes, err := e.commentsIn(ctx, w.sheet, r)
	if err != nil {
		return err
	}
	if notes > 0 {
		e.warn("%s in place, on the cells that are sorted", formats.Count(notes, "comment stays", "comments stay"))
	}
	return w.finish(ctx)
}

// keys returns the columns to sort by.
func (op sortRangeArgs) keys(r cellref.Range) ([]int, error) {
	keys := make([]int, len(op.By))
	for k, by := range op.By {
		var err error
		if keys[k], err = columnNumber(by.Column); err != nil {
			return nil, err
		}
		if keys[k] < r.C1 || keys[k] > r.C2 {
			return nil, formats.Errorf(formats.CodeInvalid, "column %s is not in the range %s", cellref.ColumnName(keys[k]), op.Range)
		}
	}
	return keys, nil
}

// dataRowsOnly refuses a range with the header or the totals of a table in it.
func dataRowsOnly(tables []*book.Table, r cellref.Range) error {
	for _, t := range tables {
		top, bottom := cellref.Block(t.Ref.R1, t.Ref.C1, t.Ref.R1, t.Ref.C2), cellref.Block(t.Ref.R2, t.Ref.C1, t.Ref.R2, t.Ref.C2)
		if t.Headers > 0 && meets(top, r) {
			return formats.Errorf(formats.CodeInvalid, "row %d is the header of the table %s; give has_header, or begin the range below it", t.Ref.R1, t.Name)
		}
		if t.Totals > 0 && meets(bottom, r) {
			return formats.Errorf(formats.CodeInvalid, "row %d has the totals of the table %s; end the range above it", t.Ref.R2, t.Name)
		}
	}
	return nil
}

// moveRows puts the rows of a block into an order and returns how many move.
func (w *blockWriter) moveRows(b *block, order []int) (moved int) {
	rows := map[int][]int{}
	for at := range b.cells {
		rows[at.Row] = append(rows[at.Row], at.Col)
	}
	for k, from := range order {
		to := b.rect.R1 + k
		if from == to {
			continue
		}
		moved++
		for _, col := range rows[to] {
			if b.cells[cellref.At(from, col)] == nil {
				w.put(cellref.At(to, col), nil, false)
			}
		}
		for _, col := range rows[from] {
			w.put(cellref.At(to, col), b.cells[cellref.At(from, col)].moved(to-from, 0), false)
		}
	}
	return moved
}

// readsOtherRows reports whether a formula in a row has a relative reference to
// another row of its sheet.
func readsOtherRows(f string, row int) bool {
	for t := range formula.Tokens(f) {
		if t.Kind != formula.Ref || t.Sheet != "" {
			continue
		}
		for _, a := range []cellref.End{t.From, t.To} {
			if (a.Kind == cellref.CellEnd || a.Kind == cellref.RowEnd) && !a.AbsRow && a.Row != row {
				return true
			}
		}
	}
	return false
}

func meets(a, b cellref.Range) bool {
	return !a.Empty() && !b.Empty() && a.R1 <= b.R2 && b.R1 <= a.R2 && a.C1 <= b.C2 && b.C1 <= a.C2
}

// maySort refuses a range with merged cells in it, and one with headers or totals.
func maySort(fa *facts, w *blockWriter, sheet string, r cellref.Range) error {
	for _, m := range fa.skel.Merges() {
		if meets(m, r) {
			return formats.Errorf(formats.CodeInvalid, "the merged cell %s of sheet %q is in the range; unmerge it first", m, sheet)
		}
	}
	return dataRowsOnly(w.tables, r)
}

// sortValue is what a cell counts as: numbers come before text, FALSE, TRUE
// and errors; blanks come last in either direction.
type sortValue struct {
	rank   int
	number float64
	text   string
}

const blankRank = 9

func (c *blockCell) sortValue(strings *book.SharedStrings) sortValue {
	if c == nil || c.v == "" && c.is == "" {
		return sortValue{rank: blankRank}
	}
	v := c.value(true, strings)
	switch {
	case c.typ == sheetml.TypeNumber || c.typ == sheetml.TypeDate:
		if n, err := strconv.ParseFloat(v.s, 64); err == nil {
			return sortValue{rank: 1, number: n}
		}
	case c.typ == sheetml.TypeBool:
		return sortValue{rank: 3, text: v.s}
	case c.typ == sheetml.TypeError:
		return sortValue{rank: 4}
	}
	return sortValue{rank: 2, text: v.s}
}

// compare orders two values; a blank comes last in either direction.
func (a sortValue) compare(b sortValue, descending bool) int {
	if a.rank == blankRank || b.rank == blankRank {
		return cmp.Compare(a.rank, b.rank)
	}
	c := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	if descending {
		return -c
	}
	return c
}

// order gives the rows of the block as they are to stand.
func (b *block) order(keys []int, by []SortKey, strs *book.SharedStrings) []int {
	col := collate.New(language.Und, collate.IgnoreCase)
	var buf collate.Buffer
	type line struct {
		row  int
		keys []sortValue
	}
	lines := make([]line, 0, b.rect.R2-b.rect.R1+1)
	for row := b.rect.R1; row <= b.rect.R2; row++ {
		l := line{row: row}
		for _, k := range keys {
			v := b.cells[cellref.At(row, k)].sortValue(strs)
			if v.rank == 2 {
				v.text = string(col.KeyFromString(&buf, v.text))
				buf.Reset()
			}
			l.keys = append(l.keys, v)
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(x, y line) int {
		for k := range keys {
			if c := x.keys[k].compare(y.keys[k], bool(by[k].Descending)); c != 0 {
				return c
			}
		}
		return 0
	})
	out := make([]int, len(lines))
	for k, l := range lines {
		out[k] = l.row
	}
	return out
}
