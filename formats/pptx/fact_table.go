package pptx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/internal/seqdiff"
)

// describeBoth reports a shape that is on both sides, and what only a
// comparison of both can: its paragraphs and cells.
func describeBoth(a *page, sa *placedShape, b *page, sb *placedShape) {
	fromA, fromB := len(a.items), len(b.items)
	a.describe(sa)
	b.describe(sb)
	switch {
	case sa.tbl != nil && sb.tbl != nil:
		compareTables(a, sa, b, sb)
	case sa.body != nil && sb.body != nil:
		compareTexts(a, sa, sa.body, b, sb, sb.body, "")
	}
	if !sa.inDiff && isTrue(sa.cnv.Value("hidden")) == isTrue(sb.cnv.Value("hidden")) && slices.EqualFunc(a.items[fromA:], b.items[fromB:], func(x, y inventory.Item) bool { return x.Key == y.Key && x.Text == y.Text && x.Sum == y.Sum }) {
		a.addProperty(sa, formats.FactShape, "stored", "how it is stored", a.shapeSum(sa))
		b.addProperty(sb, formats.FactShape, "stored", "how it is stored", b.shapeSum(sb))
	}
}

// cell is an a:tc with its place in the tableGrid.
type cell struct {
	n             *node
	text          string
	rows, columns int // merged to
	covered       bool
}

// tableGrid is a table's cells by row and column.
type tableGrid struct {
	rows    []*node
	columns []*node
	cells   [][]cell
}

func (t *tree) tableGrid(tbl *node) tableGrid {
	var g tableGrid
	for k := range tbl.Child(nsA, "tblGrid").Kids() {
		if k.Is(nsA, "gridCol") {
			g.columns = append(g.columns, k)
		}
	}
	for tr := range tbl.Kids() {
		if !tr.Is(nsA, "tr") {
			continue
		}
		var row []cell
		for tc := range tr.Kids() {
			if tc.Is(nsA, "tc") {
				row = append(row, cell{n: tc, text: t.oneLine(tc.Child(nsA, "txBody")), rows: intOr(tc.Value("rowSpan"), 1), columns: intOr(tc.Value("gridSpan"), 1),
					covered: isTrue(tc.Value("hMerge")) || isTrue(tc.Value("vMerge"))})
			}
		}
		g.rows, g.cells = append(g.rows, tr), append(g.cells, row)
	}
	return g
}

func (g tableGrid) rowText(i int) string {
	var out []string
	for _, c := range g.cells[i] {
		out = append(out, c.text)
	}
	return strings.Join(out, "\t")
}

func (g tableGrid) columnText(j int) string {
	var out []string
	for _, row := range g.cells {
		if j < len(row) {
			out = append(out, row[j].text)
		}
	}
	return strings.Join(out, "\t")
}

// table reports a table as a whole: its size, its style options (21.1.3.15).
func (p *page) table(s *placedShape, tbl *node) {
	rows, columns := tableSize(tbl)
	if !s.both { // what is on both sides is reported line by line
		p.addContent(s, formats.FactTable, fmt.Sprintf("table of %s and %s", formats.Count(rows, "row"), formats.Count(columns, "column")), inventory.Sum{})
	}
	props := tbl.Child(nsA, "tblPr")
	p.addAttributes(s, formats.FactTable, "tbl", "", tbl)
	for a := range props.Attributes() {
		words := map[string]string{"firstRow": "first row stands out", "bandRow": "banded rows", "firstCol": "first column stands out", "lastRow": "last row stands out", "lastCol": "last column stands out", "bandCol": "banded columns", "rtl": "right to left"}[a.Name]
		if words != "" {
			p.addProperty(s, formats.FactTable, "tblPr "+a.Name, attrWords(words, a.Value()), inventory.SumOf([]byte(a.Value())))
		}
	}
	p.addAttributes(s, formats.FactTable, "tblPr", "", props, "firstRow", "bandRow", "firstCol", "lastRow", "lastCol", "bandCol", "rtl")
	p.addKids(s, formats.FactTable, "tblPr", "", props, func(n *node) bool {
		if isFill(n) {
			p.addProperty(s, formats.FactTable, "tblPr fill", "fill: "+p.fillWords(n), p.sum(nil, n))
		}
		if n.Is(nsA, "tableStyleId") {
			p.addProperty(s, formats.FactTable, "style", "table style "+p.tableStyle(p.t.Text(n)), p.sum(nil, n))
		}
		return isFill(n) || n.Is(nsA, "tableStyleId")
	})
	p.addKids(s, formats.FactTable, "tbl", "", tbl, func(n *node) bool { return n == props || n.Is(nsA, "tblGrid") || n.Is(nsA, "tr") })
	p.addKids(s, formats.FactTable, "tblGrid", "", tbl.Child(nsA, "tblGrid"), func(n *node) bool { return n.Is(nsA, "gridCol") })
}

// compareTables reports rows, columns, merges and the formats of cells.
func compareTables(a *page, sa *placedShape, b *page, sb *placedShape) {
	x, y := a.t.tableGrid(sa.tbl), b.t.tableGrid(sb.tbl)
	rows := pairLines(len(x.rows), len(y.rows), x.rowText, y.rowText)
	columns := pairLines(len(x.columns), len(y.columns), x.columnText, y.columnText)
	c := &tableDiff{a: a, b: b, sa: sa, sb: sb, changes: map[cellChange]int{}}
	c.lines("row", rows, x.rows, y.rows, x.rowText, y.rowText)
	c.lines("column", columns, x.columns, y.columns, x.columnText, y.columnText)
	for _, r := range rows {
		for _, k := range columns {
			if r[0] >= 0 && r[1] >= 0 && k[0] >= 0 && k[1] >= 0 && k[0] < len(x.cells[r[0]]) && k[1] < len(y.cells[r[1]]) {
				c.cell(x.cells[r[0]][k[0]], y.cells[r[1]][k[1]], r[1], k[1])
			}
		}
	}
	c.addFact()
	a.merges(sa, x, newPlaces(rows), newPlaces(columns))
	b.merges(sb, y, nil, nil)
}

// newPlaces returns where the lines of the old table are in the new one.
func newPlaces(pairs [][2]int) map[int]int {
	out := map[int]int{}
	for _, l := range pairs {
		if l[0] >= 0 && l[1] >= 0 {
			out[l[0]] = l[1]
		}
	}
	return out
}

// merges reports the merged cells of a tableGrid; rows and columns say where
// its lines are in the new one, nil where this is it.
func (p *page) merges(s *placedShape, g tableGrid, rows, columns map[int]int) {
	place := func(lines map[int]int, i int) int {
		if lines == nil {
			return i
		}
		if j, ok := lines[i]; ok {
			return j
		}
		return -1 - i
	}
	for r, row := range g.cells {
		for k, cl := range row {
			if cl.rows > 1 || cl.columns > 1 {
				p.merge(s, g, r, k, place(rows, r), place(columns, k))
			}
		}
	}
}

// maxCovered bounds the cells below merged ones that are looked at on a page.
const maxCovered = 200_000

// pairLines pairs rows or columns by their texts; -1 is none.
func pairLines(n, m int, was, now func(int) string) [][2]int {
	if n == m {
		out := make([][2]int, n)
		for i := range out {
			out[i] = [2]int{i, i}
		}
		return out
	}
	var out [][2]int
	for _, st := range seqdiff.Lists(n, m, seqdiff.Options{
		KeyA: func(i int) uint64 { return hashOf([]byte(was(i))) }, KeyB: func(j int) uint64 { return hashOf([]byte(now(j))) },
		Similar: func(i, j int) float64 { return seqdiff.Ratio(strings.Fields(was(i)), strings.Fields(now(j))) },
	}) {
		out = append(out, [2]int{st.A, st.B})
	}
	return out
}

type cellChange struct {
	old, new       string
	oldSum, newSum inventory.Sum
}

type tableDiff struct {
	a, b    *page
	sa, sb  *placedShape
	order   []cellChange
	changes map[cellChange]int
	places  [][]string
}

// lines reports rows or columns that came or went, and their heights or widths.
func (c *tableDiff) lines(what string, pairs [][2]int, was, now []*node, wasText, nowText func(int) string) {
	kind := map[string]string{"row": formats.FactRows, "column": formats.FactColumns}[what]
	words := func(text string) string {
		return "“" + clip(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\t' }), "”, “"), 200) + "”"
	}
	attr := map[string]string{"row": "h", "column": "w"}[what]
	var sizes []lineSize
	for i, l := range pairs {
		key := fmt.Sprintf("%s %d", what, i)
		switch {
		case l[0] < 0:
			c.b.addItem(inventory.Item{Kind: kind, Key: c.sb.key + " " + key, At: fmt.Sprintf("%s, %s %d", c.sb.at, what, l[1]+1), Text: words(nowText(l[1]))})
			continue
		case l[1] < 0:
			c.a.addItem(inventory.Item{Kind: kind, Key: c.sa.key + " " + key, At: fmt.Sprintf("%s, %s %d", c.sb.at, what, l[0]+1), Text: words(wasText(l[0]))})
			continue
		}
		leave := func(k *node) bool { return k.Is(nsA, "tc") }
		at := fmt.Sprintf("%s, %s %d", c.sb.at, what, l[1]+1)
		c.a.addItem(inventory.Item{Kind: formats.FactTable, Key: c.sa.key + " " + key + " rest", At: at, Text: "extension data", Sum: c.a.sumBut(was[l[0]], leave, attr)})
		c.b.addItem(inventory.Item{Kind: formats.FactTable, Key: c.sb.key + " " + key + " rest", At: at, Text: "extension data", Sum: c.b.sumBut(now[l[1]], leave, attr)})
		sz := lineSize{l[1], l[1], was[l[0]].Value(attr), now[l[1]].Value(attr)}
		if n := len(sizes); n > 0 && sizes[n-1].to == l[1]-1 && sizes[n-1].old == sz.old && sizes[n-1].now == sz.now {
			sizes[n-1].to = l[1]
		} else if sz.old != sz.now {
			sizes = append(sizes, sz)
		}
	}
	for _, sz := range sizes {
		c.size(what, sz.from, sz.to, sz.old, sz.now)
	}
}

// lineSize is the height or width of lines next to each other.
type lineSize struct {
	from, to int
	old, now string
}

// size reports the heights or widths of lines next to each other.
func (c *tableDiff) size(what string, from, to int, old, now string) {
	kind := map[string]string{"row": formats.FactRowHeight, "column": formats.FactColumnWidth}[what]
	at := fmt.Sprintf("%s, %s %d", c.sb.at, what, from+1)
	if to > from {
		at = fmt.Sprintf("%s, %ss %d–%d", c.sb.at, what, from+1, to+1)
	}
	for _, x := range []struct {
		p *page
		s *placedShape
		v string
	}{{c.a, c.sa, old}, {c.b, c.sb, now}} {
		t := inventory.Item{Kind: kind, Key: fmt.Sprintf("%s %s %d size", x.s.key, what, from), At: at, Text: hundredths(x.v, 360000) + " cm", Sum: inventory.SumOf([]byte(x.v))}
		if intOr(x.v, 0) == 0 {
			t.WarnAdded = "the " + what + " has no size and is not seen"
		}
		x.p.addItem(t)
	}
}

// cell notes how a cell's look changed.
func (c *tableDiff) cell(x, y cell, row, column int) {
	place := fmt.Sprintf(", row %d, column %d", row+1, column+1)
	old, oldSum := c.a.cellLook(x.n)
	now, newSum := c.b.cellLook(y.n)
	if oldSum != newSum {
		ch := cellChange{old: old, new: now, oldSum: oldSum, newSum: newSum}
		i, ok := c.changes[ch]
		if !ok {
			i = len(c.order)
			c.changes[ch] = i
			c.order, c.places = append(c.order, ch), append(c.places, nil)
		}
		c.places[i] = append(c.places[i], strings.TrimPrefix(place, ", "))
	}
	xb, yb := x.n.Child(nsA, "txBody"), y.n.Child(nsA, "txBody")
	if xb != nil && yb != nil && c.a.sum(nil, xb) != c.b.sum(nil, yb) {
		sa, sb := *c.sa, *c.sb
		sa.key, sb.key = sa.key+place, sb.key+place
		sa.at, sb.at = c.sb.at+place, c.sb.at+place
		sa.inDiff = x.text != y.text
		sb.inDiff = sa.inDiff
		c.a.body(&sa, xb)
		c.b.body(&sb, yb)
		compareTexts(c.a, &sa, xb, c.b, &sb, yb, "")
	}
}

// cellLook says a cell but its text and merges (21.1.3.17).
func (p *page) cellLook(tc *node) (string, inventory.Sum) {
	var out []string
	props := tc.Child(nsA, "tcPr")
	if props != nil {
		for a := range props.Attributes() {
			switch a.Name {
			case "anchor":
				out = append(out, "text "+anchors[a.Value()])
			case "marL", "marR", "marT", "marB":
				out = append(out, map[string]string{"marL": "left", "marR": "right", "marT": "top", "marB": "bottom"}[a.Name]+" margin "+hundredths(a.Value(), 360000)+" cm")
			default:
				if !strings.HasPrefix(a.Name, "xmlns") {
					out = append(out, attrWords(a.Name, a.Value()))
				}
			}
		}
	}
	for k := range props.Kids() {
		switch border := map[string]string{"lnL": "left", "lnR": "right", "lnT": "top", "lnB": "bottom", "lnTlToBr": "falling", "lnBlToTr": "rising"}[k.Local]; {
		case isFill(k):
			out = append(out, "fill: "+p.fillWords(k))
		case border != "":
			out = append(out, border+" border: "+p.lineWords(k))
		default:
			out = append(out, p.describeElement(k, 60))
		}
	}
	return orPlain(clip(strings.Join(out, "; "), 300)), p.sumBut(tc, func(n *node) bool { return n.Is(nsA, "txBody") && n.Parent == tc }, "rowSpan", "gridSpan", "hMerge", "vMerge")
}

func (c *tableDiff) addFact() {
	for i, ch := range c.order {
		list := c.places[i]
		where := list[0]
		if len(list) > 1 {
			where = fmt.Sprintf("%s to %s, %d cells", list[0], list[len(list)-1], len(list))
		}
		key := fmt.Sprintf(" cells %d", i)
		c.a.addItem(inventory.Item{Kind: formats.FactFormat, Key: c.sa.key + key, At: c.sb.at + ", " + where, Text: ch.old, Sum: ch.oldSum})
		c.b.addItem(inventory.Item{Kind: formats.FactFormat, Key: c.sb.key + key, At: c.sb.at + ", " + where, Text: ch.new, Sum: ch.newSum})
	}
}

// merge reports a merged cell and the texts that it covers; row and column are
// its place in the new table, below 0 when that line is gone.
func (p *page) merge(s *placedShape, g tableGrid, r0, k0, row, column int) {
	c := g.cells[r0][k0]
	var under []string
	sum := inventory.Sum{}
	// Merges that overlap, which no program writes, may each cover the whole table.
	rows, columns := min(c.rows, len(g.cells)-r0), min(c.columns, len(g.columns)+1)
	p.covered += rows * columns
	looked := p.covered <= maxCovered
	if !looked {
		rows, columns = 1, 1
	}
	for r := r0; r < r0+rows; r++ {
		for k := k0; k < min(k0+columns, len(g.cells[r])); k++ {
			o := g.cells[r][k]
			for _, a := range []string{"rowSpan", "gridSpan", "hMerge", "vMerge"} {
				sum = inventory.SumOf(sum[:], []byte(o.n.Value(a)))
			}
			if (r != r0 || k != k0) && o.text != "" {
				under = append(under, quoted(o.text))
			}
		}
	}
	at := fmt.Sprintf("%s, row %d, column %d", s.at, row+1, column+1)
	if row < 0 || column < 0 {
		at = fmt.Sprintf("%s, row %d, column %d before", s.at, r0+1, k0+1)
	}
	t := inventory.Item{Kind: formats.FactMerge, Key: fmt.Sprintf("%s merge %d %d", s.key, row, column), At: at, Text: fmt.Sprintf("%d × %d cells", c.rows, c.columns), Sum: sum}
	if !looked {
		t.Text += ", overlapping others; what it covers was not looked at"
		t.WarnAdded = "too large to compare in full: what these merged cells cover"
	}
	if len(under) > 0 {
		t.Text += ", covers " + clip(strings.Join(under, ", "), 200)
		t.WarnAdded = "merged cells cover " + clip(strings.Join(under, ", "), 200)
	}
	p.addItem(t)
}
