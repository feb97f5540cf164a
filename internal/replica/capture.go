package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	// inlineMax is the size in bytes up to which a content is in the record itself: a
	// store would cost another round trip.
	inlineMax = 64 << 10
	// inlineTotal bounds such contents of one capture, in bytes.
	inlineTotal = 4 << 20
)

// file is what the captured state has at a path.
type file struct {
	nature nature
	look   look
	mode   fs.FileMode
	hash   string // of natures whole, settled and users
	db     *database
}

// pending is a change that is not in the log yet.
type pending struct {
	Change
	data   []byte   // of a put, an append or pages; nil: from source, image, log or an object
	source string   // path on the host of a content to store; Hash says which
	image  *image   // of a database to store
	log    *os.File // of which the first Size bytes are to be stored
}

func (p *pending) close() {
	p.image.close()
	if p.log != nil {
		p.log.Close()
	}
}

// capturer finds what changed in the state folder of one workspace. One goroutine uses it.
type capturer struct {
	dir     string
	files   map[string]*file
	flat    map[string]bool    // the files that are not in folders
	folders map[string]*folder // of objects and users
	objects objectFolders
	changes []*pending
	inline  int // bytes
}

func newCapturer(dir string) *capturer {
	return &capturer{dir: dir, files: map[string]*file{}, flat: map[string]bool{}, folders: map[string]*folder{}}
}

func (c *capturer) close() error {
	var errs []error
	for _, f := range c.files {
		if f.db != nil {
			errs = append(errs, f.db.close())
		}
	}
	c.drop()
	return errors.Join(errs...)
}

// drop forgets the changes that were found: they are in the log.
func (c *capturer) drop() {
	for _, p := range c.changes {
		p.close()
	}
	c.changes, c.inline = nil, 0
	for _, f := range c.files {
		if f.db != nil {
			f.db.pinned = false
		}
	}
}

// recheck makes the next capture look at a file of objects or users again.
func (c *capturer) recheck(p string) {
	if f := c.files[p]; f != nil {
		f.look.young, f.hash = true, ""
	}
	if f := c.folders[path.Dir(p)]; f != nil {
		f.young = true
	}
	c.objects.all = true
}

// capture adds what changed since the call before. The caller holds the workbench.
//
// What the program writes first is read last: a row is captured before the object that it
// names, a record of the conversation before the rows that it is about. So the state is one
// that a crash could have left, also where something that the caller does not hold is
// written meanwhile.
func (c *capturer) capture(ctx context.Context) error {
	c.inline = 0
	flat, err := c.list("", nil)
	if err != nil {
		return err
	}
	c.rotated(flat)
	byNature := func(want ...nature) error {
		for _, p := range flat {
			n := natureOf(p)
			if !slices.Contains(want, n) {
				continue
			}
			if err := c.one(ctx, p, n); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return ctx.Err()
	}
	if err := byNature(appended); err != nil {
		return err
	}
	// workbench.db is the last of the names, and its rows come after those of other databases.
	slices.SortStableFunc(flat, func(a, b string) int { return strings.Compare(b, a) })
	if err := errors.Join(byNature(paged), byNature(whole)); err != nil {
		return err
	}
	c.objects.take() // after the rows: an object that one of them names was placed before
	for _, top := range []string{filesDir, objectsDir} {
		if err := c.tree(ctx, top); err != nil {
			return err
		}
	}
	c.objects.looked()
	c.gone(flat)
	return nil
}

// list returns the files below a folder that are looked at one by one.
func (c *capturer) list(under string, to []string) ([]string, error) {
	entries, err := os.ReadDir(host(c.dir, under))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		p := path.Join(under, e.Name())
		if e.IsDir() {
			if p == filesDir || p == objectsDir {
				continue
			}
			if to, err = c.list(p, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		} else if e.Type().IsRegular() && natureOf(p) != ignored {
			to = append(to, p)
		}
	}
	return to, nil
}

// gone notes the files that are no longer there.
func (c *capturer) gone(flat []string) {
	for _, p := range sortedKeys(c.flat) {
		if !slices.Contains(flat, p) {
			delete(c.flat, p)
			if c.files[p] != nil {
				c.forget(p)
			}
		}
	}
	for _, p := range flat {
		c.flat[p] = true
	}
}

// forget notes that a file was removed.
func (c *capturer) forget(p string) {
	if f := c.files[p]; f != nil && f.db != nil {
		_ = f.db.close() // its file is gone
	}
	delete(c.files, p)
	c.changes = append(c.changes, &pending{Change: Change{Op: opRemove, Path: p}})
}

// rotated follows a log of events that was given another name.
func (c *capturer) rotated(flat []string) {
	const current, previous = "events.jsonl", "events.1.jsonl"
	f := c.files[current]
	if f == nil || !slices.Contains(flat, previous) {
		return
	}
	st, err := os.Stat(host(c.dir, previous))
	if err != nil || lookOf(st, time.Now()).inode != f.look.inode || f.look.inode == 0 {
		return
	}
	c.changes = append(c.changes, &pending{Change: Change{Op: opMove, From: current, Path: previous}})
	c.files[previous] = f
	delete(c.files, current)
}

// one captures a file that may have changed.
func (c *capturer) one(ctx context.Context, p string, n nature) error {
	if n == paged {
		return c.database(ctx, p)
	}
	now := time.Now()
	st, err := os.Stat(host(c.dir, p))
	if err != nil {
		return err
	}
	old, l := c.files[p], lookOf(st, now)
	if old != nil && n != appended && old.look.same(l) || old != nil && n == appended && old.look.size == l.size && old.look.inode == l.inode {
		return nil
	}
	if n == appended {
		return c.grown(p, old)
	}
	return c.content(p, n, st, old, l)
}

// grown captures a file that grows at its end.
func (c *capturer) grown(p string, old *file) error {
	f, err := os.Open(host(c.dir, p))
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l := lookOf(st, time.Now())
	ch := &pending{Change: Change{Op: opPut, Path: p, Mode: st.Mode().Perm(), Size: st.Size()}}
	from := int64(0)
	if old != nil && old.look.inode == l.inode && old.look.size <= l.size {
		ch.Op, from = opAppend, old.look.size
	}
	if ch.Op == opPut && st.Size() > inlineMax {
		ch.log = f
	} else {
		defer f.Close()
		if ch.data, err = between(f, from, l.size); err != nil {
			return err // it is read by the next capture
		}
		l.size = from + int64(len(ch.data))
		ch.Size = l.size
	}
	c.files[p] = &file{nature: appended, look: l, mode: st.Mode().Perm()}
	c.changes = append(c.changes, ch)
	return nil
}

// between reads the bytes of a file from one place to another, or to its end if it was cut
// meanwhile.
func between(f io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := f.ReadAt(b, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

// database captures the changed pages of a database.
func (c *capturer) database(ctx context.Context, p string) error {
	f := c.files[p]
	st, err := os.Stat(host(c.dir, p))
	if err != nil {
		return err
	}
	l := lookOf(st, time.Now())
	if f != nil && f.look.inode != l.inode { // another file took its place
		if err := f.db.close(); err != nil {
			return err
		}
		f = nil
	}
	if f == nil {
		db, err := followDatabase(ctx, host(c.dir, p))
		if err != nil {
			return err
		}
		f = &file{nature: paged, look: l, mode: st.Mode().Perm(), db: db}
		c.files[p] = f
	}
	pages, image, err := f.db.pages(ctx)
	switch {
	case err != nil:
		return err
	case image != nil:
		f.db.pinned = true
		c.changes = append(c.changes, &pending{Change: Change{Op: opPut, Path: p, Mode: f.mode, Size: image.len}, image: image})
	case !pages.empty():
		c.changes = append(c.changes, &pending{Change: Change{Op: opPages, Path: p, Pages: &pages}, data: pages.data})
	}
	return nil
}

// content captures a file as a whole.
func (c *capturer) content(p string, n nature, st fs.FileInfo, old *file, l look) error {
	f := &file{nature: n, look: l, mode: st.Mode().Perm()}
	ch := &pending{Change: Change{Op: opPut, Path: p, Mode: f.mode, MTime: l.mtime, Size: l.size}}
	if n == settled {
		f.hash = strings.ReplaceAll(strings.TrimPrefix(p, objectsDir+"/"), "/", "")
	}
	var err error
	switch {
	case n == whole, l.size <= inlineMax && c.inline < inlineTotal:
		if ch.data, err = os.ReadFile(host(c.dir, p)); err != nil {
			return err
		}
		c.inline += len(ch.data)
		ch.Size = int64(len(ch.data))
		sum := sha256.Sum256(ch.data)
		f.hash = hex.EncodeToString(sum[:])
		if ch.data == nil {
			ch.data = []byte{}
		}
	case n == users:
		if f.hash, err = hashFile(host(c.dir, p)); err != nil {
			return err
		}
		ch.source = host(c.dir, p)
	default:
		ch.source = host(c.dir, p)
	}
	ch.Hash = f.hash
	c.files[p] = f
	if old != nil && old.hash == f.hash && old.mode == f.mode && old.look.mtime == l.mtime {
		return nil
	}
	c.changes = append(c.changes, ch)
	return nil
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
