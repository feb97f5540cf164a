package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

// comparison compares the state folder with what was captured last, for several calls of Commit.
// It needs no hold on the workbench: each file that is now as it was captured was so when a
// call read it before. So a call that saw nothing new waits for no writer, and for the log
// only where the captured record is on its way.
type comparison struct {
	done chan struct{}
	same bool
	in   *round // whose record has what was captured; nil: the log has it
}

// compared returns a comparison that began after the call, or nil when ctx ended.
func (r *Replica) compared(ctx context.Context) *comparison {
	r.mu.Lock()
	mine := r.nextCompare
	first := mine == nil
	if first {
		mine = &comparison{done: make(chan struct{})}
		r.nextCompare = mine
	}
	r.mu.Unlock()
	if first {
		go r.compare(mine)
	}
	select {
	case <-mine.done:
		return mine
	case <-ctx.Done():
		return nil
	}
}

func (r *Replica) compare(mine *comparison) {
	r.state.Lock()
	defer r.state.Unlock()
	defer close(mine.done)
	r.mu.Lock()
	r.nextCompare = nil // who comes now may have seen what is already compared
	r.mu.Unlock()
	c := r.capture
	if c == nil || r.flight == nil && len(c.changes) > 0 { // changes that are in no record yet
		return
	}
	mine.same, mine.in = c.unchanged(), r.flight
}

var errOver = fmt.Errorf("%w: its lease is over", ErrFenced)

// acknowledge returns when what a comparison found is in the log.
func (r *Replica) acknowledge(ctx context.Context, seen *comparison) error {
	if seen.in != nil {
		select {
		case <-seen.in.done:
			return seen.in.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := r.Lost(); err != nil {
		return err
	}
	if r.opt.Valid != nil && !r.opt.Valid() {
		r.lose(errOver)
		return errOver
	}
	return nil
}

// unchanged reports whether all that a call may have read is as it was captured. What cannot
// be told at little cost counts as changed. Objects are not looked at: a call finds one only
// by its name in a database or log, and these are.
func (c *capturer) unchanged() bool {
	for p := range c.flat { // first, since most changes are in a database
		if f := c.files[p]; f == nil || f.db != nil && !f.db.unchanged(f.look.inode) {
			return false
		}
	}
	flat, err := c.list("", nil)
	if err != nil || len(flat) != len(c.flat) {
		return false
	}
	for _, p := range flat {
		if !c.flat[p] || c.files[p].db == nil && !c.as(p) {
			return false
		}
	}
	return c.folderAs(filesDir)
}

// as reports whether a file is as it was captured.
func (c *capturer) as(p string) bool {
	old := c.files[p]
	if old == nil {
		return false
	}
	now := time.Now()
	st, err := os.Stat(host(c.dir, p))
	if err != nil {
		return false
	}
	l := lookOf(st, now)
	switch {
	case old.nature == appended:
		return old.look.size == l.size && old.look.inode == l.inode
	case old.look.same(l):
		return true
	case l.size > inlineMax || l.size != old.look.size || l.mtime != old.look.mtime || st.Mode().Perm() != old.mode:
		return false
	}
	b, err := os.ReadFile(host(c.dir, p)) // its times may not tell
	if sum := sha256.Sum256(b); err != nil || hex.EncodeToString(sum[:]) != old.hash {
		return false
	}
	old.look = l
	return true
}

// folderAs reports whether a folder is as it was captured.
func (c *capturer) folderAs(dir string) bool {
	f := c.folders[dir]
	if f == nil {
		_, err := os.Lstat(host(c.dir, dir))
		return errors.Is(err, fs.ErrNotExist)
	}
	now := *f
	changed, err := now.read(host(c.dir, dir))
	if err != nil {
		return false
	}
	if changed {
		kept := func(name string) bool { return natureOf(path.Join(dir, name)) == ignored }
		before := slices.DeleteFunc(slices.Clone(f.names), kept)
		names := slices.DeleteFunc(slices.Clone(now.names), kept)
		if !slices.Equal(before, names) || !slices.Equal(f.below, now.below) {
			return false
		}
		for _, name := range names {
			if !c.as(path.Join(dir, name)) {
				return false
			}
		}
		*f = now
	}
	for _, name := range f.below {
		if !c.folderAs(path.Join(dir, name)) {
			return false
		}
	}
	return true
}

// unchanged reports whether nothing was committed to a database since its pages were
// returned, and it is the same file.
func (d *database) unchanged(inode uint64) bool {
	st, err := os.Stat(d.path)
	if err != nil || d.whole {
		return false
	}
	if now, _ := identity(st); now != inode {
		return false
	}
	wal, err := os.Open(d.path + "-wal")
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && d.pos.salt == [8]byte{}
	}
	defer wal.Close()
	_, found, _, err := readWAL(wal, d.pos, -1)
	return err == nil && found.pages == 0
}
