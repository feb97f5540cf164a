package xlsx

import (
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// replace writes v in place of the current cell, keeping its style.
func (p *splicer) replace(v value) error {
	s, c := p.s, &p.s.Cell
	p.w.Write(s.Raw()[:s.Start])
	if raw, ok := p.e.raws[cellref.At(c.Row, c.Col)]; ok && (c.HasRef || raw.body != "") {
		p.buf = raw.append(p.buf[:0], s.Prefix, cellref.At(c.Row, c.Col))
		_, err := p.w.Write(p.buf)
		return err
	}
	style, has := p.e.styles.style(c.Row, c.Col, c.Style, c.HasStyle)
	if v.kind == valClear && !has && c.HasRef {
		return nil
	}
	p.buf = appendCell(p.buf[:0], s.Prefix, cellref.At(c.Row, c.Col), style, has, v)
	_, err := p.w.Write(p.buf)
	return err
}

// appendCell writes a cell element.
func appendCell(b []byte, prefix string, at cellref.Cell, style int, hasStyle bool, v value) []byte {
	b = append(append(append(b, '<'), prefix...), `c r="`...)
	b = append(cellref.AppendName(b, at.Row, at.Col), '"')
	if hasStyle {
		b = append(b, ` s="`...)
		b = append(strconv.AppendInt(b, int64(style), 10), '"')
	}
	if v.array() {
		return v.appendArray(b, prefix, at)
	}
	elem := func(name, content string) {
		b = append(append(append(append(b, '<'), prefix...), name...), '>')
		b = append(b, content...)
		b = append(append(append(append(b, '<', '/'), prefix...), name...), '>')
	}
	switch v.kind {
	case valClear:
		return append(b, '/', '>')
	case valBool:
		b = append(b, ` t="b">`...)
		elem("v", v.s)
	case valNumber:
		b = append(b, '>')
		elem("v", v.s)
	case valError:
		b = append(b, ` t="e">`...)
		elem("v", xmlscan.Escape(v.s))
	case valFormula:
		b = append(b, '>')
		elem("f", xmlscan.Escape(v.s))
	case valString:
		b = append(b, ` t="str">`...)
		elem("v", v.s)
	case valText:
		b = append(b, ` t="inlineStr">`...)
		elem("is", sheetml.TextElement(prefix, v.s))
	case valRich:
		b = append(b, ` t="inlineStr">`...)
		elem("is", v.s)
	}
	return append(append(append(b, '<', '/'), prefix...), 'c', '>')
}

// keep copies the current cell, with its formula rewritten and its cached
// value dropped where the edit asks for it.
func (p *splicer) keep() error {
	s, c, e := p.s, &p.s.Cell, p.e
	raw := s.Raw()
	cuts := p.cuts[:0]
	if c.HasFormula {
		var err error
		if cuts, err = p.formula(cuts); err != nil {
			return err
		}
		cuts = p.resultCuts(cuts)
	}
	if e.allStale && c.HasFormula || e.stale.Has(c.Row, c.Col) {
		e.former.note(e.part, cellref.At(c.Row, c.Col), s)
		cuts = appendValueCuts(cuts, c)
	}
	if len(cuts) > 0 {
		p.kept = xmlscan.AppendApplied(p.kept[:0], raw, cuts)
		p.cuts, raw = cuts, p.kept
	}
	if style, has := e.styles.style(c.Row, c.Col, c.Style, c.HasStyle); has && (style != c.Style || !c.HasStyle) {
		p.buf = appendRestyled(p.buf[:0], raw, s.Start, style)
		raw = p.buf
	}
	_, err := p.w.Write(raw)
	return err
}

// written writes out a member of a shared formula; text is its own, "" for none.
func (p *splicer) written(m book.SharedFormula, text string) (xmlscan.Splice, error) {
	s, c := p.s, &p.s.Cell
	if text == "" {
		var err error
		if text, err = p.e.room.Written(m, c.Row, c.Col); err != nil {
			return xmlscan.Splice{}, err
		}
	}
	if p.e.rewrite != nil {
		text, _ = p.e.rewrite(text)
	}
	plain := "<" + s.Prefix + "f>" + xmlscan.Escape(text) + "</" + s.Prefix + "f>"
	return xmlscan.Splice{Start: c.FormulaElement.Start, End: c.FormulaElement.End, New: []byte(plain)}, nil
}

// appendValueCuts takes the value of a cell, and its type with it.
func appendValueCuts(cuts []xmlscan.Splice, c *sheetml.Cell) []xmlscan.Splice {
	if !c.ValueElement.OK() {
		return cuts
	}
	cuts = append(cuts, xmlscan.Splice{Start: c.ValueElement.Start, End: c.ValueElement.End})
	if c.TypeAttr.OK() {
		cuts = append(cuts, xmlscan.Splice{Start: c.TypeAttr.Start, End: c.TypeAttr.End})
	}
	return cuts
}

// formula adds the changes to the current cell's formula.
func (p *splicer) formula(cuts []xmlscan.Splice) ([]xmlscan.Splice, error) {
	s, c, e := p.s, &p.s.Cell, p.e
	if len(e.expand) == 0 && e.rewrite == nil {
		return cuts, nil
	}
	text := ""
	if c.Formula.OK() {
		text = sheetml.CharData(s.Text(c.Formula))
	}
	if len(e.expand) > 0 {
		fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
		if m, ok := e.expand[fa.SharedIndex]; ok && fa.Kind == "shared" {
			cut, err := p.written(m, text)
			return append(cuts, cut), err
		}
	}
	if e.rewrite != nil && text != "" {
		if now, changed := e.rewrite(text); changed {
			cuts = append(cuts, xmlscan.Splice{Start: c.Formula.Start, End: c.Formula.End, New: []byte(xmlscan.Escape(now))})
		}
	}
	return cuts, nil
}
