package audit

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// maxEdges bounds the references that are followed to find circles.
const maxEdges = 3_000_000

// maxCircles bounds the circles that are reported.
const maxCircles = 200

// circles is a depth-first search over formulas.
type circles struct {
	*auditing
	state [][]byte // by sheet and cell: 0 not seen, 1 on the path, 2 done
	path  []frame
	edges int
	found int
}

// frame is a formula on the path with the formulas that it reads.
type frame struct {
	sheet *sheet
	index int32
	next  []step
}

type step struct {
	sheet *sheet
	index int32
}

// cycles reports circular references.
func (a *auditing) cycles(ctx context.Context) {
	g := circles{auditing: a, state: make([][]byte, len(a.sheets))}
	for i, s := range a.sheets {
		g.state[i] = make([]byte, len(s.cells))
	}
	for _, s := range a.sheets {
		for i := range s.cells {
			if s.cells[i].form <= 0 || g.state[s.index][i] != 0 {
				continue
			}
			if ctx.Err() != nil {
				return
			}
			if g.edges > maxEdges {
				a.unseen = append(a.unseen, fmt.Sprintf("circular references beyond %d references followed", maxEdges))
				return
			}
			g.search(ctx, s, int32(i))
		}
	}
}

// search follows the precedents of a formula.
func (g *circles) search(ctx context.Context, s *sheet, i int32) {
	g.enter(s, i)
	for len(g.path) > 0 && g.edges <= maxEdges && (g.edges%cellsPerCheck != 0 || ctx.Err() == nil) {
		top := &g.path[len(g.path)-1]
		if len(top.next) == 0 {
			g.state[top.sheet.index][top.index] = 2
			g.path = g.path[:len(g.path)-1]
			continue
		}
		to := top.next[len(top.next)-1]
		top.next = top.next[:len(top.next)-1]
		switch g.state[to.sheet.index][to.index] {
		case 0:
			g.enter(to.sheet, to.index)
		case 1:
			g.report(to)
		}
	}
	g.path = nil
}

// enter puts a formula on the path.
func (g *circles) enter(s *sheet, i int32) {
	g.state[s.index][i] = 1
	fr := frame{sheet: s, index: i}
	c := &s.cells[i]
	for n, b := range g.blocksRead(s, c) {
		g.formulas(g.sheets[n], b, &fr)
	}
	g.path = append(g.path, fr)
}

// formulas adds the formulas of a block that are not done yet.
func (g *circles) formulas(s *sheet, b cellref.Range, fr *frame) {
	base := s.cells
	if len(base) == 0 {
		return
	}
	for i := s.find(b.R1, b.C1); i < len(base) && int(base[i].row) <= b.R2; i++ {
		if g.edges++; g.edges > maxEdges {
			return
		}
		c := &base[i]
		switch {
		case int(c.col) < b.C1:
			i = s.find(int(c.row), b.C1) - 1
		case int(c.col) > b.C2:
			i = s.find(int(c.row)+1, b.C1) - 1
		case c.form > 0 && g.state[s.index][i] != 2:
			fr.next = append(fr.next, step{s, int32(i)})
		}
	}
}

// report reports the circle that ends at a formula on the path.
func (g *circles) report(to step) {
	if g.found++; g.found > maxCircles {
		return
	}
	var names []string
	at := len(g.path) - 1
	for ; at > 0 && (g.path[at].sheet != to.sheet || g.path[at].index != to.index); at-- {
	}
	for _, fr := range g.path[at:] {
		if len(names) == 6 {
			names = append(names, "…")
			break
		}
		names = append(names, fr.sheet.address(one(&fr.sheet.cells[fr.index])))
	}
	c := &to.sheet.cells[to.index]
	sev := formats.SeverityHigh
	if g.book.iterates {
		sev = formats.SeverityLow
	}
	names = append(names, to.sheet.address(one(c)))
	g.hits.add(hit{kind: kindCircular, sheet: to.sheet.index, area: one(c), key: fmt.Sprint(c.form), severity: sev,
		fact: "circular reference: " + strings.Join(names, " reads ")})
}
