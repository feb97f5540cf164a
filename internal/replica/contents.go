package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// partSize is the size in bytes of the parts of databases and logs: a part that is as in
// the snapshot before is not stored again.
const partSize = 1 << 20

// errChanged says that a file changed between its capture and the storing of its content.
var errChanged = errors.New("a file changed meanwhile")

// storeContents stores what the pending changes name and the store does not have.
func (r *Replica) storeContents(ctx context.Context) error {
	for i, p := range r.capture.changes {
		if p.data != nil || p.Op != opPut || p.Parts != nil {
			continue
		}
		if p.Size == 0 {
			p.data = []byte{}
			continue
		}
		var err error
		switch {
		case p.image != nil:
			p.Parts, err = r.parts(ctx, p.image, p.Size)
		case p.log != nil:
			p.Parts, err = r.parts(ctx, p.log, p.Size)
		default:
			err = r.file(ctx, p)
		}
		if errors.Is(err, errChanged) { // it is captured again
			r.state.Lock()
			r.capture.recheck(p.Path)
			p.close()
			r.capture.changes = slices.Delete(r.capture.changes, i, i+1)
			r.state.Unlock()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file stores the content of a file with a known hash.
func (r *Replica) file(ctx context.Context, p *pending) error {
	if c, ok := r.known[p.Hash]; ok {
		p.Parts = []Content{c}
		return nil
	}
	f, err := os.Open(p.source)
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	defer f.Close()
	c := Content{Name: r.name(p.Hash), Hash: p.Hash, Size: p.Size}
	err = r.store.Put(ctx, c, newExact(f, c))
	if errors.Is(err, errOther) {
		if natureOf(p.Path) != settled {
			return errors.Join(errChanged, r.store.Remove(ctx, c.Name))
		}
		if c, err = r.damaged(ctx, f); err == nil {
			p.Hash, p.Size = c.Hash, c.Size
		}
	}
	if err != nil {
		return err
	}
	r.known[c.Hash] = c
	p.Parts = []Content{c}
	return nil
}

// damaged stores an object that is not what its name says, which stays what it is.
func (r *Replica) damaged(ctx context.Context, f io.ReadSeeker) (c Content, err error) {
	h := sha256.New()
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return c, err
	}
	if c.Size, err = io.Copy(h, f); err != nil {
		return c, err
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return c, err
	}
	c.Hash = hex.EncodeToString(h.Sum(nil))
	c.Name = r.name(c.Hash)
	return c, r.store.Put(ctx, c, newExact(f, c))
}

// parts stores the first size bytes of a file in parts.
func (r *Replica) parts(ctx context.Context, from io.ReaderAt, size int64) ([]Content, error) {
	parts := []Content{}
	b := make([]byte, min(size, partSize))
	for at := int64(0); at < size; at += partSize {
		b = b[:min(size-at, partSize)]
		if _, err := from.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		c, err := r.put(ctx, b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return parts, nil
}

// put stores bytes, unless the store has them.
func (r *Replica) put(ctx context.Context, b []byte) (Content, error) {
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	if c, ok := r.known[hash]; ok {
		return c, nil
	}
	c := Content{Name: r.name(hash), Hash: hash, Size: int64(len(b))}
	if err := r.store.Put(ctx, c, bytes.NewReader(b)); err != nil {
		return c, err
	}
	r.known[hash] = c
	return c, nil
}

// name gives a name that was never given: an owner that is late can then remove only what
// it or an earlier one stored, and its successor names none of what was not named before.
func (r *Replica) name(hash string) string {
	r.names++
	return fmt.Sprintf("%s-%d-%d", hash[:min(32, len(hash))], r.fence, r.names)
}

// fenceOf returns the ownership in which a name was given; ok is false for other names.
func fenceOf(name string) (fence uint64, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return 0, false
	}
	fence, err := strconv.ParseUint(parts[1], 10, 64)
	return fence, err == nil
}
