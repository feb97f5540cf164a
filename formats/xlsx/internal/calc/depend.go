package calc

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
)

// reads is what a formula may read, as far as its text says.
type reads struct {
	refs     []*refNode
	areas    []Area // of tables
	anything bool   // also other cells, such as those of INDIRECT
	names    bool   // names lead to some of them
}

// readsOf returns what a formula may read.
func (b *Book) readsOf(f *form) *reads {
	if f.reads == nil {
		f.reads = &reads{}
		if f.table != nil {
			f.reads.areas = f.tableReads()
		}
		b.collect(f.reads, f.root, map[string]bool{})
	}
	return f.reads
}

// collect adds what a part of a formula may read; seen are the names looked into.
func (b *Book) collect(r *reads, n node, seen map[string]bool) {
	each := func(parts ...node) {
		for _, p := range parts {
			b.collect(r, p, seen)
		}
	}
	switch n := n.(type) {
	case *refNode:
		r.refs = append(r.refs, n)
	case *nameNode:
		r.names = true
		b.collectName(r, n.low, seen)
	case *tableNode:
		if t := b.tables[n.table]; t != nil {
			r.areas = append(r.areas, Area{t.sheet, t.ref})
		} else {
			r.anything = true
		}
	case *callNode:
		switch {
		case n.fn == nil:
			r.anything = true
		case n.name == "INDIRECT" || n.name == "OFFSET":
			r.anything = true
		}
		each(n.args...)
	case *applyNode:
		each(n.fn)
		each(n.args...)
	case *unaryNode:
		each(n.x)
	case *plusNode:
		each(n.x)
	case *percentNode:
		each(n.x)
	case *oneNode:
		each(n.x)
	case *sumNode:
		b.collect(r, n.chainNode, seen)
	case *chainNode:
		each(n.first)
		for _, l := range n.rest {
			each(l.x)
		}
	case *meetNode:
		each(n.a, n.b)
	case *unionNode:
		each(n.all...)
	case *rangeNode, *spillNode:
		r.anything = true
	}
}

// collectName adds what the definitions of a name may read.
func (b *Book) collectName(r *reads, low string, seen map[string]bool) {
	if seen[low] {
		return
	}
	seen[low] = true
	if t := b.tables[low]; t != nil {
		r.areas = append(r.areas, Area{t.sheet, t.ref})
	}
	for _, d := range b.names[low] {
		if b.parseDefinition(d); d.root != nil {
			b.collect(r, d.root, seen)
		}
	}
}

// maxPasses bounds the search for dependants: chains that run against the order
// of the cells in both directions take one pass a link.
const maxPasses = 60

// dependants makes due all formulas that may read changed cells, directly or
// through others. Where the search takes too long all formulas are made due.
func (e *Evaluator) dependants(ctx context.Context, changed []Area) error {
	d := &dependency{Evaluator: e, dirty: make([]cellref.Set, len(e.book.sheets))}
	for _, a := range changed {
		d.dirty[a.Sheet].AddRange(a.Range)
	}
	d.list()
	for pass := range maxPasses {
		again := false
		for i := range d.all {
			if i&4095 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			k := i
			if pass%2 == 1 {
				k = len(d.all) - 1 - i
			}
			again = d.look(d.all[k]) || again
		}
		if !again {
			return nil
		}
	}
	e.book.Forget()
	return nil
}

// dependency is a search for dependants.
type dependency struct {
	*Evaluator
	dirty []cellref.Set // by sheet
	all   []activeCell  // formulas that are not due
}

func (d *dependency) list() {
	for i, s := range d.book.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			switch {
			case c.formula == 0:
			case c.state == due:
				d.dirty[i].Add(row, int(c.col))
			default:
				d.all = append(d.all, activeCell{At(i, row, int(c.col)), c})
			}
			return true
		})
	}
}

// look makes a formula due if it reads a dirty cell, and reports whether it did.
func (d *dependency) look(a activeCell) bool {
	if a.cell.state == due {
		return false
	}
	f := d.book.formulas[a.cell.formula-1]
	r := d.book.readsOf(f)
	d.at = a.at
	if f.array {
		d.at.Row, d.at.Col = f.block.R1, f.block.C1
	}
	hit := r.anything
	for i := 0; i < len(r.areas) && !hit; i++ {
		hit = d.dirty[r.areas[i].Sheet].Meets(r.areas[i].Range)
	}
	for i := 0; i < len(r.refs) && !hit; i++ {
		for s := r.refs[i].sheet; s <= r.refs[i].last && !hit; s++ {
			if area, ok := d.area(r.refs[i], s); ok {
				hit = d.dirty[area.Sheet].Meets(area.Range)
			}
		}
	}
	if hit {
		a.cell.state = due
		d.dirty[a.at.Sheet].Add(a.at.Row, a.at.Col)
	}
	return hit
}
