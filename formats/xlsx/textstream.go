package xlsx

import (
	"bytes"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// replacedTexts are cells whose texts the pass over a sheet replaces as it meets them, so
// that memory does not grow with the texts. The cells are in the file and keep their
// formats. A nil one has none.
type replacedTexts struct {
	cells cellref.Set
	rows  cellref.Set   // their rows, in column 1
	area  cellref.Range // around them
	// xml gives the content of the is element of the scanner's cell; hit is false where
	// the cell stays.
	xml func(s *sheetml.RowScanner) (xml string, hit bool, err error)
}

func (t *replacedTexts) add(at cellref.Cell) {
	t.cells.Add(at.Row, at.Col)
	t.rows.Add(at.Row, 1)
	t.area.Add(at.Row, at.Col)
}

func (t *replacedTexts) has(row, col int) bool { return t != nil && t.cells.Has(row, col) }

func (t *replacedTexts) hasRow(row int) bool { return t != nil && t.rows.Has(row, 1) }

// first is a cell of a block, if one is replaced.
func (t *replacedTexts) first(r cellref.Range) (at cellref.Cell, ok bool) {
	if t == nil || !t.cells.Meets(r) {
		return at, false
	}
	for row := r.R1; row <= r.R2; row++ {
		for col := r.C1; col <= r.C2; col++ {
			if t.cells.Has(row, col) {
				return cellref.At(row, col), true
			}
		}
	}
	return at, false
}

// inTableLine reports whether a cell is a header or a label of totals of a table.
func inTableLine(tables []*book.Table, at cellref.Cell) bool {
	for _, t := range tables {
		if t.HeaderAt(at) >= 0 || labelAt(t, at) >= 0 {
			return true
		}
	}
	return false
}

// setNeedle prepares misses for what is searched.
func (r *textReplacer) setNeedle(search string, fold bool) {
	if !r.literal {
		return
	}
	for i := 0; i < len(search); i++ {
		if search[i] < ' ' || search[i] > '~' {
			return
		}
	}
	r.needle, r.fold = []byte(search), fold
	if fold {
		r.needle = bytes.ToLower(r.needle)
	}
}

// misses reports that a text, as it is stored and without markup, surely does not hold
// what is searched. It looks only at texts whose characters are their bytes: ASCII
// without references, escapes (22.4.2.4) and line ends to translate.
func (r *textReplacer) misses(raw []byte) bool {
	if r.needle == nil {
		return false
	}
	for _, c := range raw {
		if c >= 0x80 || c == '&' || c == '<' || c == '_' || c == '\r' {
			return false
		}
	}
	return r.index(raw) < 0
}

// index returns where the needle is first in an ASCII text, -1 for nowhere.
func (r *textReplacer) index(text []byte) int {
	if !r.fold {
		return bytes.Index(text, r.needle)
	}
	first := r.needle[0]
	for i := 0; i+len(r.needle) <= len(text); i++ {
		if lowerASCII(text[i]) != first {
			continue
		}
		k := 1
		for k < len(r.needle) && lowerASCII(text[i+k]) == r.needle[k] {
			k++
		}
		if k == len(r.needle) {
			return i
		}
	}
	return -1
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// plainElement returns the t element of a text, and the text.
func plainElement(b []byte) (xml, text string) {
	const open, end = "<t>", "</t>"
	for i, c := range b {
		if c <= ' ' && (c < ' ' || i == 0 || i == len(b)-1 || b[i-1] == ' ') || c >= 0x7F || c == '&' || c == '<' || c == '>' || c == '"' || c == '_' {
			text = string(b)
			return sheetml.TextElement("", text), text
		}
	}
	if len(b) == 0 {
		return sheetml.TextElement("", ""), ""
	}
	xml = open + string(b) + end
	return xml, xml[len(open) : len(xml)-len(end)]
}

// plainItem returns the text of an item that has nothing but one t element, whose bytes
// are its characters.
func plainItem(raw []byte) (text []byte, ok bool) {
	text, ok = bytes.CutPrefix(raw, []byte("<t>"))
	if !ok {
		if text, ok = bytes.CutPrefix(raw, []byte(`<t xml:space="preserve">`)); !ok {
			return nil, false
		}
	}
	if text, ok = bytes.CutSuffix(text, []byte("</t>")); !ok {
		return nil, false
	}
	for _, c := range text {
		if c >= 0x80 || c == '<' || c == '&' || c == '_' || c == '\r' {
			return nil, false
		}
	}
	return text, true
}
