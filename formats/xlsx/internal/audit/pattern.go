package audit

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// What a segment of a block consists of, beside the index of a form.
const (
	ofNumbers = -1 // numbers that were typed
	ofOthers  = -2 // texts, errors, spilled values
)

// segment is a run of cells of a block with one form.
type segment struct {
	from, to int // cells of the block, inclusive
	form     int32
}

func (s segment) len() int { return s.to - s.from + 1 }

// segments divides a block.
func (b *block) segments() []segment {
	var out []segment
	for i := range b.cells {
		c := b.cell(i)
		form := int32(ofOthers)
		if c.form >= 0 {
			form = c.form
		} else if c.constant() {
			form = ofNumbers
		}
		if n := len(out); n > 0 && out[n-1].form == form && form != ofOthers {
			out[n-1].to = i
			continue
		}
		out = append(out, segment{i, i, form})
	}
	return out
}

// maxBetween is how many segments between two runs of alike formulas may differ
// from them.
const maxBetween = 3

// patterns finds the cells that break a run of alike formulas.
func (a *auditing) patterns(b *block) {
	segs := b.segments()
	counts := map[int32]int{}
	for _, s := range segs {
		counts[s.form]++
	}
	for i, s := range segs {
		if s.form <= 0 {
			continue
		}
		for j := i + 2; j < len(segs) && j <= i+1+maxBetween; j++ {
			if segs[j].form != s.form {
				continue
			}
			between := segs[i+1 : j]
			run := s.len() + segs[j].len()
			if run >= max(3, 2*(between[len(between)-1].to-between[0].from+1)+1) {
				for _, odd := range between {
					a.breaks(b, odd, s.form, segs, counts)
				}
			}
			break
		}
	}
	a.edges(b, segs)
}

// breaks reports a segment between two runs of a form, unless it seems to be
// meant so.
func (a *auditing) breaks(b *block, odd segment, run int32, segs []segment, counts map[int32]int) {
	switch {
	case odd.form == ofOthers || odd.form == 0 || a.periodic(odd, segs, counts, run):
	case odd.form == ofNumbers:
		a.typedOver(b, odd, run)
	case a.alignsAcross(b, odd) || a.subtotal(b, odd, run):
	default:
		a.patternBroken(b, odd, run)
	}
}

// periodic reports whether a form returns in a block so often that it belongs to
// the pattern, as a subtotal in every fourth row does.
func (a *auditing) periodic(odd segment, segs []segment, counts map[int32]int, run int32) bool {
	if counts[odd.form] < 3 {
		return false
	}
	if odd.form != ofNumbers {
		return counts[odd.form]*4 >= counts[run]
	}
	// Numbers at equal distances.
	var at []int
	for _, s := range segs {
		if s.form == ofNumbers {
			at = append(at, s.from)
		}
	}
	for i := 2; i < len(at); i++ {
		if at[i]-at[i-1] != at[1]-at[0] {
			return false
		}
	}
	return true
}

// alignsAcross reports whether the cells beside a segment have its form, so that
// it follows the pattern of the other direction.
func (a *auditing) alignsAcross(b *block, odd segment) bool {
	c := b.cell(odd.from)
	for _, step := range []int{-1, 1} {
		if n := b.beside(c, step); n != nil && n.form == c.form {
			return true
		}
	}
	// In a block of columns with a pattern each, the skeleton returns instead.
	for _, step := range []int{-2, 2} {
		if n := b.beside(c, step); n != nil && n.form == c.form && a.forms[c.form].sumsUp() {
			return true
		}
	}
	return false
}

// subtotal reports whether a segment adds up cells of the block it is in, and the
// run does not.
func (a *auditing) subtotal(b *block, odd segment, run int32) bool {
	if a.forms[run].sumsUp() && a.forms[run].skeleton == a.forms[odd.form].skeleton {
		return false
	}
	f, c := a.forms[odd.form], b.cell(odd.from)
	for i := range f.refs {
		r := &f.refs[i]
		if r.total == "" || r.from == r.to {
			continue
		}
		at, ok := f.block(r, int(c.row), int(c.col))
		if ok && r.names(b.index, b.index) && (b.down && at.C1 <= int(c.col) && at.C2 >= int(c.col) || !b.down && at.R1 <= int(c.row) && at.R2 >= int(c.row)) {
			return true
		}
	}
	return false
}

// patternBroken reports a formula that differs from those around it.
func (a *auditing) patternBroken(b *block, odd segment, run int32) {
	c := b.cell(odd.from)
	row, col := int(c.row), int(c.col)
	f, g := a.forms[odd.form], a.forms[run]
	sev := formats.SeverityMedium
	why := ""
	if f.skeleton == g.skeleton {
		sev, why = formats.SeverityHigh, " (other cells)"
	} else if turned(f.skeleton, g.skeleton) {
		sev, why = formats.SeverityHigh, " (a sign or operator differs)"
	}
	a.hits.add(hit{kind: kindPattern, sheet: b.index, area: b.area(odd.from, odd.to), key: fmt.Sprint(odd.form, run), severity: sev,
		fact:     fmt.Sprintf("%s differs from the alike formulas of its %s%s", shorten(f.at(row, col)), b.name(), why),
		expected: shorten(g.at(row, col))})
}

// name returns what a block is a part of.
func (b *block) name() string {
	if b.down {
		return "column"
	}
	return "row"
}

// turned reports whether two skeletons differ in operators only.
func turned(x, y string) bool {
	bare := strings.NewReplacer("+", "", "-", "", "*", "", "/", "", "(", "", ")", "")
	return bare.Replace(x) == bare.Replace(y)
}

// typedOver reports numbers in a run of formulas.
func (a *auditing) typedOver(b *block, odd segment, run int32) {
	c := b.cell(odd.from)
	sev := formats.SeverityHigh
	if odd.len() > 2 || a.rowOfNumbers(b, odd) {
		sev = formats.SeverityMedium
	}
	if odd.len() == 1 && a.readsCellBefore(b, c, run) {
		sev = formats.SeverityLow // the beginning of another chain
	}
	a.hits.add(hit{kind: kindTyped, sheet: b.index, area: b.area(odd.from, odd.to), key: fmt.Sprint(run), severity: sev,
		fact:     fmt.Sprintf("the number %s is typed in a %s of alike formulas", a.show(c), b.name()),
		expected: shorten(a.forms[run].at(int(c.row), int(c.col)))})
}

// readsCellBefore reports whether the formula of a run, at the place of c, would read the
// cell before it in its line, as counters and balances do.
func (a *auditing) readsCellBefore(b *block, c *cell, run int32) bool {
	row, col := int(c.row), int(c.col)
	beforeRow, beforeCol := row-1, col
	if !b.down {
		beforeRow, beforeCol = row, col-1
	}
	f := a.forms[run]
	for i := range f.refs {
		at, ok := f.block(&f.refs[i], row, col)
		if ok && f.refs[i].names(b.index, b.index) && at.R1 == beforeRow && at.R2 == beforeRow && at.C1 == beforeCol && at.C2 == beforeCol {
			return true
		}
	}
	return false
}

// rowOfNumbers reports whether the cells beside the segment are typed between
// formulas too: all of one period are then actual figures, for instance.
func (a *auditing) rowOfNumbers(b *block, odd segment) bool {
	c := b.cell(odd.from)
	for _, step := range []int{-1, 1} {
		n := b.beside(c, step)
		if n == nil || !n.constant() {
			continue
		}
		var before *cell
		if b.down {
			before = b.at(int(n.row)-1, int(n.col))
		} else {
			before = b.at(int(n.row), int(n.col)-1)
		}
		if before != nil && before.form > 0 {
			return true
		}
	}
	return false
}

// edgeRun is the length of a run from which its first and last neighbour are
// compared with it.
const edgeRun = 4

// edges looks at the cells before and after a run, where other formulas and
// numbers are usual: a total, an opening balance. It reports those that the
// run's formula would fit.
func (a *auditing) edges(b *block, segs []segment) {
	for i, s := range segs {
		if s.form <= 0 || s.len() < edgeRun {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(segs) || segs[j].len() > 2 || segs[j].len()*3 > s.len() {
				continue
			}
			if j-1 >= 0 && j+1 < len(segs) && segs[j-1].form == segs[j+1].form {
				continue // between two runs
			}
			a.edge(b, segs[j], s.form, j > i)
		}
	}
}

// edge reports a segment at the end of a run that the run's formula would fit.
func (a *auditing) edge(b *block, odd segment, run int32, after bool) {
	c := b.cell(odd.from)
	g := a.forms[run]
	switch {
	case odd.form == 0 || odd.form == ofOthers || !a.fits(b, odd, g):
	case odd.form == ofNumbers:
		if !a.rowOfNumbers(b, odd) {
			a.typedOver(b, odd, run)
		}
	case a.alignsAcross(b, odd) || a.subtotal(b, odd, run):
	case a.forms[odd.form].skeleton == g.skeleton && !g.sumsUp() || after && turned(a.forms[odd.form].skeleton, g.skeleton) || a.sameReads(a.forms[odd.form], g, c):
		a.patternBroken(b, odd, run)
	}
}

// sameReads reports whether two forms read the same cells from one place.
func (a *auditing) sameReads(f, g *form, c *cell) bool {
	blocks := func(f *form) (out []cellref.Range) {
		for i := range f.refs {
			if r, ok := f.block(&f.refs[i], int(c.row), int(c.col)); ok {
				out = append(out, r)
			}
		}
		return out
	}
	x, y := blocks(f), blocks(g)
	return len(x) > 0 && slices.Equal(x, y)
}

// fits reports whether a formula would read numbers from its own line in the
// cells of a segment, and reads nothing from the line before or after.
func (a *auditing) fits(b *block, odd segment, g *form) bool {
	own := 0
	for k := odd.from; k <= odd.to; k++ {
		c := b.cell(k)
		for i := range g.refs {
			r := &g.refs[i]
			at, ok := g.block(r, int(c.row), int(c.col))
			if !ok || r.total != "" && r.from != r.to && !beside(at, c, b.down) {
				return false
			}
			if r.sheet != ownSheet || at.R1 != at.R2 || at.C1 != at.C2 {
				continue
			}
			if !beside(at, c, b.down) {
				if a.relative(r, b.down) {
					return false // a chain: the first of it is different
				}
				continue
			}
			n := b.at(at.R1, at.C1)
			if n == nil || n.kind != number && n.kind != noValue {
				return false
			}
			own++
		}
	}
	return own > 0
}

// relative reports whether a reference moves along a block.
func (a *auditing) relative(r *ref, down bool) bool {
	if down {
		return !r.from.AbsRow
	}
	return !r.from.AbsCol
}

// beside reports whether a range is in the row of a cell, or in its column.
func beside(r cellref.Range, c *cell, row bool) bool {
	if row {
		return r.R1 == int(c.row) && r.R2 == int(c.row)
	}
	return r.C1 == int(c.col) && r.C2 == int(c.col)
}
