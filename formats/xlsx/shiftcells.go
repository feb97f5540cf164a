package xlsx

import (
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// plainCell writes the current cell, which has no formula, at its new place.
func (m *mover) plainCell(at cellref.Cell, raw []byte) error {
	b, rest := m.appendPlace(m.w.AvailableBuffer(), at, raw)
	_, err := m.w.Write(append(b, raw[rest:]...))
	return err
}

// plainFormula writes the current cell at its new place where it has a formula without
// attributes and keeps its value.
func (m *mover) plainFormula(at cellref.Cell, raw []byte) (done bool, err error) {
	c := &m.s.Cell
	if !c.Formula.OK() || c.FormulaTag.End-c.FormulaTag.Start != len("<f>") || m.allStale || m.stale.Has(c.Row, c.Col) || m.sh.Cols && m.sh.Moves() {
		return false, nil
	}
	text := sheetml.CharData(m.s.Text(c.Formula))
	b, rest := m.appendPlace(m.w.AvailableBuffer(), at, raw)
	if now, changed := m.rw.Text(text, formula.Place{Sheet: m.home}); changed && text != "" {
		b = append(b, raw[rest:c.Formula.Start]...)
		b = append(b, xmlscan.Escape(now)...)
		rest = c.Formula.End
	}
	_, err = m.w.Write(append(b, raw[rest:]...))
	return true, err
}

// appendPlace appends the start of the current cell with its new place, and returns where
// the rest of raw begins.
func (m *mover) appendPlace(b []byte, at cellref.Cell, raw []byte) (out []byte, rest int) {
	sp, before := m.readdress(at)
	if !sp.OK() {
		return b, 0
	}
	b = append(append(b, raw[:sp.Start]...), before...)
	if b = cellref.AppendName(b, at.Row, at.Col); before != "" {
		b = append(b, '"')
	}
	return b, sp.End
}
