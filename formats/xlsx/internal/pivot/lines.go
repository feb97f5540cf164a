package pivot

import (
	"slices"
)

// LineKind is what a row or column of a pivot table shows.
type LineKind uint8

// The kinds of lines: of items, of a subtotal, of the grand total.
const (
	ItemLine LineKind = iota
	SubtotalLine
	GrandLine
)

// Line is a row or column of the area of values (18.10.1.44).
type Line struct {
	Kind  LineKind
	Items []int // entries from the outermost field on; of ValuesField the value
	Value int   // the value that the line is of, -1 where it has none of its own
	Shows bool  // it has values; a heading of a group does not
	New   int   // the first of Items that the line before does not have

	node *node
}

// axisLines makes the lines of an axis.
type axisLines struct {
	t      *Table
	fields []int
	rows   bool
	cube   *cube
	cmp    *comparer
	out    []Line
	single int // the value that all lines are of: -1 where the axis has ValuesField
}

// linesOf returns the lines of an axis.
func (t *Table) linesOf(fields []int, rows bool, root *node, c *cube) []Line {
	a := &axisLines{t: t, fields: fields, rows: rows, cube: c, cmp: newComparer()}
	a.single = -1
	if !slices.Contains(fields, ValuesField) {
		a.single = 0
	}
	if len(fields) == 0 {
		return []Line{{Value: 0, Shows: true, node: root}}
	}
	if len(root.children) == 0 && len(t.Values) == 0 {
		return nil
	}
	a.walk(root, 0, nil, a.single)
	grand := t.ColGrand
	if !rows {
		grand = t.RowGrand
	}
	if grand && fields[0] != ValuesField || grand && len(fields) > 1 {
		a.totals(GrandLine, root, nil, -1)
	}
	return a.out
}

// totals adds the line of a total, one for each value where the axis has their
// names and the total is not within one of them.
func (a *axisLines) totals(kind LineKind, n *node, items []int, value int) {
	if a.single < 0 && value < 0 {
		for k := range a.t.Values {
			a.add(Line{Kind: kind, Items: items, Value: k, Shows: true, node: n})
		}
		return
	}
	a.add(Line{Kind: kind, Items: items, Value: max(value, 0), Shows: true, node: n})
}

func (a *axisLines) add(l Line) {
	if len(a.out) > MaxOutput {
		return
	}
	l.Items = slices.Clone(l.Items)
	if n := len(a.out); n > 0 && l.Kind == ItemLine {
		for l.New < min(len(l.Items), len(a.out[n-1].Items)) && l.Items[l.New] == a.out[n-1].Items[l.New] {
			l.New++
		}
		l.New = min(l.New, len(l.Items)-1)
	}
	a.out = append(a.out, l)
}

// walk adds the lines below a node.
func (a *axisLines) walk(n *node, depth int, items []int, value int) {
	i := a.fields[depth]
	last := depth == len(a.fields)-1
	if i == ValuesField {
		for k := range a.t.Values {
			a.open(n, depth, append(items, k), k, last)
		}
		return
	}
	for _, c := range a.order(n, i) {
		a.open(c, depth, append(items, c.item), value, last)
	}
}

// open adds the lines of one item of a field.
func (a *axisLines) open(n *node, depth int, items []int, value int, last bool) {
	i := a.fields[depth]
	if last || a.collapsed(i, n.item) {
		if a.single < 0 && value < 0 { // a collapsed item outside the names of values
			for k := range a.t.Values {
				a.add(Line{Items: items, Value: k, Shows: true, node: n})
			}
			return
		}
		a.add(Line{Items: items, Value: value, Shows: true, node: n})
		return
	}
	subtotal, outline, top := false, a.rows, false
	if i != ValuesField {
		f := a.t.Fields[i]
		subtotal, outline = f.Subtotal, a.rows && f.Outline
		top = subtotal && f.SubtotalTop && outline && (a.single >= 0 || value >= 0)
		if !a.rows {
			outline = false
		}
	} else if a.rows {
		outline = a.t.outlineValues()
	}
	// Where only the names of the values are below, they would repeat the subtotal.
	if depth == len(a.fields)-2 && a.fields[depth+1] == ValuesField {
		subtotal, top = false, false
	}
	if outline {
		a.add(Line{Items: items, Value: value, Shows: top, node: n})
	}
	a.walk(n, depth+1, items, value)
	if subtotal && !top {
		a.totals(SubtotalLine, n, items, value)
	}
}

// outlineValues reports whether the names of values on rows have a line each, as
// the other fields of rows do.
func (t *Table) outlineValues() bool {
	for _, i := range t.Rows {
		if i != ValuesField {
			return t.Fields[i].Outline
		}
	}
	return true
}

func (a *axisLines) collapsed(field, item int) bool {
	if field == ValuesField {
		return false
	}
	f := a.t.Fields[field]
	n, ok := f.place[item]
	return ok && f.Items[n].Collapsed
}

// order returns the children of a node in the order of their field.
func (a *axisLines) order(n *node, field int) []*node {
	f := a.t.Fields[field]
	list := slices.Clone(n.children)
	rank := func(c *node) int {
		if r, ok := f.place[c.item]; ok {
			return r
		}
		return len(f.Items)
	}
	slices.SortStableFunc(list, func(x, y *node) int { return rank(x) - rank(y) })
	if f.Sort == AsListed {
		return list
	}
	entries := f.entries()
	slices.SortStableFunc(list, func(x, y *node) int {
		d := 0
		switch {
		case f.SortBy >= 0 && f.SortBy < len(a.t.Values):
			v, w := a.sum(x, f.SortBy), a.sum(y, f.SortBy)
			if bare := boolInt(v.Kind != Number) - boolInt(w.Kind != Number); bare != 0 {
				return bare // errors come last in either order
			}
			d = a.cmp.compare(v, w)
		case f.Group != nil:
			d = x.item - y.item
		case x.item >= 0 && y.item >= 0:
			if xb, yb := entries[x.item].Kind == Blank, entries[y.item].Kind == Blank; xb || yb {
				return boolInt(xb) - boolInt(yb) // blank comes last in either order
			}
			d = a.cmp.compare(entries[x.item], entries[y.item])
		}
		if f.Sort == Descending {
			return -d
		}
		return d
	})
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sum is the total of a node over the whole other axis.
func (a *axisLines) sum(n *node, value int) Value {
	x, y := n, a.cube.cols
	if !a.rows {
		x, y = a.cube.rows, n
	}
	return a.cube.value(a.t, x, y, value)
}
