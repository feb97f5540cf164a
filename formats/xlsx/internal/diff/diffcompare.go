package diff

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/looks"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxMovedHeld bounds the rows that moved and are compared cell by cell.
const maxMovedHeld = 20_000

// sharedLong stands for the formulas of two cells that are known to be the same.
const sharedLong = "(a shared formula)"

// sheetCompare gathers what differs in the cells of a pair of sheets.
type sheetCompare struct {
	*sheetDiff
	x      *bookDiff
	items  []formats.DiffItem
	metas  []itemMeta
	open   map[int]int // by column: the item whose run of alike formulas may go on
	looks  map[[2]int]*region
	hidden map[string]*region
	values map[string]*valueRegion
	texts  map[int]*columnText // by new column, of inserted ones; by -old of deleted ones
	defA   func(row, col int) int
	defB   func(row, col int) int
	unread region // cells whose formulas are too long in all to be compared
	move   bool   // the rows being compared moved
}

// itemMeta is the block of an item and what makes its formulas alike.
type itemMeta struct {
	cellref.Range
	sig string
}

type columnText struct {
	cells []string
	n     int
	last  string
}

// compareCells lists what changed in the cells of a sheet, or is in one that came
// or went.
func (x *bookDiff) compareCells(ctx context.Context, s *sheetDiff) ([]formats.DiffItem, error) {
	c := &sheetCompare{sheetDiff: s, x: x, open: map[int]int{}, looks: map[[2]int]*region{}, hidden: map[string]*region{}, values: map[string]*valueRegion{}, texts: map[int]*columnText{}}
	c.defA, c.defB = defaults(s.a), defaults(s.b)
	rowsA, rowsB, moved := s.rowsToRead()
	held, err := x.a.hold(ctx, s.sheetPair.a, moved)
	if err != nil {
		return nil, err
	}
	feedA, feedB := x.a.feed(ctx, s.sheetPair.a, rowsA), x.b.feed(ctx, s.sheetPair.b, rowsB)
	defer feedA.stop()
	defer feedB.stop()
	for n, t := range s.todo {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		was, known := held[t.a], true
		if t.moved {
			_, known = held[t.a]
		} else if was, err = feedA.get(t.a); err != nil {
			return nil, err
		}
		now, err := feedB.get(t.b)
		if err != nil {
			return nil, err
		}
		c.row(t, was, now, known)
	}
	columns, err := x.movedColumns(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := c.columnTexts(ctx); err != nil {
		return nil, err
	}
	c.columnItems(columns)
	c.facts()
	return c.merged(), nil
}

// rowsToRead lists the rows of each side in the order in which they are read.
// moved are those of the old side that are compared out of order, as many as may
// be held.
func (s *sheetDiff) rowsToRead() (a, b, moved []int) {
	for _, t := range s.todo {
		switch {
		case t.moved && t.a > 0:
			moved = append(moved, t.a)
		case t.a > 0:
			a = append(a, t.a)
		}
		if t.b > 0 {
			b = append(b, t.b)
		}
	}
	if len(moved) > maxMovedHeld {
		moved = moved[:maxMovedHeld]
	}
	slices.Sort(moved)
	slices.Sort(a)
	return a, b, moved
}

// hold reads rows of a sheet, given in order, into memory.
func (w *bookSide) hold(ctx context.Context, sheet int, rows []int) (map[int][]seenCell, error) {
	held := map[int][]seenCell{}
	f := w.feed(ctx, sheet, rows)
	defer f.stop()
	for _, n := range rows {
		cells, err := f.get(n)
		if err != nil {
			return nil, err
		}
		held[n] = cells
	}
	return held, nil
}

// defaults gives the format of a place that has no cell.
func defaults(s *sheetScan) func(row, col int) int {
	cols := stylesOfRuns(s.cols)
	return func(row, col int) int {
		if st := stateAt(s.rows, row); st.style >= 0 {
			return st.style
		}
		return cols(col)
	}
}

// row compares two rows, or lists one that came or went.
func (c *sheetCompare) row(t rowTodo, was, now []seenCell, known bool) {
	x := c.x
	if c.sheetPair.a < 0 || c.sheetPair.b < 0 {
		c.wholeRow(t, was, now)
		return
	}
	hasA, hasB := holds(was), holds(now)
	if t.a > 0 && t.b > 0 {
		hasA, hasB = holdsOwn(was, t.a, c.a.spilled), holdsOwn(now, t.b, c.b.spilled)
	}
	switch {
	case t.moved:
		x.moved++
		it := formats.DiffItem{Change: formats.Moved, At: fmt.Sprintf("row %d", t.b), From: fmt.Sprintf("row %d", t.a)}
		if !known {
			it.Notes = []string{"not compared cell by cell, since so many rows moved"}
		}
		c.keep(it, itemMeta{})
		if !known {
			return
		}
	case !hasA && hasB:
		if t.a > 0 {
			x.rows++
		}
		x.reaching(c.name, t.b, now)
		c.keepRow(formats.DiffItem{Change: formats.Added, At: fmt.Sprintf("row %d", t.b)}, now)
	case hasA && !hasB:
		if t.b > 0 {
			x.rows++
		}
		c.keepRow(formats.DiffItem{Change: formats.Removed, At: fmt.Sprintf("row %d", t.a)}, was)
	}
	whole := hasA != hasB
	switch {
	case t.a == 0: // an inserted row
		for _, cell := range now {
			c.unseen(t.b, cell)
		}
	case t.b == 0:
	default:
		to, _ := c.rows.to(t.a)
		c.move = t.moved || to != t.b
		c.compareRow(was, now, t.a, t.b, whole)
	}
}

func holds(cells []seenCell) bool {
	return slices.ContainsFunc(cells, func(c seenCell) bool { return !c.blank })
}

// wholeRow is a row of a sheet that came or went.
func (c *sheetCompare) wholeRow(t rowTodo, was, now []seenCell) {
	if holds(was) {
		c.keepRow(formats.DiffItem{Change: formats.Removed, At: fmt.Sprintf("row %d", t.a)}, was)
	}
	if holds(now) {
		c.x.reaching(c.name, t.b, now)
		c.keepRow(formats.DiffItem{Change: formats.Added, At: fmt.Sprintf("row %d", t.b)}, now)
		for _, cell := range now {
			c.unseen(t.b, cell)
		}
	}
}

// unseen notes a new cell of which the format hides what it holds, or whose formula
// is not known.
func (c *sheetCompare) unseen(row int, cell seenCell) {
	if cell.cut {
		c.unread.add(row, cell.col, true)
	}
	if cell.blank {
		return
	}
	if how := c.x.b.lookAt(cell.style).Hides(); how != "" {
		g := c.hidden[how]
		if g == nil {
			g = &region{}
			c.hidden[how] = g
		}
		g.add(row, cell.col, true)
	}
}

var noLook looks.Look

func (w *bookSide) lookAt(style int) *looks.Look {
	if style >= 0 && style < len(w.book.Cells) {
		return w.book.Cells[style]
	}
	if len(w.book.Cells) > 0 {
		return w.book.Cells[0]
	}
	return &noLook
}

// compareRow compares the cells of two rows that belong together; whole says that
// an item lists all of their contents.
func (c *sheetCompare) compareRow(was, now []seenCell, rowA, rowB int, whole bool) {
	if !c.cols.same() {
		was, now = c.inColumns(was, now)
	}
	byCol := func(a, b seenCell) int { return cmp.Compare(a.col, b.col) }
	if !slices.IsSortedFunc(was, byCol) {
		slices.SortStableFunc(was, byCol)
	}
	if !slices.IsSortedFunc(now, byCol) {
		slices.SortStableFunc(now, byCol)
	}
	i, j := 0, 0
	for i < len(was) || j < len(now) {
		var a, b seenCell
		switch {
		case j >= len(now) || i < len(was) && was[i].col < now[j].col:
			a = was[i]
			b = seenCell{col: a.col, blank: true, style: c.defB(rowB, a.col)}
			i++
		case i >= len(was) || now[j].col < was[i].col:
			b = now[j]
			a = seenCell{col: b.col, blank: true, style: c.defA(rowA, c.oldColumn(b.col))}
			j++
		default:
			a, b = was[i], now[j]
			i, j = i+1, j+1
		}
		c.cell(a, b, rowA, rowB, whole)
	}
}

func (c *sheetCompare) oldColumn(col int) int {
	if c.cols.same() {
		return col
	}
	from, _ := c.cols.from(col)
	return from
}

// inColumns puts the old cells where they would be now and leaves those of
// columns that came or went out.
func (c *sheetCompare) inColumns(was, now []seenCell) (a, b []seenCell) {
	for _, cell := range was {
		if to, ok := c.cols.to(cell.col); ok {
			cell.col = to
			a = append(a, cell)
		}
	}
	for _, cell := range now {
		if _, ok := c.cols.from(cell.col); ok {
			b = append(b, cell)
		}
	}
	return a, b
}

// columnTexts reads what the columns hold that came or went.
func (c *sheetCompare) columnTexts(ctx context.Context) error {
	if c.cols.same() {
		return nil
	}
	err := c.x.a.eachCell(ctx, c.x.a.Sheets[c.sheetPair.a], func(s *sheetml.RowScanner, d *book.Display) {
		if _, ok := c.cols.to(s.Cell.Col); !ok {
			if cell := c.x.a.seen(s, d); !cell.blank {
				c.columnCell(-cell.col, s.Cell.Row, cell)
			}
		}
	})
	if err != nil {
		return err
	}
	return c.x.b.eachCell(ctx, c.x.b.Sheets[c.sheetPair.b], func(s *sheetml.RowScanner, d *book.Display) {
		if _, ok := c.cols.from(s.Cell.Col); !ok {
			if cell := c.x.b.seen(s, d); !cell.blank {
				c.columnCell(cell.col, s.Cell.Row, cell)
				c.x.reaching(c.name, s.Cell.Row, []seenCell{cell})
				c.unseen(s.Cell.Row, cell)
			}
		}
	})
}

func (c *sheetCompare) columnCell(key, row int, cell seenCell) {
	t := c.texts[key]
	if t == nil {
		t = &columnText{}
		c.texts[key] = t
	}
	t.n++
	s := cell.content()
	if cell.formula != "" {
		if r := book.RelativeForm(cell.formula, row, cell.col); r == t.last {
			return
		} else {
			t.last = r
		}
		s += "…"
	} else {
		t.last = ""
	}
	if len(t.cells) < 100 {
		t.cells = append(t.cells, book.OneLine(s))
	}
}

// columnItems lists the columns that moved, and those that came or went with what they
// hold.
func (c *sheetCompare) columnItems(moved []linePair) {
	for _, p := range moved {
		delete(c.texts, -p.a)
		delete(c.texts, p.b)
		c.x.movedCols++
		c.keep(formats.DiffItem{Change: formats.Moved, At: "column " + cellref.ColumnName(p.b), From: "column " + cellref.ColumnName(p.a)}, itemMeta{})
	}
	c.cols.leaveMoved(moved)
	keys := make([]int, 0, len(c.texts))
	for k := range c.texts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		text := book.Clip(strings.Join(c.texts[k].cells, ", "), 300)
		if k < 0 {
			c.keep(formats.DiffItem{Change: formats.Removed, At: "column " + cellref.ColumnName(-k), Old: text}, itemMeta{})
		} else {
			c.keep(formats.DiffItem{Change: formats.Added, At: "column " + cellref.ColumnName(k), New: text}, itemMeta{})
		}
	}
}

// cell compares two cells that belong together.
func (c *sheetCompare) cell(a, b seenCell, rowA, rowB int, whole bool) {
	x := c.x
	same := a.member != 0 && a.member == b.member && rowA == rowB && c.cols.same() && len(x.followers) == 0
	if (a.cut || b.cut) && !same {
		c.unread.add(rowB, b.col, true)
		a.formula, b.formula = "", "" // their values are compared
		a.member, b.member, a.blank, b.blank = 0, 0, a.shown == "" && a.value == "", b.shown == "" && b.value == ""
	} else if same {
		a.formula, b.formula = sharedLong, sharedLong
	}
	if !whole && a.formula == "" && b.formula == "" && c.spilledValue(a, b, rowA, rowB) {
		a.value, b.value, a.shown, b.shown, a.blank, b.blank = "", "", "", "", true, true // its value is told
	}
	it, differs := compareCell(a, b, func(f string) string { return c.followed(f, a, b, rowB-rowA) })
	if differs && !whole {
		x.cells++
		if !b.blank {
			x.reaching(c.name, rowB, []seenCell{b})
		}
		it.At = cellref.Name(rowB, b.col)
		c.item(it, a, b, rowA, rowB)
	}
	if !differs && a.formula != "" && a.value != b.value {
		c.value(a, b, rowB)
	}
	if !differs && a.rich != b.rich && !a.blank {
		x.richText(c.name, rowB, a, b)
	}
	if x.a.lookAt(a.style).Hash != x.b.lookAt(b.style).Hash {
		c.look(a.style, b, rowB)
	} else if differs && a.blank {
		c.unseen(rowB, b)
	}
}

// followed is a formula of the old cell a as it would read in the new cell b,
// rows further down.
func (c *sheetCompare) followed(f string, a, b seenCell, rows int) string {
	now := c.x.follow(f, c.name)
	if c.move && now != b.formula { // in a row that was sorted, what stands beside it counts
		if there := formula.Move(f, rows, b.col-a.col); there == b.formula {
			return there
		}
	}
	return now
}

// look notes a cell whose format changed.
func (c *sheetCompare) look(was int, b seenCell, row int) {
	k := [2]int{was, b.style}
	if c.looks[k] == nil {
		c.looks[k] = &region{}
	}
	c.looks[k].add(row, b.col, !b.blank)
}

// item keeps a changed cell; one whose formula goes on from the cell above makes
// that one's block larger.
func (c *sheetCompare) item(it formats.DiffItem, a, b seenCell, rowA, rowB int) {
	m := itemMeta{Range: cellref.Block(rowB, b.col, rowB, b.col)}
	if (b.formula != "" || b.blank && a.formula != "") && (a.formula != "" || a.blank) {
		m.sig = string(it.Change) + "\x00" + book.RelativeForm(b.formula, rowB, b.col) + "\x00" + book.RelativeForm(a.formula, rowA, a.col) + "\x00" + b.extra
		if k, ok := c.open[b.col]; ok && c.metas[k].R2 == rowB-1 && c.metas[k].sig == m.sig {
			c.metas[k].R2 = rowB
			return
		}
	}
	if c.keep(it, m) && m.sig != "" {
		c.open[b.col] = len(c.items) - 1
	}
}

// keep adds an item while there are not too many; the others are counted.
func (c *sheetCompare) keep(it formats.DiffItem, m itemMeta) bool {
	if c.x.kept >= c.x.limit {
		c.x.d.Omitted++
		return false
	}
	c.x.kept++
	c.items, c.metas = append(c.items, it), append(c.metas, m)
	return true
}

// keepRow is keep of a row that came or went, with what it holds.
func (c *sheetCompare) keepRow(it formats.DiffItem, cells []seenCell) {
	if c.x.kept < c.x.limit {
		if it.Old = rowText(cells); it.Change == formats.Added {
			it.Old, it.New = "", it.Old
		}
	}
	c.keep(it, itemMeta{})
}

// andSoOn marks the first of several formulas.
func andSoOn(f string) string {
	if f == "" {
		return ""
	}
	return f + "…"
}

// merged are the items, with alike formulas in columns side by side as one.
func (c *sheetCompare) merged() []formats.DiffItem {
	type key struct {
		r1, r2, next int
		sig          string
	}
	last := map[key]int{}
	gone := make([]bool, len(c.items))
	for i, m := range c.metas {
		if m.sig == "" {
			continue
		}
		k := key{m.R1, m.R2, m.C1, m.sig}
		j, ok := last[k]
		if delete(last, k); ok {
			c.metas[j].C2, gone[i] = m.C2, true
		} else {
			j = i
		}
		k.next = m.C2 + 1
		last[k] = j
	}
	var out []formats.DiffItem
	for i, it := range c.items {
		if gone[i] {
			continue
		}
		if m := c.metas[i]; m.sig != "" && (m.R1 != m.R2 || m.C1 != m.C2) {
			it.At, it.Notes = m.Range.String(), nil
			it.Old, it.New = andSoOn(it.Old), andSoOn(it.New)
		}
		out = append(out, it)
	}
	return out
}
