package diff

import (
	"maps"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// fact adds a fact about a place of a sheet.
func (x *bookDiff) fact(f formats.Fact) {
	if f.Warning != "" && f.At != "" && f.Kind != formats.FactSheet && f.Kind != formats.FactHiddenSheet {
		f.Warning = f.At + ": " + f.Warning
	}
	f.ID = formats.FactID(f.Kind, f.At, f.Change, f.Old, f.New)
	x.facts = append(x.facts, f)
}

// facts tells formats, results and hidden texts, grouped over cells.
func (c *sheetCompare) facts() {
	for _, how := range slices.Sorted(maps.Keys(c.values)) {
		c.valueFacts(how, c.values[how])
	}
	if n := c.unread.cells; n > 0 {
		at := c.name + "!" + c.unread.String()
		c.x.fact(formats.Fact{Kind: formats.FactPart, Change: formats.Changed, At: at, New: "the formulas of " + formats.Count(n, "cell") + ", not compared",
			Warning: "too large to compare in full: " + formats.Count(n, "cell") + " here with long shared formulas were compared by their values only"})
	}
	for _, how := range slices.Sorted(maps.Keys(c.hidden)) {
		g := c.hidden[how]
		at := c.name + "!" + g.String()
		c.x.fact(formats.Fact{Kind: formats.FactHiddenText, Change: formats.Added, At: at, New: how, Warning: "what is new here cannot be seen: " + how})
	}
	type pair struct{ was, now string }
	regions := map[pair]*region{}
	hides := map[pair]string{}
	var order []pair
	keys := slices.SortedFunc(maps.Keys(c.looks), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		a, b := c.x.a.lookAt(k[0]), c.x.b.lookAt(k[1])
		was, now := a.Differ(b)
		p := pair{was, now}
		if regions[p] == nil {
			regions[p] = &region{}
			order = append(order, p)
		}
		g := regions[p]
		g.rects = append(g.rects, c.looks[k].blocks()...)
		g.cells += c.looks[k].cells
		g.held += c.looks[k].held
		g.lost += c.looks[k].lost
		if h := b.Hides(); h != "" && a.Hides() == "" && c.looks[k].held > 0 {
			hides[p] = h
		}
	}
	for _, p := range order {
		g := regions[p]
		g.join()
		f := formats.Fact{Kind: formats.FactFormat, Change: formats.Changed, At: c.name + "!" + g.String(), Old: p.was, New: p.now}
		if hides[p] != "" {
			f.Warning = "values can no longer be seen: " + hides[p]
		}
		c.x.fact(f)
	}
}

// adjoin reports whether two blocks make a larger one.
func adjoin(a, b cellref.Range) bool {
	beside := a.R1 == b.R1 && a.R2 == b.R2 && (a.C2+1 == b.C1 || b.C2+1 == a.C1)
	below := a.C1 == b.C1 && a.C2 == b.C2 && (a.R2+1 == b.R1 || b.R2+1 == a.R1)
	return beside || below
}

// join puts blocks of a region together that stand side by side.
func (g *region) join() {
	for changed := true; changed && len(g.rects) > 1 && len(g.rects) <= 200; {
		changed = false
		for i := 0; i < len(g.rects); i++ {
			for j := i + 1; j < len(g.rects); j++ {
				if a, b := g.rects[i], g.rects[j]; adjoin(a, b) {
					g.rects[i] = cellref.Block(min(a.R1, b.R1), min(a.C1, b.C1), max(a.R2, b.R2), max(a.C2, b.C2))
					g.rects = slices.Delete(g.rects, j, j+1)
					changed = true
					j--
				}
			}
		}
	}
	slices.SortFunc(g.rects, func(a, b cellref.Range) int {
		if a.R1 != b.R1 {
			return a.R1 - b.R1
		}
		return a.C1 - b.C1
	})
}

// maxRich bounds the cells whose inner formats are told one by one.
const maxRich = 200

// richText tells the formats within a text that changed.
func (x *bookDiff) richText(sheet string, row int, a, b seenCell) {
	was, now := x.a.book.Runs(string(a.richXML)), x.b.book.Runs(string(b.richXML))
	if was == now {
		return
	}
	if x.rich++; x.rich > maxRich {
		return
	}
	x.fact(formats.Fact{Kind: formats.FactFormat, Change: formats.Changed, At: sheet + "!" + cellref.Name(row, b.col), Old: was, New: now})
}
