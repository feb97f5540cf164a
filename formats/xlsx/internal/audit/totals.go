package audit

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// span is a range of one row or column on a sheet, in terms of its direction.
type span struct {
	*sheet
	down     bool
	line     int // the column, or row
	from, to int
}

// spanOf returns a range as a span; ok is false for a range of several lines or
// one cell, and for whole rows and columns.
func spanOf(s *sheet, r cellref.Range) (sp span, ok bool) {
	switch {
	case r.C1 == r.C2 && r.R2 > r.R1:
		return span{s, true, r.C1, r.R1, r.R2}, r.R2-r.R1 < cellref.MaxRow-1
	case r.R1 == r.R2 && r.C2 > r.C1:
		return span{s, false, r.R1, r.C1, r.C2}, r.C2-r.C1 < cellref.MaxCol-1
	}
	return span{}, false
}

// position returns the cell at a place along the span.
func (s span) position(i int) cellref.Cell {
	if s.down {
		return cellref.At(i, s.line)
	}
	return cellref.At(s.line, i)
}

func (s span) cellAt(i int) *cell {
	p := s.position(i)
	return s.at(p.Row, p.Col)
}

// area returns a part of the span's line as a range.
func (s span) area(from, to int) cellref.Range {
	a, b := s.position(from), s.position(to)
	return cellref.Block(a.Row, a.Col, b.Row, b.Col)
}

// startsAndEnds are the places where totals begin and end, so that the totals of
// two sections beside each other are not taken for short ones.
type spanEnd struct {
	sheet, line, at int
	down, end       bool
}

// noteTotals notes where the ranges of all totals begin and end.
func (a *auditing) noteTotals(s *sheet, c *cell) {
	f := a.forms[c.form]
	for i := range f.refs {
		sp, ok := a.totalSpan(s, c, f, &f.refs[i])
		if ok && len(a.ends) < maxHits {
			a.ends[spanEnd{sp.index, sp.line, sp.from, sp.down, false}] = true
			a.ends[spanEnd{sp.index, sp.line, sp.to, sp.down, true}] = true
		}
	}
}

// totalSpan returns the block that a reference of a total sums up.
func (a *auditing) totalSpan(s *sheet, c *cell, f *form, r *ref) (span, bool) {
	if r.total == "" || r.named || r.sheet != r.last {
		return span{}, false
	}
	at, ok := f.block(r, int(c.row), int(c.col))
	if !ok {
		return span{}, false
	}
	if r.sheet >= 0 {
		s = a.sheets[r.sheet]
	}
	return spanOf(s, at)
}

// maxMissed is how many cells beside a range a total may miss by mistake.
const maxMissed = 3

// shortTotals reports ranges of totals that end before the numbers they sum up.
func (a *auditing) shortTotals(s *sheet, c *cell) {
	f := a.forms[c.form]
	for i := range f.refs {
		r := &f.refs[i]
		sp, ok := a.totalSpan(s, c, f, r)
		if !ok || a.rolls(s, c, sp) {
			continue
		}
		if n := a.missedAfter(s, c, sp); n > 0 {
			a.shortTotal(s, c, r, sp, sp.to+1, sp.to+n)
		} else if a.missedBefore(s, c, sp) {
			a.shortTotal(s, c, r, sp, sp.from-1, sp.from-1)
		}
	}
}

// rolls reports whether a cell beside the total along its range has the same
// formula: a moving or cumulative sum.
func (a *auditing) rolls(s *sheet, c *cell, sp span) bool {
	for _, step := range []int{-1, 1} {
		n := s.at(int(c.row)+step, int(c.col))
		if !sp.down {
			n = s.at(int(c.row), int(c.col)+step)
		}
		if n != nil && n.form == c.form {
			return true
		}
	}
	return false
}

// missedAfter counts the numbers directly behind a range that belong to it.
func (a *auditing) missedAfter(s *sheet, c *cell, sp span) int {
	last := sp.cellAt(sp.to)
	if last == nil || last.kind != number || a.ends[spanEnd{sp.index, sp.line, sp.to + 1, sp.down, false}] {
		return 0
	}
	n := 0
	for i := sp.to + 1; n <= maxMissed; i++ {
		x := sp.cellAt(i)
		if x == nil || x == c || x.kind != number || !a.sameBlock(sp, last, x, i) || a.reads(s, c, sp, i) {
			break
		}
		n++
	}
	if n > maxMissed || n > sp.to-sp.from+1 {
		return 0
	}
	return n
}

// missedBefore reports whether one number directly before a range belongs to it.
// Headers are often numbers too, such as years.
func (a *auditing) missedBefore(s *sheet, c *cell, sp span) bool {
	if sp.from < 2 || a.ends[spanEnd{sp.index, sp.line, sp.from - 1, sp.down, true}] {
		return false
	}
	first, x := sp.cellAt(sp.from), sp.cellAt(sp.from-1)
	if first == nil || x == nil || x == c || first.kind != number || x.kind != number || x.style != first.style ||
		(x.form < 0) != (first.form < 0) || headerLike(x.num) || a.reads(s, c, sp, sp.from-1) || !a.sameBlock(sp, first, x, sp.from-1) {
		return false
	}
	if sp.from > 2 {
		if before := sp.cellAt(sp.from - 2); before != nil && before.kind == number {
			return false // the range begins in the middle of a block
		}
	}
	return true
}

// headerLike reports whether a number may be a year, or the number of a period
// or line.
func headerLike(v float64) bool {
	return v == float64(int(v)) && (v >= 1900 && v <= 2100 || v >= 0 && v <= 31)
}

// sameBlock reports whether a number continues a range: it is of the same unit
// and is not a total itself, nor labelled as one.
func (a *auditing) sameBlock(sp span, in, x *cell, i int) bool {
	if a.unit(in.style) != a.unit(x.style) || x.spill != in.spill {
		return false
	}
	if x.form >= 0 {
		f := a.forms[x.form]
		if f.unsure || in.form < 0 {
			return false // a formula behind numbers computes something of them
		}
		if f.sumsUp() && !a.forms[in.form].sumsUp() || f.skeleton != a.forms[in.form].skeleton {
			return false
		}
		for k := range f.refs {
			if b, ok := f.block(&f.refs[k], int(x.row), int(x.col)); ok && f.refs[k].names(sp.index, sp.index) && b.Meets(sp.area(sp.from, sp.to)) {
				return false
			}
		}
	} else if in.form >= 0 {
		return false
	}
	return !a.totalLabel(sp, i)
}

// totalWords begin or end the labels of totals.
var totalWords = []string{"total", "subtotal", "sum", "average", "mean", "summe", "gesamt", "zwischensumme", "durchschnitt", "somme", "totale", "suma", "min", "max", "median", "count", "check", "balance", "net ", "grand"}

// totalLabel reports whether a row or column is labelled as a total.
func (a *auditing) totalLabel(sp span, i int) bool {
	for k := 1; k <= 3; k++ {
		p := sp.position(i)
		c := sp.at(p.Row, max(p.Col-k, 1))
		if !sp.down {
			c = sp.at(max(p.Row-k, 1), p.Col)
		}
		low := strings.ToLower(a.textAt(c))
		for _, w := range totalWords {
			if low != "" && strings.Contains(low, w) {
				return true
			}
		}
	}
	return false
}

// reads reports whether a total reads a place of its range's line otherwise.
func (a *auditing) reads(s *sheet, c *cell, sp span, i int) bool {
	return a.forms[c.form].reads(s.index, sp.index, int(c.row), int(c.col), sp.position(i))
}

// shortTotal reports a total that misses the places from to to.
func (a *auditing) shortTotal(s *sheet, c *cell, r *ref, sp span, from, to int) {
	sev := formats.SeverityHigh
	inLine := sp.sheet == s && (sp.down && int(c.col) == sp.line || !sp.down && int(c.row) == sp.line)
	if !inLine {
		sev = formats.SeverityMedium
	}
	missed := sp.area(from, to)
	whole := sp.area(min(from, sp.from), max(to, sp.to))
	address, expected := missed.String(), whole.String()
	if sp.sheet != s {
		address, expected = sp.address(missed), sp.address(whole)
	}
	what := fmt.Sprintf("the numbers in %s", address)
	if from == to {
		what = fmt.Sprintf("%s in %s", a.show(sp.cellAt(from)), address)
	}
	a.hits.add(hit{kind: kindTotal, sheet: s.index, area: cellref.Block(int(c.row), int(c.col), int(c.row), int(c.col)),
		key: fmt.Sprint(c.form, from-sp.to), severity: sev,
		fact:     fmt.Sprintf("%s leaves out %s beside its range", shorten(a.forms[c.form].at(int(c.row), int(c.col))), what),
		expected: fmt.Sprintf("%s(%s)", r.total, expected)})
}
