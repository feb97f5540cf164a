package diff

import (
	"slices"
	"sort"

	"atelier/formats/xlsx/internal/cellref"
)

// lineMap says which rows (or columns) of the old sheet are which of the new.
type lineMap struct {
	segs    []lineSeg // in order on both sides
	cols    bool
	shifts  []cellref.Shift // what makes the old sheet's places those of the new, last first
	added   []lineSpan      // inserted, in the new sheet
	deleted []lineSpan      // in the old sheet
}

// lineSeg says that the n lines from a on are those from b on.
type lineSeg struct{ a, b, n int }

// lineSpan is the lines from to to.
type lineSpan struct{ from, to int }

func (m *lineMap) limit() int {
	if m.cols {
		return cellref.MaxCol
	}
	return cellref.MaxRow
}

func sameLines(cols bool) *lineMap {
	m := &lineMap{cols: cols}
	m.segs = []lineSeg{{1, 1, m.limit()}}
	return m
}

// same reports whether every line stands where it stood.
func (m *lineMap) same() bool { return len(m.shifts) == 0 }

// to is where an old line is now; false and the next that is there when it was
// deleted.
func (m *lineMap) to(i int) (int, bool) {
	k := sort.Search(len(m.segs), func(k int) bool { return m.segs[k].a+m.segs[k].n > i })
	if k == len(m.segs) {
		return m.limit() + 1, false
	}
	if s := m.segs[k]; i >= s.a {
		return s.b + i - s.a, true
	}
	return m.segs[k].b, false
}

// from is where a new line was; false for an inserted one.
func (m *lineMap) from(j int) (int, bool) {
	k := sort.Search(len(m.segs), func(k int) bool { return m.segs[k].b+m.segs[k].n > j })
	if k == len(m.segs) {
		return 0, false
	}
	if s := m.segs[k]; j >= s.b {
		return s.a + j - s.b, true
	}
	return 0, false
}

// linePair is two lines that hold the same.
type linePair struct{ a, b int }

// newLineMap makes the map from lines that belong together, in order. extraA and
// extraB are lines that hold something and have no counterpart, in order: where
// the distance of two pairs changed they are taken for the ones that came or
// went. Behind the last pair nothing shows that lines moved.
func newLineMap(cols bool, pairs []linePair, extraA, extraB []int) *lineMap {
	m := &lineMap{cols: cols}
	a, b := 0, 0 // the last pair
	add := func(x, y, n int) {
		if n <= 0 {
			return
		}
		if k := len(m.segs) - 1; k >= 0 && m.segs[k].a+m.segs[k].n == x && m.segs[k].b+m.segs[k].n == y {
			m.segs[k].n += n
			return
		}
		m.segs = append(m.segs, lineSeg{x, y, n})
	}
	for _, p := range pairs {
		if p.a <= a || p.b <= b {
			continue
		}
		la, lb := p.a-a-1, p.b-b-1
		switch {
		case la == lb:
			add(a+1, b+1, la)
		case lb > la:
			k := extraAt(la, lb-la, b, inside(extraB, b, p.b), a, inside(extraA, a, p.a))
			add(a+1, b+1, k)
			add(a+1+k, b+1+k+lb-la, la-k)
			m.added = append(m.added, lineSpan{b + 1 + k, b + k + lb - la})
			m.shifts = append(m.shifts, cellref.Shift{Cols: cols, At: a + 1 + k, Count: lb - la})
		default:
			k := extraAt(lb, la-lb, a, inside(extraA, a, p.a), b, inside(extraB, b, p.b))
			add(a+1, b+1, k)
			add(a+1+k+la-lb, b+1+k, lb-k)
			m.deleted = append(m.deleted, lineSpan{a + 1 + k, a + k + la - lb})
			m.shifts = append(m.shifts, cellref.Shift{Cols: cols, At: a + 1 + k, Count: lb - la})
		}
		add(p.a, p.b, 1)
		a, b = p.a, p.b
	}
	add(a+1, b+1, m.limit()-max(a, b))
	slices.Reverse(m.shifts)
	return m
}

// inside are the members of a sorted list between two lines.
func inside(list []int, from, to int) []int {
	i := sort.SearchInts(list, from+1)
	j := sort.SearchInts(list, to)
	return list[i:max(i, j)]
}

// extraAt finds which block of n lines of the longer side of a gap has no
// counterpart: the one with the most lines that hold something, so that of the
// rest as few as possible change. The answer is how many lines stand before it,
// at most short.
func extraAt(short, n, base int, long []int, shortBase int, other []int) int {
	best, most := short, -1
	try := func(k int) {
		if k < 0 || k > short {
			return
		}
		in := len(inside(long, base+k, base+k+n+1))
		score := 2 * in
		for _, o := range other[:min(len(other), 50)] { // those that would stand for one that holds something
			at := o - shortBase
			if at > k {
				at += n
			}
			if _, ok := slices.BinarySearch(long, base+at); ok {
				score++
			}
		}
		if score > most {
			best, most = k, score
		}
	}
	try(short)
	for _, l := range long[:min(len(long), 100)] {
		try(l - base - 1)
		try(l - base - n)
	}
	try(0)
	return best
}
