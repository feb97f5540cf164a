package xlsx

import (
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// wholeRow writes the cells of the row that begins at once, where it is like one before and
// all of them only get a new place; else they come one by one. Those of a row that goes
// are passed over.
func (m *mover) wholeRow() {
	s := m.s
	switch {
	case s.RowEmpty || m.sh.Cols:
		return
	case m.skip:
		s.RestOfRow()
		return
	case m.tag != nil || m.allStale || m.stale.HasRow(s.Row):
		return
	}
	form, texts := s.AlikeTexts()
	if form == nil || !form.Plain {
		return
	}
	m.texts = m.texts[:0]
	for _, sp := range texts {
		m.texts = append(m.texts, s.Text(sp))
	}
	for i := range form.Cells {
		if n := form.Cells[i].FormulaText; n >= 0 {
			if now, changed := m.rw.Text(sheetml.CharData(m.texts[n]), formula.Place{Sheet: m.home}); changed {
				m.texts[n] = []byte(xmlscan.Escape(now))
			}
		}
	}
	m.w.Write(form.Append(m.w.AvailableBuffer(), m.row, m.texts))
	m.whole = true
	s.RestOfRow()
}
