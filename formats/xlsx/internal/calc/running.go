package calc

import (
	"slices"

	"atelier/formats/xlsx/internal/numfmt"
)

// Running totals: a formula such as SUM($A$1:A5), filled down, reads the range of the
// formula above it and one row more. What was found in a range is kept, and a longer
// range with the same first row and columns continues from there. Cells are taken in the
// same order as without, so that results are the same to the last bit.

// These decide what is kept.
const (
	runningRows  = 64      // shorter ranges are read each time
	runningStep  = 512     // rows between the totals that are kept of one range
	runningLooks = 32      // places looked at that are worth to be kept
	maxRunning   = 1 << 17 // totals kept, about 20 MB
)

// runningKind says what totals are of.
type runningKind uint8

const (
	runningNumbers     runningKind = iota // EachNumber
	runningNumbersA                       // as AVERAGEA takes them: texts of cells and arrays are 0, TRUE is 1
	runningCount                          // numbers, beside errors
	runningCountA                         // values
	runningFilled                         // values that are not an empty text
	runningShown                          // SUBTOTAL
	runningShownByHand                    // SUBTOTAL from 101 on
)

// runningKey is the range of totals without its last row.
type runningKey struct {
	kind              runningKind
	sheet, r1, c1, c2 int
}

// runningTotal is what is found in the rows up to one.
type runningTotal struct {
	row    int
	totals totals
	filled int   // of SUBTOTAL: values
	bad    Value // the first error, behind which sums of numbers read nothing
}

// take adds the value of a cell and reports whether the next one is read.
func (t *runningTotal) take(kind runningKind, v Value) bool {
	switch kind {
	case runningNumbers, runningNumbersA:
		switch {
		case v.kind == Number, v.kind == Bool && kind == runningNumbersA:
			t.totals.add(v.num)
		case v.kind == Text && kind == runningNumbersA:
			t.totals.add(0)
		case v.kind == Err:
			t.bad = v
		}
		return t.bad.kind != Err
	case runningCount:
		if v.kind == Number {
			t.totals.n++
		}
	case runningCountA:
		if v.kind != Empty {
			t.totals.n++
		}
	case runningFilled:
		if v.kind != Empty && (v.kind != Text || v.str != "") {
			t.totals.n++
		}
	case runningShown, runningShownByHand:
		t.filled++
		switch {
		case v.kind == Number:
			t.totals.add(v.num)
		case v.kind == Err && t.bad.kind != Err:
			t.bad = v
		}
	}
	return true
}

// running are the totals kept of one evaluator.
type running struct {
	totals map[runningKey][]runningTotal // by row
	found  map[foundKey]*runningFound
	asked  map[runningKey]bool
	held   int
}

// total returns the totals of an area.
func (e *Evaluator) total(kind runningKind, a Area) runningTotal {
	t := runningTotal{row: a.R1 - 1, totals: newTotals()}
	if a.rows() < runningRows || e.watch != nil {
		e.read(&t, kind, a)
		return t
	}
	r := &e.running
	key := runningKey{kind, a.Sheet, a.R1, a.C1, a.C2}
	if !r.asked[key] { // most ranges are read once
		if r.asked == nil || len(r.asked) >= maxRunning {
			r.asked = map[runningKey]bool{}
		}
		r.asked[key] = true
		e.read(&t, kind, a)
		return t
	}
	from := 0 // in kept, of the first one behind the area
	if kept := r.totals[key]; len(kept) > 0 {
		from, _ = slices.BinarySearchFunc(kept, a.R2+1, func(t runningTotal, row int) int { return t.row - row })
		if from > 0 {
			t = kept[from-1]
		}
	}
	for last := min(a.R2, e.book.sheets[a.Sheet].grid.used.R2); t.row < last && (t.bad.kind != Err || kind > runningNumbersA); {
		next := min((t.row/runningStep+1)*runningStep, last)
		part := a
		part.R1, part.R2 = t.row+1, next
		e.read(&t, kind, part)
		r.keep(key, t)
	}
	return t
}

// read adds the values of an area to t.
func (e *Evaluator) read(t *runningTotal, kind runningKind, a Area) {
	n := *t // t has no half of it when a cell ends the formula
	if kind >= runningShown {
		e.visible(a, kind == runningShownByHand, func(v Value) { n.take(kind, v) })
	} else {
		e.EachCell(a, func(_, _ int, v Value) bool { return n.take(kind, v) })
	}
	n.row = a.R2
	*t = n
}

// keep holds totals: one each runningStep rows, and the last one.
func (r *running) keep(key runningKey, t runningTotal) {
	kept := r.totals[key]
	i, same := slices.BinarySearchFunc(kept, t.row, func(t runningTotal, row int) int { return t.row - row })
	if same {
		return
	}
	// The one before gives way, unless its row is one of those that stay.
	if i > 0 && i == len(kept) && kept[i-1].row%runningStep != 0 {
		kept[i-1] = t
		return
	}
	if i < len(kept) && t.row%runningStep != 0 || r.held >= maxRunning {
		return
	}
	if r.totals == nil {
		r.totals = map[runningKey][]runningTotal{}
	}
	r.held++
	r.totals[key] = slices.Insert(kept, i, t)
}

// foundKey is the ranges and conditions of where without the last row.
type foundKey struct {
	areas  [3]runningKey // those of the conditions, and what is summed up
	tests  [2]Value
	n      int
	over   bool
	locale *numfmt.Locale
}

// runningFound is what where found in the first rows of its ranges.
type runningFound struct {
	rows    int // of the ranges
	found   found
	bad     Value
	touched bool // see Evaluator.touched
}

// key returns under what the work of m is kept; false where it is not.
func (m *matcher) key() (k foundKey, ok bool) {
	if len(m.tests) > len(k.tests) || m.areas[0].rows() < runningRows || m.watch != nil {
		return k, false
	}
	k.n, k.locale, k.over = len(m.tests), m.locale, m.over != nil
	for i, a := range m.areas {
		k.areas[i] = runningKey{0, a.Sheet, a.R1, a.C1, a.C2}
		switch v := m.given[i]; v.kind {
		case Number, Text, Bool, Empty, Missing, Err:
			k.tests[i] = v
		default:
			return k, false
		}
	}
	if m.over != nil {
		a := m.over.Ref()[0]
		k.areas[2] = runningKey{0, a.Sheet, a.R1, a.C1, a.C2}
	}
	return k, true
}

// found finds the places in ranges of which those of the first rows may be known.
func (m *matcher) found() found {
	k, ok := m.key()
	if !ok {
		return m.withBlanks(m.rest(0))
	}
	before := m.running.found[k]
	from, touched, steps := 0, m.touched, m.steps
	m.touched = false
	if before != nil && before.rows <= m.areas[0].rows() {
		from, m.out, m.bad, m.touched = before.rows, before.found, before.bad, before.touched
	}
	rows := from
	if m.bad.kind != Err {
		rows = m.rest(from)
	}
	if m.steps-steps >= runningLooks && (before == nil || rows >= before.rows) {
		m.running.keepFound(k, before, runningFound{rows, m.out, m.bad, m.touched})
	}
	m.touched = m.touched || touched
	return m.withBlanks(rows)
}

// keepFound holds what was found in place of what was found before.
func (r *running) keepFound(k foundKey, before *runningFound, f runningFound) {
	switch {
	case before != nil:
		*before = f
	case r.held < maxRunning:
		if r.found == nil {
			r.found = map[foundKey]*runningFound{}
		}
		r.held++
		r.found[k] = &f
	}
}

// reduce returns the totals of arguments.
func (c *Call) reduce(kind runningKind, args []Value) runningTotal {
	t := runningTotal{totals: newTotals()}
	for i, arg := range args {
		switch {
		case arg.kind != RefKind:
			c.Each(arg, func(v Value, direct bool) bool {
				if direct && (kind <= runningNumbersA || kind == runningCount && v.kind != Err) {
					v = c.toNumber(v)
				}
				return t.take(kind, v)
			})
		default:
			for n, a := range arg.Ref() {
				if i+n == 0 {
					t = c.total(kind, a)
				} else if t.bad.kind != Err {
					c.read(&t, kind, a)
				}
			}
		}
		if t.bad.kind == Err {
			break
		}
	}
	return t
}
