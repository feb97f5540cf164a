package layout

import (
	"context"
	"slices"
)

// grid is a connected set of level and upright lines.
type grid struct {
	xs, ys []float64 // positions of upright and level lines, rising
	rules  rules
}

const (
	maxGridLines = 400  // positions of lines of a table in one direction
	maxGridCells = 8000 // between them
)

// grids returns the connected lines that have room for two rows and columns.
func (r *rules) grids(ctx context.Context) (out []*grid) {
	if len(r.level) < 2 || len(r.upright) < 2 {
		return nil
	}
	sets := newSets(len(r.level) + len(r.upright))
	for i, h := range r.level {
		if ctx.Err() != nil {
			return nil
		}
		first, _ := slices.BinarySearchFunc(r.upright, h.from-near, byPosition)
		for j := first; j < len(r.upright) && r.upright[j].at <= h.to+near; j++ {
			if v := r.upright[j]; v.from <= h.at+near && v.to >= h.at-near {
				sets.join(i, len(r.level)+j)
			}
		}
	}
	byRoot := map[int]*grid{}
	var order []int
	add := func(i int) *grid {
		root := sets.find(i)
		g := byRoot[root]
		if g == nil {
			g = &grid{}
			byRoot[root], order = g, append(order, root)
		}
		return g
	}
	for i, h := range r.level {
		g := add(i)
		g.rules.level = append(g.rules.level, h)
	}
	for j, v := range r.upright {
		g := add(len(r.level) + j)
		g.rules.upright = append(g.rules.upright, v)
	}
	for _, root := range order {
		g := byRoot[root]
		g.rules.level, g.rules.upright = through(g.rules.level), through(g.rules.upright)
		g.xs, g.ys = positions(g.rules.upright, g.rules.level), positions(g.rules.level, g.rules.upright)
		if len(g.xs) > 2 && len(g.ys) > 2 && len(g.xs) <= maxGridLines && len(g.ys) <= maxGridLines && len(g.xs)*len(g.ys) <= maxGridCells {
			out = append(out, g)
		}
	}
	return out
}

// through leaves out sides of areas that do not run through the table: such are
// those of paragraphs in cells.
func through(lines []rule) []rule {
	if len(lines) == 0 {
		return lines
	}
	from, to := lines[0].from, lines[0].to
	for _, l := range lines {
		from, to = min(from, l.from), max(to, l.to)
	}
	return slices.DeleteFunc(lines, func(l rule) bool { return l.filled && l.to-l.from < 0.9*(to-from) })
}

func byPosition(l rule, at float64) int {
	if l.at < at {
		return -1
	}
	return 1
}

// openSide is how far lines run over the last line across at least when a side
// of the table is not drawn.
const openSide = 12

// positions returns where lines are, with the ends of those across them where
// these run further: tables often have no line at their sides.
func positions(lines, across []rule) (at []float64) {
	for _, l := range lines {
		if len(at) == 0 || l.at-at[len(at)-1] > near {
			at = append(at, l.at)
		}
	}
	if len(at) == 0 || len(across) == 0 {
		return at
	}
	from, to := across[0].from, across[0].to
	for _, l := range across {
		from, to = min(from, l.from), max(to, l.to)
	}
	if at[0]-from > openSide {
		at = slices.Insert(at, 0, from)
	}
	if to-at[len(at)-1] > openSide {
		at = append(at, to)
	}
	return at
}

// sets are disjoint sets of numbers.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(i, j int) { s[s.find(i)] = s.find(j) }
