package search

import (
	"context"
	"strings"
	"sync/atomic"

	"atelier/workshop"
)

// folder is an open folder with a reference count. It stays open while files
// are opened relative to it, even after the walk has left it.
type folder struct {
	workshop.Folder
	held atomic.Int32
}

// openFolder opens a folder of any view with one reference.
func openFolder(ctx context.Context, v workshop.View, dir workshop.Path) (*folder, error) {
	var f workshop.Folder
	var err error
	if e, ok := v.(workshop.Explorer); ok {
		f, err = e.Explore(ctx, dir)
	} else {
		f, err = listFolder(ctx, v, dir)
	}
	if err != nil {
		return nil, err
	}
	return newFolder(f), nil
}

func newFolder(f workshop.Folder) *folder {
	h := &folder{Folder: f}
	h.held.Store(1)
	return h
}

func (f *folder) retain() { f.held.Add(1) }

func (f *folder) release() {
	if f.held.Add(-1) == 0 {
		f.Close()
	}
}

// Skipped is a file or folder that could not be searched.
type Skipped struct {
	Path   workshop.Path
	Reason string
}

// walkFolder visits everything below f in path order, files before what follows
// them. visit returns whether to enter a folder. Folders that cannot be
// opened go to skipped. The caller releases f.
func walkFolder(ctx context.Context, f *folder, visit func(*folder, workshop.Item) (into bool, err error), skipped func(Skipped)) error {
	for _, it := range f.Items() {
		if err := ctx.Err(); err != nil {
			return err
		}
		into, err := visit(f, it)
		if err != nil {
			return err
		}
		if !into || !it.IsDir {
			continue
		}
		sub, err := f.Folder.Folder(ctx, it)
		if err != nil {
			if !workshop.IsFault(err, workshop.NotFound) { // else deleted in the meantime
				skipped(Skipped{it.Path, err.Error()})
			}
			continue
		}
		h := newFolder(sub)
		err = walkFolder(ctx, h, visit, skipped)
		h.release()
		if err != nil {
			return err
		}
	}
	return nil
}

// listed implements a folder of a view that is not an Explorer, with List and
// Open.
type listed struct {
	v       workshop.View
	items   []workshop.Item
	entries map[string]workshop.Entry
}

func listFolder(ctx context.Context, v workshop.View, dir workshop.Path) (workshop.Folder, error) {
	es, err := v.List(ctx, dir, workshop.ListOptions{NoHash: true})
	if err != nil {
		return nil, err
	}
	l := &listed{v: v, entries: map[string]workshop.Entry{}}
	for _, e := range es {
		l.items = append(l.items, workshop.Item{Path: e.Path, Name: e.Name(), IsDir: e.IsDir, Regular: !e.IsDir && e.Refused == ""})
		l.entries[e.Name()] = e
	}
	workshop.SortItems(l.items)
	return l, nil
}

func (l *listed) Items() []workshop.Item { return l.items }
func (l *listed) Close() error           { return nil }

func (l *listed) Info(it workshop.Item) (workshop.Entry, error) {
	e := l.entries[it.Name]
	e.Hash = ""
	return e, nil
}

func (l *listed) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	src, err := l.v.Open(ctx, it.Path)
	if err != nil {
		return nil, err
	}
	return &sourceContent{Source: src}, nil
}

func (l *listed) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	return listFolder(ctx, l.v, it.Path)
}

// sourceContent reads a Source from its beginning.
type sourceContent struct {
	workshop.Source
	off int64
}

func (c *sourceContent) Read(b []byte) (int, error) {
	n, err := c.ReadAt(b, c.off)
	c.off += int64(n)
	return n, err
}

// hasDotDot reports whether a pattern has a segment "..".
func hasDotDot(pattern string) bool {
	for seg := range strings.SplitSeq(pattern, "/") {
		if seg == ".." {
			return true
		}
	}
	return false
}
