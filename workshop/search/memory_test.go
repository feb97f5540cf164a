package search

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"atelier/formats"
	"atelier/workshop"
)

// memory is an Explorer over files in memory, so that properties can be
// tested thousands of times.
type memory map[string]string

type memSource struct{ formats.Source }

func (memSource) Close() error { return nil }

func (m memory) Open(_ context.Context, p workshop.Path) (workshop.Source, error) {
	return memSource{formats.FromBytes(path.Base(string(p)), []byte(m[string(p)]))}, nil
}

func (m memory) Explore(_ context.Context, dir workshop.Path) (workshop.Folder, error) {
	f := &memFolder{m: m}
	seen := map[string]bool{}
	prefix := ""
	if dir != "" {
		prefix = string(dir) + "/"
	}
	for p := range m {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		name, _, isDir := strings.Cut(rest, "/")
		if !seen[name] {
			seen[name] = true
			f.items = append(f.items, workshop.Item{Path: workshop.Path(prefix + name), Name: name, IsDir: isDir, Regular: !isDir})
		}
	}
	workshop.SortItems(f.items)
	return f, nil
}

type memFolder struct {
	m     memory
	items []workshop.Item
}

func (f *memFolder) Items() []workshop.Item { return f.items }
func (f *memFolder) Close() error           { return nil }
func (f *memFolder) Info(it workshop.Item) (workshop.Entry, error) {
	return workshop.Entry{Path: it.Path, IsDir: it.IsDir, Size: int64(len(f.m[string(it.Path)]))}, nil
}

func (f *memFolder) Folder(ctx context.Context, it workshop.Item) (workshop.Folder, error) {
	return f.m.Explore(ctx, it.Path)
}

func (f *memFolder) Open(_ context.Context, it workshop.Item) (workshop.Content, error) {
	return memContent{bytes.NewReader([]byte(f.m[string(it.Path)]))}, nil
}

type memContent struct{ *bytes.Reader }

func (memContent) Close() error { return nil }

// The other methods of a View; searching only reads.
func (memory) Stat(context.Context, workshop.Path) (workshop.Entry, error) { panic("not searched") }
func (memory) List(context.Context, workshop.Path, workshop.ListOptions) ([]workshop.Entry, error) {
	panic("an Explorer is not listed")
}
func (memory) Put(context.Context, workshop.Path, workshop.PutOptions, func(io.Writer) error) (workshop.Entry, error) {
	panic("searching does not write")
}
func (memory) Mkdir(context.Context, workshop.Path) (workshop.Entry, error) {
	panic("searching does not write")
}
func (memory) Remove(context.Context, workshop.Path) error { panic("searching does not write") }
func (memory) Move(context.Context, workshop.Path, workshop.Path) error {
	panic("searching does not write")
}
func (memory) Touch(context.Context, workshop.Path) (workshop.Entry, error) {
	panic("searching does not write")
}
