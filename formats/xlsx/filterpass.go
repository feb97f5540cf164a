package xlsx

import (
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// filterPass finds out which rows meet the rules of a filter, row by row.
type filterPass struct {
	f        *rowFilter
	rules    []*filterRule // by column
	styles   *stylesheet.Formats
	date1904 bool
	keeps    []bool // by row of the data

	row     int
	met     []bool // of the present row, by rule
	unknown int    // cells without a value
}

// begin begins a row: a cell that is not there is blank.
func (p *filterPass) begin() {
	p.met = p.met[:0]
	for _, r := range p.rules {
		p.met = append(p.met, r.matches(filterCell{blank: true}))
	}
}

// result reports whether the present row meets all rules.
func (p *filterPass) result() bool { return !slices.Contains(p.met, false) }

// take takes in a cell.
func (p *filterPass) take(at cellref.Cell, v cellView) error {
	if at.Row != p.row {
		p.end()
		p.begin()
		p.row = at.Row
	}
	i, ok := slices.BinarySearchFunc(p.rules, at.Col-p.f.ref.C1, func(r *filterRule, col int) int { return r.col - col })
	if !ok {
		return nil
	}
	c := p.cell(v)
	if c.unknown {
		p.unknown++
	}
	p.met[i] = p.rules[i].matches(c)
	return nil
}

// end ends the present row.
func (p *filterPass) end() {
	if p.row > 0 {
		p.keeps[p.row-p.f.data.R1] = p.result()
	}
}

// cell is a cell as a filter sees it.
func (p *filterPass) cell(v cellView) filterCell {
	c := filterCell{shown: v.shown, unknown: v.kind == valFormula}
	c.blank = !c.unknown && strings.TrimSpace(v.text) == "" && v.shown == ""
	if v.kind == valNumber {
		n, err := strconv.ParseFloat(v.text, 64)
		c.number, c.isNumber = n, err == nil
		if format := p.styles.Format(v.style); c.isNumber && format.IsDate() && format.ShowsDay() {
			c.day = dayOf(n, p.date1904)
		}
	}
	return c
}

// dirtySubtotals marks the formulas whose value depends on which rows of a block are
// hidden: SUBTOTAL and AGGREGATE over them.
func (g *following) dirtySubtotals(block cellref.Range) {
	home := g.wb.Sheets[g.sheet].Name
	for i, fa := range g.facts {
		if fa == nil {
			continue
		}
		for fc := range fa.formulas.all() {
			if readsVisible(fc.Text, block, home, i == g.sheet) {
				g.dirty[i].Add(fc.Row, fc.Col)
				g.stale[i].Add(fc.Row, fc.Col)
			}
		}
		if fa.many { // not all of them are held
			g.unsure = true
		}
	}
}

// readsVisible reports whether a formula may sum only the visible rows of a block
// of the sheet home.
func readsVisible(text string, block cellref.Range, home string, here bool) bool {
	up := strings.ToUpper(text)
	if !strings.Contains(up, "SUBTOTAL") && !strings.Contains(up, "AGGREGATE") {
		return false
	}
	plain := false
	for t := range formula.Tokens(text) {
		if t.Kind != formula.Ref {
			plain = plain || t.Kind == formula.Name
			continue
		}
		if (t.Sheet == "" && here || strings.EqualFold(t.Sheet, home)) && t.Range().Meets(block) {
			return true
		}
		if t.LastSheet != "" {
			return true
		}
	}
	// Names and columns of tables may stand for cells of the block.
	return plain || strings.Contains(text, "[")
}

// markFiltered sets the mark that rows of a sheet are filtered (18.3.1.82).
func (w *sheetWork) markFiltered(on bool) {
	t, end, ok := w.child("sheetPr")
	switch {
	case !ok && on:
		w.insert("sheetPr", "<"+w.prefix+`sheetPr filterMode="1"/>`)
	case ok && on && !sheetml.IsTrue(t.AttrLocal("filterMode")):
		w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: sheetml.EditTag(t.Bytes(), ` filterMode="1"`, "filterMode")})
	case ok && !on && t.AttrLocal("filterMode") != "":
		tag := sheetml.EditTag(t.Bytes(), "", "filterMode")
		if t.Empty && string(tag) == "<"+w.prefix+"sheetPr/>" {
			w.edit(xmlscan.Splice{Start: t.Start, End: end})
			return
		}
		w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: tag})
	}
}

// firstTag is the root element of a document.
func firstTag(doc []byte) (xmlscan.Token, bool) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			return t, true
		}
	}
	return xmlscan.Token{}, false
}

// tagPrefix is the prefix of an element, with its colon.
func tagPrefix(t xmlscan.Token) string {
	if t.Prefix == "" {
		return ""
	}
	return t.Prefix + ":"
}
