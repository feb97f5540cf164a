package formats

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"atelier/internal/regularfile"
)

// Source is the content of one file, read at random. It must not change while
// in use. The caller that opened it closes it.
type Source interface {
	io.ReaderAt
	Size() int64  // in bytes
	Hash() string // lowercase hex SHA-256 of the content
	Name() string // base name, for its extension and for messages
}

type bytesSource struct {
	*bytes.Reader
	name, hash string
}

// FromBytes makes a Source of b, which must not be changed afterwards.
func FromBytes(name string, b []byte) Source {
	sum := sha256.Sum256(b)
	return &bytesSource{Reader: bytes.NewReader(b), name: name, hash: hex.EncodeToString(sum[:])}
}

func (s *bytesSource) Hash() string { return s.hash }
func (s *bytesSource) Name() string { return s.name }

// FileSource is a Source over an open file.
type FileSource struct {
	*os.File
	size int64
	hash string
}

// OpenFile opens the regular file at path as a Source, reading it once for its hash.
func OpenFile(path string) (*FileSource, error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &FileSource{File: f, size: n, hash: hex.EncodeToString(h.Sum(nil))}, nil
}

// NewFileSource wraps an open file whose size and hash are already known.
func NewFileSource(f *os.File, size int64, hash string) *FileSource {
	return &FileSource{File: f, size: size, hash: hash}
}

// Size returns the length in bytes.
func (s *FileSource) Size() int64 { return s.size }

// Hash returns the lowercase hex SHA-256 of the content.
func (s *FileSource) Hash() string { return s.hash }

// Name returns the base name of the file.
func (s *FileSource) Name() string { return filepath.Base(s.File.Name()) }

// ReadAll returns the whole content of src, or CodeTooLarge when it has more
// than limit bytes.
func ReadAll(src Source, limit int64) ([]byte, error) {
	if src.Size() > limit {
		return nil, Errorf(CodeTooLarge, "%s has %d bytes; the limit here is %d", src.Name(), src.Size(), limit)
	}
	b := make([]byte, src.Size())
	_, err := io.ReadFull(io.NewSectionReader(src, 0, src.Size()), b)
	return b, err
}
