package sheetml

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// Event is what the scanner found.
type Event uint8

const (
	HeadEnd   Event = iota + 1 // the start tag of sheetData; HeadXML is set
	RowStart                   // a row's start tag; RowEmpty is set for <row/>
	WholeCell                  // a whole cell
	RowEnd                     // </row>
	DataEnd                    // the end of the rows; Tail comes next
)

// Span is a piece of the current event, as offsets into Raw. The zero Span
// means absent.
type Span struct{ Start, End int }

// Piece returns the Span from start to end.
func Piece(start, end int) Span { return Span{start, end} }

// OK reports whether the piece is present.
func (s Span) OK() bool { return s.End > 0 }

// Cell is the cell of a WholeCell event. Its spans point into the bytes of the
// scanner and are valid until the next event.
type Cell struct {
	Row, Col               int
	HasRef                 bool // it has an r attribute
	Style                  int
	HasStyle               bool
	Type                   CellType
	TypeAttr               Span // ` t="s"` with the blank before it
	TagEnd                 int  // offset after the start tag
	Value, Formula, Inline Span // content between the tags
	ValueElement           Span // with its tags
	FormulaElement         Span
	HasFormula             bool // also for an empty <f/>
	FormulaTag             Span // start tag of f
}

// Blank reports whether the cell has formatting at most.
func (c *Cell) Blank() bool { return !c.Value.OK() && !c.HasFormula && !c.Inline.OK() }

// CellType is the type of the value of a cell (18.18.11).
type CellType uint8

const (
	TypeNumber CellType = iota
	TypeShared
	TypeInline
	TypeString // result of a formula
	TypeBool
	TypeError
	TypeDate // ISO 8601 (18.18.11)
)

// RowScanner reads a worksheet part: first Head, then Next until DataEnd, then
// Tail. It also reads the items of a table of shared strings (NextItem).
type RowScanner struct {
	w        window
	Prefix   string // of the elements, with colon: "x:"
	SelfData bool   // <sheetData/>
	Row      int
	RowEmpty bool
	Event    Event  // the current one
	HeadXML  []byte // what Head returned
	col      int
	Cell     Cell
	Start    int // offset of the event's element in Raw
	used     int // length of the current event
	ended    bool
	careful  bool // every event is read byte by byte, without the usual forms
	whole    bool // see RestOfRow
	skipTo   int  // see SkipTo; 0 for none
	walked   bool // the row is not skipped through
	name     []byte
	rowEnd   int64      // where the end tag of a row that is in memory begins in the part
	forms    []*RowForm // see Alike
	form     int        // the one that was met last
	unlike   int        // rows since then
	ahead    int        // bytes that the next row of a form has at most, mostly
	spans    []Span     // of the texts of a row of a form
}

// NewRowScanner returns a scanner of a worksheet part.
func NewRowScanner(r io.Reader) *RowScanner { return &RowScanner{w: newWindow(r)} }

// Peek returns the first bytes of the part, at least 4 unless it is shorter.
// Call it before Head.
func (s *RowScanner) Peek() ([]byte, error) {
	if !s.w.need(4) && s.w.err != nil {
		return nil, s.w.err
	}
	return s.w.rest(), nil
}

// Resume says that the reader begins not at the start of the part but at an
// offset, behind the head, with the row after the given one.
func (s *RowScanner) Resume(offset int64, row int) {
	s.w.base, s.Row, s.Event = offset, row, HeadEnd
}

// Offset returns where in the part the current event begins.
func (s *RowScanner) Offset() int64 { return s.w.base + int64(s.Start) }

func (s *RowScanner) cut(what string) error {
	if s.w.err != nil {
		return s.w.err
	}
	return formats.Errorf(formats.CodeCorrupt, "a worksheet is damaged: it ends inside %s", what)
}

// ErrNoCells says that a part has no sheetData: it is a chart sheet or dialog
// sheet.
var ErrNoCells = formats.Errorf(formats.CodeUnsupported, "this sheet has no cells")

// Head returns a copy of everything up to and including the start tag of
// sheetData. When there is none it returns the whole part and ErrNoCells.
func (s *RowScanner) Head() (head []byte, err error) {
	head, err = s.readHead()
	s.HeadXML, s.Event = head, HeadEnd
	return head, err
}

func (s *RowScanner) readHead() ([]byte, error) {
	i := 0
	for {
		i = s.w.index(i, '<')
		if i < 0 {
			if s.w.err != nil {
				return nil, s.w.err
			}
			return bytes.Clone(s.w.rest()), ErrNoCells
		}
		if !s.w.need(i + 2) {
			return nil, s.cut("its head")
		}
		if c := s.w.rest()[i+1]; c == '!' || c == '?' {
			if i = s.w.skipMarkup(i); i < 0 {
				return nil, s.cut("its head (a document type declaration is not allowed)")
			}
			continue
		}
		e := s.w.afterTag(i)
		if e < 0 {
			return nil, s.cut("its head")
		}
		tag := s.w.rest()[i:e]
		if name := LocalName(tag[1:]); string(name) == "sheetData" {
			if p, _, ok := strings.Cut(string(tag[1:]), "sheetData"); ok {
				s.Prefix = p
			}
			s.SelfData = bytes.HasSuffix(tag, []byte("/>"))
			s.ended = s.SelfData
			head := bytes.Clone(s.w.rest()[:e])
			s.w.consume(e)
			return head, nil
		}
		i = e
	}
}

// Raw returns the bytes of the current event, with whatever was between it and
// the event before.
func (s *RowScanner) Raw() []byte { return s.w.rest()[:s.used] }

// Text returns a piece of the current event.
func (s *RowScanner) Text(sp Span) []byte { return s.w.rest()[sp.Start:sp.End] }

// Next moves to the next event.
func (s *RowScanner) Next() (ev Event, err error) {
	if s.used > 0 && !s.careful && !s.whole && s.skipTo == 0 { // a cell behind another one
		if b := s.w.rest()[s.used:]; len(b) > 8 && string(b[:3]) == "<c " {
			s.w.consume(s.used)
			if s.used = 0; s.quickCell(s.w.rest(), 0) {
				s.Event = WholeCell
				return WholeCell, nil
			}
		}
	}
	s.Event, err = s.next()
	return s.Event, err
}

func (s *RowScanner) next() (Event, error) {
	s.w.consume(s.used)
	s.used = 0
	if s.ended {
		return DataEnd, nil
	}
	if s.whole || s.skipTo > 0 {
		if ev, ok := s.skips(); ok {
			return ev, nil
		}
	}
	if !s.careful {
		if ev, ok := s.quick(); ok {
			return ev, nil
		}
	}
	i := 0
	for {
		i = s.w.index(i, '<')
		if i < 0 || !s.w.need(i+2) {
			return 0, s.cut("its rows")
		}
		switch s.w.rest()[i+1] {
		case '!', '?':
			if i = s.w.skipMarkup(i); i < 0 {
				return 0, s.cut("a comment")
			}
			continue
		case '/':
			e := s.w.index(i, '>')
			if e < 0 {
				return 0, s.cut("a tag")
			}
			switch string(LocalName(s.w.rest()[i+2 : e])) {
			case "row":
				s.Start, s.used = i, e+1
				return RowEnd, nil
			case "sheetData":
				s.ended, s.Start, s.used = true, i, i
				return DataEnd, nil
			}
			i = e + 1
			continue
		}
		e := s.w.afterTag(i)
		if e < 0 {
			return 0, s.cut("a tag")
		}
		tag := s.w.rest()[i:e]
		switch string(LocalName(tag[1:])) {
		case "row":
			s.readRow(tag)
			s.Start, s.used = i, e
			return RowStart, nil
		case "c":
			s.Start = i
			return WholeCell, s.readCell(i, e)
		}
		i = e
	}
}

func (s *RowScanner) readRow(tag []byte) {
	s.Row++
	s.col, s.walked = 0, false
	s.RowEmpty = tag[len(tag)-2] == '/'
	for i := NameLen(tag); ; {
		name, a, b, next := NextAttr(tag, i)
		if next < 0 {
			return
		}
		if len(name) == 1 && name[0] == 'r' {
			if n := Atoi(tag[a:b]); n > 0 && n <= cellref.MaxRow {
				s.Row = n
			}
			return
		}
		i = next
	}
}

// readCell reads the cell whose start tag is at [i,e).
func (s *RowScanner) readCell(i, e int) error {
	s.col++
	c := &s.Cell
	*c = Cell{TagEnd: e}
	tag := s.w.rest()[i:e]
	for k := NameLen(tag); ; {
		name, a, b, next := NextAttr(tag, k)
		if next < 0 {
			break
		}
		if len(name) == 1 {
			switch name[0] {
			case 'r':
				if n := columnOf(tag[a:b]); n > 0 {
					s.col = n
					c.HasRef = true
				}
			case 's':
				if n := Atoi(tag[a:b]); n >= 0 {
					c.Style, c.HasStyle = n, true
				}
			case 't':
				c.Type = typeOf(tag[a:b])
				c.TypeAttr = Span{i + k, i + next}
			}
		}
		k = next
	}
	c.Row, c.Col = s.Row, s.col
	if tag[len(tag)-2] == '/' {
		s.used = e
		return nil
	}
	return s.readContent(e)
}

// columnOf returns the column of a cell reference, 0 when b is not one.
func columnOf(b []byte) int {
	n := 0
	for i, c := range b {
		if c >= '0' && c <= '9' {
			if i == 0 || n > cellref.MaxCol {
				return 0
			}
			return n
		}
		if !cellref.IsLetter(c) || i > 3 {
			return 0
		}
		n = n*26 + int(c|0x20-'a') + 1
	}
	return 0
}

func typeOf(b []byte) CellType {
	switch string(b) {
	case "s":
		return TypeShared
	case "inlineStr":
		return TypeInline
	case "str":
		return TypeString
	case "b":
		return TypeBool
	case "e":
		return TypeError
	case "d":
		return TypeDate
	}
	return TypeNumber
}

// readContent reads the children of a cell from offset j to its end tag.
func (s *RowScanner) readContent(j int) error {
	c := &s.Cell
	for {
		j = s.w.index(j, '<')
		if j < 0 || !s.w.need(j+2) {
			return s.cut("a cell")
		}
		switch s.w.rest()[j+1] {
		case '!', '?':
			if j = s.w.skipMarkup(j); j < 0 {
				return s.cut("a comment")
			}
			continue
		case '/':
			e := s.w.index(j, '>')
			if e < 0 {
				return s.cut("a cell")
			}
			if string(LocalName(s.w.rest()[j+2:e])) == "c" {
				s.used = e + 1
				return nil
			}
			j = e + 1
			continue
		}
		e := s.w.afterTag(j)
		if e < 0 {
			return s.cut("a cell")
		}
		tag := s.w.rest()[j:e]
		name := LocalName(tag[1:])
		empty := tag[len(tag)-2] == '/'
		var kind byte
		switch string(name) {
		case "v":
			kind = 'v'
		case "f":
			kind = 'f'
			c.HasFormula = true
			c.FormulaTag = Span{j, e}
			c.FormulaElement = Span{j, e}
		case "is":
			kind = 'i'
		}
		if kind == 0 || empty {
			if kind == 'v' {
				c.ValueElement = Span{j, e}
			}
			j = e
			continue
		}
		end, behind, err := s.closing(e, string(name))
		if err != nil {
			return err
		}
		switch kind {
		case 'v':
			c.Value, c.ValueElement = Span{e, end}, Span{j, behind}
		case 'f':
			c.Formula, c.FormulaElement = Span{e, end}, Span{j, behind}
		default:
			c.Inline = Span{e, end}
		}
		j = behind
	}
}

// closing finds the end tag of an element whose content begins at from.
func (s *RowScanner) closing(from int, name string) (end, behind int, err error) {
	for {
		from = s.w.index(from, '<')
		if from < 0 || !s.w.need(from+2) {
			return 0, 0, s.cut("a cell")
		}
		switch s.w.rest()[from+1] {
		case '!', '?':
			if from = s.w.skipMarkup(from); from < 0 {
				return 0, 0, s.cut("a comment")
			}
		case '/':
			e := s.w.index(from, '>')
			if e < 0 {
				return 0, 0, s.cut("a cell")
			}
			if string(LocalName(s.w.rest()[from+2:e])) == name {
				return from, e + 1, nil
			}
			from = e + 1
		default:
			if from = s.w.afterTag(from); from < 0 {
				return 0, 0, s.cut("a cell")
			}
		}
	}
}

// maxTail limits what follows the rows: merges, conditional formats, links.
const maxTail = 128 << 20

// Tail returns a copy of the bytes after the rows, from </sheetData> on. Call
// it after DataEnd.
func (s *RowScanner) Tail() ([]byte, error) {
	s.w.consume(s.used)
	s.used = 0
	var out [][]byte // joined once: a buffer that grows would hold more than twice of it
	size := 0
	for {
		out = append(out, bytes.Clone(s.w.rest()))
		size += len(s.w.rest())
		s.w.consume(len(s.w.rest()))
		if size > maxTail {
			return nil, formats.Errorf(formats.CodeTooLarge, "a worksheet has more than %d bytes behind its rows", maxTail)
		}
		if !s.w.more() {
			return bytes.Join(out, nil), s.w.err
		}
	}
}

// Skeleton reads the rest of the part and returns what it has around its rows.
// Call it after DataEnd instead of Tail.
func (s *RowScanner) Skeleton() (Skeleton, error) {
	tail, err := s.Tail()
	if err != nil {
		return Skeleton{}, err
	}
	n := len(s.HeadXML)
	return Skeleton{Doc: append(s.HeadXML[:n:n], tail...), Cut: n}, nil
}

// NoValue reports whether a formula has no cached value. An empty text is a
// value.
func (c *Cell) NoValue() bool {
	if !c.HasFormula {
		return false
	}
	if c.Type == TypeString {
		return !c.ValueElement.OK()
	}
	return c.Value.End == c.Value.Start
}

// HasCellMetadata reports whether the current cell has cell metadata (18.3.1.4, cm),
// which mark an array formula as a dynamic one ([MS-XLSX] 2.2.4.8).
func (s *RowScanner) HasCellMetadata() bool { return s.CellMetadata() != "" }

// CellMetadata returns the number of the current cell's metadata, "" for none.
func (s *RowScanner) CellMetadata() string {
	tag := s.w.rest()[s.Start:s.Cell.TagEnd]
	if !bytes.Contains(tag, []byte(` cm=`)) {
		return ""
	}
	for i := NameLen(tag); ; {
		name, a, b, next := NextAttr(tag, i)
		if next < 0 {
			return ""
		}
		if string(name) == "cm" {
			if n := Atoi(tag[a:b]); n > 0 {
				return strconv.Itoa(n)
			}
			return ""
		}
		i = next
	}
}

// Extra returns what a cell has besides its position, format, type, formula and
// value: the kind of an array formula, metadata.
func (s *RowScanner) Extra() []byte {
	c := &s.Cell
	tag := s.w.rest()[s.Start:c.TagEnd]
	var out []byte
	rare := bytes.IndexByte(tag, 'm') >= 0 || bytes.IndexByte(tag, 'p') >= 0 // looked for first: this is asked of every cell
	if rare && (bytes.Contains(tag, []byte(` cm="`)) || bytes.Contains(tag, []byte(` vm="`)) || bytes.Contains(tag, []byte(` ph="`))) {
		for i := NameLen(tag); ; {
			name, a, b, next := NextAttr(tag, i)
			if next < 0 {
				break
			}
			if n := string(name); n == "cm" || n == "vm" || n == "ph" {
				out = append(append(append(out, n...), '='), tag[a:b]...)
			}
			i = next
		}
	}
	if !c.HasFormula || c.FormulaTag.End-c.FormulaTag.Start <= 5 {
		return out
	}
	tag = s.Text(c.FormulaTag)
	shared := ReadFormulaAttrs(tag).Kind == "shared"
	for i := NameLen(tag); ; {
		name, a, b, next := NextAttr(tag, i)
		if next < 0 {
			return out
		}
		n, v := string(name), string(tag[a:b])
		if !(n == "xml:space" || n == "t" && (v == "shared" || v == "normal") || n == "si" || n == "ref" && shared || v == "0" || v == "false") {
			out = append(append(append(append(out, ' '), n...), '='), v...)
		}
		i = next
	}
}

var errTableCut = formats.Errorf(formats.CodeCorrupt, "the table of shared strings is damaged: it ends inside an item")

// NextItem returns the next item of a table of shared strings; ok is false at
// the end.
func (s *RowScanner) NextItem() (item []byte, ok bool, err error) {
	s.w.consume(s.used)
	s.used = 0
	i := 0
	for {
		if i = s.w.index(i, '<'); i < 0 {
			s.w.consume(len(s.w.rest()))
			return nil, false, s.w.err
		}
		if !s.w.need(i + 2) {
			return nil, false, cutOr(s.w.err)
		}
		if c := s.w.rest()[i+1]; c == '!' || c == '?' {
			if i = s.w.skipMarkup(i); i < 0 {
				return nil, false, cutOr(s.w.err)
			}
			continue
		}
		e := s.w.afterTag(i)
		if e < 0 {
			return nil, false, cutOr(s.w.err)
		}
		tag := s.w.rest()[i:e]
		if string(LocalName(tag[1:])) != "si" {
			s.w.consume(e) // nothing before it is needed any more
			i = 0
			continue
		}
		if tag[len(tag)-2] == '/' {
			s.Start, s.used = i, e
			return nil, true, nil
		}
		end, behind, err := s.closing(e, "si")
		if err != nil {
			return nil, false, cutOr(s.w.err)
		}
		s.Start, s.used = i, behind
		return s.w.rest()[e:end], true, nil
	}
}

// cutOr is what the stream failed with, or that it ended too early.
func cutOr(err error) error {
	if err != nil {
		return err
	}
	return errTableCut
}

// EachTailTag calls f for each start tag after the rows, with the depth of its
// element (children of the sheet have 2). It needs little memory however many
// there are. Call it after DataEnd instead of Tail. A tag is valid during the
// call only.
func (s *RowScanner) EachTailTag(f func(tag []byte, depth int)) error {
	s.w.consume(s.used)
	s.used = 0
	depth := 2 // sheetData is still open
	if s.SelfData {
		depth = 1
	}
	i := 0
	for {
		if i = s.w.index(i, '<'); i < 0 || !s.w.need(i+2) {
			s.w.consume(len(s.w.rest()))
			return s.w.err
		}
		c := s.w.rest()[i+1]
		if c == '!' || c == '?' {
			if i = s.w.skipMarkup(i); i < 0 {
				return s.cut("a comment")
			}
			continue
		}
		e := s.w.afterTag(i)
		if e < 0 {
			return s.cut("a tag")
		}
		tag := s.w.rest()[i:e]
		switch {
		case c == '/':
			depth--
		case tag[len(tag)-2] == '/':
			f(tag, depth+1)
		default:
			depth++
			f(tag, depth)
		}
		s.w.consume(e)
		i = 0
	}
}
