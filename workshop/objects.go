package workshop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/formats"
)

// objects keeps content by its SHA-256, written once: dir/ab/cdef….
type objects struct {
	dir string
	mu  *sync.Mutex // between the last look at an object and its removal
}

// put stores what write produces and returns its hash and size. The object is
// on disk, synced, before put returns; a failure leaves nothing.
func (o objects) put(ctx context.Context, limit int64, write func(io.Writer) error) (hash string, size int64, err error) {
	hash, size, err = o.write(ctx, limit, write)
	return hash, size, storageFault(err)
}

func (o objects) write(ctx context.Context, limit int64, write func(io.Writer) error) (hash string, size int64, err error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return "", 0, err
	}
	f, err := os.CreateTemp(o.dir, "tmp-*")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(f.Name()) // fails once renamed, as it should
	defer f.Close()
	h := sha256.New()
	w := &countingWriter{ctx: ctx, w: io.MultiWriter(f, h), limit: limit}
	if err := write(w); err != nil {
		return "", 0, err
	}
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	if err := f.Sync(); err != nil {
		return "", 0, err
	}
	if err := f.Close(); err != nil {
		return "", 0, err
	}
	hash = hex.EncodeToString(h.Sum(nil))
	if err := os.Chmod(f.Name(), 0o400); err != nil {
		return "", 0, err
	}
	if err := o.place(f.Name(), o.path(hash)); err != nil {
		return "", 0, err
	}
	// Also when it was there: whoever put it may not have synced it yet.
	return hash, w.n, syncDir(filepath.Dir(o.path(hash)))
}

// place gives a written file its name, unless it is there already.
func (o objects) place(tmp, path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := os.Stat(path); err == nil {
		// Somebody wants it again: garbage collection must see that.
		now := time.Now()
		return os.Chtimes(path, now, now)
	}
	switch err := os.Mkdir(filepath.Dir(path), 0o700); {
	case err == nil:
		if err := syncDir(o.dir); err != nil {
			return err
		}
	case !os.IsExist(err):
		return err
	}
	return os.Rename(tmp, path)
}

func (o objects) path(hash string) string { return filepath.Join(o.dir, hash[:2], hash[2:]) }

// open opens an object under the name of the file it is the content of.
func (o objects) open(hash, name string) (Source, error) {
	if len(hash) != 64 {
		return nil, fmt.Errorf("object %q has no valid hash", hash)
	}
	f, err := os.Open(o.path(hash))
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{f, st.Size(), hash, name}, nil
}

// has reports whether an object is there.
func (o objects) has(hash string) bool {
	if len(hash) != 64 {
		return false
	}
	_, err := os.Stat(o.path(hash))
	return err == nil
}

// size is that of an object in bytes, 0 when there is none.
func (o objects) size(hash string) int64 {
	if len(hash) != 64 {
		return 0
	}
	st, err := os.Stat(o.path(hash))
	if err != nil {
		return 0
	}
	return st.Size()
}

// sweep removes what a crash left half-written.
func (o objects) sweep() { removeTemps(o.dir) }

// source is an open file under a name of its own.
type source struct {
	f    *os.File
	size int64
	hash string
	name string
}

var _ formats.Source = (*source)(nil)

func (s *source) ReadAt(b []byte, off int64) (int, error) { return s.f.ReadAt(b, off) }
func (s *source) Size() int64                             { return s.size }
func (s *source) Hash() string                            { return s.hash }
func (s *source) Name() string                            { return s.name }
func (s *source) Close() error                            { return s.f.Close() }

// countingWriter counts, and ends a write that is too long or whose context is
// done.
type countingWriter struct {
	ctx   context.Context
	w     io.Writer
	n     int64
	limit int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.n+int64(len(b)) > c.limit {
		return 0, Faultf(Invalid, "the file would have more than %d bytes, the limit of this workbench", c.limit)
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
