package secrets

import (
	"context"
	"io"

	"atelier/workshop"
)

// View is v without the content of what is kept back.
func (g *Guard) View(v workshop.View) workshop.View {
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
	g *Guard
}

func (g *Guard) mark(e workshop.Entry) workshop.Entry {
	if !e.Virtual {
		e.Withheld = g.Withheld(e.Path, e.IsDir)
	}
	return e
}

func (v view) Stat(ctx context.Context, p workshop.Path) (workshop.Entry, error) {
	e, err := v.View.Stat(ctx, p)
	if err != nil {
		return e, err
	}
	return v.g.mark(e), nil
}

func (v view) List(ctx context.Context, dir workshop.Path, opt workshop.ListOptions) ([]workshop.Entry, error) {
	list, err := v.View.List(ctx, dir, opt)
	for i, e := range list {
		list[i] = v.g.mark(e)
	}
	return list, err
}

func (v view) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	if err := v.g.Check(p); err != nil {
		return nil, err
	}
	return v.View.Open(ctx, p)
}

// PutAll implements workshop.Batcher.
func (v view) PutAll(ctx context.Context, puts []workshop.Put) ([]workshop.Entry, error) {
	b, ok := v.View.(workshop.Batcher)
	if !ok {
		return nil, workshop.Faultf(workshop.Internal, "these files cannot be changed together")
	}
	return b.PutAll(ctx, puts)
}

// Put lets a model write what it may not read: it sees nothing by that, and the
// person sees it in the review.
func (v view) Put(ctx context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	return v.View.Put(ctx, p, opt, write)
}

// Move refuses to take a file to where it could be read, also in a folder.
func (v view) Move(ctx context.Context, from, to workshop.Path) error {
	e, err := v.View.Stat(ctx, from)
	if err != nil {
		return v.View.Move(ctx, from, to) // which says what is wrong
	}
	files := []workshop.Entry{e}
	if e.IsDir {
		if files, err = v.View.List(ctx, from, workshop.ListOptions{Recursive: true, NoHash: true}); err != nil {
			return err
		}
	}
	for _, f := range files {
		if f.IsDir {
			continue
		}
		why := v.g.Withheld(f.Path, false)
		if why != "" && v.g.Withheld(to+f.Path[len(from):], false) == "" {
			return refusal(f.Path, why)
		}
	}
	return v.View.Move(ctx, from, to)
}

// explorer is a view that can be searched.
type explorer struct {
	view
	under workshop.Explorer
}

// Explore implements workshop.Explorer.
func (x explorer) Explore(ctx context.Context, dir workshop.Path) (workshop.Folder, error) {
	f, err := x.under.Explore(ctx, dir)
	if err != nil {
		return nil, err
	}
	return folder{f, x.g}, nil
}

type folder struct {
	under workshop.Folder
	g     *Guard
}

// Items lists the folder.
func (f folder) Items() []workshop.Item { return f.under.Items() }

// Info looks an item up.
func (f folder) Info(it workshop.Item) (workshop.Entry, error) {
	e, err := f.under.Info(it)
	if err != nil {
		return e, err
	}
	return f.g.mark(e), nil
}

// Close closes the folder.
func (f folder) Close() error { return f.under.Close() }

// Open opens a file that may be read.
func (f folder) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	if err := f.g.Check(it.Path); err != nil {
		return nil, err
	}
	return f.under.Open(ctx, it)
}

// Folder opens a folder inside this one.
func (f folder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	in, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return folder{in, f.g}, nil
}
