package layout

import "slices"

// divide parts columns that are only a space apart: the texts of the one end at
// the same position, and those of the other begin at the same.
func (g *region) divide() {
	for c := 0; c < len(g.cols) && len(g.cols) < maxColumns; c++ {
		if at, ok := g.boundary(c); ok {
			g.part(c, at)
		}
	}
}

// edge is by how much edges that are aligned differ: characters do not fill the
// room that they have.
const edge = 2.0

// boundary returns where the right one of two columns in column c begins.
func (g *region) boundary(c int) (at float64, ok bool) {
	var begins []float64
	for _, l := range g.lines {
		for _, ch := range l.cells[c] {
			for _, b := range ch.boxes[1:] {
				begins = append(begins, b.Left)
			}
		}
	}
	at, n := most(begins)
	if n < 3 {
		return 0, false
	}
	var lefts, ends, rights []float64
	both := 0
	for _, l := range g.lines {
		for _, ch := range l.cells[c] {
			k, ok := ch.before(at)
			if !ok {
				return 0, false
			}
			if k > 0 {
				lefts, ends = append(lefts, ch.boxes[0].Left), append(ends, ch.boxes[k-1].Right)
			}
			if k < len(ch.boxes) {
				rights = append(rights, ch.boxes[k].Left)
			}
			if k > 0 && k < len(ch.boxes) {
				both++
			}
		}
	}
	_, sameLeft := most(lefts)
	_, sameEnd := most(ends)
	_, sameRight := most(rights)
	return at, both > 1 && len(lefts) > 2 && 10*sameEnd >= 9*len(ends) && 10*sameRight >= 9*len(rights) && 10*sameLeft <= 7*len(lefts)
}

// most is the value that the most are like, and how many these are.
func most(values []float64) (value float64, n int) {
	slices.Sort(values)
	from := 0
	for i, v := range values {
		for v-values[from] > edge {
			from++
		}
		if i-from+1 > n {
			value, n = values[from], i-from+1
		}
	}
	return value, n
}

// before is how many words of a chunk end before a position; ok is false when
// words are on both sides without order.
func (c chunk) before(at float64) (k int, ok bool) {
	for k < len(c.boxes) && c.boxes[k].Right < at+edge/2 {
		k++
	}
	return k, !slices.ContainsFunc(c.boxes[k:], func(b Box) bool { return b.Left < at-edge })
}

// part makes two columns of column c.
func (g *region) part(c int, at float64) {
	old := g.cols[c]
	left, right := old, old
	left.right, right.left = at-edge, at
	g.cols = slices.Replace(g.cols, c, c+1, left, right)
	for i, l := range g.lines {
		var a, b []chunk
		for _, ch := range l.cells[c] {
			k, _ := ch.before(at)
			if k > 0 {
				a = append(a, ch.part(0, k))
			}
			if k < len(ch.boxes) {
				b = append(b, ch.part(k, len(ch.boxes)))
			}
		}
		g.lines[i].cells = slices.Replace(slices.Clone(l.cells), c, c+1, a, b)
	}
}
