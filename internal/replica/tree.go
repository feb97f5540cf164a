package replica

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"time"
)

// tree captures the folders below one of objects or users that changed.
func (c *capturer) tree(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f := c.folders[dir]
	isNew := f == nil
	if isNew {
		f = &folder{}
	}
	before, below, at := f.names, f.below, f.mtime
	changed, err := f.read(host(c.dir, dir))
	if errors.Is(err, fs.ErrNotExist) {
		c.treeGone(dir)
		return nil
	}
	if err != nil {
		return err
	}
	c.folders[dir] = f
	if isNew {
		c.changes = append(c.changes, &pending{Change: Change{Op: opDir, Path: dir, Mode: f.mode}})
	}
	if changed { // what is gone first: a folder may have become a file
		for _, name := range before {
			if p := path.Join(dir, name); !slices.Contains(f.names, name) && c.files[p] != nil {
				c.forget(p)
			}
		}
		if !slices.Equal(below, f.below) {
			for _, name := range below {
				if !slices.Contains(f.below, name) {
					c.treeGone(path.Join(dir, name))
				}
			}
		}
		for _, name := range f.names {
			if err := c.named(path.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if dir == objectsDir && f.mtime != at && !c.objects.any {
		c.objects.all = true // something was written that was not told
	}
	for _, name := range f.below {
		p := dir + "/" + name
		if dir == objectsDir && !c.objects.mayHave(name) && c.folders[p] != nil {
			continue
		}
		if err := c.tree(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// objectFolders are the folders of objects that a capture looks into: those in which the
// workbench placed something, and from time to time all, for what was removed and to find what
// was not told. Looking at all 256 costs more than the rest of a capture.
type objectFolders struct {
	placed   func() [256]bool // of the workbench; nil: all are looked at
	fresh    [256]bool        // told, and not looked at yet
	any      bool             // of fresh
	all      bool
	captures int
}

// allObjectsAfter is after how many captures all folders of objects are looked at.
const allObjectsAfter = 50

// take asks the workbench.
func (o *objectFolders) take() {
	if o.captures++; o.placed == nil || o.captures%allObjectsAfter == 1 {
		o.all = true
	}
	if o.placed == nil {
		return
	}
	for i, fresh := range o.placed() {
		o.fresh[i] = o.fresh[i] || fresh
		o.any = o.any || fresh
	}
}

// mayHave reports whether a folder may have changed.
func (o *objectFolders) mayHave(name string) bool {
	n, err := strconv.ParseUint(name, 16, 8)
	return o.all || err != nil || o.fresh[n]
}

// looked forgets what was told, after all of it was looked at.
func (o *objectFolders) looked() { o.fresh, o.any, o.all = [256]bool{}, false, false }

// treeGone notes that a folder was removed.
func (c *capturer) treeGone(dir string) {
	f := c.folders[dir]
	if f == nil {
		return
	}
	for _, name := range f.names {
		if p := path.Join(dir, name); c.files[p] != nil {
			c.forget(p)
		}
	}
	for _, name := range f.below {
		c.treeGone(path.Join(dir, name))
	}
	delete(c.folders, dir)
	c.changes = append(c.changes, &pending{Change: Change{Op: opRemove, Path: dir}})
}

// named captures a file of objects or users that may have changed.
func (c *capturer) named(p string) error {
	n := natureOf(p)
	old := c.files[p]
	if n == ignored || n == settled && old != nil {
		return nil
	}
	now := time.Now()
	st, err := os.Stat(host(c.dir, p))
	if err != nil {
		return err
	}
	l := lookOf(st, now)
	if old != nil && old.look.same(l) {
		return nil
	}
	return c.content(p, n, st, old, l)
}
