package cfb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

const (
	magic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

	endOfChain = 0xFFFFFFFE
	freeSector = 0xFFFFFFFF
	fatSector  = 0xFFFFFFFD
	difSector  = 0xFFFFFFFC
	maxSector  = 0xFFFFFFFA
	noStream   = 0xFFFFFFFF

	headerSize = 512
	dirSize    = 128
	miniSize   = 64
	miniCutoff = 4096

	maxEntries = 16 << 10 // of the directory; encrypted documents have about ten
	maxDepth   = 32       // of storages
)

// The object types of directory entries ([MS-CFB] 2.6.1).
const (
	typeStorage = 1
	typeStream  = 2
	typeRoot    = 5
)

// ErrDamaged is in the chain of every error about the content of a file.
var ErrDamaged = errors.New("the compound file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Node is a storage or a stream of a file that is read.
type Node struct {
	Name     string
	CLSID    [16]byte // of a storage
	Size     int64    // of a stream, in bytes
	Storage  bool
	Children []*Node // of a storage, in the order of the directory's tree

	start uint32
}

// Child returns the member of that name (names compare without case), or nil.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Children {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// File is an open compound file. It is safe for use by several goroutines.
type File struct {
	Root *Node

	r      io.ReaderAt
	size   int64
	sector int64 // bytes
	fat    []uint32
	mini   []uint32
	stream io.ReaderAt // the mini stream
	v4     bool
}

// Is reports whether r begins as a compound file.
func Is(r io.ReaderAt) bool {
	var b [len(magic)]byte
	n, _ := r.ReadAt(b[:], 0)
	return string(b[:n]) == magic
}

// Open reads the tables and the directory of a compound file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), h[:]); err != nil {
		return nil, damaged("its header is cut off")
	}
	if string(h[:8]) != magic {
		return nil, damaged("it does not begin as one")
	}
	f := &File{r: r, size: size}
	switch shift := binary.LittleEndian.Uint16(h[30:]); shift {
	case 9, 12:
		f.sector, f.v4 = 1<<shift, shift == 12
	default:
		return nil, damaged("sectors of 2^%d bytes", shift)
	}
	if err := f.readFAT(h[:]); err != nil {
		return nil, err
	}
	miniStart := binary.LittleEndian.Uint32(h[60:])
	if miniStart < maxSector {
		b, err := f.chainBytes(miniStart, f.sectors()*f.sector)
		if err != nil {
			return nil, err
		}
		f.mini = words(b)
	}
	return f, f.readDirectory(binary.LittleEndian.Uint32(h[48:]))
}

// sectors is how many sectors the file has, the last of which may be cut.
func (f *File) sectors() int64 { return max(0, (f.size-f.sector+f.sector-1)/f.sector) }

func (f *File) readSector(n uint32, b []byte) error {
	if int64(n) >= f.sectors() {
		return damaged("sector %d is outside of the file", n)
	}
	// The last sector may end with the file.
	k, err := f.r.ReadAt(b, (int64(n)+1)*f.sector)
	if err != nil && err != io.EOF {
		return err
	}
	clear(b[k:])
	return nil
}

// readFAT reads the table of the sectors' chains: its sectors are listed in the
// header, and where these are not enough in a chain of sectors of their own.
func (f *File) readFAT(h []byte) error {
	most := f.sectors()*4/f.sector + 1 // sectors that a table of all sectors takes
	count := int64(binary.LittleEndian.Uint32(h[44:]))
	if count > most {
		return damaged("its table has %d sectors, the file only %d", count, f.sectors())
	}
	list := words(h[76:])
	buf := make([]byte, f.sector)
	for next, n := binary.LittleEndian.Uint32(h[68:]), int64(0); next < maxSector && int64(len(list)) < count; n++ {
		if n > most {
			return damaged("the list of its tables does not end")
		}
		if err := f.readSector(next, buf); err != nil {
			return err
		}
		w := words(buf)
		list = append(list, w[:len(w)-1]...)
		next = w[len(w)-1]
	}
	if int64(len(list)) < count {
		return damaged("the list of its tables is cut off")
	}
	f.fat = make([]uint32, 0, count*f.sector/4)
	for _, n := range list[:count] {
		if err := f.readSector(n, buf); err != nil {
			return err
		}
		f.fat = append(f.fat, words(buf)...)
	}
	return nil
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

// chain lists the sectors of a chain in table that hold size bytes, or all of
// them if size is -1.
func chain(table []uint32, start uint32, size, sector, room int64) ([]uint32, error) {
	want := room
	if size >= 0 {
		if want = (size + sector - 1) / sector; want > room {
			return nil, damaged("a stream of %d bytes is larger than the file", size)
		}
	}
	var list []uint32
	for n := start; int64(len(list)) < want; n = table[n] {
		if n == endOfChain && size < 0 {
			return list, nil
		}
		if int64(n) >= int64(len(table)) {
			return nil, damaged("the chain from sector %d breaks off", start)
		}
		list = append(list, n)
	}
	if size < 0 && len(list) > 0 && table[list[len(list)-1]] != endOfChain {
		return nil, damaged("the chain from sector %d does not end", start)
	}
	return list, nil
}

// chainBytes reads a whole chain, at most limit bytes.
func (f *File) chainBytes(start uint32, limit int64) ([]byte, error) {
	list, err := chain(f.fat, start, -1, f.sector, f.sectors())
	if err != nil {
		return nil, err
	}
	if int64(len(list))*f.sector > limit {
		return nil, damaged("a table of %d bytes", int64(len(list))*f.sector)
	}
	b := make([]byte, int64(len(list))*f.sector)
	for i, n := range list {
		if err := f.readSector(n, b[int64(i)*f.sector:int64(i+1)*f.sector]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (f *File) readDirectory(start uint32) error {
	b, err := f.chainBytes(start, maxEntries*dirSize)
	if err != nil {
		return err
	}
	if len(b) < dirSize || b[66] != typeRoot {
		return damaged("its directory has no root")
	}
	d := directory{b: b, seen: make([]bool, len(b)/dirSize)}
	d.seen[0] = true
	f.Root = d.node(0, f.v4)
	f.Root.Storage = true
	if err := d.children(f.Root, 0, f.v4, 1); err != nil {
		return err
	}
	if f.Root.start < maxSector {
		list, err := chain(f.fat, f.Root.start, f.Root.Size, f.sector, f.sectors())
		if err != nil {
			return err
		}
		f.stream = &reader{f.r, list, f.sector, f.sector, f.Root.Size}
	}
	return nil
}

type directory struct {
	b    []byte
	seen []bool // an entry that is linked twice would be a circle
}

func (d directory) entry(i uint32) []byte { return d.b[int64(i)*dirSize:][:dirSize] }

func (d directory) node(i uint32, v4 bool) *Node {
	e := d.entry(i)
	length := min(int(binary.LittleEndian.Uint16(e[64:])), 64)
	name := make([]uint16, 0, 32)
	for k := 0; k+3 < length; k += 2 { // without its NUL
		name = append(name, binary.LittleEndian.Uint16(e[k:]))
	}
	n := &Node{Name: string(utf16.Decode(name)), Storage: e[66] == typeStorage, start: binary.LittleEndian.Uint32(e[116:])}
	copy(n.CLSID[:], e[80:])
	n.Size = int64(binary.LittleEndian.Uint32(e[120:]))
	if v4 { // the upper half is not used in version 3 and may be anything
		n.Size = int64(binary.LittleEndian.Uint64(e[120:]) & (1<<62 - 1))
	}
	return n
}

// children adds the members of the storage at entry i: a binary tree of
// siblings, walked without recursion since it may be a list.
func (d directory) children(to *Node, i uint32, v4 bool, depth int) error {
	if depth > maxDepth {
		return damaged("its storages are nested more than %d deep", maxDepth)
	}
	var stack []uint32
	next := binary.LittleEndian.Uint32(d.entry(i)[76:])
	for next != noStream || len(stack) > 0 {
		for next != noStream {
			if int64(next) >= int64(len(d.seen)) || d.seen[next] {
				return damaged("its directory has entry %d twice, or not at all", next)
			}
			d.seen[next] = true
			stack = append(stack, next)
			next = binary.LittleEndian.Uint32(d.entry(next)[68:])
		}
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := d.node(at, v4)
		to.Children = append(to.Children, n)
		if n.Storage {
			if err := d.children(n, at, v4, depth+1); err != nil {
				return err
			}
		}
		next = binary.LittleEndian.Uint32(d.entry(at)[72:])
	}
	return nil
}

// Stream returns the content of a stream, which is read from the file as it is
// asked for.
func (f *File) Stream(n *Node) (*io.SectionReader, error) {
	switch {
	case n.Storage:
		return nil, damaged("%q is a storage", n.Name)
	case n.Size == 0:
		return io.NewSectionReader(strings.NewReader(""), 0, 0), nil
	case n.Size < miniCutoff:
		if f.stream == nil {
			return nil, damaged("it has no small streams")
		}
		list, err := chain(f.mini, n.start, n.Size, miniSize, f.Root.Size/miniSize+1)
		if err != nil {
			return nil, err
		}
		return io.NewSectionReader(&reader{f.stream, list, miniSize, 0, n.Size}, 0, n.Size), nil
	}
	list, err := chain(f.fat, n.start, n.Size, f.sector, f.sectors())
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(&reader{f.r, list, f.sector, f.sector, n.Size}, 0, n.Size), nil
}

// ReadAll returns the content of a stream of at most limit bytes.
func (f *File) ReadAll(n *Node, limit int64) ([]byte, error) {
	if n.Size > limit {
		return nil, damaged("the stream %q has %d bytes; the limit is %d", n.Name, n.Size, limit)
	}
	s, err := f.Stream(n)
	if err != nil {
		return nil, err
	}
	b := make([]byte, n.Size)
	if _, err := io.ReadFull(s, b); err != nil {
		return nil, damaged("the stream %q is cut off", n.Name)
	}
	return b, nil
}

// reader reads sectors in the order of a chain.
type reader struct {
	r      io.ReaderAt
	list   []uint32
	sector int64
	first  int64 // where sector 0 begins
	size   int64
}

func (s *reader) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(b) {
		at := off + int64(n)
		if at >= s.size {
			return n, io.EOF
		}
		i, in := at/s.sector, at%s.sector
		run := int64(1) // sectors that follow each other are read at once
		for i+run < int64(len(s.list)) && s.list[i+run] == s.list[i]+uint32(run) && run*s.sector-in < int64(len(b)-n) {
			run++
		}
		want := min(int64(len(b)-n), run*s.sector-in, s.size-at)
		k, err := s.r.ReadAt(b[n:int64(n)+want], s.first+int64(s.list[i])*s.sector+in)
		n += k
		if int64(k) < want {
			if err == nil || err == io.EOF {
				err = damaged("it is cut off")
			}
			return n, err
		}
	}
	return n, nil
}
