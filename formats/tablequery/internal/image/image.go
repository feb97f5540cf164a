package image

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"atelier/internal/quote"
)

const (
	pageSize    = 32 << 10
	maxLocal    = pageSize - 35                    // of a payload in a leaf
	minLocal    = (pageSize-12)*32/255 - 23        // when it spills
	spillSize   = pageSize - 4                     // of an overflow page
	leafHead    = 8                                // bytes before the cell pointers
	nodeHead    = 12                               //
	maxChildren = (pageSize - nodeHead) / (2 + 13) // of an inner page
)

// MaxColumns is how many columns a table can have.
const MaxColumns = 2000

// Column is one column of the table; its Type gives SQLite the affinity.
type Column struct{ Name, Type string }

// ErrTooLarge says that the image would be larger than allowed.
var ErrTooLarge = errors.New("the table is too large")

// Writer builds an image.
type Writer struct {
	img     []byte
	limit   int
	leaf    int // offset of the leaf being filled, 0 when there is none
	cells   int // in it
	content int // offset in it where the cells begin
	rowid   int64
	kids    []child
	head    []byte // serial types of the row
	body    []byte
	cols    []Column
	longest int
}

// child is a page of the tree and the last row in it.
type child struct {
	page uint32
	last int64
}

// New begins an image of a table called data. hint is about how many bytes it
// will have; limit the most that it may have.
func New(cols []Column, hint, limit int) *Writer {
	return NewIn(make([]byte, max(pageSize, min(hint, limit))), cols, limit)
}

// NewIn is New that writes into a buffer, whatever is in it, as long as that has room.
func NewIn(buf []byte, cols []Column, limit int) *Writer {
	if len(buf) < pageSize {
		buf = make([]byte, pageSize)
	}
	clear(buf[:pageSize])
	return &Writer{cols: cols, limit: limit, img: buf[:pageSize]}
}

// Begin starts a row; give it as many values as there are columns, then End.
func (w *Writer) Begin() { w.head, w.body = w.head[:0], w.body[:0] }

// Null adds an empty value.
func (w *Writer) Null() { w.head = append(w.head, 0) }

// Int adds an integer.
func (w *Writer) Int(v int64) {
	switch {
	case v == 0:
		w.head = append(w.head, 8)
	case v == 1:
		w.head = append(w.head, 9)
	case v == int64(int8(v)):
		w.head, w.body = append(w.head, 1), append(w.body, byte(v))
	case v == int64(int16(v)):
		w.head, w.body = append(w.head, 2), binary.BigEndian.AppendUint16(w.body, uint16(v))
	case v == v<<40>>40:
		w.head, w.body = append(w.head, 3), append(w.body, byte(v>>16), byte(v>>8), byte(v))
	case v == int64(int32(v)):
		w.head, w.body = append(w.head, 4), binary.BigEndian.AppendUint32(w.body, uint32(v))
	default:
		w.head, w.body = append(w.head, 6), binary.BigEndian.AppendUint64(w.body, uint64(v))
	}
}

// Float adds a number to a REAL column; whole ones take less room.
func (w *Writer) Float(v float64) {
	if v == math.Trunc(v) && math.Abs(v) < 1<<31 {
		w.Int(int64(v))
		return
	}
	w.head, w.body = append(w.head, 7), binary.BigEndian.AppendUint64(w.body, math.Float64bits(v))
}

// Text adds a text.
func (w *Writer) Text(b []byte) {
	w.head, w.body = appendVarint(w.head, uint64(len(b))*2+13), append(w.body, b...)
}

// End finishes the row.
func (w *Writer) End() error {
	w.rowid++
	var pre [32]byte
	headLen := len(w.head) + 1
	if headLen > 127 {
		headLen++ // at most 2000 columns of 9 bytes
		if headLen > 16383 {
			headLen++
		}
	}
	payload := headLen + len(w.body)
	w.longest = max(w.longest, payload)
	p := appendVarint(pre[:0], uint64(payload))
	p = appendVarint(p, uint64(w.rowid))
	p = appendVarint(p, uint64(headLen))
	local, spills := localSize(payload)
	varints := len(p) - varintLen(uint64(headLen))
	cell := varints + local
	if spills {
		cell += 4
	}
	if w.leaf == 0 || w.content-w.leaf < leafHead+2*(w.cells+1)+cell {
		if err := w.newLeaf(); err != nil {
			return err
		}
	}
	w.content -= cell
	at := w.content
	w.cells++
	binary.BigEndian.PutUint16(w.img[w.leaf+leafHead+2*(w.cells-1):], uint16(at-w.leaf))
	if !spills {
		n := copy(w.img[at:], p)
		n += copy(w.img[at+n:], w.head)
		copy(w.img[at+n:], w.body)
		return nil
	}
	whole := append(append(append(make([]byte, 0, len(p)+payload), p...), w.head...), w.body...)
	return w.writeOverflow(at, whole, varints+local)
}

// writeOverflow puts the first n bytes of a cell at offset at, and the rest into a
// chain of overflow pages.
func (w *Writer) writeOverflow(at int, whole []byte, n int) error {
	copy(w.img[at:], whole[:n])
	link := at + n
	for rest := whole[n:]; len(rest) > 0; {
		page, err := w.newPage()
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint32(w.img[link:], uint32(page/pageSize+1))
		link = page
		rest = rest[copy(w.img[page+4:page+pageSize], rest):]
	}
	return nil
}

// localSize returns how much of a payload is in the leaf.
func localSize(payload int) (n int, spills bool) {
	if payload <= maxLocal {
		return payload, false
	}
	if k := minLocal + (payload-minLocal)%spillSize; k <= maxLocal {
		return k, true
	}
	return minLocal, true
}

var zeros [pageSize]byte

// newPage appends an empty page and gives its offset.
func (w *Writer) newPage() (int, error) {
	at := len(w.img)
	if at+pageSize > w.limit {
		return 0, ErrTooLarge
	}
	w.img = append(w.img, zeros[:]...)
	return at, nil
}

func (w *Writer) newLeaf() error {
	w.closeLeaf(w.rowid - 1)
	at, err := w.newPage()
	w.leaf, w.cells, w.content = at, 0, at+pageSize
	return err
}

// closeLeaf writes the header of the leaf whose last row is given.
func (w *Writer) closeLeaf(last int64) {
	if w.leaf == 0 {
		return
	}
	putHead(w.img[w.leaf:], 0x0d, w.cells, w.content-w.leaf)
	w.kids = append(w.kids, child{uint32(w.leaf/pageSize + 1), last})
}

func putHead(b []byte, kind byte, cells, content int) {
	b[0] = kind
	binary.BigEndian.PutUint16(b[3:], uint16(cells))
	binary.BigEndian.PutUint16(b[5:], uint16(content))
}

// Longest returns the size of the longest row so far in bytes.
func (w *Writer) Longest() int { return w.longest }

// Rows returns the number of rows so far.
func (w *Writer) Rows() int64 { return w.rowid }

// Finish returns the database; the writer is of no use afterwards.
func (w *Writer) Finish() ([]byte, error) {
	if w.leaf == 0 {
		w.rowid++
		if err := w.newLeaf(); err != nil {
			return nil, err
		}
		w.rowid--
	}
	w.closeLeaf(w.rowid)
	for len(w.kids) > 1 {
		if err := w.writeParents(); err != nil {
			return nil, err
		}
	}
	if err := w.writeSchema(w.kids[0].page); err != nil {
		return nil, err
	}
	w.writeFileHead()
	return w.img, nil
}

// writeParents replaces the pages in kids by inner pages that lead to them.
func (w *Writer) writeParents() error {
	var up []child
	for rest := w.kids; len(rest) > 0; {
		n := min(len(rest), maxChildren)
		if len(rest) == n+1 {
			n-- // an inner page has at least two children
		}
		group := rest[:n]
		rest = rest[n:]
		at, err := w.newPage()
		if err != nil {
			return err
		}
		content := at + pageSize
		for i, k := range group[:n-1] {
			cell := appendVarint(binary.BigEndian.AppendUint32(nil, k.page), uint64(k.last))
			content -= len(cell)
			copy(w.img[content:], cell)
			binary.BigEndian.PutUint16(w.img[at+nodeHead+2*i:], uint16(content-at))
		}
		putHead(w.img[at:], 0x05, n-1, content-at)
		binary.BigEndian.PutUint32(w.img[at+8:], group[n-1].page)
		up = append(up, child{uint32(at/pageSize + 1), group[n-1].last})
	}
	w.kids = up
	return nil
}

// Definition returns the statement that the table's schema holds.
func Definition(cols []Column) string {
	var sb strings.Builder
	sb.WriteString("CREATE TABLE data(")
	for i, c := range cols {
		if i > 0 {
			sb.WriteByte(',')
		}
		sb.WriteString(Quote(c.Name))
		sb.WriteByte(' ')
		sb.WriteString(c.Type)
	}
	sb.WriteByte(')')
	return sb.String()
}

// Quote writes a name for SQL.
func Quote(name string) string { return quote.Double(name) }

// writeSchema writes the one row of sqlite_schema to page 1.
func (w *Writer) writeSchema(root uint32) error {
	sql := Definition(w.cols)
	record := func(sql string) int {
		w.Begin()
		w.Text([]byte("table"))
		w.Text([]byte("data"))
		w.Text([]byte("data"))
		w.Int(int64(root))
		w.Text([]byte(sql))
		return len(w.head) + 1 + len(w.body)
	}
	n := record(sql)
	// A long definition is padded until the least of it is on page 1, which has
	// less room than others.
	for n > pageSize/2 && (n <= maxLocal || (n-minLocal)%spillSize != 0) {
		more := spillSize - (n-minLocal)%spillSize
		sql += strings.Repeat(" ", more)
		n = record(sql)
	}
	local, spills := localSize(n)
	p := appendVarint(nil, uint64(n))
	p = appendVarint(p, 1)
	cell := len(p) + local
	if spills {
		cell += 4
	}
	at := pageSize - cell
	p = append(p, byte(len(w.head)+1))
	putHead(w.img[100:], 0x0d, 1, at)
	binary.BigEndian.PutUint16(w.img[100+leafHead:], uint16(at))
	whole := append(append(p, w.head...), w.body...)
	return w.writeOverflow(at, whole, len(whole)-(n-local))
}

// writeFileHead writes the 100 bytes that every database begins with.
func (w *Writer) writeFileHead() {
	h := w.img
	copy(h, "SQLite format 3\x00")
	put := binary.BigEndian.PutUint32
	binary.BigEndian.PutUint16(h[16:], pageSize)
	h[18], h[19] = 1, 1                  // journal in its own file
	h[21], h[22], h[23] = 64, 32, 32     // fixed fractions
	put(h[24:], 1)                       // change counter
	put(h[28:], uint32(len(h)/pageSize)) // pages
	put(h[40:], 1)                       // schema cookie
	put(h[44:], 4)                       // schema format
	put(h[56:], 1)                       // UTF-8
	put(h[92:], 1)                       // the page count above is valid for this counter
	put(h[96:], 3045000)                 // version that wrote it
}

// appendVarint writes 7 bits a byte, the highest first; a ninth byte has 8.
func appendVarint(b []byte, v uint64) []byte {
	if v < 0x80 {
		return append(b, byte(v))
	}
	if v < 0x4000 {
		return append(b, byte(v>>7)|0x80, byte(v&0x7f))
	}
	n := varintLen(v)
	if n == 9 {
		for i := 7; i >= 0; i-- {
			b = append(b, byte(v>>(8+7*i))|0x80)
		}
		return append(b, byte(v))
	}
	for i := n - 1; i > 0; i-- {
		b = append(b, byte(v>>(7*i))|0x80)
	}
	return append(b, byte(v&0x7f))
}

func varintLen(v uint64) int {
	n := 1
	for ; v >= 0x80 && n < 9; n++ {
		v >>= 7
	}
	return n
}
