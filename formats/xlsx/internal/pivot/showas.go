package pivot

import (
	"cmp"
	"slices"
	"strconv"
)

// ShowAs is what a value is shown as (18.18.70, and ST_PivotShowAs of MS-XLSX).
type ShowAs string

// The ways to show a value.
const (
	Normal                ShowAs = ""
	PercentOfTotal        ShowAs = "percentOfTotal"
	PercentOfRow          ShowAs = "percentOfRow"
	PercentOfCol          ShowAs = "percentOfCol"
	Index                 ShowAs = "index"
	Difference            ShowAs = "difference"
	Percent               ShowAs = "percent"
	PercentDiff           ShowAs = "percentDiff"
	RunTotal              ShowAs = "runTotal"
	PercentOfParentRow    ShowAs = "percentOfParentRow"
	PercentOfParentCol    ShowAs = "percentOfParentCol"
	PercentOfParent       ShowAs = "percentOfParent"
	PercentOfRunningTotal ShowAs = "percentOfRunningTotal"
	RankAscending         ShowAs = "rankAscending"
	RankDescending        ShowAs = "rankDescending"
)

// ShowAsList has all ways to show a value but Normal.
var ShowAsList = []ShowAs{PercentOfTotal, PercentOfRow, PercentOfCol, Index, Difference, Percent, PercentDiff, RunTotal, PercentOfParentRow, PercentOfParentCol, PercentOfParent, PercentOfRunningTotal, RankAscending, RankDescending}

// HasBase reports whether values are shown in relation to a base field, HasItem
// whether also to one of its items.
func (s ShowAs) HasBase() bool {
	return s.HasItem() || slices.Contains([]ShowAs{RunTotal, PercentOfParent, PercentOfRunningTotal, RankAscending, RankDescending}, s)
}

// HasItem reports whether values are shown in relation to an item of a base field.
func (s ShowAs) HasItem() bool { return s == Difference || s == Percent || s == PercentDiff }

// Percentage reports whether the values shown are fractions of 1.
func (s ShowAs) Percentage() bool {
	return s != Normal && !slices.Contains([]ShowAs{Index, Difference, RunTotal, RankAscending, RankDescending}, s)
}

// extended reports whether the main part of a definition has no word for it, so that
// an extension says it.
func (s ShowAs) extended() bool {
	return slices.Contains([]ShowAs{PercentOfParentRow, PercentOfParentCol, PercentOfParent, PercentOfRunningTotal, RankAscending, RankDescending}, s)
}

// The base items that are relative to the item of a value (18.10.1.22).
const (
	PreviousItem = 1048828
	NextItem     = 1048829
)

// shower shows the values of one measure.
type shower struct {
	t *Table
	c *cube
	n int // of the measure
	m Measure

	onRows bool // where the base field is; base is -1 where it is on neither axis
	base   int  // how many fields are over it on its axis
	places map[*node]siblingPlace
	totals map[[2]int][]float64 // by siblings and node of the other axis
	ranks  map[[2]int][]float64
}

// siblings are the nodes of an axis that differ in the item of the base field only.
type siblings struct {
	id    int
	nodes []*node
	items []int // of the base field
	order []int // of the items among all of the same parent
}

type siblingPlace struct {
	of *siblings
	at int
}

// newShower prepares to show the values of a measure.
func (t *Table) newShower(c *cube, n int) *shower {
	s := &shower{t: t, c: c, n: n, m: t.Values[n], base: -1}
	if !s.m.ShowAs.HasBase() {
		return s
	}
	for _, rows := range []bool{true, false} {
		fields := slices.DeleteFunc(slices.Clone(map[bool][]int{true: t.Rows, false: t.Columns}[rows]), func(i int) bool { return i == ValuesField })
		if k := slices.Index(fields, s.m.BaseField); k >= 0 {
			s.onRows, s.base = rows, k
		}
	}
	if s.base < 0 || s.m.ShowAs == PercentOfParent {
		return s
	}
	s.places, s.totals, s.ranks = map[*node]siblingPlace{}, map[[2]int][]float64{}, map[[2]int][]float64{}
	root := c.cols
	if s.onRows {
		root = c.rows
	}
	s.group(root, 0, &axisLines{t: t, rows: s.onRows, cube: c, cmp: newComparer()})
	return s
}

// group finds the siblings below a node that is over the base field.
func (s *shower) group(n *node, depth int, a *axisLines) {
	if depth < s.base {
		for _, c := range n.children {
			s.group(c, depth+1, a)
		}
		return
	}
	byPath := map[string]*siblings{}
	for k, c := range a.order(n, s.m.BaseField) {
		s.collect(c, "", c.item, k, byPath)
	}
}

// collect adds a node and those below it to the siblings of their paths.
func (s *shower) collect(n *node, path string, item, order int, byPath map[string]*siblings) {
	l := byPath[path]
	if l == nil {
		l = &siblings{id: n.id}
		byPath[path] = l
	}
	s.places[n] = siblingPlace{l, len(l.nodes)}
	l.nodes, l.items, l.order = append(l.nodes, n), append(l.items, item), append(l.order, order)
	for _, c := range n.children {
		s.collect(c, path+" "+strconv.Itoa(c.item), item, order, byPath)
	}
}

// plain is the value of a combination as it is.
func (s *shower) plain(row, col *node) Value {
	return s.c.value(s.t, row, col, s.n)
}

// ratio divides as cells do.
func ratio(v, by Value) Value {
	switch {
	case v.Kind != Number:
		return v
	case by.Kind == Blank || by.Kind == Number && by.Num == 0:
		return Value{Kind: Error, Text: "#DIV/0!"}
	case by.Kind != Number:
		return by
	}
	return Value{Kind: Number, Num: v.Num / by.Num}
}

// value is what a combination shows.
func (s *shower) value(row, col *node) Value {
	v := s.plain(row, col)
	if s.m.ShowAs == Normal || v.Kind == Error {
		return v
	}
	up := func(n *node) *node {
		if n.parent == nil {
			return n
		}
		return n.parent
	}
	switch s.m.ShowAs {
	case PercentOfTotal:
		return ratio(v, s.plain(s.c.rows, s.c.cols))
	case PercentOfRow:
		return ratio(v, s.plain(row, s.c.cols))
	case PercentOfCol:
		return ratio(v, s.plain(s.c.rows, col))
	case PercentOfParentRow:
		return ratio(v, s.plain(up(row), col))
	case PercentOfParentCol:
		return ratio(v, s.plain(row, up(col)))
	case Index:
		return s.index(v, row, col)
	}
	if s.base < 0 {
		return Value{Kind: Error, Text: "#N/A"}
	}
	if s.m.ShowAs == PercentOfParent {
		return s.ofParent(v, row, col)
	}
	n, other := col, row
	if s.onRows {
		n, other = row, col
	}
	p, ok := s.places[n]
	if !ok { // a total of more than one item of the base field
		return Value{Kind: Blank}
	}
	switch s.m.ShowAs {
	case RunTotal, PercentOfRunningTotal:
		return s.running(p, other)
	case RankAscending, RankDescending:
		if v.Kind != Number {
			return v
		}
		return Value{Kind: Number, Num: s.rank(p, other)}
	}
	return s.relative(v, p, other)
}

// index is the weight of a value: value × total / (total of the row × of the column).
func (s *shower) index(v Value, row, col *node) Value {
	whole, r, c := s.plain(s.c.rows, s.c.cols), s.plain(row, s.c.cols), s.plain(s.c.rows, col)
	if v.Kind != Number || whole.Kind != Number || r.Kind != Number || c.Kind != Number {
		return v
	}
	return ratio(Value{Kind: Number, Num: v.Num * whole.Num}, Value{Kind: Number, Num: r.Num * c.Num})
}

// ofParent is a value over that of the item of the base field that it belongs to.
func (s *shower) ofParent(v Value, row, col *node) Value {
	n := &col
	if s.onRows {
		n = &row
	}
	depth := 0
	for x := *n; x.parent != nil; x = x.parent {
		depth++
	}
	if depth <= s.base {
		return Value{Kind: Blank}
	}
	for ; depth > s.base+1; depth-- {
		*n = (*n).parent
	}
	return ratio(v, s.plain(row, col))
}

// cross is the value of a node of the base field's axis and one of the other.
func (s *shower) cross(n, other *node) Value {
	if s.onRows {
		return s.plain(n, other)
	}
	return s.plain(other, n)
}

// running adds up the values of the siblings up to a place.
func (s *shower) running(p siblingPlace, other *node) Value {
	key := [2]int{p.of.id, other.id}
	sums := s.totals[key]
	if sums == nil {
		sums = make([]float64, len(p.of.nodes))
		all := total{}
		for k, n := range p.of.nodes {
			if v := s.cross(n, other); v.Kind == Number {
				all.add(v)
			}
			sums[k] = all.sum + all.lost
		}
		s.totals[key] = sums
	}
	if s.m.ShowAs == RunTotal {
		return Value{Kind: Number, Num: sums[p.at]}
	}
	return ratio(Value{Kind: Number, Num: sums[p.at]}, Value{Kind: Number, Num: sums[len(sums)-1]})
}

// rank is the place of a value among those of its siblings; equal values have the
// same, and the next value the next number.
func (s *shower) rank(p siblingPlace, other *node) float64 {
	key := [2]int{p.of.id, other.id}
	out := s.ranks[key]
	if out == nil {
		out = make([]float64, len(p.of.nodes))
		var list []int
		nums := make([]float64, len(out))
		for k, n := range p.of.nodes {
			if v := s.cross(n, other); v.Kind == Number {
				nums[k] = v.Num
				list = append(list, k)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int {
			if s.m.ShowAs == RankDescending {
				a, b = b, a
			}
			return cmp.Compare(nums[a], nums[b])
		})
		rank := 0.0
		for i, k := range list {
			if i == 0 || nums[k] != nums[list[i-1]] {
				rank++
			}
			out[k] = rank
		}
		s.ranks[key] = out
	}
	return out[p.at]
}

// relative shows a value in relation to that of the base item.
func (s *shower) relative(v Value, p siblingPlace, other *node) Value {
	at, missing := -1, false
	switch s.m.BaseItem {
	case PreviousItem, NextItem:
		step := 1
		if s.m.BaseItem == PreviousItem {
			step = -1
		}
		near := p.at + step
		switch {
		case near >= 0 && near < len(p.of.nodes) && p.of.order[near] == p.of.order[p.at]+step:
			at = near
		case step < 0 && p.of.order[p.at] > 0 || step > 0 && near < len(p.of.nodes):
			missing = true // the item is there, but not with these of the other fields
		}
		if at < 0 && !missing {
			if s.m.ShowAs == Percent {
				at = p.at
				break
			}
			return Value{Kind: Blank}
		}
	default:
		if items := s.t.Fields[s.m.BaseField].Items; s.m.BaseItem >= 0 && s.m.BaseItem < len(items) {
			at = slices.Index(p.of.items, items[s.m.BaseItem].Index)
		}
		if at < 0 {
			return Value{Kind: Error, Text: "#N/A"}
		}
		if at == p.at && s.m.ShowAs != Percent {
			return Value{Kind: Blank}
		}
	}
	base := Value{Kind: Blank}
	if at >= 0 {
		base = s.cross(p.of.nodes[at], other)
	}
	switch {
	case base.Kind == Error:
		return base
	case v.Kind == Blank && base.Kind == Blank:
		return v
	}
	if s.m.ShowAs == Difference {
		return Value{Kind: Number, Num: v.Num - base.Num}
	}
	if base.Kind == Blank {
		return Value{Kind: Error, Text: "#NULL!"}
	}
	if s.m.ShowAs == PercentDiff {
		v.Num -= base.Num
	}
	v.Kind = Number
	return ratio(v, base)
}
