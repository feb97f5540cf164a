package replica

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
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
	before, below := f.names, f.below
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
		for _, name := range below {
			if !slices.Contains(f.below, name) {
				c.treeGone(path.Join(dir, name))
			}
		}
		for _, name := range f.names {
			if err := c.named(path.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, name := range f.below {
		if err := c.tree(ctx, path.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

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
