package diff

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"sort"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// lineState is what a row (18.3.1.73) or a column (18.3.1.13) says of itself.
type lineState struct {
	hidden    bool
	size      string // height or width, "" for the default
	custom    bool
	outline   string
	collapsed bool
	style     int // -1: none
	rest      string
}

var plainLine = lineState{style: -1}

// lineRun is lines in a row that say the same.
type lineRun struct {
	from, to int
	lineState
}

// sheetScan is what one pass over a sheet keeps for a comparison.
type sheetScan struct {
	skel    sheetml.Skeleton
	numbers []int    // rows that hold something
	keys    []uint64 // what they say, but for the row numbers in formulas
	exact   []uint64 // all of it, formats too
	bare    []bareRow
	rows    []lineRun
	cols    []lineRun
	used    map[int]int  // cells that hold something, by column
	spilled *cellref.Set // cells of array formulas over several; nil for none

	cutRow  int // the first whose state is not in rows, since there are too many; 0: none
	cutHash maphash.Hash
}

// maxLineRuns bounds the blocks of rows that each say something else of their
// height, outline and format.
const maxLineRuns = 150_000

// cutRows ends the rows of two sides at the same row where there are too many,
// and reports the first that is not compared.
func cutRows(a, b *sheetScan) int {
	cut := a.cutRow
	if b.cutRow > 0 && (cut == 0 || b.cutRow < cut) {
		cut = b.cutRow
	}
	if cut == 0 {
		return 0
	}
	same := a.cutRow == b.cutRow && a.cutHash.Sum64() == b.cutHash.Sum64()
	for _, s := range []*sheetScan{a, b} {
		n := sort.Search(len(s.rows), func(i int) bool { return s.rows[i].to >= cut })
		s.rows = s.rows[:n]
	}
	if same {
		return 0
	}
	return cut
}

// bareRow is a row of blank cells that have formats.
type bareRow struct {
	row   int
	looks uint64
}

// columnsOf says what is compared in a second pass: where each column is, 0 for
// one that the other side does not have.
type columnsOf func(col int) int

// scan reads a sheet once. It hashes values as they are stored: how they are
// shown is worked out only for rows that differ.
func (w *bookSide) scan(ctx context.Context, sh book.SheetInfo, place columnsOf) (*sheetScan, error) {
	out := &sheetScan{used: map[int]int{}}
	if sh.Part == "" {
		return out, nil
	}
	p := &sheetPass{w: w, out: out, place: place, d: &book.Display{Styles: w.d.Styles, Strings: w.d.Strings, Room: w.d.Room}}
	for s, err := range w.Rows(ctx, sh.Part, book.Window{Display: p.d}) {
		if errors.Is(err, sheetml.ErrNoCells) {
			head := xmlscan.UTF8(s.HeadXML)
			out.skel = sheetml.Skeleton{Doc: head, Cut: len(head)}
			return out, nil
		}
		if err == nil {
			err = p.event(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sheetPass is a scan at work.
type sheetPass struct {
	w          *bookSide
	s          *sheetml.RowScanner
	d          *book.Display
	out        *sheetScan
	place      columnsOf
	colStyle   func(col int) int
	row        int
	rowStyle   int
	key, exact []byte
	looks      []byte
	used       []int // cells that hold something, by column
	arrays     book.ArrayBlocks
	filled     int // cells of arrays noted
}

func (p *sheetPass) count(col int) {
	for len(p.used) <= col {
		p.used = append(p.used, 0)
	}
	p.used[col]++
}

// event takes in an event of the sheet.
func (p *sheetPass) event(s *sheetml.RowScanner) (err error) {
	switch s.Event {
	case sheetml.HeadEnd:
		p.s = s
		p.out.cols = columnRuns(s.HeadXML)
		p.colStyle = stylesOfRuns(p.out.cols)
	case sheetml.DataEnd:
		p.flush()
		for col, n := range p.used {
			if n > 0 {
				p.out.used[col] = n
			}
		}
		p.out.skel, err = s.Skeleton()
	case sheetml.RowStart:
		p.flush()
		p.row = s.Row
		p.rowStyle = p.out.noteRow(s.Row, s.Raw()[s.Start:])
	case sheetml.WholeCell:
		p.cell()
	}
	return err
}

// flush ends a row.
func (p *sheetPass) flush() {
	o := p.out
	switch {
	case len(p.exact) > 0:
		p.exact = append(p.exact, p.looks...)
		o.numbers = append(o.numbers, p.row)
		o.keys = append(o.keys, maphash.Bytes(book.HashSeed, p.key))
		o.exact = append(o.exact, maphash.Bytes(book.HashSeed, p.exact))
	case len(p.looks) > 0:
		o.bare = append(o.bare, bareRow{p.row, maphash.Bytes(book.HashSeed, p.looks)})
	}
	p.key, p.exact, p.looks, p.rowStyle = p.key[:0], p.exact[:0], p.looks[:0], -1
}

// cell adds the scanner's cell to the hashes of its row.
func (p *sheetPass) cell() {
	s, w := p.s, p.w
	col := s.Cell.Col
	if p.place != nil {
		if col = p.place(col); col == 0 {
			if !s.Cell.Blank() {
				p.count(s.Cell.Col)
			}
			return
		}
	}
	if s.Cell.Blank() {
		p.look(col)
		return
	}
	from := len(p.exact)
	p.exact = binary.AppendUvarint(p.exact, uint64(col))
	held := len(p.exact)
	if s.Cell.HasFormula {
		p.noteArray()
		if h, ok := p.d.LongMember(s); ok {
			p.member(h, col)
			return
		}
		if f := p.d.Formula(s); f != "" {
			p.exact = append(append(append(p.exact, '='), f...), 0)
			p.exact = append(append(p.exact, s.Extra()...), 0)
			p.exact = w.stored(p.exact, s)
			p.key = append(binary.AppendUvarint(p.key, uint64(col)), '=')
			p.key = append(book.AppendShape(p.key, f), 0)
			p.exact = binary.LittleEndian.AppendUint64(p.exact, w.look(s))
			p.count(s.Cell.Col)
			return
		}
	}
	if p.exact = w.stored(p.exact, s); len(p.exact) == held {
		p.exact = p.exact[:from]
		p.look(col)
		return
	}
	p.count(s.Cell.Col)
	p.key = append(p.key, p.exact[from:]...)
	p.exact = append(p.exact, s.Extra()...)
	p.exact = binary.LittleEndian.AppendUint64(p.exact, w.rich(s))
	p.exact = binary.LittleEndian.AppendUint64(p.exact, w.look(s))
}

// member adds the scanner's cell, whose formula is a long one that it shares. One
// that is written otherwise in the other file is compared cell by cell.
func (p *sheetPass) member(h book.MemberHash, col int) {
	p.exact = binary.LittleEndian.AppendUint64(append(p.exact, '~'), h.Form)
	p.exact = binary.AppendUvarint(binary.AppendUvarint(p.exact, uint64(p.s.Cell.Row)), uint64(p.s.Cell.Col))
	p.exact = append(append(p.exact, p.s.Extra()...), 0)
	p.exact = p.w.stored(p.exact, p.s)
	p.exact = binary.LittleEndian.AppendUint64(p.exact, p.w.look(p.s))
	p.key = append(append(binary.AppendUvarint(p.key, uint64(col)), '='), h.Shape...)
	p.count(p.s.Cell.Col)
}

// look adds the format of a blank cell that is not the one its place has.
func (p *sheetPass) look(col int) {
	def := p.rowStyle
	if def < 0 {
		def = p.colStyle(p.s.Cell.Col)
	}
	if p.w.lookOf(p.s.Cell.Style) != p.w.lookOf(def) {
		p.looks = binary.AppendUvarint(p.looks, uint64(col))
		p.looks = binary.LittleEndian.AppendUint64(p.looks, p.w.look(p.s))
	}
}

// noteRow takes a row's start tag; the answer is its style, -1 for none.
func (o *sheetScan) noteRow(row int, tag []byte) int {
	st := plainLine
	custom, style, height := false, -1, ""
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			break
		}
		i = next
		v := tag[a:b]
		switch string(name) {
		case "r", "spans":
		case "hidden":
			st.hidden = sheetml.IsTrue(string(v))
		case "ht":
			height = string(v)
		case "customHeight":
			st.custom = sheetml.IsTrue(string(v))
		case "outlineLevel":
			if st.outline = string(v); st.outline == "0" {
				st.outline = ""
			}
		case "collapsed":
			st.collapsed = sheetml.IsTrue(string(v))
		case "s":
			style = sheetml.Atoi(v)
		case "customFormat":
			custom = sheetml.IsTrue(string(v))
		case "thickTop", "thickBot", "ph":
			if sheetml.IsTrue(string(v)) {
				st.rest += string(name) + ";"
			}
		}
	}
	if custom {
		st.style = style
	}
	if st.size = height; st.size != "" {
		if f, err := strconv.ParseFloat(st.size, 64); err == nil {
			st.size = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	switch {
	case st == plainLine:
	case len(o.rows) < maxLineRuns:
		o.rows = appendRun(o.rows, row, row, st)
	default:
		if o.cutRow == 0 {
			o.cutRow = row
			o.cutHash.SetSeed(book.HashSeed)
		}
		o.cutHash.Write(binary.AppendUvarint(nil, uint64(row)))
		o.cutHash.Write(tag)
	}
	return st.style
}

func appendRun(runs []lineRun, from, to int, st lineState) []lineRun {
	if k := len(runs) - 1; k >= 0 && runs[k].to == from-1 && runs[k].lineState == st {
		runs[k].to = to
		return runs
	}
	return append(runs, lineRun{from, to, st})
}

// columnRuns reads the cols of a sheet's head; of two that overlap the first
// counts.
func columnRuns(head []byte) []lineRun {
	var taken [cellref.MaxCol + 2]int32 // the next column that is free, from each on
	for i := range taken {
		taken[i] = int32(i)
	}
	free := func(c int) int {
		at := c
		for int(taken[at]) != at {
			at = int(taken[at])
		}
		for int(taken[c]) != c {
			c, taken[c] = int(taken[c]), int32(at)
		}
		return at
	}
	var runs []lineRun
	sheetml.EachStartTag(head, func(t xmlscan.Token) bool {
		if t.Local != "col" || t.Depth != 3 {
			return true
		}
		from, to, st := columnState(t)
		for c := free(max(from, 1)); c <= min(to, cellref.MaxCol); c = free(c) {
			taken[c] = int32(c + 1)
			if st != plainLine {
				runs = appendRun(runs, c, c, st)
			}
		}
		return true
	})
	sort.SliceStable(runs, func(i, j int) bool { return runs[i].from < runs[j].from })
	var out []lineRun
	for _, r := range runs {
		out = appendRun(out, r.from, r.to, r.lineState)
	}
	return out
}

func columnState(t xmlscan.Token) (from, to int, st lineState) {
	st = plainLine
	for a := range t.Attrs() {
		v := a.Value()
		switch a.Name {
		case "min":
			from = sheetml.Atoi([]byte(v))
		case "max":
			to = sheetml.Atoi([]byte(v))
		case "width":
			st.size = v
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				st.size = strconv.FormatFloat(f, 'f', -1, 64)
			}
		case "customWidth":
			st.custom = sheetml.IsTrue(v)
		case "hidden":
			st.hidden = sheetml.IsTrue(v)
		case "style":
			if n := sheetml.Atoi([]byte(v)); n > 0 {
				st.style = n
			}
		case "outlineLevel":
			if st.outline = v; v == "0" {
				st.outline = ""
			}
		case "collapsed":
			st.collapsed = sheetml.IsTrue(v)
		case "bestFit":
		default:
			if sheetml.IsTrue(v) {
				st.rest += a.Name + ";"
			}
		}
	}
	return from, to, st
}

// stylesOfRuns looks up the style of a line, 0 for none.
func stylesOfRuns(runs []lineRun) func(i int) int {
	return func(i int) int {
		k := sort.Search(len(runs), func(k int) bool { return runs[k].to >= i })
		if k < len(runs) && runs[k].from <= i && runs[k].style >= 0 {
			return runs[k].style
		}
		return 0
	}
}

// stateAt is what a line says of itself.
func stateAt(runs []lineRun, i int) lineState {
	k := sort.Search(len(runs), func(k int) bool { return runs[k].to >= i })
	if k < len(runs) && runs[k].from <= i {
		return runs[k].lineState
	}
	return plainLine
}

// rich is a hash of the formats within the text of the scanner's cell, 0 for a
// plain one.
func (w *bookSide) rich(s *sheetml.RowScanner) uint64 {
	switch s.Cell.Type {
	case sheetml.TypeShared:
		i := sheetml.Atoi(sheetml.TrimSpace(s.Text(s.Cell.Value)))
		if i < 0 || i >= len(w.richs) {
			return 0
		}
		if w.richs[i] == 0 {
			w.richs[i] = richHash(w.d.Strings.Raw(i)) | 1
		}
		return w.richs[i]
	case sheetml.TypeInline:
		if s.Cell.Inline.OK() {
			return richHash(s.Text(s.Cell.Inline)) | 1
		}
	}
	return 1
}

func richHash(raw []byte) uint64 {
	if bytes.IndexByte(raw, 'r') < 0 || !bytes.Contains(raw, []byte("rP")) {
		return 0
	}
	return maphash.Bytes(book.HashSeed, raw)
}

func (w *bookSide) lookOf(style int) uint64 {
	if style >= 0 && style < len(w.book.Cells) {
		return w.book.Cells[style].Hash
	}
	if len(w.book.Cells) > 0 {
		return w.book.Cells[0].Hash
	}
	return 0
}
