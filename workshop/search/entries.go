package search

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"atelier/workshop"
)

// WalkOptions refine Walk; the zero value walks the children of the root.
type WalkOptions struct {
	Dir       workshop.Path // "" is the root
	Recursive bool          // also what is below the children
	After     workshop.Path // only paths behind this one; "" is all
}

// Walked is an entry that a walk has come to. Nothing but its item was looked up.
type Walked struct {
	workshop.Item
	w      *walker
	folder *folder
	denied bool            // a folder that may not be read
	listed *workshop.Entry // of a view that is no Explorer
}

// Entry looks the entry up, as View.List without hashes does. What has gone since is a
// NotFound fault.
func (e Walked) Entry(ctx context.Context) (workshop.Entry, error) {
	if e.listed != nil {
		return *e.listed, nil
	}
	out, err := e.folder.Info(e.Item)
	if err == nil && out.InDraft && !out.IsDir { // the view knows whether the published file changed
		out, err = e.w.view.Stat(ctx, e.Path)
		out.Hash = ""
	}
	if e.denied {
		out.Refused = "unreadable"
	}
	return out, err
}

// Walk calls yield for the entries of a folder in the byte order of their paths, as
// View.List has them, until it returns false. It holds the names of one folder for each
// level, however many files there are; a view that is no Explorer is listed. Errors are
// those of View.List and of yield.
func Walk(ctx context.Context, v workshop.View, opt WalkOptions, yield func(Walked) (more bool, err error)) error {
	if _, ok := v.(workshop.Explorer); !ok {
		return walkList(ctx, v, opt, yield)
	}
	root, err := openFolder(ctx, v, opt.Dir)
	if err != nil {
		return err
	}
	defer root.release()
	w := &walker{view: v, opt: opt, yield: yield}
	_, err = w.walk(ctx, root)
	return err
}

// walkList is Walk over the list of a view.
func walkList(ctx context.Context, v workshop.View, opt WalkOptions, yield func(Walked) (bool, error)) error {
	list, err := v.List(ctx, opt.Dir, workshop.ListOptions{Recursive: opt.Recursive, NoHash: true})
	if err != nil {
		return err
	}
	for i, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Path <= opt.After {
			continue
		}
		it := workshop.Item{Path: e.Path, Name: e.Name(), IsDir: e.IsDir, Regular: !e.IsDir && !e.IsSpecial()}
		if more, err := yield(Walked{Item: it, listed: &list[i]}); !more || err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	view  workshop.View
	opt   WalkOptions
	yield func(Walked) (bool, error)
}

// walk visits a folder. What is in a folder comes where its path followed by "/" has its
// place, which is behind names such as "a.txt" for the folder "a"; the folder itself comes
// before them.
func (w *walker) walk(ctx context.Context, f *folder) (more bool, err error) {
	inside := f.Items() // by the paths of what is in folders
	own := slices.Clone(inside)
	slices.SortFunc(own, func(a, b workshop.Item) int { return strings.Compare(a.Name, b.Name) })
	opened := map[string]*folder{}
	defer func() {
		for _, sub := range opened {
			sub.release()
		}
	}()
	for _, it := range inside {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !it.IsDir || !w.opt.Recursive {
			continue
		}
		for len(own) > 0 && own[0].Name < it.Name+"/" {
			if more, err := w.visit(ctx, f, own[0], opened); !more || err != nil {
				return false, err
			}
			own = own[1:]
		}
		sub := opened[it.Name]
		if sub == nil {
			continue
		}
		delete(opened, it.Name)
		more, err := w.walk(ctx, sub)
		sub.release()
		if !more || err != nil {
			return false, err
		}
	}
	for _, it := range own {
		if more, err := w.visit(ctx, f, it, opened); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// visit yields an item of a folder, and opens it where it is a folder to walk.
func (w *walker) visit(ctx context.Context, f *folder, it workshop.Item, opened map[string]*folder) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	denied := false
	if below := string(it.Path) + "/"; it.IsDir && w.opt.Recursive && (below > string(w.opt.After) || strings.HasPrefix(string(w.opt.After), below)) {
		sub, err := f.Folder.Folder(ctx, it)
		switch {
		case err == nil:
			opened[it.Name] = newFolder(sub)
		case errors.Is(err, fs.ErrPermission):
			denied = true
		case !workshop.IsFault(err, workshop.NotFound): // else deleted in the meantime
			return false, err
		}
	}
	if it.Path <= w.opt.After {
		return true, nil
	}
	return w.yield(Walked{Item: it, w: w, folder: f, denied: denied})
}
