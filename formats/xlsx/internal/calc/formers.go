package calc

import (
	"cmp"
	"slices"
)

// formers are the values that cells had before a calculation. Those of the first round,
// which are most, are a list in reading order; a map of a hundred thousand takes longer
// than to calculate them.
type formers struct {
	first []former
	later map[Place]Value // cells that became due in later rounds, or that arrays filled
	begun bool            // first is complete
}

type former struct {
	at    Place
	value Value
}

// of returns the value that a cell had; ok is false where it was not noted.
func (f *formers) of(at Place) (v Value, ok bool) {
	if v, ok = f.later[at]; ok {
		return v, true
	}
	i, ok := slices.BinarySearchFunc(f.first, at, func(x former, at Place) int { return x.at.compare(at) })
	if !ok {
		return Value{}, false
	}
	return f.first[i].value, true
}

// note notes the value of a cell that first does not have, unless it was noted.
func (f *formers) note(at Place, v Value) {
	if _, ok := f.of(at); ok {
		return
	}
	if f.later == nil {
		f.later = map[Place]Value{}
	}
	f.later[at] = v
}

// len returns how many values were noted.
func (f *formers) len() int { return len(f.first) + len(f.later) }

// inOrder is of for cells that are asked for in reading order.
func (f *formers) inOrder() func(at Place) (Value, bool) {
	next := 0
	return func(at Place) (Value, bool) {
		for next < len(f.first) && f.first[next].at.compare(at) < 0 {
			next++
		}
		if next < len(f.first) && f.first[next].at == at {
			return f.first[next].value, true
		}
		if len(f.later) == 0 {
			return Value{}, false
		}
		v, ok := f.later[at]
		return v, ok
	}
}

// compare orders places in reading order.
func (p Place) compare(q Place) int {
	return cmp.Or(p.Sheet-q.Sheet, p.Row-q.Row, p.Col-q.Col)
}
