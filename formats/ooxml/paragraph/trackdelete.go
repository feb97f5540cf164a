package paragraph

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// TrackDelete records everything in the paragraph as deleted, objects and
// fields with it. The caller records the paragraph mark.
func (p *Paragraph) TrackDelete(rev *Revision) []xmlscan.Splice {
	var out []xmlscan.Splice
	open := func() string { return "<" + p.prefix + "del" + rev.Attrs(p.prefix) + ">" }
	closing := "</" + p.prefix + "del>"
	for _, c := range p.conts {
		if c.name == "fldSimple" {
			out = append(out, p.deleteField(c, open, closing)...)
		}
	}
	var gone []span
	for _, r := range p.runs {
		if r.openEnd < r.end { // not <w:r/>
			gone = append(gone, r.span)
		}
	}
	for _, it := range p.items {
		if it.run < 0 && p.isFormula(it) {
			gone = append(gone, it.span)
		} else if it.run >= 0 {
			out = append(out, p.deleteItem(it)...)
		}
	}
	slices.SortFunc(gone, func(a, b span) int { return a.start - b.start })
	for _, g := range gone { // in order: one may begin where another ends
		out = append(out, xmlscan.Splice{Start: g.start, End: g.start, New: []byte(open())}, xmlscan.Splice{Start: g.end, End: g.end, New: []byte(closing)})
	}
	return out
}

// deleteItem makes text and the instruction of a field deleted ones.
func (p *Paragraph) deleteItem(it item) []xmlscan.Splice {
	if it.kind == textItem {
		return []xmlscan.Splice{{Start: it.start, End: it.end, New: []byte(p.deletedXML(it, it.text))}}
	}
	raw := string(p.doc[it.start:it.end])
	if !strings.HasPrefix(raw, "<"+p.prefix+"instrText") {
		return nil
	}
	raw = strings.Replace(raw, "<"+p.prefix+"instrText", "<"+p.prefix+"delInstrText", 1)
	raw = strings.Replace(raw, "</"+p.prefix+"instrText", "</"+p.prefix+"delInstrText", 1)
	return []xmlscan.Splice{{Start: it.start, End: it.end, New: []byte(raw)}}
}

// isFormula reports whether an item is mathematics, which is beside runs and
// which a deletion may hold (17.13.5.14).
func (p *Paragraph) isFormula(it item) bool {
	sc := xmlscan.New(p.doc[it.start:it.end])
	return sc.Next() && (sc.Token().Local == "oMath" || sc.Token().Local == "oMathPara")
}

// deleteField writes the edges of a simple field, which a deletion cannot hold
// (17.16.19), as those of a complex one, whose parts are runs (17.16.18).
func (p *Paragraph) deleteField(c container, open func() string, closing string) []xmlscan.Splice {
	w := p.prefix
	sc := xmlscan.New(p.doc[c.start:c.end])
	if !sc.Next() {
		return nil
	}
	instr, attrs := "", ""
	for a := range sc.Token().Attrs() {
		switch local := strings.TrimPrefix(a.Name, w); local {
		case "instr":
			instr = a.Value()
		case "fldLock", "dirty":
			attrs += " " + w + local + `="` + xmlscan.Escape(a.Value()) + `"`
		}
	}
	if sc.Next() && sc.Token().Kind == xmlscan.Start && sc.Token().Local == "fldData" {
		return nil // its runs are deleted one by one
	}
	char := func(kind, attrs string) string {
		return "<" + w + "r><" + w + "fldChar " + w + `fldCharType="` + kind + `"` + attrs + "/></" + w + "r>"
	}
	begin := open() + char("begin", attrs) + "<" + w + "r><" + w + `delInstrText xml:space="preserve">` + xmlscan.Escape(instr) + "</" + w + "delInstrText></" + w + "r>" + char("separate", "") + closing
	end := open() + char("end", "") + closing
	if c.closeStart == c.end { // <w:fldSimple/>
		return []xmlscan.Splice{{Start: c.start, End: c.end, New: []byte(begin + end)}}
	}
	return []xmlscan.Splice{{Start: c.start, End: c.openEnd, New: []byte(begin)}, {Start: c.closeStart, End: c.end, New: []byte(end)}}
}
