package layout

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
)

// trim drops rows at the ends that are no part of a table, such as a heading
// above and the text below, and columns without text.
func (g *region) trim(rules *rules) {
	for len(g.lines) > 0 && g.loose(0, 1) {
		g.lines = g.lines[1:]
	}
	for len(g.lines) > 0 && g.loose(len(g.lines)-1, len(g.lines)-2) && !g.closed(len(g.lines)-1, rules) && !g.even() {
		g.lines = g.lines[:len(g.lines)-1]
	}
	for c := len(g.cols) - 1; c >= 0; c-- {
		if slices.ContainsFunc(g.lines, func(l line) bool { return c < len(l.cells) && len(l.cells[c]) > 0 }) {
			continue
		}
		g.cols = slices.Delete(g.cols, c, c+1)
		for i, l := range g.lines {
			if c < len(l.cells) {
				g.lines[i].cells = slices.Delete(slices.Clone(l.cells), c, c+1)
			}
		}
	}
	for i := range g.lines {
		for len(g.lines[i].cells) < len(g.cols) {
			g.lines[i].cells = append(g.lines[i].cells, nil)
		}
	}
}

// loose reports whether a row at an end, beside the row next, is one piece of
// text that need not belong to the table.
func (g *region) loose(i, next int) bool {
	l := g.lines[i]
	only := l.only()
	if only <= 0 || next < 0 || next >= len(g.lines) {
		return only >= 0
	}
	n := g.lines[next]
	d := max(l.row.first-n.row.last, n.row.first-l.row.last)
	return d > leading*max(l.row.size, n.row.size)
}

// leading is how far the lines of one cell are apart at most, in sizes of the
// font.
const leading = 1.45

// closed reports whether a row is between drawn lines.
func (g *region) closed(i int, rules *rules) bool {
	if i == 0 {
		return false
	}
	l, b := g.lines[i], g.width()
	return rules.between(g.lines[i-1].row.last, l.row.first, b) && rules.between(l.row.last, l.row.last+1.8*l.row.size, b)
}

// even reports whether the last row is as far from the one above as that from
// the one before, and no wider than its column was.
func (g *region) even() bool {
	n := len(g.lines)
	l := g.lines[n-1]
	c := l.only()
	if n < 4 || c < 0 || l.wide {
		return false
	}
	d, before := l.row.first-g.lines[n-2].row.last, g.lines[n-2].row.first-g.lines[n-3].row.last
	if d > 1.05*before || d < 0.95*before {
		return false
	}
	right := 0.0
	for _, o := range g.lines[:n-1] {
		if c < len(o.cells) {
			for _, ch := range o.cells[c] {
				right = max(right, ch.box.Right)
			}
		}
	}
	return l.cells[c][0].box.Right <= right+edge
}

// width is the span of all columns.
func (g *region) width() span {
	if len(g.cols) == 0 {
		return span{}
	}
	return span{left: g.cols[0].left, right: g.cols[len(g.cols)-1].right}
}

// justified reports whether the region is some lines of a paragraph, with wide
// spaces between words: the line above or below begins and ends where they do.
func (g *region) justified(run []row) bool {
	if len(g.lines) == 0 {
		return false
	}
	w, top, bottom := g.width(), g.lines[0].row, g.lines[len(g.lines)-1].row
	for i, r := range run {
		above, below := i+1 < len(run) && run[i+1].first == top.first, i > 0 && run[i-1].first == bottom.first
		if !above && !below || 2*len(r.chunks) > len(g.cols) {
			continue
		}
		d := max(top.first-r.last, r.first-bottom.last)
		b := r.chunks[0].box
		for _, c := range r.chunks[1:] {
			b = b.union(c.box)
		}
		if d <= leading*r.size && math.Abs(b.Left-w.left) <= edge && math.Abs(b.Right-w.right) <= edge {
			return true
		}
	}
	return false
}

// column describes the cells of a column.
type column struct {
	filled, numbers, colons, marks, words, full int
	aligned                                     float64 // share of cells with a common left, right or middle
	rising                                      bool    // whole numbers that do not fall
}

var (
	listMark = lazyregexp.New(`^(?:[•◦▪‣·●○■□–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]|\[\d+\]|\(\d+\)|\d+(?:\.\d+)+\.?)$`)
	leaders  = lazyregexp.New(`(?:\. ?){4,}|…{2,}|_{4,}`)
)

func (p *Page) column(g *region, c int) (out column) {
	var lefts, rights, middles []float64
	last := -1
	out.rising = true
	for _, l := range g.lines {
		for k, ch := range l.cells[c] {
			s := p.textOf(ch.words)
			if k == 0 {
				out.filled++
				if numeric(s) {
					out.numbers++
				}
				if strings.HasSuffix(s, ":") {
					out.colons++
				}
				if listMark.MatchString(s) {
					out.marks++
				}
				if n, err := strconv.Atoi(s); err != nil || n < last {
					out.rising = false
				} else {
					last = n
				}
			}
			out.words += len(ch.words)
			if ch.box.Width() > 0.75*(g.cols[c].right-g.cols[c].left) && len(ch.words) > 3 {
				out.full++
			}
			lefts, rights, middles = append(lefts, ch.box.Left), append(rights, ch.box.Right), append(middles, (ch.box.Left+ch.box.Right)/2)
		}
	}
	out.aligned = max(common(lefts), common(rights), common(middles))
	return out
}

// common is the share of the values that are nearly alike.
func common(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	best, from := 0, 0
	for i, v := range values {
		for v-values[from] > 2.5 {
			from++
		}
		best = max(best, i-from+1)
	}
	return float64(best) / float64(len(values))
}

// isTable judges whether aligned text is a table. What may be something else,
// such as prose in columns, a list, a contents page, or names with values, is
// none.
func (p *Page) isTable(g *region, rules *rules) bool {
	rows, cells, wide, dots, n := 0, 0, 0, 0, len(g.cols)
	for _, l := range g.lines {
		if l.wide && l.only() < 1 { // not a line under a cell
			wide++
		}
		if f := l.filled(); f > 1 {
			rows++
			cells += f
		}
		for _, cell := range l.cells {
			for _, ch := range cell {
				s := p.textOf(ch.words)
				if leaders.MatchString(s) {
					return false
				}
				if s == "." {
					dots++
				}
			}
		}
	}
	if n < 2 || rows < 2 || rows == 2 && (n < 4 || cells < 2*n-1) || 2*rows < len(g.lines) && !rules.inside(g) || 4*wide > len(g.lines) || dots > 2 {
		return false
	}
	if 100*cells < 45*rows*n || 4*p.colons(g) > cells {
		return false
	}
	cols := make([]column, n)
	colons, full, aligned, numbers := 0, 0, 0.0, 0
	for c := range cols {
		cols[c] = p.column(g, c)
		if 2*cols[c].colons > cols[c].filled {
			colons++
		}
		if 2*cols[c].full > len(g.lines) {
			full++
		}
		if 2*cols[c].numbers > cols[c].filled {
			numbers++
		}
		aligned += cols[c].aligned
	}
	switch {
	case colons > 0 && 2*colons >= n, full > 1, full > 0 && n == 2, aligned < 0.6*float64(n):
		return false
	case n > 2:
		return n > 3 || !cols[2].rising || !cols[0].rising && 2*cols[0].marks < rows
	}
	return p.isPair(cols, rows, numbers, rules.inside(g))
}

// isPair judges two columns.
func (p *Page) isPair(cols []column, rows, numbers int, ruled bool) bool {
	a, b := cols[0], cols[1]
	switch {
	case rows < 3, 2*a.marks > a.filled, b.rising && b.filled == rows && rows > 2 && a.numbers == 0,
		min(a.aligned, b.aligned) < 0.6, a.words > 5*a.filled, a.filled < rows:
		return false
	case 2*b.numbers > b.filled, ruled:
		return true
	}
	// Names beside short texts: only when all are.
	return a.words <= 3*a.filled && b.words <= 3*b.filled && 2*a.numbers <= a.filled && a.aligned > 0.9 && b.aligned > 0.9 && a.filled == rows && b.filled == rows && rows > 3
}

// colons counts the cells that are names of values.
func (p *Page) colons(g *region) (n int) {
	for c := range g.cols {
		n += p.column(g, c).colons
	}
	return n
}

// textOf is the text of words as a cell shows it.
func (p *Page) textOf(words []int) string {
	var sb strings.Builder
	for k, i := range words {
		if k > 0 {
			sb.WriteByte(' ')
		}
		sb.WriteString(p.Plain[p.Words[i].Start:p.Words[i].End])
		if sb.Len() > 200 {
			break
		}
	}
	return sb.String()
}

func (p *Page) long(words []int) bool {
	return utf8.RuneCountInString(p.textOf(words)) > 3
}
