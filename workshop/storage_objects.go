package workshop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/formats"
	"atelier/internal/busyfile"
)

// objects keeps content by its SHA-256, written once: dir/ab/cdef….
type objects struct {
	dir   string
	mu    *sync.Mutex // between the last look at an object and its removal
	sound *soundness  // shared, as mu is
	fresh *[256]bool  // folders in which an object was placed since PlacedObjects; mu protects it

	unsynced bool // Options.Unsynced
}

func newObjects(dir string) objects {
	return objects{dir: dir, mu: &sync.Mutex{}, sound: newSoundness(), fresh: &[256]bool{}}
}

// PlacedObjects returns the folders of objects, by the first byte of a hash, in which an object
// was placed since the call before. An object that a row names was placed before the row. One
// caller may follow a workbench.
func (wb *Workbench) PlacedObjects() [256]bool {
	wb.objects.mu.Lock()
	defer wb.objects.mu.Unlock()
	was := *wb.objects.fresh
	*wb.objects.fresh = [256]bool{}
	return was
}

// put stores what write produces and returns its hash and size. The object is
// on disk, synced, before put returns; a failure leaves nothing.
func (o objects) put(ctx context.Context, limit int64, write func(io.Writer) error) (hash string, size int64, err error) {
	hash, size, err = o.write(ctx, limit, write)
	return hash, size, storageFault(err)
}

func (o objects) write(ctx context.Context, limit int64, write func(io.Writer) error) (hash string, size int64, err error) {
	f, err := os.CreateTemp(o.dir, "tmp-*")
	if os.IsNotExist(err) {
		if err := os.MkdirAll(o.dir, 0o700); err != nil {
			return "", 0, err
		}
		f, err = os.CreateTemp(o.dir, "tmp-*")
	}
	if err != nil {
		return "", 0, err
	}
	placed := false
	defer func() {
		f.Close()
		if !placed {
			os.Remove(f.Name())
		}
	}()
	h := sha256.New()
	w := &countingWriter{ctx: ctx, w: io.MultiWriter(f, h), limit: limit}
	if err := write(w); err != nil {
		return "", 0, err
	}
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	if !o.unsynced {
		if err := f.Sync(); err != nil {
			return "", 0, err
		}
	}
	if err := f.Close(); err != nil {
		return "", 0, err
	}
	hash = hex.EncodeToString(h.Sum(nil))
	if err := os.Chmod(f.Name(), 0o400); err != nil {
		return "", 0, err
	}
	if placed, err = o.place(ctx, f.Name(), hash); err != nil {
		return "", 0, err
	}
	if o.unsynced {
		return hash, w.n, nil
	}
	// Also when it was there: the process that put it may not have synced it yet.
	return hash, w.n, syncDir(filepath.Dir(o.path(hash)))
}

// place gives a written file its name. What has that name already is replaced: it
// may be damaged since it was kept, and what was just written is not. Its new time
// tells garbage collection that it is in use. renamed is false where tmp is still there.
func (o objects) place(ctx context.Context, tmp, hash string) (renamed bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	path := o.path(hash)
	switch err := os.Mkdir(filepath.Dir(path), 0o700); {
	case err == nil:
		if err := syncDir(o.dir); err != nil {
			return false, err
		}
	case !os.IsExist(err):
		return false, err
	}
	if first, err := hex.DecodeString(hash[:2]); err == nil {
		o.fresh[first[0]] = true
	}
	err = os.Rename(tmp, path)
	renamed = err == nil
	if busyfile.Is(err) { // Windows replaces no file that is read-only or open.
		if o.check(ctx, hash) == nil {
			now := time.Now()
			err = os.Chtimes(path, now, now)
		} else {
			err = o.replaceDamaged(tmp, path)
			renamed = err == nil
		}
	}
	if err != nil {
		return false, err
	}
	if st, err := os.Stat(path); err == nil {
		o.sound.keep(hash, st)
	}
	return renamed, nil
}

// replaceDamaged replaces an object where that needs the right to write it.
func (o objects) replaceDamaged(tmp, path string) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	err := busyfile.Rename(tmp, path)
	if err != nil {
		_ = os.Chmod(path, 0o400)
	}
	return err
}

func (o objects) path(hash string) string { return filepath.Join(o.dir, hash[:2], hash[2:]) }

// size returns that of an object in bytes, 0 when there is none.
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
