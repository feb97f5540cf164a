// Package textspool keeps texts that are written once and read back by their place: in
// memory, and in a temporary file once they are many.
//
//	s := &textspool.Spool{}
//	defer s.Close()
//	at, err := s.Put("sst:1", "Total")
//	var texts [2]string
//	next, err := s.Get(at, texts[:])
package textspool

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
)

// Limits of what a spool holds in memory.
const (
	maxInMemory = 256 << 10 // bytes that are not in the file yet
	readChunk   = 128 << 10 // bytes of a read
	readBack    = 4 << 10   // bytes of a read before the last one
)

// Spool keeps texts. The zero value is empty and ready; it is safe for concurrent use.
type Spool struct {
	Dir string // where the temporary file is made, "*.tmp"; "": where the system has them

	mu   sync.Mutex
	buf  []byte // the end, that is not in file
	file *os.File
	size int64 // of all

	ahead, back window // back is for single records before ahead
}

// Size is the number of bytes of all texts with their lengths.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Put adds a record of texts and returns its place. The error is the file's.
func (s *Spool) Put(texts ...string) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at = s.size
	before := len(s.buf)
	for _, t := range texts {
		s.buf = binary.AppendUvarint(s.buf, uint64(len(t)))
	}
	for _, t := range texts {
		s.buf = append(s.buf, t...)
	}
	s.size += int64(len(s.buf) - before)
	if len(s.buf) < maxInMemory {
		return at, nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.Dir, "atelier-*.tmp"); err != nil {
			return 0, err
		}
	}
	_, err = s.file.Write(s.buf)
	s.buf = s.buf[:0]
	return at, err
}

var errPlace = errors.New("textspool: there is no record at this place")

// Get fills texts with the record at a place, which has as many, and returns the place
// of the record after it.
func (s *Spool) Get(at int64, texts []string) (next int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head, err := s.bytes(at, len(texts)*binary.MaxVarintLen64)
	if err != nil {
		return 0, err
	}
	var total, used int
	var lengths [16]int
	for i := range texts {
		n, k := binary.Uvarint(head[used:])
		if k <= 0 {
			return 0, errPlace
		}
		lengths[i], used, total = int(n), used+k, total+int(n)
	}
	b, err := s.bytes(at+int64(used), total)
	if err != nil {
		return 0, err
	}
	if len(b) < total {
		return 0, errPlace
	}
	all := string(b)
	for i := range texts {
		texts[i], all = all[:lengths[i]], all[lengths[i]:]
	}
	return at + int64(used+total), nil
}

// bytes returns n bytes from a place on, fewer at the end.
func (s *Spool) bytes(at int64, n int) ([]byte, error) {
	if at < 0 || at > s.size {
		return nil, errPlace
	}
	inFile := s.size - int64(len(s.buf))
	if at >= inFile {
		b := s.buf[at-inFile:]
		return b[:min(n, len(b))], nil
	}
	w, end := &s.ahead, min(at+int64(n), inFile)
	if !w.has(at, end) {
		size := readChunk
		// A record before the last ones is read alone, unless reading continues there.
		if at < w.at && (at < s.back.at || at > s.back.end() || s.back.has(at, end)) {
			w, size = &s.back, readBack
		}
		if !w.has(at, end) {
			if err := w.read(s.file, at, max(n, size)); err != nil {
				return nil, err
			}
		}
	}
	b := w.bytes[at-w.at:]
	if n <= len(b) {
		return b[:n], nil
	}
	// The rest of the record is in memory.
	b = append(make([]byte, 0, n), b...)
	return append(b, s.buf[:min(n-len(b), len(s.buf))]...), nil
}

// window is a piece of the file.
type window struct {
	bytes []byte
	at    int64
}

func (w *window) end() int64 { return w.at + int64(len(w.bytes)) }

func (w *window) has(from, to int64) bool { return from >= w.at && to <= w.end() }

func (w *window) read(file *os.File, at int64, size int) error {
	if cap(w.bytes) < size {
		w.bytes = make([]byte, size)
	}
	got, err := file.ReadAt(w.bytes[:size], at)
	w.bytes, w.at = w.bytes[:got], at
	if err == io.EOF {
		return nil
	}
	return err
}

// Close gives up the texts and removes the file.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
