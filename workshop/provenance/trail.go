package provenance

import (
	"context"
	"maps"
	"strings"
	"sync"

	"atelier/workshop"
)

// Trail is what a run made, moved and copied, so that what it reads there counts as
// what it is. It is safe for concurrent use.
type Trail struct {
	mu   sync.Mutex               // protects the fields below
	made map[workshop.Path]string // hash of a file that the run wrote and that was not there before
	from map[workshop.Path]string // of a moved or copied file: the name it had before the run
}

// NewTrail returns the trail of a run that begins.
func NewTrail() *Trail {
	return &Trail{made: map[workshop.Path]string{}, from: map[workshop.Path]string{}}
}

// Over returns v with the files that are opened added to s as sources.
func (t *Trail) Over(v workshop.View, s *Set) workshop.View {
	return workshop.Intercept(v, workshop.Hooks{
		Opened: func(ctx context.Context, p workshop.Path, hash func() string) { t.add(ctx, s, p, hash) },
		Change: t.change,
	})
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

// Name returns what a file counts as that a search found something in, nothing for
// one that the run made.
func (t *Trail) Name(ctx context.Context, v workshop.View, p workshop.Path) []string {
	s := &Set{}
	t.add(ctx, s, p, func() string {
		e, _ := v.Stat(ctx, p)
		return e.Hash
	})
	return s.List()
}

// change returns what follows edits in the trail.
func (t *Trail) change(ctx context.Context, under workshop.View, edits []workshop.Edit) (func([]workshop.Entry), error) {
	if len(edits) == 0 {
		return nil, nil
	}
	switch e := edits[0]; e.Kind { // only puts come several at a time
	case workshop.EditPut:
		fresh := make([]bool, len(edits))
		for i, e := range edits {
			fresh[i] = t.isFresh(ctx, under, e.Path)
		}
		return func(entries []workshop.Entry) {
			for i, e := range entries {
				t.wrote(fresh[i], e)
			}
		}, nil
	case workshop.EditTouch: // it may make a file
		if t.isFresh(ctx, under, e.Path) {
			return func(entries []workshop.Entry) { t.wrote(true, entries[0]) }, nil
		}
	case workshop.EditRemove:
		return func([]workshop.Entry) { t.removed(e.Path) }, nil
	case workshop.EditMove, workshop.EditCopy:
		list, err := workshop.Inside(ctx, under, e.Path)
		if err != nil {
			return nil, err
		}
		var files []workshop.Path
		for _, f := range list {
			if !f.IsDir {
				files = append(files, f.Path)
			}
		}
		return func([]workshop.Entry) { t.relocated(files, e) }, nil
	}
	return nil, nil
}

// isFresh reports whether a path is free or has a file of the run itself.
func (t *Trail) isFresh(ctx context.Context, v workshop.View, p workshop.Path) bool {
	e, err := v.Stat(ctx, p)
	if workshop.IsFault(err, workshop.NotFound) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	own, ok := t.made[p]
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

// removed forgets what is known of a file, or of the files in a folder.
func (t *Trail) removed(p workshop.Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone := func(q workshop.Path, _ string) bool { return q == p || strings.HasPrefix(string(q), string(p)+"/") }
	maps.DeleteFunc(t.made, gone)
	maps.DeleteFunc(t.from, gone)
}

// relocated takes along what is known of files that were moved or copied.
func (t *Trail) relocated(files []workshop.Path, e workshop.Edit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range files {
		at := e.To + workshop.Path(strings.TrimPrefix(string(p), string(e.Path)))
		own, made := t.made[p]
		name, moved := t.from[p]
		if e.Kind == workshop.EditMove {
			delete(t.made, p)
			delete(t.from, p)
		}
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
