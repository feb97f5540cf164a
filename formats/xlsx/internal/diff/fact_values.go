package diff

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// How the stored value of a formula changed whose text is the same.
const (
	valueChanged    = "changed"
	valueDropped    = "dropped"    // the file has none any more
	valueCalculated = "calculated" // the file had none
	valueFailed     = "failed"     // it is an error now
)

// valueCount counts cells of a workbook whose values changed in one way.
type valueCount struct {
	cells int
	first string // "Summary!B2 1,200 → 1,260"
}

// valueRegion is cells of a sheet whose values changed in one way.
type valueRegion struct {
	region
	each []valueChange // the first of them
}

type valueChange struct {
	at       string
	old, now string
}

// maxValues is how many values of a workbook are told one by one.
const maxValues = 12

// value notes a formula that has another value and the same text: other cells changed.
func (c *sheetCompare) value(a, b seenCell, row int) {
	how := valueChanged
	switch {
	case b.value == "":
		how = valueDropped
	case a.value == "":
		how = valueCalculated
	case strings.HasPrefix(b.shown, "#") && !strings.HasPrefix(a.shown, "#"):
		how = valueFailed
	}
	g := c.values[how]
	if g == nil {
		g = &valueRegion{}
		c.values[how] = g
	}
	v := valueChange{cellref.Name(row, b.col), book.Clip(a.result(), 80), book.Clip(b.result(), 80)}
	if g.add(row, b.col, true); len(g.each) <= maxValues {
		g.each = append(g.each, v)
	}
	if c.x.values == nil {
		c.x.values = map[string]*valueCount{}
	}
	n := c.x.values[how]
	if n == nil {
		n = &valueCount{first: c.name + "!" + v.at + " " + v.old + " → " + v.now}
		if how == valueCalculated {
			n.first = c.name + "!" + v.at + " = " + v.now
		}
		c.x.values[how] = n
	}
	n.cells++
}

// valuePhrases counts the formulas of the workbook that have other values and the same
// text, with an example.
func (x *bookDiff) valuePhrases() (out []string) {
	if n := x.values[valueChanged]; n != nil {
		out = append(out, formats.Count(n.cells, "dependant")+" changed ("+n.first+")")
	}
	if n := x.values[valueFailed]; n != nil {
		out = append(out, formats.Count(n.cells, "dependant gives an error", "dependants give an error")+" now ("+n.first+")")
	}
	if n := x.values[valueCalculated]; n != nil {
		out = append(out, formats.Count(n.cells, "formula")+" calculated ("+n.first+")")
	}
	if n := x.values[valueDropped]; n != nil {
		out = append(out, formats.Count(n.cells, "formula without its value", "formulas without their values"))
	}
	return out
}

// valueFacts tells the values of a sheet that changed in one way, one by one or all
// together with the first of them.
func (c *sheetCompare) valueFacts(how string, g *valueRegion) {
	x := c.x
	if how != valueDropped && x.toldValues+g.cells <= maxValues {
		x.toldValues += g.cells
		for _, v := range g.each {
			f := formats.Fact{Kind: formats.FactValue, Change: formats.Changed, At: c.name + "!" + v.at, Old: v.old, New: v.now}
			if how == valueCalculated {
				f.Change = formats.Added
			}
			if how == valueFailed {
				f.Warning = "the calculation now gives " + v.now
			}
			x.fact(f)
		}
		return
	}
	f := formats.Fact{Kind: formats.FactValue, Change: formats.Changed, At: c.name + "!" + g.String()}
	n := formats.Count(g.cells, "dependant")
	if how == valueDropped || how == valueCalculated {
		n = formats.Count(g.cells, "calculated value")
	}
	var old, now []string
	for _, v := range g.each {
		old, now = append(old, v.old), append(now, v.now)
	}
	old, now = old[:min(len(old), 5)], now[:min(len(now), 5)]
	switch how {
	case valueDropped:
		f.Change, f.Old = formats.Removed, n+" dropped; programs calculate them when they open the file"
	case valueCalculated:
		f.Change, f.New = formats.Added, n+": "+strings.Join(now, "; ")+"…"
	case valueFailed:
		f.Old, f.New, f.Warning = n+": "+strings.Join(old, "; ")+"…", strings.Join(now, "; ")+"…", fmt.Sprintf("%s now give an error", n)
	default:
		f.Old, f.New = n+": "+strings.Join(old, "; ")+"…", strings.Join(now, "; ")+"…"
	}
	x.fact(f)
}
