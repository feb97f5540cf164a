package xlsx

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"atelier/formats"
)

// maxSpool is how much of an intermediate workbook is held in memory.
const maxSpool = 32 << 20

// spool takes an intermediate workbook: in memory, and in a temporary file
// once it is large. Close removes the file.
type spool struct {
	buf  bytes.Buffer
	file *os.File
	size int64
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.buf.Len()+len(b) > maxSpool {
		f, err := os.CreateTemp("", "atelier-*.xlsx")
		if err != nil {
			return 0, err
		}
		s.file = f
		if _, err := s.buf.WriteTo(f); err != nil {
			return 0, err
		}
		s.buf = bytes.Buffer{}
	}
	var n int
	var err error
	if s.file != nil {
		n, err = s.file.Write(b)
	} else {
		n, err = s.buf.Write(b)
	}
	s.size += int64(n)
	return n, err
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
		r = bytes.NewReader(s.buf.Bytes())
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
