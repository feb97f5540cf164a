package xlsx

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// syncTables lets table column names follow their header cells (18.5.1.3:
// they must be equal), and formulas the names.
func (f *finisher) syncTables() error {
	for i, s := range f.keep {
		for _, t := range f.tables[i] {
			if err := f.syncTable(s, f.facts[i], t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *finisher) syncTable(s *planSheet, fa *facts, t *book.Table) error {
	names := map[int]string{}
	labels := map[int]string{}
	for at, v := range s.cells {
		if c := t.HeaderAt(at); c >= 0 {
			text, err := headerText(v, c)
			if err != nil {
				return inCell(err, at)
			}
			if v.kind != valRich {
				s.cells[at] = value{kind: valText, s: text}
			}
			if text != t.Columns[c].Name {
				names[c] = text
			}
		} else if c := labelAt(t, at); c >= 0 {
			switch v.kind {
			case valText:
				labels[c] = v.s
			case valRich:
				labels[c] = sheetml.PlainText([]byte(v.s))
			}
		}
	}
	f.syncStrings(fa, t, names, labels)
	return f.renameColumns(t, names, labels)
}

// syncStrings adds the names and labels that shared strings change.
func (f *finisher) syncStrings(fa *facts, t *book.Table, names, labels map[int]string) {
	for _, s := range fa.strHeads {
		if f.strs == nil || !f.strs(s.n) {
			continue
		}
		if c := t.HeaderAt(s.at); c >= 0 {
			names[c] = f.strText(s.n)
		} else if c := labelAt(t, s.at); c >= 0 {
			labels[c] = f.strText(s.n)
		}
	}
}

// labelAt returns the column whose label in the row of totals is in a cell, -1
// for none.
func labelAt(t *book.Table, at cellref.Cell) int {
	if c := t.TotalAt(at); c >= 0 && t.Columns[c].LabelVal.OK() {
		return c
	}
	return -1
}

// headerText is the column name that a header cell's value comes to: Excel
// turns whatever is typed there into text.
func headerText(v value, column int) (string, error) {
	text := v.s
	switch v.kind {
	case valClear:
		text = fmt.Sprintf("Column%d", column+1)
	case valFormula, valArray, valDynamic:
		return "", formats.Errorf(formats.CodeInvalid, "the header of a table must be text, not a formula")
	case valBool:
		text = map[string]string{"1": "TRUE", "0": "FALSE"}[v.s]
	case valRich:
		text = sheetml.PlainText([]byte(v.s))
	}
	if strings.TrimSpace(text) == "" {
		return "", formats.Errorf(formats.CodeInvalid, "the header of a table must not be empty")
	}
	if n := sheetml.UTF16Len(text); n > 255 {
		return "", formats.Errorf(formats.CodeInvalid, "the header of a table has %d characters; at most 255 are allowed", n)
	}
	return text, nil
}

// renameColumns writes new column names and totals labels into a table part.
func (f *finisher) renameColumns(t *book.Table, names, labels map[int]string) error {
	edits := f.tableEdits[t.Part]
	if len(names)+len(labels)+len(edits) == 0 {
		return nil
	}
	seen := map[string]int{}
	for i, c := range t.Columns {
		name := c.Name
		if n, ok := names[i]; ok {
			name = n
		}
		low := strings.ToLower(name)
		if j, twice := seen[low]; twice {
			return formats.Errorf(formats.CodeInvalid, "the table %s would have two columns named %q (columns %d and %d); header names must differ", t.Name, name, j+1, i+1)
		}
		seen[low] = i
	}
	for i, c := range t.Columns {
		if n, ok := names[i]; ok && c.NameVal.OK() {
			edits = append(edits, xmlscan.Splice{Start: c.NameVal.Start, End: c.NameVal.End, New: []byte(sheetml.EscapeAttr(n))})
			f.rw.RenameColumn(t.Name, c.Name, n)
			f.warn("the column %q of the table %s is now called %q; formulas with its name follow", c.Name, t.Name, n)
		}
		if l, ok := labels[i]; ok {
			edits = append(edits, xmlscan.Splice{Start: c.LabelVal.Start, End: c.LabelVal.End, New: []byte(sheetml.EscapeAttr(l))})
		}
	}
	f.ed.Set(t.Part, xmlscan.Apply(t.Doc, edits))
	return nil
}
