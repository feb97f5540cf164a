package sheetml

import (
	"bytes"

	"atelier/formats/xlsx/internal/cellref"
)

// Spreadsheet programs write rows and cells in few forms. These functions read them in
// one walk over the bytes in memory; whatever else there is, next and readCell read.

// quick reads the event at the start of the window; ok is false where it is not in a
// usual form, or not in memory as a whole.
func (s *RowScanner) quick() (ev Event, ok bool) {
	b := s.w.rest()
	i := 0
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	if len(b)-i < 8 || b[i] != '<' {
		return 0, false
	}
	switch b[i+1] {
	case 'c':
		if b[i+2] == ' ' && s.quickCell(b, i) {
			return WholeCell, true
		}
	case '/':
		if string(b[i+2:i+6]) == "row>" {
			s.Start, s.used = i, i+6
			return RowEnd, true
		}
	case 'r':
		if string(b[i+2:i+5]) != "ow " {
			return 0, false
		}
		if e := quickTag(b, i+5); e > 0 {
			s.readRow(b[i:e])
			s.Start, s.used = i, e
			return RowStart, true
		}
	}
	return 0, false
}

// RestOfRow asks, after RowStart, for all that is left of the row as one event, RowEnd.
// A row that is not in memory as a whole, or in an unusual form, comes cell by cell.
func (s *RowScanner) RestOfRow() { s.whole = !s.RowEmpty && !s.walked }

// SkipTo asks for the cell of a column as the next event; the cells before it come as
// bytes in front of it. Where it is not found in a usual form, the next event is the next
// one of the row. The columns of the row must be in order.
func (s *RowScanner) SkipTo(col int) {
	if !s.walked {
		s.skipTo = col
	}
}

// skips makes what SkipTo or RestOfRow asked for the current event. Where that cannot be,
// the row is walked to its end: it is not searched again for each cell.
func (s *RowScanner) skips() (ev Event, ok bool) {
	if col := s.skipTo; col > 0 {
		ev, ok = WholeCell, s.skip(col)
	} else {
		ev, ok = RowEnd, s.restOfRow()
	}
	s.skipTo, s.whole, s.walked = 0, false, !ok
	return ev, ok
}

// skip makes the cell in column col the current event.
func (s *RowScanner) skip(col int) bool {
	b := s.w.rest()
	n := s.restLen(b)
	if n < 0 {
		return false
	}
	s.name = append(cellref.AppendName(append(s.name[:0], `<c r="`...), s.Row, col), '"')
	i := bytes.Index(b[:n], s.name)
	return i >= 0 && s.quickCell(b, i)
}

// restOfRow makes what is left of the row the current event.
func (s *RowScanner) restOfRow() bool {
	n := s.restLen(s.w.rest())
	if n < 0 {
		return false
	}
	s.Start, s.used = n, n+len("</row>")
	return true
}

// restLen returns the length of what is left of the row, which begins b, before its end
// tag; -1 where it is not in memory or not in a usual form.
func (s *RowScanner) restLen(b []byte) int {
	if n := s.rowEnd - s.w.base; n >= 0 && s.rowEnd > 0 {
		return int(n)
	}
	n := endOfRow(b)
	if n < 0 || opens(b[:n], '!') || opens(b[:n], '?') {
		return -1
	}
	s.rowEnd = s.w.base + int64(n)
	return n
}

// endOfRow returns the offset of the first end tag of a row, -1 for none, or where a row
// begins before it. It looks for the letter that is rarest in rows.
func endOfRow(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], 'w')
		if i < 0 {
			return -1
		}
		if from += i + 1; from < 4 || string(b[from-3:from-1]) != "ro" {
			continue
		}
		switch {
		case b[from-4] == '<' || b[from-4] == ':':
			return -1
		case from >= 5 && from < len(b) && b[from] == '>' && b[from-4] == '/' && b[from-5] == '<':
			return from - 5
		}
	}
}

// opens reports whether a tag begins with c.
func opens(b []byte, c byte) bool {
	for {
		i := bytes.IndexByte(b, c)
		if i < 0 {
			return false
		}
		if i > 0 && b[i-1] == '<' {
			return true
		}
		b = b[i+1:]
	}
}

// quickTag returns the offset after the tag that continues at i, outside of attribute
// values; 0 where it is not plain.
func quickTag(b []byte, i int) int {
	quoted := false
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			quoted = !quoted
		case '\'':
			return 0
		case '>':
			if !quoted {
				return i + 1
			}
		}
	}
	return 0
}

// quickCell reads the cell whose start tag begins at i.
func (s *RowScanner) quickCell(b []byte, i int) bool {
	c := &s.Cell
	*c = Cell{Row: s.Row}
	col := s.col + 1
	j := i + 2
	for j+4 < len(b) && b[j] == ' ' && b[j+2] == '=' && b[j+3] == '"' {
		from := j + 4
		end := from
		for end < len(b) && b[end] != '"' {
			end++
		}
		if end == len(b) {
			return false
		}
		switch v := b[from:end]; b[j+1] {
		case 'r':
			if n := columnOf(v); n > 0 {
				col, c.HasRef = n, true
			}
		case 's':
			if n := Atoi(v); n >= 0 {
				c.Style, c.HasStyle = n, true
			}
		case 't':
			c.Type = typeOf(v)
			c.TypeAttr = Span{j, end + 1}
		default:
			return false
		}
		j = end + 1
	}
	switch {
	case j+1 >= len(b):
		return false
	case b[j] == '>':
		c.TagEnd = j + 1
		if j = s.quickContent(b, j+1); j == 0 {
			return false
		}
	case b[j] == '/' && b[j+1] == '>':
		j += 2
		c.TagEnd = j
	default:
		return false
	}
	c.Col, s.col = col, col
	s.Start, s.used = i, j
	return true
}

// quickContent reads the children of a cell from offset j on and returns the offset
// after its end tag, 0 where they are in no usual form.
func (s *RowScanner) quickContent(b []byte, j int) int {
	c := &s.Cell
	for j+4 <= len(b) && b[j] == '<' {
		switch b[j+1] {
		case 'v':
			if b[j+2] != '>' {
				return 0
			}
			end := quickText(b, j+3, 'v')
			if end == 0 {
				return 0
			}
			c.Value, c.ValueElement = Span{j + 3, end}, Span{j, end + 4}
			j = end + 4
		case 'f':
			if j = s.quickFormula(b, j); j == 0 {
				return 0
			}
		case 'i':
			end := quickInline(b, j)
			if end == 0 {
				return 0
			}
			c.Inline = Span{j + 4, end}
			j = end + 5
		case '/':
			if b[j+2] != 'c' || b[j+3] != '>' {
				return 0
			}
			return j + 4
		default:
			return 0
		}
	}
	return 0
}

// quickText returns the offset of the end tag of the element with the given name,
// which has text from i on and nothing else; 0 where it has.
func quickText(b []byte, i int, name byte) int {
	for ; i+3 < len(b); i++ {
		if b[i] == '<' {
			if b[i+1] == '/' && b[i+2] == name && b[i+3] == '>' {
				return i
			}
			return 0
		}
	}
	return 0
}

// quickFormula reads the f element at j and returns the offset after it, 0 where it is
// not plain.
func (s *RowScanner) quickFormula(b []byte, j int) int {
	e := j + 3
	if b[j+2] != '>' {
		if b[j+2] != ' ' && b[j+2] != '/' {
			return 0
		}
		if e = quickTag(b, j+2); e == 0 {
			return 0
		}
	}
	c := &s.Cell
	if b[e-2] == '/' {
		c.HasFormula, c.FormulaTag, c.FormulaElement = true, Span{j, e}, Span{j, e}
		return e
	}
	end := quickText(b, e, 'f')
	if end == 0 {
		return 0
	}
	c.HasFormula, c.FormulaTag = true, Span{j, e}
	c.Formula, c.FormulaElement = Span{e, end}, Span{j, end + 4}
	return end + 4
}

const preservedText = `<t xml:space="preserve">`

// quickInline returns the offset of the end tag of the is element at j, which has one
// t element; 0 where it is another.
func quickInline(b []byte, j int) int {
	if len(b) < j+8 || string(b[j:j+6]) != "<is><t" {
		return 0
	}
	from := j + 7
	if b[j+6] != '>' {
		if !bytes.HasPrefix(b[j+4:], []byte(preservedText)) {
			return 0
		}
		from = j + 4 + len(preservedText)
	}
	n := bytes.IndexByte(b[from:], '<')
	if n < 0 || !bytes.HasPrefix(b[from+n:], []byte("</t></is>")) {
		return 0
	}
	return from + n + 4
}
