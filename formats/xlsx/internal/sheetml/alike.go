package sheetml

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"

	"atelier/formats/xlsx/internal/cellref"
)

// Most rows of a large sheet have the same columns with the same attributes as a row
// before. They are compared with its form, which takes a third of the time of reading
// their cells.

// CompareRows is true unless a test wants all rows to be read cell by cell.
var CompareRows = true

// RowForm is what rows that are alike have in common: all but the values, formulas and
// texts of their cells, which all have one where one has.
type RowForm struct {
	Cells  []FormCell // in order of columns
	Plain  bool       // the formulas have no attributes, and texts
	pieces []formPiece
	texts  int // that each row has
	size   int // bytes that all have
}

// FormCell is a cell of a RowForm.
type FormCell struct {
	Col                         int
	Style                       int
	HasStyle                    bool
	Type                        CellType
	Blank, Formula              bool   // as Cell.Blank and Cell.HasFormula
	NoValue, Uncached           bool   // no value, or an empty one; as Cell.NoValue
	FormulaText, ValueText, Run int    // which of the texts of a row are its formula, value and text; -1 for none
	RunTag                      string // of the t element that Run is in
}

// formPiece is text of a row, and what comes behind it.
type formPiece struct {
	raw   []byte
	words []uint64 // eight bytes each
	mask  uint64   // of the last one
	then  formGap
}

type formGap uint8

const (
	gapRow  formGap = iota // the number of the row
	gapText                // some text
	gapEnd                 // the end tag of the row
)

const (
	maxForms     = 4
	maxFormCells = 1024
	maxFormBytes = 64 << 10
	maxUnlike    = 8  // rows without a form after which most are not compared
	unlikeStep   = 32 // of which one in so many is
)

// Alike returns, after RowStart, the form of the row, where an earlier row for which it
// was called had the same; else nil. RestOfRow then skips its cells.
func (s *RowScanner) Alike() *RowForm { return s.alike(false) }

// AlikeTexts is Alike, and returns where the texts of the row are, in their order; valid
// until the next event.
func (s *RowScanner) AlikeTexts() (*RowForm, []Span) {
	f := s.alike(true)
	if f == nil {
		return nil, nil
	}
	return f, s.spans[:f.texts]
}

func (s *RowScanner) alike(texts bool) *RowForm {
	if !CompareRows || s.careful || s.RowEmpty || s.walked || s.Row > cellref.MaxRow {
		return nil
	}
	if s.unlike++; s.unlike > maxUnlike && s.unlike%unlikeStep != 0 {
		return nil
	}
	for len(s.w.rest())-s.used < s.ahead && s.w.more() {
	}
	b := s.w.rest()[s.used:]
	var digits [8]byte
	number := strconv.AppendInt(digits[:0], int64(s.Row), 10)
	for i := range s.forms {
		k := (s.form + i) % len(s.forms)
		var spans []Span
		if texts {
			if len(s.spans) < s.forms[k].texts {
				s.spans = make([]Span, s.forms[k].texts)
			}
			spans = s.spans
		}
		if n := s.forms[k].match(b, binary.LittleEndian.Uint64(digits[:]), len(number), s.used, spans); n >= 0 {
			s.form, s.unlike = k, 0
			s.rowEnd, s.ahead = s.w.base+int64(s.used+n), n+n/8+64
			return s.forms[k]
		}
	}
	if f := s.formOf(b, number); f != nil {
		if len(s.forms) < maxForms {
			s.forms, s.form = append(s.forms, f), len(s.forms)
		} else {
			s.form = (s.form + 1) % maxForms
			s.forms[s.form] = f
		}
	}
	return nil
}

// Append appends the cells of a row of the form with a number and these texts, in the order
// of AlikeTexts.
func (f *RowForm) Append(b []byte, row int, texts [][]byte) []byte {
	var digits [8]byte
	number := strconv.AppendInt(digits[:0], int64(row), 10)
	for i := range f.pieces {
		p := &f.pieces[i]
		switch p.then {
		case gapRow:
			b = append(append(b, p.raw...), number...)
		case gapText:
			b = append(append(b, p.raw...), texts[0]...)
			texts = texts[1:]
		default:
			b = append(b, p.raw[:len(p.raw)-len("</row>")]...)
		}
	}
	return b
}

// match returns where the end tag of the row is that b begins behind its start tag; -1
// where it is not in memory or the row has another form. number are the digits of the row;
// spans, unless nil, get where its texts are, as offsets from before bytes in front of b.
func (f *RowForm) match(b []byte, number uint64, digits, before int, spans []Span) int {
	j, text := 0, 0
	mask := ^uint64(0) >> (64 - 8*digits)
	for i := range f.pieces {
		p := &f.pieces[i]
		for k, w := range p.words {
			if len(b)-j < 8 {
				return -1
			}
			m := ^uint64(0)
			if k == len(p.words)-1 {
				m = p.mask
			}
			if (binary.LittleEndian.Uint64(b[j:])^w)&m != 0 {
				return -1
			}
			j += 8
		}
		j += len(p.raw) - 8*len(p.words)
		switch p.then {
		case gapRow:
			if len(b)-j < 8 || (binary.LittleEndian.Uint64(b[j:])^number)&mask != 0 {
				return -1
			}
			j += digits
		case gapText:
			from := j
			if j = textEnd(b, j); j <= from {
				return -1
			}
			if spans != nil {
				spans[text] = Span{before + from, before + j}
				text++
			}
		default:
			return j - len("</row>")
		}
	}
	return -1
}

// textEnd returns the offset of the first < at or behind i, -1 where there is none
// before the last bytes.
func textEnd(b []byte, i int) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:]) ^ low*'<'
		if zero := (x - low) & ^x & high; zero != 0 {
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	return -1
}

// formOf returns the form of the row that b begins behind its start tag, nil where it is
// not in memory or has anything but usual cells. number is that of the row.
func (s *RowScanner) formOf(b, number []byte) *RowForm {
	cell, col, start, used := s.Cell, s.col, s.Start, s.used
	defer func() { s.Cell, s.col, s.Start, s.used = cell, col, start, used }()
	f := &RowForm{Plain: true}
	from, last := 0, 0 // of the piece; the last column
	for i := 0; ; i = s.used {
		if len(b)-i < len("</row>") || len(f.Cells) > maxFormCells || f.size > maxFormBytes {
			return nil
		}
		if string(b[i:i+len("</row>")]) == "</row>" {
			f.add(b[from:i+len("</row>")], gapEnd)
			return f
		}
		if string(b[i:i+3]) != "<c " || !s.quickCell(b, i) || s.Cell.Col <= last || s.Cell.sharesFormula(b) {
			return nil
		}
		c := &s.Cell
		last = c.Col
		ref := cellref.AppendColumn(append(s.name[:0], `<c r="`...), c.Col)
		end := i + len(ref) + len(number)
		if s.name = ref; end >= len(b) || string(b[i:i+len(ref)]) != string(ref) || string(b[end-len(number):end]) != string(number) || b[end] != '"' {
			return nil
		}
		f.add(b[from:i+len(ref)], gapRow)
		if from = f.addCell(b, end, c); from < 0 {
			return nil
		}
	}
}

// addCell adds a cell whose text begins, behind its reference, at from, and returns where
// the piece behind its last text begins; -1 where they are in an unusual order.
func (f *RowForm) addCell(b []byte, from int, c *Cell) int {
	fc := FormCell{
		Col: c.Col, Style: c.Style, HasStyle: c.HasStyle, Type: c.Type,
		Blank: c.Blank(), Formula: c.HasFormula, NoValue: c.Value.End == c.Value.Start, Uncached: c.NoValue(),
		FormulaText: -1, ValueText: -1, Run: -1,
	}
	add := func(text Span) int {
		if text.End <= text.Start {
			return -1
		}
		f.add(b[from:text.Start], gapText)
		from = text.End
		f.texts++
		return f.texts - 1
	}
	if c.Value.Start < c.Formula.Start {
		fc.ValueText, fc.FormulaText = add(c.Value), add(c.Formula)
	} else {
		fc.FormulaText, fc.ValueText = add(c.Formula), add(c.Value)
	}
	if c.Inline.OK() {
		run := textOfInline(b, c.Inline)
		if run.Start < from {
			return -1
		}
		fc.Run, fc.RunTag = add(run), string(b[c.Inline.Start:run.Start])
	}
	f.Cells = append(f.Cells, fc)
	f.Plain = f.Plain && (!fc.Formula || c.FormulaTag.End-c.FormulaTag.Start == len("<f>") && fc.FormulaText >= 0)
	return from
}

// textOfInline is the text of the t element that quickInline found.
func textOfInline(b []byte, is Span) Span {
	i := is.Start
	for b[i] != '>' {
		i++
	}
	return Span{i + 1, is.End - len("</t>")}
}

// sharesFormula reports whether the formula is one that other cells refer to.
func (c *Cell) sharesFormula(b []byte) bool {
	if !c.Formula.OK() || c.FormulaTag.End-c.FormulaTag.Start <= len("<f>") {
		return false
	}
	return ReadFormulaAttrs(b[c.FormulaTag.Start:c.FormulaTag.End]).Kind != ""
}

func (f *RowForm) add(text []byte, then formGap) {
	f.size += len(text)
	p := formPiece{raw: bytes.Clone(text), then: then}
	for len(text) > 0 {
		var word [8]byte
		n := copy(word[:], text)
		p.words, p.mask = append(p.words, binary.LittleEndian.Uint64(word[:])), ^uint64(0)>>(64-8*n)
		text = text[n:]
	}
	f.pieces = append(f.pieces, p)
}
