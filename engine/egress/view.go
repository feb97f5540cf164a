package egress

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"atelier/workshop"
)

// Known are the files that a run may see: those that were there when it began,
// and what it writes itself. It is safe for concurrent use.
type Known struct {
	mu    sync.RWMutex           // protects files
	files map[workshop.Path]bool // as spelled gives them
}

// spelled is how a path is known: where the system finds a file under several
// spellings, they are one.
func spelled(p workshop.Path) workshop.Path {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return workshop.Path(strings.ToLower(norm.NFC.String(string(p))))
	}
	return p
}

// NewKnown makes the files of a run that begins.
func NewKnown(files []workshop.Path) *Known {
	k := &Known{files: make(map[workshop.Path]bool, len(files))}
	for _, f := range files {
		k.files[spelled(f)] = true
	}
	return k
}

// Has reports whether a run may see a file.
func (k *Known) Has(p workshop.Path) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.files[spelled(p)]
}

func (k *Known) add(p workshop.Path) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.files[spelled(p)] = true
}

// hides reports whether a run must not see an entry: a file that came since,
// published or put into the draft by somebody else.
func (k *Known) hides(e workshop.Entry) bool {
	return !e.IsDir && !e.Virtual && !k.Has(e.Path)
}

// Over is v without the files that came since the run began: they are not
// listed, and whoever names one is told.
func (k *Known) Over(v workshop.View) workshop.View {
	l := limited{v, k}
	x, ok := v.(workshop.Explorer)
	if !ok {
		return l
	}
	return struct {
		limited
		explorer
	}{l, explorer{x, k}}
}

type limited struct {
	workshop.View
	known *Known
}

func since(p workshop.Path) error {
	f := workshop.Faultf(workshop.Forbidden, "%s was added after this run began, and the user has not allowed yet to send it to the model; it can be used in the next run", p).OnField("path")
	f.Paths = []string{string(p)}
	return f
}

// check refuses paths that the run must not touch, files below a folder
// included.
func (l limited) check(ctx context.Context, p workshop.Path) error {
	e, err := l.View.Stat(ctx, p)
	switch {
	case err != nil:
		return nil // not there, or the call itself says what is wrong
	case !e.IsDir && l.known.hides(e):
		return since(p)
	case !e.IsDir:
		return nil
	}
	list, err := l.View.List(ctx, p, workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return err
	}
	for _, e := range list {
		if l.known.hides(e) {
			return since(e.Path)
		}
	}
	return nil
}

func (l limited) Stat(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	e, err := l.View.Stat(ctx, p)
	if err == nil && l.known.hides(e) {
		return workshop.Entry{}, since(p)
	}
	return e, err
}

func (l limited) List(ctx context.Context, dir workshop.Path, opt workshop.ListOptions) ([]workshop.Entry, error) {
	list, err := l.View.List(ctx, dir, opt)
	return slices.DeleteFunc(list, l.known.hides), err
}

func (l limited) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	if _, err := l.Stat(ctx, p); err != nil {
		return nil, err
	}
	return l.View.Open(ctx, p)
}

func (l limited) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	if err := l.check(ctx, p); err != nil {
		return workshop.Entry{}, err
	}
	e, err := l.View.Put(ctx, p, opt, write)
	if err == nil {
		l.known.add(e.Path)
	}
	return e, err
}

// PutAll implements workshop.Batcher.
func (l limited) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	b, ok := l.View.(workshop.Batcher)
	if !ok {
		return nil, workshop.Faultf(workshop.Internal, "these files cannot be changed together")
	}
	for _, p := range puts {
		if err := l.check(ctx, p.Path); err != nil {
			return nil, err
		}
	}
	list, err := b.PutAll(ctx, puts)
	if err == nil {
		for _, e := range list {
			l.known.add(e.Path)
		}
	}
	return list, err
}

func (l limited) Remove(ctx context.Context, p workshop.Path) error {
	if err := l.check(ctx, p); err != nil {
		return err
	}
	return l.View.Remove(ctx, p)
}

// Move also takes the run's knowledge along.
func (l limited) Move(ctx context.Context, from, to workshop.Path) error {
	for _, p := range []workshop.Path{from, to} {
		if err := l.check(ctx, p); err != nil {
			return err
		}
	}
	if err := l.View.Move(ctx, from, to); err != nil {
		return err
	}
	l.known.moved(from, to)
	return nil
}

func (k *Known) moved(from, to workshop.Path) {
	from, to = spelled(from), spelled(to)
	k.mu.Lock()
	defer k.mu.Unlock()
	for p := range k.files {
		if below, ok := strings.CutPrefix(string(p), string(from)+"/"); ok {
			k.files[to+"/"+workshop.Path(below)] = true
		}
	}
	k.files[to] = true
}

func (l limited) Touch(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if err := l.check(ctx, p); err != nil {
		return workshop.Entry{}, err
	}
	e, err := l.View.Touch(ctx, p)
	if err == nil {
		l.known.add(e.Path)
	}
	return e, err
}

// explorer explores what is known.
type explorer struct {
	under workshop.Explorer
	known *Known
}

// Explore implements workshop.Explorer.
func (x explorer) Explore(ctx context.Context, dir workshop.Path) (workshop.Folder, error) {
	f, err := x.under.Explore(ctx, dir)
	if err != nil {
		return nil, err
	}
	return knownFolder{f, x.known}, nil
}

type knownFolder struct {
	under workshop.Folder
	known *Known
}

// Items leaves out what must not be seen.
func (f knownFolder) Items() []workshop.Item {
	all := f.under.Items()
	out := make([]workshop.Item, 0, len(all))
	for _, it := range all {
		if !it.IsDir && !f.known.Has(it.Path) {
			if e, err := f.under.Info(it); err != nil || f.known.hides(e) {
				continue
			}
		}
		out = append(out, it)
	}
	return out
}

// Info looks an item up.
func (f knownFolder) Info(it workshop.Item) (workshop.Entry, error) { return f.under.Info(it) }

// Open opens a file that Items showed.
func (f knownFolder) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	return f.under.Open(ctx, it)
}

// Folder opens a folder inside this one.
func (f knownFolder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	in, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return knownFolder{in, f.known}, nil
}

// Close closes the folder.
func (f knownFolder) Close() error { return f.under.Close() }
