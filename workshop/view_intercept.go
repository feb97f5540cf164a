package workshop

import (
	"bytes"
	"context"
	"io"
	"slices"

	"atelier/formats"
)

// EditKind is what an Edit does.
type EditKind int

// The kinds of edits: one for each method of View that changes files, and
// EditCopy, which only a Rearranger makes.
const (
	EditPut EditKind = iota
	EditMkdir
	EditTouch
	EditRemove
	EditMove
	EditCopy
)

// Edit is one change that a view is asked for.
type Edit struct {
	Kind EditKind
	Path Path
	To   Path // of a move or copy
	// Replace: a move or copy of a file takes the place of a file at To.
	Replace bool
}

// Hooks are what Intercept calls. A nil hook does nothing.
type Hooks struct {
	// Read is called before a file is opened; its error refuses that.
	Read func(Path) error
	// Opened is called after a file was opened. hash returns the hash of its
	// content.
	Opened func(ctx context.Context, p Path, hash func() string)
	// Replace returns another content for a file, false for the content that it has.
	// Stat has its size and hash then, and Put takes its hash for BaseHash; List does
	// not ask.
	Replace func(ctx context.Context, p Path) (content []byte, ok bool)
	// Change is called before edits are made in under, all of one call
	// together; its error refuses all of them. done, when not nil, is called
	// after the edits were made, with an entry for each that has one.
	Change func(ctx context.Context, under View, edits []Edit) (done func([]Entry), err error)
	// Hide returns an error for an entry that must not be seen: Stat and Open
	// return that error, List and Items leave the entry out. Items asks with
	// the path and IsDir alone, and again with the whole entry if that is hidden.
	Hide func(Entry) error
	// Mark returns an entry as it is shown.
	Mark func(Entry) Entry
}

// Intercept returns v with hooks around its methods. The result is a Batcher and
// a Rearranger, and an Explorer if v is one.
func Intercept(v View, h Hooks) View {
	w := intercepted{v, h}
	if x, ok := v.(Explorer); ok {
		return interceptedExplorer{w, x}
	}
	return w
}

// PutAll puts files into a view as one change. It fails if the view is no
// Batcher.
func PutAll(ctx context.Context, v View, puts []Put) ([]Entry, error) {
	b, ok := v.(Batcher)
	if !ok {
		return nil, Faultf(Internal, "these files cannot be changed together")
	}
	return b.PutAll(ctx, puts)
}

// Inside lists the entry at p and, for a folder, everything below it. The list
// is empty if nothing is at p: the operation that follows says what is wrong.
func Inside(ctx context.Context, v View, p Path) ([]Entry, error) {
	e, err := v.Stat(ctx, p)
	if err != nil {
		return nil, nil
	}
	list := []Entry{e}
	if e.IsDir {
		below, err := v.List(ctx, p, ListOptions{Recursive: true, NoHash: true})
		return append(list, below...), err
	}
	return list, nil
}

type intercepted struct {
	under View
	hooks Hooks
}

func (v intercepted) hide(e Entry) error {
	if v.hooks.Hide == nil {
		return nil
	}
	return v.hooks.Hide(e)
}

func (v intercepted) mark(e Entry) Entry {
	if v.hooks.Mark == nil {
		return e
	}
	return v.hooks.Mark(e)
}

// Stat implements View.
func (v intercepted) Stat(ctx context.Context, p Path) (Entry, error) {
	e, err := v.under.Stat(ctx, p)
	if err != nil {
		return e, err
	}
	if err := v.hide(e); err != nil {
		return Entry{}, err
	}
	if b, ok := v.replace(ctx, e); ok {
		e.Size, e.Hash = int64(len(b)), formats.FromBytes(e.Name(), b).Hash()
	}
	return v.mark(e), nil
}

// replace returns what stands for the content of a file, if anything does.
func (v intercepted) replace(ctx context.Context, e Entry) ([]byte, bool) {
	if v.hooks.Replace == nil || e.IsDir || e.Refused != "" {
		return nil, false
	}
	return v.hooks.Replace(ctx, e.Path)
}

// based returns the options of a Put for the view below.
func (v intercepted) based(ctx context.Context, p Path, opt PutOptions) PutOptions {
	if v.hooks.Replace == nil || opt.BaseHash == "" {
		return opt
	}
	e, err := v.under.Stat(ctx, p)
	if err != nil {
		return opt
	}
	if b, ok := v.replace(ctx, e); ok && opt.BaseHash == formats.FromBytes(e.Name(), b).Hash() {
		opt.BaseHash = e.Hash
	}
	return opt
}

// List implements View.
func (v intercepted) List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error) {
	list, err := v.under.List(ctx, dir, opt)
	if v.hooks.Hide != nil {
		list = slices.DeleteFunc(list, func(e Entry) bool { return v.hooks.Hide(e) != nil })
	}
	for i, e := range list {
		list[i] = v.mark(e)
	}
	return list, err
}

// Open implements View.
func (v intercepted) Open(ctx context.Context, p Path) (Source, error) {
	if v.hooks.Hide != nil {
		if _, err := v.Stat(ctx, p); err != nil {
			return nil, err
		}
	}
	if v.hooks.Read != nil {
		if err := v.hooks.Read(p); err != nil {
			return nil, err
		}
	}
	src, err := v.under.Open(ctx, p)
	if err == nil && v.hooks.Replace != nil {
		if b, ok := v.hooks.Replace(ctx, p); ok {
			src.Close()
			src = replaced{formats.FromBytes(src.Name(), b)}
		}
	}
	if err == nil && v.hooks.Opened != nil {
		v.hooks.Opened(ctx, p, src.Hash)
	}
	return src, err
}

// replaced is a content that a hook gave.
type replaced struct{ formats.Source }

// Close implements Source.
func (replaced) Close() error { return nil }

type replacedContent struct{ *bytes.Reader }

// Close implements Content.
func (replacedContent) Close() error { return nil }

// change makes edits with the Change hook around them.
func (v intercepted) change(ctx context.Context, edits []Edit, do func() ([]Entry, error)) error {
	var done func([]Entry)
	if v.hooks.Change != nil {
		var err error
		if done, err = v.hooks.Change(ctx, v.under, edits); err != nil {
			return err
		}
	}
	entries, err := do()
	if err == nil && done != nil {
		done(entries)
	}
	return err
}

// changeOne returns change for one edit that has an entry.
func (v intercepted) changeOne(ctx context.Context, kind EditKind, p Path, do func() (Entry, error)) (e Entry, err error) {
	err = v.change(ctx, []Edit{{Kind: kind, Path: p}}, func() ([]Entry, error) {
		var err error
		e, err = do()
		return []Entry{e}, err
	})
	return e, err
}

// Put implements View.
func (v intercepted) Put(ctx context.Context, p Path, opt PutOptions, write func(io.Writer) error) (Entry, error) {
	return v.changeOne(ctx, EditPut, p, func() (Entry, error) { return v.under.Put(ctx, p, v.based(ctx, p, opt), write) })
}

// PutAll implements Batcher.
func (v intercepted) PutAll(ctx context.Context, puts []Put) (list []Entry, err error) {
	edits := make([]Edit, len(puts))
	for i, p := range puts {
		edits[i] = Edit{Kind: EditPut, Path: p.Path}
	}
	puts = slices.Clone(puts)
	for i, p := range puts {
		puts[i].Options = v.based(ctx, p.Path, p.Options)
	}
	err = v.change(ctx, edits, func() (_ []Entry, err error) {
		list, err = PutAll(ctx, v.under, puts)
		return list, err
	})
	return list, err
}

// Mkdir implements View.
func (v intercepted) Mkdir(ctx context.Context, p Path) (Entry, error) {
	return v.changeOne(ctx, EditMkdir, p, func() (Entry, error) { return v.under.Mkdir(ctx, p) })
}

// Touch implements View.
func (v intercepted) Touch(ctx context.Context, p Path) (Entry, error) {
	return v.changeOne(ctx, EditTouch, p, func() (Entry, error) { return v.under.Touch(ctx, p) })
}

// Remove implements View.
func (v intercepted) Remove(ctx context.Context, p Path) error {
	return v.change(ctx, []Edit{{Kind: EditRemove, Path: p}}, func() ([]Entry, error) { return nil, v.under.Remove(ctx, p) })
}

// Move implements View.
func (v intercepted) Move(ctx context.Context, from, to Path) error {
	return v.change(ctx, []Edit{{Kind: EditMove, Path: from, To: to}}, func() ([]Entry, error) { return nil, v.under.Move(ctx, from, to) })
}

// Rearrange implements Rearranger.
func (v intercepted) Rearrange(ctx context.Context, e Edit) error {
	return v.change(ctx, []Edit{e}, func() ([]Entry, error) { return nil, Rearrange(ctx, v.under, e) })
}

// interceptedExplorer is an intercepted view that can be explored.
type interceptedExplorer struct {
	intercepted
	explorer Explorer
}

// Explore implements Explorer.
func (x interceptedExplorer) Explore(ctx context.Context, dir Path) (Folder, error) {
	f, err := x.explorer.Explore(ctx, dir)
	if err != nil {
		return nil, err
	}
	return interceptedFolder{f, x.intercepted}, nil
}

type interceptedFolder struct {
	under Folder
	v     intercepted
}

// Close closes the folder.
func (f interceptedFolder) Close() error { return f.under.Close() }

// Items lists the folder without hidden entries.
func (f interceptedFolder) Items() []Item {
	all := f.under.Items()
	if f.v.hooks.Hide == nil {
		return all
	}
	out := make([]Item, 0, len(all))
	for _, it := range all {
		if f.v.hide(Entry{Path: it.Path, IsDir: it.IsDir}) != nil {
			if e, err := f.under.Info(it); err != nil || f.v.hide(e) != nil {
				continue
			}
		}
		out = append(out, it)
	}
	return out
}

// Info looks an item up.
func (f interceptedFolder) Info(it Item) (Entry, error) {
	e, err := f.under.Info(it)
	if err != nil {
		return e, err
	}
	return f.v.mark(e), nil
}

// Open opens a file that Items showed.
func (f interceptedFolder) Open(ctx context.Context, it Item) (Content, error) {
	if f.v.hooks.Read != nil {
		if err := f.v.hooks.Read(it.Path); err != nil {
			return nil, err
		}
	}
	c, err := f.under.Open(ctx, it)
	if err == nil && f.v.hooks.Replace != nil {
		if b, ok := f.v.hooks.Replace(ctx, it.Path); ok {
			c.Close()
			c = replacedContent{bytes.NewReader(b)}
		}
	}
	if err == nil && f.v.hooks.Opened != nil {
		f.v.hooks.Opened(ctx, it.Path, func() string {
			e, _ := f.v.under.Stat(ctx, it.Path)
			return e.Hash
		})
	}
	return c, err
}

// Folder opens a folder inside this one.
func (f interceptedFolder) Folder(ctx context.Context, it Item) (Folder, error) {
	in, err := f.under.Folder(ctx, it)
	if err != nil {
		return nil, err
	}
	return interceptedFolder{in, f.v}, nil
}
