package cfb

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// Entry is a member of a storage that is written: a stream, or a storage if
// Storage is not nil.
type Entry struct {
	Name    string // at most 31 UTF-16 units, without / \ : !
	Storage *Storage
	Size    int64                 // of the stream, in bytes
	Write   func(io.Writer) error // writes Size bytes
}

// Storage is a storage that is written.
type Storage struct {
	CLSID   [16]byte
	Entries []Entry
}

// MaxBytes is how large a file Write makes: version 3 has 32-bit sizes, of which
// some readers take the upper half for a sign.
const MaxBytes = 1<<31 - 1<<20

const (
	sectorSize = 512
	perSector  = sectorSize / 4
	inHeader   = 109 // sectors of the table that the header lists
)

// row is an entry of the directory that is written.
type row struct {
	name               []uint16
	kind               byte
	red                bool
	left, right, child uint32
	clsid              [16]byte
	start              uint32
	size               int64
	write              func(io.Writer) error
}

// Write writes a compound file of version 3 to dst, from its beginning to its
// end.
func Write(dst io.Writer, root *Storage) error {
	rows := []*row{{name: utf16.Encode([]rune("Root Entry")), kind: typeRoot, left: noStream, right: noStream, child: noStream, clsid: root.CLSID, start: endOfChain}}
	if err := addRows(&rows, 0, root, 1); err != nil {
		return err
	}
	l := layoutOf(rows)
	if l.total*sectorSize > MaxBytes {
		return fmt.Errorf("a compound file of more than %d bytes cannot be written", MaxBytes)
	}
	w := &counter{w: bufio.NewWriterSize(dst, 64<<10)}
	w.write(l.header())
	w.words(l.difs())
	w.words(l.fat())
	for _, r := range rows {
		w.write(r.bytes())
	}
	for range -len(rows) & 3 {
		w.write((&row{left: noStream, right: noStream, child: noStream}).bytes())
	}
	w.words(l.miniFAT(rows))
	for _, r := range rows {
		if err := w.stream(r, small(r), miniSize); err != nil {
			return err
		}
	}
	w.pad(sectorSize)
	for _, r := range rows {
		if err := w.stream(r, large(r), sectorSize); err != nil {
			return err
		}
	}
	if w.err == nil && w.n != (l.total+1)*sectorSize {
		return fmt.Errorf("%d bytes were written where %d were laid out", w.n, (l.total+1)*sectorSize)
	}
	return w.flush()
}

// addRows adds the members of a storage, as a balanced tree.
func addRows(rows *[]*row, at int, s *Storage, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("storages nested more than %d deep", maxDepth)
	}
	first := len(*rows)
	entries := slices.Clone(s.Entries)
	slices.SortFunc(entries, func(a, b Entry) int { return compareNames(a.Name, b.Name) })
	for _, e := range entries {
		name := utf16.Encode([]rune(e.Name))
		if len(name) == 0 || len(name) > 31 || strings.ContainsAny(e.Name, `/\:!`) {
			return fmt.Errorf("%q cannot be the name of a stream", e.Name)
		}
		r := &row{name: name, kind: typeStream, left: noStream, right: noStream, child: noStream, start: endOfChain, size: e.Size, write: e.Write}
		if e.Storage != nil {
			r.kind, r.clsid, r.size, r.write, r.start = typeStorage, e.Storage.CLSID, 0, nil, 0
		}
		*rows = append(*rows, r)
	}
	full := 0 // levels of the tree that are full
	for 1<<(full+1) <= len(entries)+1 {
		full++
	}
	(*rows)[at].child = link((*rows)[first:], uint32(first), 0, full)
	for i, e := range entries {
		if e.Storage != nil {
			if err := addRows(rows, first+i, e.Storage, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// link makes a tree of rows, the first of which has the number base, and returns
// the number of its root. Those below the full levels are red, the others black,
// so it is a red-black tree ([MS-CFB] 2.6.4).
func link(rows []*row, base uint32, level, full int) uint32 {
	if len(rows) == 0 {
		return noStream
	}
	m := len(rows) / 2
	rows[m].left = link(rows[:m], base, level+1, full)
	rows[m].right = link(rows[m+1:], base+uint32(m)+1, level+1, full)
	rows[m].red = level >= full
	return base + uint32(m)
}

// compareNames orders names as the directory does: the shorter first, then by
// their upper case.
func compareNames(a, b string) int {
	x, y := utf16.Encode([]rune(strings.ToUpper(a))), utf16.Encode([]rune(strings.ToUpper(b)))
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return slices.Compare(x, y)
}

// layout says which sectors hold what. In order: sectors of the list of tables,
// tables, directory, table of small sectors, small streams, other streams.
type layout struct {
	dif, fatN, dir, miniFATN, miniN, total int64 // sectors
	miniBytes                              int64
	fatList                                []uint32 // the sectors of the table
	big                                    []int64  // sectors of each stream that is not small
}

func sectorsOf(bytes int64) int64 { return (bytes + sectorSize - 1) / sectorSize }

func small(r *row) bool { return r.kind == typeStream && r.size > 0 && r.size < miniCutoff }
func large(r *row) bool { return r.kind == typeStream && r.size >= miniCutoff }

func layoutOf(rows []*row) *layout {
	l := &layout{dir: sectorsOf(int64(len(rows)) * dirSize)}
	var data int64
	for _, r := range rows {
		switch {
		case small(r):
			r.start = uint32(l.miniBytes / miniSize)
			l.miniBytes += (r.size + miniSize - 1) / miniSize * miniSize
		case large(r):
			l.big = append(l.big, sectorsOf(r.size))
			data += sectorsOf(r.size)
		}
	}
	l.miniN = sectorsOf(l.miniBytes)
	l.miniFATN = sectorsOf(l.miniBytes / miniSize * 4)
	rest := l.dir + l.miniFATN + l.miniN + data
	for {
		l.total = rest + l.fatN + l.dif
		fat := (l.total + perSector - 1) / perSector
		dif := (max(0, fat-inHeader) + perSector - 2) / (perSector - 1)
		if fat == l.fatN && dif == l.dif {
			break
		}
		l.fatN, l.dif = fat, dif
	}
	for i := range l.fatN {
		l.fatList = append(l.fatList, uint32(l.dif+i))
	}
	at := l.dif + l.fatN + l.dir + l.miniFATN + l.miniN
	rows[0].size = l.miniBytes
	if l.miniN > 0 {
		rows[0].start = uint32(at - l.miniN)
	}
	for _, r := range rows {
		if large(r) {
			r.start = uint32(at)
			at += sectorsOf(r.size)
		}
	}
	return l
}

func (l *layout) header() []byte {
	h := make([]byte, headerSize)
	copy(h, magic)
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	put16(h[24:], 0x3E)
	put16(h[26:], 3)
	put16(h[28:], 0xFFFE)
	put16(h[30:], 9)
	put16(h[32:], 6)
	put32(h[44:], uint32(l.fatN))
	put32(h[48:], uint32(l.dif+l.fatN))
	put32(h[56:], miniCutoff)
	put32(h[60:], endOfChain)
	if l.miniFATN > 0 {
		put32(h[60:], uint32(l.dif+l.fatN+l.dir))
	}
	put32(h[64:], uint32(l.miniFATN))
	put32(h[68:], endOfChain)
	if l.dif > 0 {
		put32(h[68:], 0)
	}
	put32(h[72:], uint32(l.dif))
	for i := range inHeader {
		if i < len(l.fatList) {
			put32(h[76+4*i:], l.fatList[i])
		} else {
			put32(h[76+4*i:], freeSector)
		}
	}
	return h
}

// difs lists the sectors of the table that the header has no room for, in sectors
// that end with the number of the next.
func (l *layout) difs() (list []uint32) {
	for i := range l.dif {
		part := l.fatList[inHeader+i*(perSector-1):]
		part = part[:min(len(part), perSector-1)]
		list = append(list, part...)
		for range perSector - 1 - len(part) {
			list = append(list, freeSector)
		}
		if i == l.dif-1 {
			list = append(list, endOfChain)
		} else {
			list = append(list, uint32(i+1))
		}
	}
	return list
}

func (l *layout) fat() []uint32 {
	list := make([]uint32, 0, l.fatN*perSector)
	for range l.dif {
		list = append(list, difSector)
	}
	for range l.fatN {
		list = append(list, fatSector)
	}
	for _, n := range append([]int64{l.dir, l.miniFATN, l.miniN}, l.big...) {
		list = addChain(list, n)
	}
	return padWords(list)
}

func (l *layout) miniFAT(rows []*row) (list []uint32) {
	for _, r := range rows {
		if small(r) {
			list = addChain(list, (r.size+miniSize-1)/miniSize)
		}
	}
	return padWords(list)
}

// addChain adds n sectors that follow each other to a table.
func addChain(table []uint32, n int64) []uint32 {
	for range n - 1 {
		table = append(table, uint32(len(table)+1))
	}
	if n > 0 {
		table = append(table, endOfChain)
	}
	return table
}

func padWords(list []uint32) []uint32 {
	for len(list)%perSector != 0 {
		list = append(list, freeSector)
	}
	return list
}

// bytes returns the entry as it stands in the directory ([MS-CFB] 2.6.1).
func (r *row) bytes() []byte {
	b := make([]byte, dirSize)
	put32 := binary.LittleEndian.PutUint32
	for i, u := range r.name {
		binary.LittleEndian.PutUint16(b[2*i:], u)
	}
	if len(r.name) > 0 {
		binary.LittleEndian.PutUint16(b[64:], uint16(2*len(r.name)+2))
	}
	b[66] = r.kind
	if !r.red && r.kind != 0 {
		b[67] = 1
	}
	put32(b[68:], r.left)
	put32(b[72:], r.right)
	put32(b[76:], r.child)
	copy(b[80:], r.clsid[:])
	put32(b[116:], r.start)
	binary.LittleEndian.PutUint64(b[120:], uint64(r.size))
	return b
}

// counter writes and counts; after an error it does nothing.
type counter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (w *counter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(b)
	w.n += int64(n)
	w.err = err
	return n, err
}

func (w *counter) write(b []byte) { _, _ = w.Write(b) }

func (w *counter) words(list []uint32) {
	b := make([]byte, 4*len(list))
	for i, v := range list {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	w.write(b)
}

// pad fills up to a multiple of unit.
func (w *counter) pad(unit int64) {
	if over := w.n % unit; over > 0 {
		w.write(make([]byte, unit-over))
	}
}

func (w *counter) stream(r *row, wanted bool, unit int64) error {
	if !wanted {
		return nil
	}
	from := w.n
	if err := r.write(w); err != nil {
		return err
	}
	if w.err == nil && w.n-from != r.size {
		return fmt.Errorf("the stream %q has %d bytes where %d were announced", string(utf16.Decode(r.name)), w.n-from, r.size)
	}
	w.pad(unit)
	return w.err
}

func (w *counter) flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}
