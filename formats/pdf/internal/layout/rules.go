package layout

import (
	"cmp"
	"math"
	"slices"
)

// rules are the drawn lines of a page that may be those of tables.
type rules struct{ level, upright []rule }

// rule is a line at a position across it, from one end to the other: at is a y
// and from and to are x when it is level.
type rule struct {
	at, from, to float64
	filled       bool // only sides of areas
}

const (
	straight = 1.0  // by how much the ends of a level line differ at most
	shortest = 3.0  // length of a line
	near     = 2.5  // lines closer than that are one
	maxRules = 2000 // a page with more in one direction has no drawn tables
)

// rules returns the drawn lines, on request with the sides of areas: these tell
// rows, but a cell may have several.
func (p *Page) rules(filled bool) *rules {
	r := &rules{}
	for _, l := range p.Lines {
		if l.Filled && !filled {
			continue
		}
		dx, dy := math.Abs(l.From.X-l.To.X), math.Abs(l.From.Y-l.To.Y)
		switch {
		case dx > 0.97*p.Width || dy > 0.97*p.Height: // the page itself
		case dy <= straight && dx >= shortest:
			r.level = append(r.level, rule{(l.From.Y + l.To.Y) / 2, min(l.From.X, l.To.X), max(l.From.X, l.To.X), l.Filled})
		case dx <= straight && dy >= shortest:
			r.upright = append(r.upright, rule{(l.From.X + l.To.X) / 2, min(l.From.Y, l.To.Y), max(l.From.Y, l.To.Y), l.Filled})
		}
	}
	r.level, r.upright = merged(r.level), merged(r.upright)
	return r
}

// merged gives lines that nearly have the same position one position, and joins
// those that touch. None when too many are left.
func merged(list []rule) []rule {
	slices.SortFunc(list, func(a, b rule) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(list); {
		j, at := i+1, list[i].at
		for j < len(list) && list[j].at-list[j-1].at <= near/2 && list[j].at-at <= near {
			j++
		}
		for k := i; k < j; k++ {
			list[k].at = at
		}
		i = j
	}
	slices.SortFunc(list, func(a, b rule) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from)) })
	var out []rule
	for _, l := range list {
		if n := len(out); n > 0 && out[n-1].at == l.at && l.from <= out[n-1].to+near {
			out[n-1].to, out[n-1].filled = max(out[n-1].to, l.to), out[n-1].filled && l.filled
			continue
		}
		out = append(out, l)
	}
	if len(out) > maxRules {
		return nil
	}
	return out
}

// between reports whether a level line under at least 60 % of the width is
// between two positions.
func (r *rules) between(top, bottom float64, w span) bool {
	i, _ := slices.BinarySearchFunc(r.level, top, func(l rule, y float64) int { return cmp.Compare(l.at, y) })
	covered, at := 0.0, math.Inf(-1)
	for ; i < len(r.level) && r.level[i].at <= bottom; i++ {
		l := r.level[i]
		if l.at != at {
			covered, at = 0, l.at
		}
		if covered += min(l.to, w.right) - max(l.from, w.left); covered >= 0.6*(w.right-w.left) {
			return true
		}
	}
	return false
}

// inside reports whether lines are drawn between most rows of a region.
func (r *rules) inside(g *region) bool {
	n, w := 0, g.width()
	for i := 1; i < len(g.lines); i++ {
		if r.between(g.lines[i-1].row.last, g.lines[i].row.first, w) {
			n++
		}
	}
	return len(g.lines) > 2 && 2*n >= len(g.lines)
}
