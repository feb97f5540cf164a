// Package seqdiff finds the corresponding items of two lists, for diffs of
// documents: equal, changed, moved, added and removed items.
//
//	steps := seqdiff.Lists(len(a), len(b), seqdiff.Options{
//		Same:    func(i, j int) bool { return a[i] == b[j] },
//		KeyA: …, KeyB: …, // a hash of each item
//		Similar: func(i, j int) float64 { return ratio(a[i], b[j]) },
//	})
//
// Equal items are matched in order, unique ones first (patience diff), so that an
// insertion at the top does not turn everything after it into a change. Between
// them, similar items are paired as changed. Remaining items that are equal on
// both sides have moved.
package seqdiff

import "sort"

// Step is one line of an alignment, in the order of the new list, with
// removed items at their old place. A or B is -1 if the item is on one side
// only.
type Step struct {
	A, B  int
	Kind  Kind
	Moved bool // at another place in the other list: A is the old place
}

// Kind is the relation between the two items of a step.
type Kind uint8

// The kinds of steps.
const (
	Equal Kind = iota
	Changed
	Added   // only B
	Removed // only A
)

// Options define how items are compared.
type Options struct {
	KeyA, KeyB func(i int) uint64     // equal items have equal keys
	Similar    func(i, j int) float64 // 0 to 1; nil: nothing is similar
	Threshold  float64                // pairs with at least this similarity are one changed item; 0 is 0.5
	// Twin returns how well an item of B could replace one of A by its form
	// alone (its style, its length), 0 for not at all. Remaining items
	// between two matches are paired by it, unless one side has more than
	// twice as many: a translation changes every word but keeps the form.
	// Nil: no items are paired this way.
	Twin       func(i, j int) float64
	Weightless func(i int) bool // items of A too common to count as moved, such as empty ones; nil: none
}

// maxTable limits the tables of the quadratic steps, in cells.
const maxTable = 1 << 20

// Lists aligns lists of n and m items.
func Lists(n, m int, opt Options) []Step {
	if opt.Threshold == 0 {
		opt.Threshold = 0.5
	}
	p := &aligner{opt: opt, a: make([]uint64, n), b: make([]uint64, m), match: make([]int, n), back: make([]int, m)}
	for i := range p.a {
		p.a[i], p.match[i] = opt.KeyA(i), -1
	}
	for j := range p.b {
		p.b[j], p.back[j] = opt.KeyB(j), -1
	}
	p.equal(0, n, 0, m)
	kinds := make([]Kind, m)
	p.similar(kinds)
	moved := p.moves()
	p.twins(kinds, moved)
	return p.steps(kinds, moved)
}

type aligner struct {
	opt   Options
	a, b  []uint64
	match []int // the partner of each item of A, -1 if it has none
	back  []int
}

func (p *aligner) pair(i, j int) { p.match[i], p.back[j] = j, i }

// equal matches equal items of a[i0:i1] and b[j0:j1] in order.
func (p *aligner) equal(i0, i1, j0, j1 int) {
	for i0 < i1 && j0 < j1 && p.a[i0] == p.b[j0] {
		p.pair(i0, j0)
		i0, j0 = i0+1, j0+1
	}
	for i0 < i1 && j0 < j1 && p.a[i1-1] == p.b[j1-1] {
		i1, j1 = i1-1, j1-1
		p.pair(i1, j1)
	}
	if i0 == i1 || j0 == j1 {
		return
	}
	anchors := p.anchors(i0, i1, j0, j1)
	if len(anchors) == 0 {
		p.table(i0, i1, j0, j1)
		return
	}
	for _, an := range anchors {
		p.equal(i0, an[0], j0, an[1])
		p.pair(an[0], an[1])
		i0, j0 = an[0]+1, an[1]+1
	}
	p.equal(i0, i1, j0, j1)
}

// anchors returns items that occur once on each side, as many as keep their
// order.
func (p *aligner) anchors(i0, i1, j0, j1 int) [][2]int {
	type place struct{ i, j, na, nb int }
	at := map[uint64]*place{}
	for i := i0; i < i1; i++ {
		if q := at[p.a[i]]; q != nil {
			q.na++
		} else {
			at[p.a[i]] = &place{i: i, na: 1}
		}
	}
	for j := j0; j < j1; j++ {
		if q := at[p.b[j]]; q != nil {
			q.j = j
			q.nb++
		}
	}
	var once [][2]int
	for _, q := range at {
		if q.na == 1 && q.nb == 1 {
			once = append(once, [2]int{q.i, q.j})
		}
	}
	sort.Slice(once, func(x, y int) bool { return once[x][0] < once[y][0] })
	return rising(once)
}

// rising returns the longest subsequence whose second members increase.
func rising(list [][2]int) [][2]int {
	var ends []int // index of the smallest end of each length
	prev := make([]int, len(list))
	for k, v := range list {
		at := sort.Search(len(ends), func(x int) bool { return list[ends[x]][1] >= v[1] })
		prev[k] = -1
		if at > 0 {
			prev[k] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, k)
		} else {
			ends[at] = k
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([][2]int, len(ends))
	for k, at := ends[len(ends)-1], len(ends)-1; at >= 0; k, at = prev[k], at-1 {
		out[at] = list[k]
	}
	return out
}

// table matches by the longest common subsequence, if its table is small
// enough.
func (p *aligner) table(i0, i1, j0, j1 int) {
	n, m := i1-i0, j1-j0
	if n*m > maxTable {
		return
	}
	w := m + 1
	t := make([]int32, (n+1)*w)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if p.a[i0+i] == p.b[j0+j] {
				t[i*w+j] = t[(i+1)*w+j+1] + 1
			} else {
				t[i*w+j] = max(t[(i+1)*w+j], t[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case p.a[i0+i] == p.b[j0+j]:
			p.pair(i0+i, j0+j)
			i, j = i+1, j+1
		case t[(i+1)*w+j] >= t[i*w+j+1]:
			i++
		default:
			j++
		}
	}
}

// similar pairs the similar items between equal ones, in order.
func (p *aligner) similar(kinds []Kind) {
	if p.opt.Similar == nil {
		return
	}
	i, j := 0, 0
	for i < len(p.a) || j < len(p.b) {
		i1, j1 := i, j
		for i1 < len(p.a) && p.match[i1] < 0 {
			i1++
		}
		for j1 < len(p.b) && p.back[j1] < 0 {
			j1++
		}
		p.pairGap(i, i1, j, j1, kinds)
		i, j = i1, j1
		if i < len(p.a) {
			// The matched pair ends the gap on both sides.
			i, j = i+1, p.match[i]+1
		} else {
			break
		}
	}
}

func (p *aligner) pairGap(i0, i1, j0, j1 int, kinds []Kind) {
	n, m := i1-i0, j1-j0
	if n == 0 || m == 0 {
		return
	}
	set := func(i, j int) {
		p.pair(i, j)
		kinds[j] = Changed
	}
	if n*m > maxTable/64 { // too many to compare all pairs: by position
		for k := 0; k < min(n, m); k++ {
			if p.opt.Similar(i0+k, j0+k) >= p.opt.Threshold {
				set(i0+k, j0+k)
			}
		}
		return
	}
	w := m + 1
	sim := make([]float64, n*m)
	best := make([]float64, (n+1)*w)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			s := p.opt.Similar(i0+i, j0+j)
			if s < p.opt.Threshold {
				s = 0
			}
			sim[i*m+j] = s
			best[i*w+j] = max(best[(i+1)*w+j], best[i*w+j+1])
			if s > 0 {
				best[i*w+j] = max(best[i*w+j], best[(i+1)*w+j+1]+s)
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch s := sim[i*m+j]; {
		case s > 0 && best[i*w+j] == best[(i+1)*w+j+1]+s:
			set(i0+i, j0+j)
			i, j = i+1, j+1
		case best[i*w+j] == best[(i+1)*w+j]:
			i++
		default:
			j++
		}
	}
}

// moves matches the remaining equal items of both sides.
func (p *aligner) moves() map[int]bool {
	left := map[uint64][]int{}
	for i, j := range p.match {
		if j < 0 && (p.opt.Weightless == nil || !p.opt.Weightless(i)) {
			left[p.a[i]] = append(left[p.a[i]], i)
		}
	}
	moved := map[int]bool{}
	for j, i := range p.back {
		if i >= 0 || len(left[p.b[j]]) == 0 {
			continue
		}
		from := left[p.b[j]][0]
		left[p.b[j]] = left[p.b[j]][1:]
		p.pair(from, j)
		moved[j] = true
	}
	return moved
}

// twins pairs the remaining items between two matches by their form.
func (p *aligner) twins(kinds []Kind, moved map[int]bool) {
	if p.opt.Twin == nil {
		return
	}
	var left, right []int // unmatched items of the gap
	i := 0
	gap := func(until int) {
		for ; i < until; i++ {
			if p.match[i] < 0 {
				left = append(left, i)
			}
		}
		if len(left) <= 2*len(right) && len(right) <= 2*len(left) {
			p.pairTwins(left, right, kinds)
		}
		left, right = left[:0], right[:0]
	}
	for j, k := range p.back {
		switch {
		case k < 0:
			right = append(right, j)
		case !moved[j]:
			gap(k)
			i = k + 1
		}
	}
	gap(len(p.a))
}

// pairTwins pairs two lists in order with the best total fit.
func (p *aligner) pairTwins(left, right []int, kinds []Kind) {
	n, m := len(left), len(right)
	set := func(x, y int) {
		p.pair(left[x], right[y])
		kinds[right[y]] = Changed
	}
	if n*m > maxTable {
		for k := range min(n, m) {
			if p.opt.Twin(left[k], right[k]) > 0 {
				set(k, k)
			}
		}
		return
	}
	w := m + 1
	best := make([]float64, (n+1)*w)
	for x := n - 1; x >= 0; x-- {
		for y := m - 1; y >= 0; y-- {
			best[x*w+y] = max(best[(x+1)*w+y], best[x*w+y+1])
			if t := p.opt.Twin(left[x], right[y]); t > 0 {
				best[x*w+y] = max(best[x*w+y], best[(x+1)*w+y+1]+t)
			}
		}
	}
	for x, y := 0, 0; x < n && y < m; {
		t := p.opt.Twin(left[x], right[y])
		switch {
		case t > 0 && best[x*w+y] == best[(x+1)*w+y+1]+t:
			set(x, y)
			x, y = x+1, y+1
		case best[x*w+y] == best[(x+1)*w+y]:
			x++
		default:
			y++
		}
	}
}

func (p *aligner) steps(kinds []Kind, moved map[int]bool) []Step {
	out := make([]Step, 0, max(len(p.a), len(p.b)))
	i := 0
	gone := func(until int) {
		for ; i < until; i++ {
			if p.match[i] < 0 {
				out = append(out, Step{A: i, B: -1, Kind: Removed})
			}
		}
	}
	for j, k := range p.back {
		switch {
		case k < 0:
			// Removed items come before added ones.
			next := i
			for next < len(p.a) && (p.match[next] < 0 || moved[p.match[next]]) {
				next++
			}
			gone(next)
			out = append(out, Step{A: -1, B: j, Kind: Added})
		case moved[j]:
			out = append(out, Step{A: k, B: j, Kind: Equal, Moved: true})
		default:
			gone(k)
			i = k + 1
			out = append(out, Step{A: k, B: j, Kind: kinds[j]})
		}
	}
	gone(len(p.a))
	return out
}

// Ratio returns the similarity of two lists of words: twice the number of
// common words over the number of all words, regardless of order
// (Sørensen–Dice).
func Ratio(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	shared := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}
