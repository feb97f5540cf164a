package pivot

import (
	"context"
	"math"
	"slices"

	"atelier/formats"
)

// total is what has come together in a combination of items for one value.
type total struct {
	count, numbers    float64
	sum, lost         float64 // lost is what rounding took from sum
	mean, m2          float64 // of the deviations
	min, max, product float64
	err               string // of the first error
}

func (a *total) add(v Value) {
	switch v.Kind {
	case Blank:
		return
	case Error:
		a.count++
		if a.err == "" {
			a.err = v.Text
		}
		return
	case Text, Bool:
		a.count++
		return
	}
	a.count++
	if a.numbers++; a.numbers == 1 {
		a.min, a.max, a.product = v.Num, v.Num, 1
	}
	s := a.sum + v.Num
	if math.Abs(a.sum) >= math.Abs(v.Num) {
		a.lost += (a.sum - s) + v.Num
	} else {
		a.lost += (v.Num - s) + a.sum
	}
	a.sum = s
	d := v.Num - a.mean
	a.mean += d / a.numbers
	a.m2 += d * (v.Num - a.mean)
	a.min, a.max = math.Min(a.min, v.Num), math.Max(a.max, v.Num)
	a.product *= v.Num
}

// value is the result of a function; Blank where nothing came together.
func (a *total) value(f Function) Value {
	num := func(v float64) Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Value{Kind: Error, Text: "#NUM!"}
		}
		return Value{Kind: Number, Num: v}
	}
	switch {
	case a.count == 0:
		return Value{Kind: Blank}
	case f == "count":
		return num(a.count)
	case f == "countNums":
		return num(a.numbers)
	case a.err != "":
		return Value{Kind: Error, Text: a.err}
	}
	divided := func(v, by float64) Value {
		if by <= 0 {
			return Value{Kind: Error, Text: "#DIV/0!"}
		}
		return num(v / by)
	}
	root := func(v Value) Value { v.Num = math.Sqrt(v.Num); return v }
	switch f {
	case "average":
		return divided(a.sum+a.lost, a.numbers)
	case "max":
		return num(a.max)
	case "min":
		return num(a.min)
	case "product":
		return num(a.product)
	case "stdDev":
		return root(divided(a.m2, a.numbers-1))
	case "stdDevp":
		return root(divided(a.m2, a.numbers))
	case "var":
		return divided(a.m2, a.numbers-1)
	case "varp":
		return divided(a.m2, a.numbers)
	}
	return num(a.sum + a.lost)
}

// node is a combination of items of the first fields of an axis; the root has none.
type node struct {
	id       int
	item     int // index in the entries of its field
	parent   *node
	children []*node
	byItem   map[int]*node
}

func (n *node) child(item int, next *int) *node {
	if c := n.byItem[item]; c != nil {
		return c
	}
	if n.byItem == nil {
		n.byItem = map[int]*node{}
	}
	c := &node{id: *next, item: item, parent: n}
	*next++
	n.byItem[item] = c
	n.children = append(n.children, c)
	return c
}

// cube has the totals of all combinations of items of rows and columns.
type cube struct {
	rows, cols *node
	totals     map[[2]int][]total
	values     int
	next       [2]int // ids of the next nodes of rows and columns
}

// value is what has come together in a combination for a value; Blank without records.
func (c *cube) value(t *Table, row, col *node, k int) Value {
	list := c.totals[[2]int{row.id, col.id}]
	switch {
	case list == nil:
		return Value{Kind: Blank}
	case t.exprs[k] != nil:
		return t.exprs[k].eval(list[len(t.Values):])
	}
	return list[k].value(t.Values[k].Function)
}

// keys gives the entry of a field that each record has, -1 for none.
func (t *Table) keys(d *Data, i int) func(row int) int {
	f := t.Fields[i]
	if f.Group == nil {
		c := d.Columns[f.Column]
		byText := map[int]int{}
		return func(row int) int {
			if c.kinds[row] != Text {
				return f.shared[c.At(row).key()]
			}
			n := int(c.nums[row])
			k, known := byText[n]
			if !known {
				k = f.shared[c.At(row).key()]
				byText[n] = k
			}
			return k
		}
	}
	c := d.Columns[t.Fields[f.Group.Base].Column]
	return func(row int) int { return f.Group.Of(c.At(row)) }
}

// kept returns a test of the records that filters and hidden items let through.
func (t *Table) kept(d *Data) func(row int) bool {
	type test struct {
		key func(int) int
		out map[int]bool
		one int // -1: all but out
	}
	var tests []test
	for i, f := range t.Fields {
		if f.Axis == NoAxis {
			continue
		}
		x := test{key: t.keys(d, i), out: t.filteredOut(i), one: -1}
		for _, it := range f.Items {
			if it.Hidden {
				x.out[it.Index] = true
			}
		}
		if f.Axis == PageAxis && f.Selected >= 0 && f.Selected < len(f.Items) {
			x.one = f.Items[f.Selected].Index
		}
		if len(x.out) > 0 || x.one >= 0 {
			tests = append(tests, x)
		}
	}
	return func(row int) bool {
		for _, x := range tests {
			k := x.key(row)
			if x.one >= 0 && k != x.one || x.out[k] {
				return false
			}
		}
		return true
	}
}

// present gives the entries that records have, by field.
func (t *Table) present(d *Data) []map[int]bool {
	out := make([]map[int]bool, len(t.Fields))
	for i, f := range t.Fields {
		if f.Axis == NoAxis {
			continue
		}
		out[i] = map[int]bool{}
		key := t.keys(d, i)
		for row := range d.Rows() {
			out[i][key(row)] = true
		}
	}
	return out
}

// filtered goes through the records, and again after each filter by value, from the
// outermost field on.
func (t *Table) filtered(ctx context.Context, d *Data) (*cube, error) {
	if err := t.compile(); err != nil {
		return nil, err
	}
	c, err := t.calculate(ctx, d, nil)
	var limits []*limit
	for _, list := range [][]int{t.Rows, t.Columns} {
		for _, i := range list {
			for k := range t.Filters {
				f := &t.Filters[k]
				if err != nil || f.Field != i || !f.ByValue() || f.Measure < 0 || f.Measure >= len(t.Values) {
					continue
				}
				limits = append(limits, t.limitOf(f, c))
				c, err = t.calculate(ctx, d, limits)
			}
		}
	}
	if err == nil {
		err = t.addEmpty(c)
	}
	return c, err
}

// addEmpty adds the items without records of the fields that show them.
func (t *Table) addEmpty(c *cube) error {
	for axis, list := range [][]int{t.Rows, t.Columns} {
		var fields []int
		for _, i := range list {
			if i != ValuesField {
				fields = append(fields, i)
			}
		}
		for k, i := range fields {
			if k+1 < len(fields) && t.Fields[i].ShowEmpty && !t.Fields[fields[k+1]].ShowEmpty {
				return unsupported("shows items without data of the field %q, but not of %q within it", t.Fields[i].Name, t.Fields[fields[k+1]].Name)
			}
		}
		root := c.rows
		if axis == 1 {
			root = c.cols
		}
		if err := t.addEmptyBelow(root, fields, &c.next[axis], make([]map[int]bool, len(fields))); err != nil {
			return err
		}
	}
	return nil
}

// addEmptyBelow adds the items below a node; out are those that filters hide, by depth.
func (t *Table) addEmptyBelow(n *node, fields []int, next *int, out []map[int]bool) error {
	if len(fields) == 0 {
		return nil
	}
	f := t.Fields[fields[0]]
	byValue := slices.ContainsFunc(t.Filters, func(x Filter) bool { return x.Field == fields[0] && x.ByValue() })
	if f.ShowEmpty && !byValue {
		if out[0] == nil {
			out[0] = t.filteredOut(fields[0])
		}
		for _, it := range f.Items {
			if !it.Hidden && !out[0][it.Index] {
				n.child(it.Index, next)
			}
		}
		if *next > maxCube {
			return formats.Errorf(formats.CodeTooLarge, "the pivot table would show more than %d items without data; use fewer fields in rows and columns", maxCube)
		}
	}
	for _, c := range n.children {
		if err := t.addEmptyBelow(c, fields[1:], next, out[1:]); err != nil {
			return err
		}
	}
	return nil
}

// calculate goes through the records that filters let through.
func (t *Table) calculate(ctx context.Context, d *Data, limits []*limit) (*cube, error) {
	c := &cube{rows: &node{item: -1}, cols: &node{item: -1}, totals: map[[2]int][]total{}, values: len(t.Values) + len(t.slots)}
	axes := [2][]func(int) int{}
	for a, list := range [][]int{t.Rows, t.Columns} {
		for _, i := range list {
			if i != ValuesField {
				axes[a] = append(axes[a], t.keys(d, i))
			}
		}
	}
	kept := t.kept(d)
	nRow, nCol := 1, 1
	rows, cols := []*node{}, []*node{}
	for r := range d.Rows() {
		if r%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !kept(r) || slices.ContainsFunc(limits, func(l *limit) bool { return !l.allows(axes[1-boolInt(l.rows)], r) }) {
			continue
		}
		rows, cols = path(c.rows, axes[0], r, rows, &nRow), path(c.cols, axes[1], r, cols, &nCol)
		for _, x := range rows {
			for _, y := range cols {
				if err := c.add(t, d, r, [2]int{x.id, y.id}); err != nil {
					return nil, err
				}
			}
		}
	}
	c.next = [2]int{nRow, nCol}
	return c, nil
}

// path lists the nodes of a record from the root on.
func path(root *node, keys []func(int) int, row int, buf []*node, next *int) []*node {
	buf = append(buf[:0], root)
	for _, key := range keys {
		root = root.child(key(row), next)
		buf = append(buf, root)
	}
	return buf
}

func (c *cube) add(t *Table, d *Data, row int, at [2]int) error {
	list := c.totals[at]
	if list == nil {
		if len(c.totals)*max(1, c.values) >= maxCube {
			return formats.Errorf(formats.CodeTooLarge, "the pivot table would have more than %d combinations of items; use fewer fields in rows and columns, or group them", maxCube)
		}
		list = make([]total, max(1, c.values))
		c.totals[at] = list
	}
	for k := range c.values {
		i := 0
		if k < len(t.Values) {
			i = t.Values[k].Field
		} else {
			i = t.slots[k-len(t.Values)]
		}
		f := t.Fields[i]
		if f.Calculated() {
			continue
		}
		col := f.Column
		if col < 0 {
			col = t.Fields[f.Group.Base].Column
		}
		list[k].add(d.Columns[col].At(row))
	}
	return nil
}
