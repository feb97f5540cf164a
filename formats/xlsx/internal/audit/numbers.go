package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/formats"
)

// unit returns the unit of a number format: "%", "date", a currency or other
// text, "" for a plain number.
func (a *auditing) unit(style int32) string {
	if u, ok := a.units[style]; ok {
		return u
	}
	u := unitOf(a.styles.Code(int(style)))
	if a.styles.Format(int(style)).IsDate() {
		u = "date"
	}
	a.units[style] = u
	return u
}

// unitOf returns the unit in a format code.
func unitOf(code string) string {
	code, _, _ = strings.Cut(code, ";")
	var sb strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return sb.String()
			}
			if inner, ok := strings.CutPrefix(code[i+1:i+end], "$"); ok {
				currency, _, _ := strings.Cut(inner, "-")
				sb.WriteString(currency)
			}
			i += end
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return sb.String()
			}
			sb.WriteString(strings.TrimSpace(code[i+1 : i+1+end]))
			i += end + 1
		case '_', '*', '\\':
			i++
		case '%', '$':
			sb.WriteByte(c)
		default:
			if c >= 0x80 {
				sb.WriteByte(c)
			}
		}
	}
	return strings.Trim(sb.String(), "()- ")
}

// Bounds of what counts as alike numbers. Beyond them nothing is reported.
const (
	minPeers  = 5
	maxSpread = 6.0 // between the smallest and the largest
)

// oddNumbers reports numbers of a block whose sign, size or unit differs from
// all others.
func (a *auditing) oddNumbers(b *block) {
	for from := 0; from < len(b.cells); {
		to := from
		for to+1 < len(b.cells) && a.peers(b.cell(from), b.cell(to+1)) {
			to++
		}
		if to-from+1 >= minPeers {
			a.oddSign(b, from, to)
			a.oddScale(b, from, to)
			a.oddUnit(b, from, to)
		}
		from = to + 1
	}
}

// peers reports whether two cells are numbers of one kind.
func (a *auditing) peers(x, y *cell) bool {
	if x.spill || y.spill || x.kind != number || y.kind != number {
		return false
	}
	return x.form < 0 && y.form < 0 || x.form > 0 && x.form == y.form
}

// oddSign reports the only number with another sign among numbers of like size.
func (a *auditing) oddSign(b *block, from, to int) {
	odd, negative := -1, 0
	for i := from; i <= to; i++ {
		if b.cell(i).num < 0 {
			negative++
		} else if b.cell(i).num == 0 {
			return
		}
	}
	if b.cell(from).form >= 0 || negative != 1 && negative != to-from || to-from+1 < minPeers {
		return
	}
	low, high := math.Inf(1), 0.0
	for i := from; i <= to; i++ {
		c := b.cell(i)
		if (c.num < 0) == (negative == 1) {
			odd = i
			continue
		}
		low, high = min(low, math.Abs(c.num)), max(high, math.Abs(c.num))
	}
	c := b.cell(odd)
	if high/low > maxSpread || math.Abs(c.num) < low/2 || math.Abs(c.num) > high*2 || a.unit(c.style) == "date" || high < 5 || a.oddAcross(b, odd) {
		return
	}
	a.hits.add(hit{kind: kindSign, sheet: b.index, area: b.area(odd, odd), key: "", severity: formats.SeverityMedium,
		fact:     fmt.Sprintf("%s has another sign than the other %d numbers of its %s (%s)", a.show(c), to-from, b.name(), b.area(from, to)),
		expected: a.show(&cell{kind: number, num: -c.num, style: c.style, form: -1, text: -1})})
}

// oddAcross reports whether the number beside one has the same sign, so that a
// whole row or column has it.
func (a *auditing) oddAcross(b *block, i int) bool {
	c := b.cell(i)
	for _, step := range []int{-1, 1} {
		if n := b.beside(c, step); n != nil && n.kind == number && n.num < 0 && c.num < 0 {
			return true
		}
	}
	return false
}

// oddScale reports the only number that is 100 or 1000 times as large or small
// as all others of a column; the numbers of a row are often of several kinds.
func (a *auditing) oddScale(b *block, from, to int) {
	if !b.down || to-from+1 < minPeers+1 || a.unit(b.cell(from).style) == "date" {
		return
	}
	var sizes []float64
	for i := from; i <= to; i++ {
		if b.cell(i).num == 0 {
			return
		}
		sizes = append(sizes, math.Abs(b.cell(i).num))
	}
	sorted := slices.Sorted(slices.Values(sizes))
	n := len(sorted)
	middle := sorted[n/2]
	for i, v := range sizes {
		low, high := sorted[0], sorted[n-2]
		if v < middle {
			low, high = sorted[1], sorted[n-1]
		}
		if v != sorted[0] && v != sorted[n-1] || high/low > 3 {
			continue
		}
		for _, times := range []float64{100, 1000} {
			for _, k := range []float64{times, 1 / times} {
				if v < low*k/1.2 || v > high*k*1.2 || v >= low && v <= high {
					continue
				}
				c := b.cell(from + i)
				a.hits.add(hit{kind: kindScale, sheet: b.index, area: b.area(from+i, from+i), severity: formats.SeverityMedium,
					fact:     fmt.Sprintf("%s is about %s the other %d numbers of its %s (%s)", a.show(c), map[bool]string{true: fmt.Sprintf("%g times", times), false: fmt.Sprintf("a %gth of", times)}[k > 1], to-from, b.name(), b.area(from, to)),
					expected: "a value like " + a.show(&cell{kind: number, num: c.num / k, style: c.style, form: -1, text: -1})})
				return
			}
		}
	}
}

// oddUnit reports the only number with another unit.
func (a *auditing) oddUnit(b *block, from, to int) {
	counts := map[string]int{}
	for i := from; i <= to; i++ {
		counts[a.unit(b.cell(i).style)]++
	}
	if len(counts) != 2 {
		return
	}
	for i := from; i <= to; i++ {
		c := b.cell(i)
		u := a.unit(c.style)
		if counts[u] != 1 || u == "" && c.num == 0 {
			continue
		}
		for _, step := range []int{-1, 1} {
			if n := b.beside(c, step); n != nil && n.kind == number && a.unit(n.style) == u {
				return // its row or column has the unit
			}
		}
		usual := a.unit(b.cell(from + map[bool]int{true: 1, false: 0}[i == from]).style)
		if u == "date" || usual == "date" || i == from && b.down && c.form < 0 && headerLike(c.num) {
			return
		}
		a.hits.add(hit{kind: kindUnit, sheet: b.index, area: b.area(i, i), severity: formats.SeverityMedium,
			fact:     fmt.Sprintf("%s is shown with %s, the other %d numbers of its %s (%s) with %s", a.show(c), unitName(u), to-from, b.name(), b.area(from, to), unitName(usual)),
			expected: unitName(usual)})
	}
}

func unitName(u string) string {
	if u == "" {
		return "no unit"
	}
	return "the unit " + u
}

// textNumbers reports numbers stored as text in a block that is mostly numbers.
func (a *auditing) textNumbers(b *block) {
	numbers, texts := 0, 0
	for i := range b.cells {
		switch c := b.cell(i); {
		case c.kind == number:
			numbers++
		case c.kind == numeric:
			texts++
		}
	}
	if texts == 0 || numbers < 3 || texts*2 > numbers {
		return
	}
	for i := range b.cells {
		c := b.cell(i)
		if c.kind != numeric || c.form >= 0 || i == 0 && (len(b.cells) < 2 || !b.down || a.headed(b, c)) {
			continue
		}
		if !a.between(b, i) {
			continue
		}
		a.hits.add(hit{kind: kindText, sheet: b.index, area: b.area(i, i), key: "", severity: formats.SeverityMedium,
			fact:     fmt.Sprintf("%q is stored as text among %d numbers of its %s; sums leave it out", a.textAt(c), numbers, b.name()),
			expected: "a number"})
	}
}

// headed reports whether the cells beside one are texts, as in a row of headers.
func (a *auditing) headed(b *block, c *cell) bool {
	for _, step := range []int{-1, 1} {
		if n := b.beside(c, step); n != nil && (n.kind == words || n.kind == numeric) {
			return true
		}
	}
	return b.beside(c, -1) == nil && b.beside(c, 1) == nil
}

// between reports whether a cell of a block is beside a number.
func (a *auditing) between(b *block, i int) bool {
	return i > 0 && b.cell(i-1).kind == number || i+1 < len(b.cells) && b.cell(i+1).kind == number
}
