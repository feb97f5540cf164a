package xlsx

import (
	"cmp"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"atelier/formats"
)

// maxSpool is how much of an intermediate workbook is held in memory. With the garbage
// that the collector leaves until its next cycle, it takes twice as much.
const maxSpool = 8 << 20

// maxPlainSpool is the same where much of it is not deflated, which is to save time.
const maxPlainSpool = 32 << 20

// maxPlain is how many bytes of an intermediate workbook are not deflated. A test makes it
// smaller.
var maxPlain int64 = 24 << 20

// spoolChunk is the size of the pieces of a spool in memory: none is copied when it grows.
const spoolChunk = 128 << 10

// spool takes an intermediate workbook: in memory, and in a temporary file
// once it is large. Close removes the file.
type spool struct {
	chunks spoolChunks
	file   *os.File
	size   int64
	most   int64 // that is held in memory; 0 stands for maxSpool
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.size+int64(len(b)) > cmp.Or(s.most, maxSpool) {
		f, err := os.CreateTemp("", "atelier-*.xlsx")
		if err != nil {
			return 0, err
		}
		s.file = f
		for _, c := range s.chunks {
			if _, err := f.Write(c); err != nil {
				return 0, err
			}
		}
		s.chunks = nil
	}
	n := len(b)
	var err error
	if s.file != nil {
		n, err = s.file.Write(b)
	} else {
		s.chunks.write(b)
	}
	s.size += int64(n)
	return n, err
}

// spoolChunks are bytes in pieces of spoolChunk, of which the last may have fewer.
type spoolChunks [][]byte

func (s *spoolChunks) write(b []byte) {
	for len(b) > 0 {
		k := len(*s) - 1
		if k < 0 || len((*s)[k]) == spoolChunk {
			*s = append(*s, make([]byte, 0, spoolChunk))
			k++
		}
		n := min(len(b), spoolChunk-len((*s)[k]))
		(*s)[k] = append((*s)[k], b[:n]...)
		b = b[n:]
	}
}

// ReadAt implements io.ReaderAt.
func (s spoolChunks) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, os.ErrInvalid
	}
	for n < len(b) {
		k, from := off/spoolChunk, int(off%spoolChunk)
		if k >= int64(len(s)) || from >= len(s[k]) {
			return n, io.EOF
		}
		m := copy(b[n:], s[k][from:])
		n, off = n+m, off+int64(m)
	}
	return n, nil
}

// Close gives up what was written.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	s.file.Close()
	return os.Remove(s.file.Name())
}

// source reads back what was written.
func (s *spool) source(name string) formats.Source {
	var r io.ReaderAt = s.file
	if s.file == nil {
		r = s.chunks
	}
	return &spooled{r, s.size, name, "stage " + strconv.FormatInt(spools.Add(1), 10)}
}

type spooled struct {
	io.ReaderAt
	size int64
	name string
	key  string
}

// spools counts the intermediates, so that caches tell them apart without
// hashing each.
var spools atomic.Int64

func (s *spooled) Size() int64  { return s.size }
func (s *spooled) Hash() string { return s.key }
func (s *spooled) Name() string { return s.name }
