package layout

import (
	"cmp"
	"slices"
)

// lattice is a grid as cells: merged cells are one set.
type lattice struct {
	g      *grid
	nx, ny int
	sets   sets
	words  map[int][]int // of a set
	over   int           // words that are wider than their cell
	total  int
}

// ruled returns the table of a grid; nil when its lines do not make one: a form
// with boxes here and there, a frame around text.
func (p *Page) ruled(g *grid, free []bool) *table {
	l := newLattice(g)
	if !l.rectangles() {
		return nil
	}
	l.fill(p, free)
	if !l.isTable(p) {
		return nil
	}
	keepX, keepY := l.starts()
	t := &table{}
	for y := range l.ny {
		if !keepY[y] {
			continue
		}
		var cells [][]int
		for x := range l.nx {
			if !keepX[x] {
				continue
			}
			var words []int
			if i := l.at(x, y); l.sets.find(i) == i {
				words = l.words[i]
			}
			cells = append(cells, words)
		}
		t.rows = append(t.rows, p.lineRows(cells)...)
	}
	return t
}

func (l *lattice) at(x, y int) int { return y*l.nx + x }

func newLattice(g *grid) *lattice {
	l := &lattice{g: g, nx: len(g.xs) - 1, ny: len(g.ys) - 1, words: map[int][]int{}}
	l.sets = newSets(l.nx * l.ny)
	level, upright := edges(g.rules.level, g.ys, g.xs), edges(g.rules.upright, g.xs, g.ys)
	for y := range l.ny {
		for x := range l.nx {
			if x > 0 && !upright[x][y] {
				l.sets.join(l.at(x, y), l.at(x-1, y))
			}
			if y > 0 && !level[y][x] {
				l.sets.join(l.at(x, y), l.at(x, y-1))
			}
		}
	}
	return l
}

// edges reports for each position of lines where along it they are drawn.
func edges(lines []rule, at, along []float64) [][]bool {
	out := make([][]bool, len(at))
	for i := range out {
		out[i] = make([]bool, len(along)-1)
	}
	for _, l := range lines {
		i := nearest(at, l.at)
		for k := range out[i] {
			if from, to := max(l.from, along[k]), min(l.to, along[k+1]); to-from > 0.6*(along[k+1]-along[k]) {
				out[i][k] = true
			}
		}
	}
	return out
}

// nearest is the index of the value closest to v.
func nearest(sorted []float64, v float64) int {
	i, _ := slices.BinarySearch(sorted, v)
	if i == len(sorted) || i > 0 && v-sorted[i-1] < sorted[i]-v {
		i--
	}
	return i
}

// rectangles reports whether all merged cells are rectangles. Afterwards the
// first cell of each stands for it.
func (l *lattice) rectangles() bool {
	type extent struct{ first, x0, x1, y0, y1, n int }
	sets := map[int]*extent{}
	for y := range l.ny {
		for x := range l.nx {
			i := l.sets.find(l.at(x, y))
			e := sets[i]
			if e == nil {
				e = &extent{l.at(x, y), x, x, y, y, 0}
				sets[i] = e
			}
			e.x0, e.x1, e.y1 = min(e.x0, x), max(e.x1, x), max(e.y1, y)
			e.n++
		}
	}
	first := make(map[int]int, len(sets))
	for root, e := range sets {
		if e.n != (e.x1-e.x0+1)*(e.y1-e.y0+1) {
			return false
		}
		first[root] = e.first
	}
	flat := newSets(len(l.sets))
	for i := range l.sets {
		flat[i] = first[l.sets.find(i)]
	}
	l.sets = flat
	return true
}

// fill puts words into cells by their middle.
func (l *lattice) fill(p *Page, free []bool) {
	for i, w := range p.Words {
		if !free[i] {
			continue
		}
		x := cellOf(l.g.xs, (w.Box.Left+w.Box.Right)/2)
		y := cellOf(l.g.ys, (w.Box.Top+w.Box.Bottom)/2)
		if x < 0 || y < 0 {
			continue
		}
		set := l.sets.find(l.at(x, y))
		l.words[set] = append(l.words[set], i)
		l.total++
		for _, side := range []float64{w.Box.Left + near, w.Box.Right - near} {
			if sx := cellOf(l.g.xs, side); sx < 0 || l.sets.find(l.at(sx, y)) != set {
				l.over++
				break
			}
		}
	}
}

// cellOf is the index of the cell that has v, -1 outside.
func cellOf(edges []float64, v float64) int {
	i, _ := slices.BinarySearch(edges, v)
	if i == 0 || i == len(edges) {
		return -1
	}
	return i - 1
}

// isTable judges by the text in the cells.
func (l *lattice) isTable(p *Page) bool {
	rows, all, most, parted := 0, 0, 0, 0
	for y := range l.ny {
		n := 0
		for x := range l.nx {
			i := l.at(x, y)
			if l.sets.find(i) != i {
				continue
			}
			all++
			words := l.words[i]
			if len(words) == 0 {
				continue
			}
			n++
			most = max(most, len(words))
			if p.parted(words) {
				parted++
			}
		}
		if n > 1 {
			rows++
		}
	}
	filled := len(l.words)
	switch {
	case rows < 2, filled < 4, 10*l.over > l.total, 4*filled < all:
		return false
	case most > 60 && 10*most > 7*l.total, 2*l.nx*l.ny > 5*all+10, parted > 2 && 4*parted > filled:
		return false
	}
	return true
}

// parted reports whether words have wide space on a line between them.
func (p *Page) parted(words []int) bool {
	for k := 1; k < len(words); k++ {
		a, b := p.Words[words[k-1]], p.Words[words[k]]
		h := max(a.Box.Height(), b.Box.Height(), 4)
		if d := a.Base - b.Base; d < h/4 && -d < h/4 && gap(a.Box, b.Box) > 2*h {
			return true
		}
	}
	return false
}

// starts reports in which columns and rows of the lattice cells begin: others
// are the space between double lines, or inside merged cells.
func (l *lattice) starts() (x, y []bool) {
	x, y = make([]bool, l.nx), make([]bool, l.ny)
	for r := range l.ny {
		for c := range l.nx {
			i := l.at(c, r)
			if l.sets.find(i) != i {
				continue
			}
			x[c] = x[c] || len(l.words[i]) > 0 || l.g.xs[c+1]-l.g.xs[c] > 8
			y[r] = y[r] || len(l.words[i]) > 0 || l.g.ys[r+1]-l.g.ys[r] > 6
		}
	}
	return x, y
}

// lineRows returns the rows in a row of cells: one, unless there are no lines
// between rows, which shows in cells with a number on each line.
func (p *Page) lineRows(cells [][]int) [][][]int {
	var bases []float64
	byCell := make([][][]int, len(cells))
	many, numbers := 0, false
	for c, words := range cells {
		byCell[c] = p.lines(words)
		if len(byCell[c]) < 2 {
			continue
		}
		many++
		numbers = numbers || !slices.ContainsFunc(byCell[c], func(w []int) bool { return !numeric(p.textOf(w)) })
		for _, line := range byCell[c] {
			bases = append(bases, p.Words[line[0]].Base)
		}
	}
	if many < 2 || !numbers {
		return [][][]int{cells}
	}
	slices.Sort(bases)
	bases = slices.CompactFunc(bases, func(a, b float64) bool { return b-a < 2 })
	rows := make([][][]int, len(bases))
	for i := range rows {
		rows[i] = make([][]int, len(cells))
	}
	for c, lines := range byCell {
		for _, line := range lines {
			i := nearest(bases, p.Words[line[0]].Base)
			rows[i][c] = append(rows[i][c], line...)
		}
	}
	return rows
}

// lines splits the words of a cell by line, from the top.
func (p *Page) lines(words []int) (out [][]int) {
	for _, w := range words {
		i := slices.IndexFunc(out, func(l []int) bool {
			d := p.Words[l[0]].Base - p.Words[w].Base
			return d < 2 && -d < 2
		})
		if i >= 0 {
			out[i] = append(out[i], w)
			continue
		}
		out = append(out, []int{w})
	}
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(p.Words[a[0]].Base, p.Words[b[0]].Base) })
	return out
}
