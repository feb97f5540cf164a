package approvals

import (
	"context"
	"io"

	"atelier/workshop"
)

// View is a view whose files pass the gate. Names, sizes and hashes do not: what
// files there are is known to the model anyway.
func (g *Gate) View(v workshop.View) workshop.View {
	if g == nil {
		return v
	}
	w := view{v, g}
	if x, ok := v.(workshop.Explorer); ok {
		return explorer{w, x}
	}
	return w
}

type view struct {
	workshop.View
	g *Gate
}

func (v view) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	if err := v.g.Read(p); err != nil {
		return nil, err
	}
	return v.View.Open(ctx, p)
}

func (v view) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	if err := v.g.Change(ctx, Use{Write, p}); err != nil {
		return workshop.Entry{}, err
	}
	return v.View.Put(ctx, p, opt, write)
}

// PutAll implements workshop.Batcher.
func (v view) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	uses := make([]Use, len(puts))
	for i, p := range puts {
		uses[i] = Use{Write, p.Path}
	}
	b, ok := v.View.(workshop.Batcher)
	if !ok {
		return nil, workshop.Faultf(workshop.Internal, "these files cannot be changed together")
	}
	if err := v.g.Change(ctx, uses...); err != nil {
		return nil, err
	}
	return b.PutAll(ctx, puts)
}

func (v view) Mkdir(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if err := v.g.Change(ctx, Use{Write, p}); err != nil {
		return workshop.Entry{}, err
	}
	return v.View.Mkdir(ctx, p)
}

func (v view) Touch(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	if err := v.g.Change(ctx, Use{Write, p}); err != nil {
		return workshop.Entry{}, err
	}
	return v.View.Touch(ctx, p)
}

func (v view) Remove(ctx context.Context, p workshop.Path) error {
	uses, err := v.inside(ctx, p, func(p workshop.Path) []Use { return []Use{{Delete, p}} })
	if err == nil {
		err = v.g.Change(ctx, uses...)
	}
	if err != nil {
		return err
	}
	return v.View.Remove(ctx, p)
}

func (v view) Move(ctx context.Context, from, to workshop.Path) error {
	uses, err := v.inside(ctx, from, func(p workshop.Path) []Use {
		return []Use{{Delete, p}, {Write, to + p[len(from):]}, {Read, p}} // it could be read there
	})
	if err == nil {
		err = v.g.Change(ctx, uses...)
	}
	if err != nil {
		return err
	}
	return v.View.Move(ctx, from, to)
}

// inside is what is done to a file, or to a folder and all that is in it.
func (v view) inside(ctx context.Context, p workshop.Path, uses func(workshop.Path) []Use) ([]Use, error) {
	out := uses(p)
	if e, err := v.View.Stat(ctx, p); err != nil || !e.IsDir {
		return out, nil // when it is missing, the operation says so
	}
	entries, err := v.View.List(ctx, p, workshop.ListOptions{Recursive: true, NoHash: true})
	for _, e := range entries {
		out = append(out, uses(e.Path)...)
	}
	return out, err
}

// explorer is a view that can be searched.
type explorer struct {
	view
	under workshop.Explorer
}

func (x explorer) Explore(ctx context.Context, dir workshop.Path) (workshop.Folder, error) {
	f, err := x.under.Explore(ctx, dir)
	if err != nil {
		return nil, err
	}
	return folder{f, x.g}, nil
}

type folder struct {
	under workshop.Folder
	g     *Gate
}

func (f folder) Items() []workshop.Item                        { return f.under.Items() }
func (f folder) Info(it workshop.Item) (workshop.Entry, error) { return f.under.Info(it) }
func (f folder) Close() error                                  { return f.under.Close() }

func (f folder) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	if err := f.g.Read(it.Path); err != nil {
		return nil, err
	}
	return f.under.Open(ctx, it)
}

func (f folder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	in, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return folder{in, f.g}, nil
}
