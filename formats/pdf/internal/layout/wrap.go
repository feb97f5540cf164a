package layout

import "slices"

// table joins the lines of a region into rows.
func (g *region) table(p *Page, rules *rules) *table {
	joined := g.joins(p, rules)
	t := &table{}
	for i, l := range g.lines {
		if i == 0 || !joined[i] {
			t.rows = append(t.rows, make([][]int, len(g.cols)))
		}
		row := t.rows[len(t.rows)-1]
		for c, cell := range l.cells {
			for _, ch := range cell {
				row[c] = append(row[c], ch.words...)
			}
		}
	}
	for _, row := range t.rows {
		for _, cell := range row {
			slices.Sort(cell)
		}
	}
	return t
}

// joins reports which lines continue the row above.
func (g *region) joins(p *Page, rules *rules) []bool {
	out, ruled := make([]bool, len(g.lines)), make([]bool, len(g.lines))
	bands := 1
	w := g.width()
	for i := 1; i < len(g.lines); i++ {
		if ruled[i] = rules.between(g.lines[i-1].row.last, g.lines[i].row.first, w); ruled[i] {
			bands++
		}
	}
	if bands > 2 && g.single(ruled) {
		for i := range out {
			out[i] = i > 0 && !ruled[i]
		}
		return out
	}
	pitch := g.pitch()
	for i := 1; i < len(g.lines); i++ {
		out[i] = !ruled[i] && g.continues(p, i, pitch)
	}
	return out
}

// single reports whether the text between two drawn lines is one row: its
// first column has one cell at most.
func (g *region) single(ruled []bool) bool {
	lines, cells, joined := 0, 0, 0
	for i, l := range g.lines {
		if i == 0 || ruled[i] {
			lines, cells = 0, 0
		}
		lines++
		if len(l.cells[0]) > 0 {
			cells++
		}
		if cells > 1 {
			return false
		}
		if lines > 1 {
			joined++
		}
	}
	return 2*joined <= len(g.lines)
}

// pitch is the usual distance of lines that begin a row: whose first cell is
// not empty.
func (g *region) pitch() float64 {
	var ds []float64
	for i := 1; i < len(g.lines); i++ {
		if len(g.lines[i].cells[0]) > 0 {
			ds = append(ds, g.lines[i].row.first-g.lines[i-1].row.last)
		}
	}
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	return ds[len(ds)/2]
}

// continues reports whether line i continues the row above: it is closer than
// rows are, or one piece of text under another, as lines of a cell are.
func (g *region) continues(p *Page, i int, pitch float64) bool {
	l, above := g.lines[i], g.lines[i-1]
	d := l.row.first - above.row.last
	if d > leading*max(l.row.size, above.row.size) {
		return false
	}
	first := len(l.cells[0]) > 0
	if d < 0.85*pitch && (!first || l.filled() <= above.filled() && l.filled() < len(g.cols)) {
		return true
	}
	if first || l.filled() != 1 {
		return false
	}
	c := slices.IndexFunc(l.cells, func(c []chunk) bool { return len(c) > 0 })
	words := l.cells[c][0].words
	return len(above.cells[c]) > 0 && !numeric(p.textOf(words)) && p.long(words)
}
