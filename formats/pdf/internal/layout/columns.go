package layout

import "slices"

// span is the width that the chunks of a column take.
type span struct {
	left, right float64
	seeded      bool // a column of the row with the most
}

func (s span) meets(b Box) bool { return b.Left < s.right-0.5 && b.Right > s.left+0.5 }

// region is a sequence of rows whose chunks form columns.
type region struct {
	cols  []span
	lines []line
}

// line is a row of a region.
type line struct {
	row   row
	cells [][]chunk // by column
	wide  bool      // has a chunk over several columns, put into the first of them
}

func (l line) filled() (n int) {
	for _, c := range l.cells {
		if len(c) > 0 {
			n++
		}
	}
	return n
}

// only returns the one column that is not empty, -1 when there are more.
func (l line) only() int {
	if l.filled() != 1 {
		return -1
	}
	return slices.IndexFunc(l.cells, func(c []chunk) bool { return len(c) > 0 })
}

const (
	maxColumns = 40
	maxJoined  = 500 // rows until which columns may turn out to be one
	lookAhead  = 8   // rows among which that with the most columns is looked for
	maxTries   = 4   // beginnings of a region that is no table
)

// aligned returns the tables in a run.
func (p *Page) aligned(run []row, rules *rules) (out []*table) {
	tries := 0
	for s := 0; s+1 < len(run); {
		if len(run[s].chunks) < 2 {
			s++
			continue
		}
		g, end := grow(run[s:])
		g.trim(rules)
		g.divide()
		if !g.justified(run) && p.isTable(g, rules) {
			out = append(out, g.table(p, rules))
		} else if tries++; tries < maxTries && end > 1 {
			s++
			continue
		}
		s, tries = s+max(1, end), 0
	}
	return out
}

// grow takes rows from the first on, as long as they fit into columns. end is
// how many were looked at.
func grow(rows []row) (g *region, end int) {
	g = &region{}
	best := 0
	for i := range min(len(rows), lookAhead) {
		if i > 0 && apart(rows, i) {
			break
		}
		if len(rows[i].chunks) > len(rows[best].chunks) {
			best = i
		}
	}
	if !g.seed(rows[best]) {
		return g, 1
	}
	odd := 0
	for i, r := range rows {
		if i > 0 && apart(rows, i) {
			return g, i
		}
		l, ok := g.fit(r)
		if !ok || i > 1 && l.only() == 0 && apartBy(rows, i, 1.25) {
			return g, i
		}
		if l.wide && len(r.chunks) == 1 {
			if odd++; odd > 1 || i == 0 {
				return g, i
			}
		} else {
			odd = 0
		}
		g.lines = append(g.lines, l)
	}
	return g, len(rows)
}

// apart reports whether row i is further from the one above than rows of a
// table are.
func apart(rows []row, i int) bool {
	d := rows[i].first - rows[i-1].last
	if i == 1 {
		return d > 3.2*max(rows[i].size, rows[0].size)
	}
	return apartBy(rows, i, 1.7)
}

// apartBy compares the distance with the largest of some rows before.
func apartBy(rows []row, i int, factor float64) bool {
	var before float64
	for k := max(1, i-4); k < i; k++ {
		before = max(before, rows[k].first-rows[k-1].last)
	}
	return rows[i].first-rows[i-1].last > factor*before
}

// seed makes the columns of a row.
func (g *region) seed(r row) bool {
	for _, c := range r.chunks {
		k := slices.IndexFunc(g.cols, func(s span) bool { return s.meets(c.box) })
		if k < 0 {
			if g.insert(c.box) < 0 {
				return false
			}
			continue
		}
		if !g.extend(k, c.box) {
			return false
		}
	}
	for k := range g.cols {
		g.cols[k].seeded = true
	}
	return len(g.cols) > 1
}

// insert makes a column, or returns -1.
func (g *region) insert(b Box) int {
	if len(g.cols) >= maxColumns {
		return -1
	}
	i, _ := slices.BinarySearchFunc(g.cols, b.Left, func(s span, x float64) int {
		if s.left < x {
			return -1
		}
		return 1
	})
	g.cols = slices.Insert(g.cols, i, span{left: b.Left, right: b.Right})
	for k := range g.lines {
		if cells := g.lines[k].cells; i <= len(cells) {
			g.lines[k].cells = slices.Insert(cells, i, nil)
		}
	}
	return i
}

// extend makes column k wide enough for b, unless it meets another then.
func (g *region) extend(k int, b Box) bool {
	s := g.cols[k]
	s.left, s.right = min(s.left, b.Left), max(s.right, b.Right)
	if k > 0 && g.cols[k-1].right > s.left-0.5 || k+1 < len(g.cols) && g.cols[k+1].left < s.right+0.5 {
		return false
	}
	g.cols[k] = s
	return true
}

// fit puts the chunks of a row into columns; ok is false when they do not fit.
func (g *region) fit(r row) (l line, ok bool) {
	var chunks []chunk
	for _, c := range r.chunks {
		if len(g.met(c.box)) < 2 || g.join(c.box) {
			chunks = append(chunks, c)
		} else if parts := g.split(c); parts != nil {
			chunks = append(chunks, parts...)
		} else {
			l.wide = true
			chunks = append(chunks, c)
		}
	}
	saved := slices.Clone(g.cols)
	l.row = r
	taken := make([][]chunk, len(g.cols)) // with the chunks that reach into a column
	for _, c := range chunks {
		met := g.met(c.box)
		switch {
		case len(met) == 0:
			k := g.insert(c.box)
			if k < 0 {
				return l, false
			}
			taken, met = slices.Insert(taken, k, nil), []int{k}
			l.cells = slices.Insert(l.cells, min(k, len(l.cells)), nil)
			saved = slices.Clone(g.cols)
		case len(met) == 1 && !g.extend(met[0], c.box):
			g.cols = saved
			return l, false
		}
		for _, k := range met {
			for _, o := range taken[k] {
				if level(o, c) { // two columns for other rows, or none
					g.cols = saved
					return l, false
				}
			}
			taken[k] = append(taken[k], c)
		}
		for len(l.cells) < len(g.cols) {
			l.cells = append(l.cells, nil)
		}
		l.cells[met[0]] = append(l.cells[met[0]], c)
	}
	return l, true
}

// join makes one column of those that b meets when no row has text in two of
// them: what is aligned to the left in one and to the right in another.
func (g *region) join(b Box) bool {
	met := g.met(b)
	from, to := met[0], met[len(met)-1]
	seeded := 0
	for k := from; k <= to; k++ {
		if g.cols[k].seeded {
			seeded++
		}
	}
	if seeded > 1 || len(g.lines) > maxJoined {
		return false
	}
	for _, l := range g.lines {
		n := 0
		for k := from; k <= min(to, len(l.cells)-1); k++ {
			if len(l.cells[k]) > 0 {
				n++
			}
		}
		if n > 1 {
			return false
		}
	}
	g.cols[from].right, g.cols[from].seeded = g.cols[to].right, seeded > 0
	g.cols = slices.Delete(g.cols, from+1, to+1)
	for i, l := range g.lines {
		if len(l.cells) <= from {
			continue
		}
		end := min(to+1, len(l.cells))
		var cell []chunk
		for _, c := range l.cells[from:end] {
			cell = append(cell, c...)
		}
		g.lines[i].cells = slices.Replace(slices.Clone(l.cells), from, end, cell)
	}
	return true
}

func level(a, b chunk) bool {
	d := a.base - b.base
	return d < sameLine*a.size && -d < sameLine*a.size
}

func (g *region) met(b Box) (cols []int) {
	for k, s := range g.cols {
		if s.meets(b) {
			cols = append(cols, k)
		}
	}
	return cols
}

// split parts a chunk over several columns between its words, when there is
// somewhat more space than between others; nil when it cannot be parted.
func (g *region) split(c chunk) (parts []chunk) {
	boxes := c.boxes
	if len(boxes) < 2 {
		return nil
	}
	narrow := 1e9
	for i := 1; i < len(boxes); i++ {
		narrow = min(narrow, gap(boxes[i-1], boxes[i]))
	}
	from, col := 0, -1
	for i, b := range boxes {
		met := g.met(b)
		if len(met) > 1 {
			return nil
		}
		if len(met) == 0 || met[0] == col {
			continue
		}
		if col >= 0 {
			if d := gap(boxes[i-1], b); d < 0.4*c.size || len(boxes) > 2 && d < 1.3*narrow {
				return nil
			}
			parts = append(parts, c.part(from, i))
			from = i
		}
		col = met[0]
	}
	return append(parts, c.part(from, len(boxes)))
}
