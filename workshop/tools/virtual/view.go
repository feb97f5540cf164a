package virtual

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/provenance"
)

// File is a virtual file.
type File struct {
	Path              workshop.Path
	ID, Type          string // Identity.FileID and Type of its entry
	Created, Modified time.Time
	Text              func(context.Context) (string, error)
}

func (f File) entry() workshop.Entry {
	return workshop.Entry{Path: f.Path, Kind: formats.KindText, MIME: "text/plain", Modified: f.Modified, Synced: true, Virtual: true,
		Identity: workshop.Identity{FileID: f.ID, Type: f.Type, Created: f.Created.UTC().Format(time.RFC3339Nano)}}
}

func (f File) open(ctx context.Context) (source, error) {
	text, err := f.Text(ctx)
	if err != nil {
		return source{}, err
	}
	return source{formats.FromBytes(path.Base(string(f.Path)), []byte(text))}, nil
}

type source struct{ formats.Source }

func (source) Close() error { return nil }

// view lays files over another view. They stand before what may be at their
// paths there.
type view struct {
	workshop.View
	files map[workshop.Path]File
	dirs  map[workshop.Path]time.Time // folders the files are in, at any depth
}

// explorer is a view over one that can be explored.
type explorer struct {
	view
	under workshop.Explorer
}

// Over lays files over a view; without any it is the view itself. It is an
// Explorer if the view is.
func Over(v workshop.View, fs ...File) workshop.View {
	if len(fs) == 0 {
		return v
	}
	out := view{View: v, files: map[workshop.Path]File{}, dirs: map[workshop.Path]time.Time{}}
	for _, f := range fs {
		out.files[f.Path] = f
		for d := parent(f.Path); d != ""; d = parent(d) {
			if f.Modified.After(out.dirs[d]) {
				out.dirs[d] = f.Modified
			}
		}
	}
	if e, ok := v.(workshop.Explorer); ok {
		return explorer{out, e}
	}
	return out
}

func parent(p workshop.Path) workshop.Path {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func (v view) dir(p workshop.Path) (workshop.Entry, bool) {
	at, ok := v.dirs[p]
	return workshop.Entry{Path: p, IsDir: true, Modified: at, Synced: true, Virtual: true}, ok
}

// Stat looks at a file or folder.
func (v view) Stat(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if f, ok := v.files[p]; ok {
		e := f.entry()
		src, err := f.open(ctx)
		if err != nil {
			return e, err
		}
		e.Size, e.Hash = src.Size(), src.Hash()
		return e, nil
	}
	e, err := v.View.Stat(ctx, p)
	if d, ok := v.dir(p); ok && workshop.IsFault(err, workshop.NotFound) {
		return d, nil
	}
	return e, err
}

// List lists a folder.
func (v view) List(ctx context.Context, dir workshop.Path, opt workshop.ListOptions) ([]workshop.Entry, error) {
	es, err := v.View.List(ctx, dir, opt)
	if _, ok := v.dirs[dir]; err != nil && !(ok && workshop.IsFault(err, workshop.NotFound)) {
		return nil, err
	}
	there := map[workshop.Path]bool{}
	es = slices.DeleteFunc(es, func(e workshop.Entry) bool {
		_, hidden := v.files[e.Path]
		there[e.Path] = !hidden
		return hidden
	})
	in := func(p workshop.Path) bool {
		return parent(p) == dir || opt.Recursive && (dir == "" || strings.HasPrefix(string(p), string(dir)+"/"))
	}
	for d := range v.dirs {
		if e, _ := v.dir(d); in(d) && !there[d] {
			es = append(es, e)
		}
	}
	for p, f := range v.files {
		if !in(p) {
			continue
		}
		e := f.entry()
		if !opt.NoHash {
			if e, err = v.Stat(ctx, p); err != nil {
				return nil, err
			}
		}
		es = append(es, e)
	}
	slices.SortFunc(es, func(a, b workshop.Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return es, nil
}

// Open opens a file.
func (v view) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	if f, ok := v.files[p]; ok {
		provenance.Opened(ctx, p)
		return f.open(ctx)
	}
	return v.View.Open(ctx, p)
}

// refuse is nil for paths that are no virtual files.
func (v view) refuse(p workshop.Path) error {
	if _, ok := v.files[p]; ok {
		return workshop.Faultf(workshop.Invalid, "%s is a virtual file, which is only read", p)
	}
	return nil
}

// Put writes a file that is not virtual; so do the others.
func (v view) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	if err := v.refuse(p); err != nil {
		return workshop.Entry{}, err
	}
	return v.View.Put(ctx, p, opt, write)
}

// Mkdir makes a folder.
func (v view) Mkdir(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	for q := p; q != ""; q = parent(q) {
		if _, ok := v.files[q]; ok {
			return workshop.Entry{}, workshop.Faultf(workshop.Conflict, "%s is a file", q)
		}
	}
	return v.View.Mkdir(ctx, p)
}

// Remove removes a file or an empty folder.
func (v view) Remove(ctx context.Context, p workshop.Path) error {
	if err := v.refuse(p); err != nil {
		return err
	}
	if _, ok := v.dirs[p]; ok {
		return workshop.Faultf(workshop.Conflict, "%s is not empty", p)
	}
	return v.View.Remove(ctx, p)
}

// Move moves a file or folder; virtual files do not go along with theirs.
func (v view) Move(ctx context.Context, from, to workshop.Path) error {
	if err := v.refuse(from); err != nil {
		return err
	}
	if err := v.refuse(to); err != nil {
		return workshop.Faultf(workshop.Conflict, "%s exists already", to)
	}
	if d, ok := v.dir(from); ok {
		if _, err := v.View.Stat(ctx, from); workshop.IsFault(err, workshop.NotFound) {
			return workshop.Faultf(workshop.Invalid, "%s is a virtual folder, which is only read", d.Path)
		}
	}
	return v.View.Move(ctx, from, to)
}

// Touch sets the time of a file or folder.
func (v view) Touch(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if err := v.refuse(p); err != nil {
		return workshop.Entry{}, err
	}
	return v.View.Touch(ctx, p)
}
