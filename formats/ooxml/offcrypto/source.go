package offcrypto

import (
	"errors"
	"io"
	"sync"

	"atelier/formats"
)

// source decrypts blocks as they are read. It holds the last one: readers of zip
// files read on from where they were.
type source struct {
	of   formats.Source
	key  contentKey
	in   *io.SectionReader // the stream: 8 bytes of size, then blocks
	size int64

	mu    sync.Mutex // guards at, block
	at    int64      // number of the block, -1: none
	block []byte
}

func (s *source) Size() int64  { return s.size }
func (s *source) Hash() string { return s.of.Hash() }
func (s *source) Name() string { return s.of.Name() }

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	per := int64(s.key.blockBytes())
	for n < len(b) {
		at := off + int64(n)
		if at >= s.size {
			return n, io.EOF
		}
		if err := s.load(at/per, per); err != nil {
			return n, err
		}
		n += copy(b[n:], s.block[min(at%per, int64(len(s.block))):min(int64(len(s.block)), s.size-s.at*per)])
	}
	return n, nil
}

// load decrypts a block. The last one is as long as its stream, in whole blocks of
// the cipher.
func (s *source) load(i, per int64) error {
	if s.at == i {
		return nil
	}
	s.at = -1
	length := min(per, s.in.Size()-8-i*per)
	if need := min(per, s.size-i*per); length < need {
		return corrupt(s.of, errors.New("its content is cut off"))
	}
	if rest := length % 16; rest != 0 { // padding that is not whole
		length -= rest
	}
	if int64(cap(s.block)) < per {
		s.block = make([]byte, per)
	}
	s.block = s.block[:length]
	if _, err := s.in.ReadAt(s.block, 8+i*per); err != nil && err != io.EOF {
		return err
	}
	if err := s.key.decrypt(i, s.block); err != nil {
		return err
	}
	if length < min(per, s.size-i*per) {
		return corrupt(s.of, errors.New("its content is cut off"))
	}
	s.at = i
	return nil
}
