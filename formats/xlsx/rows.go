package xlsx

import (
	"bytes"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

type event uint8

const (
	evRow    event = iota + 1 // a row's start tag; rowEmpty when it is <row/>
	evCell                    // a whole cell
	evRowEnd                  // </row>
	evEnd                     // the sheet's data is over; tail comes next
)

// span is a piece of the current event by offset into raw(); the zero span is
// absent.
type span struct{ start, end int }

func (s span) ok() bool { return s.end > 0 }

// cell is the cell of an evCell. Spans point into the scanner's raw bytes and
// hold until the next event.
type cell struct {
	row, col int
	hasRef   bool // it says its own place
	style    int
	hasStyle bool
	typ      cellType
	typAttr  span // ` t="s"` with the blank before it
	tagEnd   int  // offset behind the start tag
	v, f, is span // content between the tags
	vElem    span // with its tags
	fElem    span
	hasF     bool // also for an empty <f/>
	fTag     span // start tag of f
}

// blank reports whether the cell holds nothing but formatting.
func (c *cell) blank() bool { return !c.v.ok() && !c.hasF && !c.is.ok() }

type cellType uint8

const (
	typeNumber cellType = iota
	typeShared
	typeInline
	typeString // result of a formula
	typeBool
	typeError
	typeDate // ISO 8601 (18.18.11)
)

// rowScanner reads a worksheet part: head, then events, then tail.
type rowScanner struct {
	w        window
	prefix   string // of the elements, with colon: "x:"
	selfData bool   // <sheetData/>
	row      int
	rowEmpty bool
	col      int
	cell     cell
	start    int // offset of the event's element in raw
	used     int // length of the current event
	ended    bool
}

func newRowScanner(r io.Reader) *rowScanner { return &rowScanner{w: newWindow(r)} }

func (s *rowScanner) cut(what string) error {
	if s.w.err != nil {
		return s.w.err
	}
	return formats.Errorf(formats.CodeCorrupt, "a worksheet is damaged: it ends inside %s", what)
}

// errNoData says that a part has no sheetData: it is a chart or dialog sheet.
var errNoData = formats.Errorf(formats.CodeUnsupported, "this sheet has no cells")

// head returns a copy of everything up to and including the start tag of
// sheetData, or errNoData with the whole part when there is none.
func (s *rowScanner) head() ([]byte, error) {
	i := 0
	for {
		i = s.w.index(i, '<')
		if i < 0 {
			if s.w.err != nil {
				return nil, s.w.err
			}
			return bytes.Clone(s.w.rest()), errNoData
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
		e := s.w.tagEnd(i)
		if e < 0 {
			return nil, s.cut("its head")
		}
		tag := s.w.rest()[i:e]
		if name := localName(tag[1:]); string(name) == "sheetData" {
			if p, _, ok := strings.Cut(string(tag[1:]), "sheetData"); ok {
				s.prefix = p
			}
			s.selfData = bytes.HasSuffix(tag, []byte("/>"))
			s.ended = s.selfData
			head := bytes.Clone(s.w.rest()[:e])
			s.w.consume(e)
			return head, nil
		}
		i = e
	}
}

// raw are the bytes of the current event with anything before it that is none.
func (s *rowScanner) raw() []byte { return s.w.rest()[:s.used] }

// text is the piece sp of the current event.
func (s *rowScanner) text(sp span) []byte { return s.w.rest()[sp.start:sp.end] }

// next moves to the next event.
func (s *rowScanner) next() (event, error) {
	s.w.consume(s.used)
	s.used = 0
	if s.ended {
		return evEnd, nil
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
			switch string(localName(s.w.rest()[i+2 : e])) {
			case "row":
				s.start, s.used = i, e+1
				return evRowEnd, nil
			case "sheetData":
				s.ended, s.used = true, i
				return evEnd, nil
			}
			i = e + 1
			continue
		}
		e := s.w.tagEnd(i)
		if e < 0 {
			return 0, s.cut("a tag")
		}
		tag := s.w.rest()[i:e]
		switch string(localName(tag[1:])) {
		case "row":
			s.readRow(tag)
			s.start, s.used = i, e
			return evRow, nil
		case "c":
			s.start = i
			return evCell, s.readCell(i, e)
		}
		i = e
	}
}

func (s *rowScanner) readRow(tag []byte) {
	s.row++
	s.col = 0
	s.rowEmpty = tag[len(tag)-2] == '/'
	for i := nameLen(tag); ; {
		name, a, b, next := nextAttr(tag, i)
		if next < 0 {
			return
		}
		if len(name) == 1 && name[0] == 'r' {
			if n := atoi(tag[a:b]); n > 0 && n <= cellref.MaxRow {
				s.row = n
			}
			return
		}
		i = next
	}
}

// readCell reads the cell whose start tag is at [i,e).
func (s *rowScanner) readCell(i, e int) error {
	s.col++
	c := &s.cell
	*c = cell{tagEnd: e}
	tag := s.w.rest()[i:e]
	for k := nameLen(tag); ; {
		name, a, b, next := nextAttr(tag, k)
		if next < 0 {
			break
		}
		if len(name) == 1 {
			switch name[0] {
			case 'r':
				if n := colOf(tag[a:b]); n > 0 {
					s.col = n
					c.hasRef = true
				}
			case 's':
				if n := atoi(tag[a:b]); n >= 0 {
					c.style, c.hasStyle = n, true
				}
			case 't':
				c.typ = typeOf(tag[a:b])
				c.typAttr = span{i + k, i + next}
			}
		}
		k = next
	}
	c.row, c.col = s.row, s.col
	if tag[len(tag)-2] == '/' {
		s.used = e
		return nil
	}
	return s.readContent(e)
}

// colOf is the column of a cell reference, 0 when it is none.
func colOf(b []byte) int {
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

func typeOf(b []byte) cellType {
	switch string(b) {
	case "s":
		return typeShared
	case "inlineStr":
		return typeInline
	case "str":
		return typeString
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

// readContent reads the children of a cell from offset j to its end tag.
func (s *rowScanner) readContent(j int) error {
	c := &s.cell
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
			if string(localName(s.w.rest()[j+2:e])) == "c" {
				s.used = e + 1
				return nil
			}
			j = e + 1
			continue
		}
		e := s.w.tagEnd(j)
		if e < 0 {
			return s.cut("a cell")
		}
		tag := s.w.rest()[j:e]
		name := localName(tag[1:])
		empty := tag[len(tag)-2] == '/'
		var kind byte
		switch string(name) {
		case "v":
			kind = 'v'
		case "f":
			kind = 'f'
			c.hasF = true
			c.fTag = span{j, e}
			c.fElem = span{j, e}
		case "is":
			kind = 'i'
		}
		if kind == 0 || empty {
			if kind == 'v' {
				c.vElem = span{j, e}
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
			c.v, c.vElem = span{e, end}, span{j, behind}
		case 'f':
			c.f, c.fElem = span{e, end}, span{j, behind}
		default:
			c.is = span{e, end}
		}
		j = behind
	}
}

// closing finds the end tag of the element name whose content begins at from.
func (s *rowScanner) closing(from int, name string) (end, behind int, err error) {
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
			if string(localName(s.w.rest()[from+2:e])) == name {
				return from, e + 1, nil
			}
			from = e + 1
		default:
			if from = s.w.tagEnd(from); from < 0 {
				return 0, 0, s.cut("a cell")
			}
		}
	}
}

// maxTail bounds what follows the rows: merges, conditional formats, links.
const maxTail = 128 << 20

// tail returns a copy of the bytes behind the rows, from </sheetData> on; call
// it after evEnd.
func (s *rowScanner) tail() ([]byte, error) {
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

// noValue reports whether a formula has no cached value. An empty text is one.
func (c *cell) noValue() bool {
	if !c.hasF {
		return false
	}
	if c.typ == typeString {
		return !c.vElem.ok()
	}
	return c.v.end == c.v.start
}

// extra is what a cell says beside its place, format, type, formula and value:
// the kind of an array formula, metadata.
func (s *rowScanner) extra() []byte {
	c := &s.cell
	tag := s.w.rest()[s.start:c.tagEnd]
	var out []byte
	rare := bytes.IndexByte(tag, 'm') >= 0 || bytes.IndexByte(tag, 'p') >= 0 // looked for first: this is asked of every cell
	if rare && (bytes.Contains(tag, []byte(` cm="`)) || bytes.Contains(tag, []byte(` vm="`)) || bytes.Contains(tag, []byte(` ph="`))) {
		for i := nameLen(tag); ; {
			name, a, b, next := nextAttr(tag, i)
			if next < 0 {
				break
			}
			if n := string(name); n == "cm" || n == "vm" || n == "ph" {
				out = append(append(append(out, n...), '='), tag[a:b]...)
			}
			i = next
		}
	}
	if !c.hasF || c.fTag.end-c.fTag.start <= 5 {
		return out
	}
	tag = s.text(c.fTag)
	shared := readFormulaAttrs(tag).kind == "shared"
	for i := nameLen(tag); ; {
		name, a, b, next := nextAttr(tag, i)
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

// nextItem reads the content of the next si element of a string table.
func (s *rowScanner) nextItem() (item []byte, ok bool, err error) {
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
		e := s.w.tagEnd(i)
		if e < 0 {
			return nil, false, cutOr(s.w.err)
		}
		tag := s.w.rest()[i:e]
		if string(localName(tag[1:])) != "si" {
			s.w.consume(e) // nothing before it is needed any more
			i = 0
			continue
		}
		if tag[len(tag)-2] == '/' {
			s.start, s.used = i, e
			return nil, true, nil
		}
		end, behind, err := s.closing(e, "si")
		if err != nil {
			return nil, false, cutOr(s.w.err)
		}
		s.start, s.used = i, behind
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

// eachTailTag gives the start tags behind the rows one by one, with the depth
// of their elements (the sheet's children are 2), whatever their number; call
// it after evEnd in place of tail. A tag is valid during the call.
func (s *rowScanner) eachTailTag(f func(tag []byte, depth int)) error {
	s.w.consume(s.used)
	s.used = 0
	depth := 2 // sheetData is still open
	if s.selfData {
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
		e := s.w.tagEnd(i)
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
