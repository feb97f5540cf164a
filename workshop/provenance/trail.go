package provenance

import (
	"context"
	"io"
	"maps"
	"strings"
	"sync"

	"atelier/workshop"
)

// Trail is what a run made and moved, so that what it reads there counts as
// what it is. It is safe for concurrent use.
type Trail struct {
	mu   sync.Mutex               // protects the fields below
	made map[workshop.Path]string // hash of a file that the run wrote and that was not there before
	from map[workshop.Path]string // name of a moved file before the run
}

// NewTrail is the trail of a run that begins.
func NewTrail() *Trail {
	return &Trail{made: map[workshop.Path]string{}, from: map[workshop.Path]string{}}
}

// Over is a view whose files are sources once they are opened. It is an Explorer
// if the view is.
func (t *Trail) Over(v workshop.View, s *Set) workshop.View {
	n := noting{v, t, s}
	if x, ok := v.(workshop.Explorer); ok {
		return explorer{n, x}
	}
	return n
}

// add notes a file that was opened; hash is what it has now.
func (t *Trail) add(ctx context.Context, s *Set, p workshop.Path, hash func() string) {
	if aside(ctx) {
		return
	}
	t.mu.Lock()
	own, made := t.made[p]
	name, moved := t.from[p]
	t.mu.Unlock()
	switch {
	case made && hash() == own: // what somebody else put there since is not the run's
	case moved:
		s.Add(name)
	default:
		s.Add(string(p))
	}
}

// Name is what a file counts as that a search found something in, nothing for
// one that the run made.
func (t *Trail) Name(ctx context.Context, v workshop.View, p workshop.Path) []string {
	s := &Set{}
	t.add(ctx, s, p, func() string {
		e, _ := v.Stat(ctx, p)
		return e.Hash
	})
	return s.List()
}

type noting struct {
	workshop.View
	trail *Trail
	set   *Set
}

func (v noting) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	src, err := v.View.Open(ctx, p)
	if err == nil {
		v.trail.add(ctx, v.set, p, src.Hash)
	}
	return src, err
}

// fresh reports whether nothing but the run's own is at a path.
func (v noting) fresh(ctx context.Context, p workshop.Path) bool {
	e, err := v.View.Stat(ctx, p)
	if workshop.IsFault(err, workshop.NotFound) {
		return true
	}
	v.trail.mu.Lock()
	defer v.trail.mu.Unlock()
	own, ok := v.trail.made[p]
	return ok && err == nil && own == e.Hash
}

func (t *Trail) wrote(fresh bool, e workshop.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.made, e.Path)
	if fresh {
		t.made[e.Path] = e.Hash
		delete(t.from, e.Path)
	}
}

func (v noting) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	fresh := v.fresh(ctx, p)
	e, err := v.View.Put(ctx, p, opt, write)
	if err == nil {
		v.trail.wrote(fresh, e)
	}
	return e, err
}

// PutAll implements workshop.Batcher.
func (v noting) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	b, ok := v.View.(workshop.Batcher)
	if !ok {
		return nil, workshop.Faultf(workshop.Internal, "these files cannot be changed together")
	}
	fresh := make([]bool, len(puts))
	for i, p := range puts {
		fresh[i] = v.fresh(ctx, p.Path)
	}
	list, err := b.PutAll(ctx, puts)
	if err == nil {
		for i, e := range list {
			v.trail.wrote(fresh[i], e)
		}
	}
	return list, err
}

// Touch may make a file.
func (v noting) Touch(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	fresh := v.fresh(ctx, p)
	e, err := v.View.Touch(ctx, p)
	if err == nil && fresh {
		v.trail.wrote(true, e)
	}
	return e, err
}

// Remove forgets what was known of the files.
func (v noting) Remove(ctx context.Context, p workshop.Path) error {
	err := v.View.Remove(ctx, p)
	if err == nil {
		v.trail.removed(p)
	}
	return err
}

func (t *Trail) removed(p workshop.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone := func(q workshop.Path, _ string) bool { return q == p || strings.HasPrefix(string(q), string(p)+"/") }
	maps.DeleteFunc(t.made, gone)
	maps.DeleteFunc(t.from, gone)
}

// Move takes along what is known of the files.
func (v noting) Move(ctx context.Context, from, to workshop.Path) error {
	files := []workshop.Path{from}
	if e, err := v.View.Stat(ctx, from); err == nil && e.IsDir {
		list, err := v.View.List(ctx, from, workshop.ListOptions{Recursive: true, NoHash: true})
		if err != nil {
			return err
		}
		files = files[:0]
		for _, e := range list {
			if !e.IsDir {
				files = append(files, e.Path)
			}
		}
	}
	if err := v.View.Move(ctx, from, to); err != nil {
		return err
	}
	v.trail.moved(files, from, to)
	return nil
}

func (t *Trail) moved(files []workshop.Path, from, to workshop.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range files {
		at := to + workshop.Path(strings.TrimPrefix(string(p), string(from)))
		own, made := t.made[p]
		name, moved := t.from[p]
		delete(t.made, p)
		delete(t.from, p)
		delete(t.made, at)
		delete(t.from, at)
		switch {
		case made:
			t.made[at] = own
		case moved:
			t.from[at] = name
		default:
			t.from[at] = string(p)
		}
	}
}

// explorer notes files that are opened while it is explored.
type explorer struct {
	noting
	under workshop.Explorer
}

// Explore implements workshop.Explorer.
func (v explorer) Explore(ctx context.Context, dir workshop.Path) (workshop.Folder, error) {
	f, err := v.under.Explore(ctx, dir)
	if err != nil {
		return nil, err
	}
	return folder{f, v.noting}, nil
}

type folder struct {
	under workshop.Folder
	v     noting
}

// Items lists the folder.
func (f folder) Items() []workshop.Item { return f.under.Items() }

// Info looks an item up.
func (f folder) Info(it workshop.Item) (workshop.Entry, error) { return f.under.Info(it) }

// Close closes the folder.
func (f folder) Close() error { return f.under.Close() }

// Open opens a file.
func (f folder) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	c, err := f.under.Open(ctx, it)
	if err == nil {
		f.v.trail.add(ctx, f.v.set, it.Path, func() string {
			e, _ := f.v.View.Stat(ctx, it.Path)
			return e.Hash
		})
	}
	return c, err
}

// Folder opens a folder inside this one.
func (f folder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	in, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return folder{in, f.v}, nil
}
