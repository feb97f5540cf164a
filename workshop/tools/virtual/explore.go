package virtual

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/provenance"
)

// Explore opens a folder to look around in.
func (v explorer) Explore(ctx context.Context, dir workshop.Path) (workshop.Folder, error) {
	under, err := v.under.Explore(ctx, dir)
	if _, ok := v.dirs[dir]; ok && workshop.IsFault(err, workshop.NotFound) {
		return v.folder(dir, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return v.folder(dir, under), nil
}

// folder lays the files of dir over a folder; nil is one that is not there
// otherwise.
func (v explorer) folder(dir workshop.Path, under workshop.Folder) workshop.Folder {
	if _, ok := v.dirs[dir]; !ok && dir != "" {
		return under
	}
	f := &folder{v: v, under: under}
	there := map[workshop.Path]bool{}
	if under != nil {
		for _, it := range under.Items() {
			if _, hidden := v.files[it.Path]; !hidden {
				f.items = append(f.items, it)
				there[it.Path] = true
			}
		}
	}
	for d := range v.dirs {
		if parent(d) == dir && !there[d] {
			f.items = append(f.items, workshop.Item{Path: d, Name: workshop.Entry{Path: d}.Name(), IsDir: true})
		}
	}
	for p := range v.files {
		if parent(p) == dir {
			f.items = append(f.items, workshop.Item{Path: p, Name: workshop.Entry{Path: p}.Name(), Regular: true})
		}
	}
	workshop.SortItems(f.items)
	return f
}

type folder struct {
	v     explorer
	under workshop.Folder
	items []workshop.Item
}

func (f *folder) Items() []workshop.Item { return f.items }

func (f *folder) Close() error {
	if f.under == nil {
		return nil
	}
	return f.under.Close()
}

// real reports whether an item is of the folder beneath.
func (f *folder) real(it workshop.Item) bool {
	if f.under == nil {
		return false
	}
	if _, ok := f.v.files[it.Path]; ok {
		return false
	}
	if _, ok := f.v.dirs[it.Path]; !ok {
		return true
	}
	for _, u := range f.under.Items() {
		if u.Path == it.Path {
			return true
		}
	}
	return false
}

func (f *folder) Info(it workshop.Item) (workshop.Entry, error) {
	if f.real(it) {
		return f.under.Info(it)
	}
	if file, ok := f.v.files[it.Path]; ok {
		return file.entry(), nil
	}
	e, _ := f.v.dir(it.Path)
	return e, nil
}

func (f *folder) Open(ctx context.Context, it workshop.Item) (workshop.Content, error) {
	file, ok := f.v.files[it.Path]
	if !ok {
		return f.under.Open(ctx, it)
	}
	provenance.Opened(ctx, it.Path)
	src, err := file.open(ctx)
	if err != nil {
		return nil, err
	}
	return &content{source: src}, nil
}

func (f *folder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	if !f.real(it) {
		return f.v.folder(it.Path, nil), nil
	}
	under, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return f.v.folder(it.Path, under), nil
}

// content reads a source from its beginning.
type content struct {
	source
	off int64
}

func (c *content) Read(b []byte) (int, error) {
	n, err := c.ReadAt(b, c.off)
	c.off += int64(n)
	return n, err
}
