package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/search"
	"atelier/workshop/tools"
)

// ListArgs are the arguments of list.
type ListArgs struct {
	Dir       workshop.Path
	Recursive bool
	// FoldersFirst sorts folders before files, then by path; else by path.
	FoldersFirst bool
	// NoLinks leaves out links and special files, which cannot be opened.
	NoLinks bool
	Limit   int // entries; 0 is all
}

// List lists a folder. Its result is []workshop.Entry, without hashes.
func List() *tools.Tool {
	return tools.New("list", "List files and folders with their metadata. Changes made in the draft are included.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ListArgs) (any, error) {
			entries, err := a.list(ctx, env.View)
			if err != nil {
				return nil, notListed(ctx, env, a.Dir, err)
			}
			return entries, nil
		})
}

// list looks up no more entries than it returns.
func (a ListArgs) list(ctx context.Context, v workshop.View) ([]workshop.Entry, error) {
	folders, rest := []workshop.Entry{}, []workshop.Entry{}
	full := func(list []workshop.Entry) bool { return a.Limit > 0 && len(list) >= a.Limit }
	err := search.Walk(ctx, v, search.WalkOptions{Dir: a.Dir, Recursive: a.Recursive}, func(w search.Walked) (bool, error) {
		to := &rest
		if a.FoldersFirst && w.IsDir {
			to = &folders
		}
		if full(*to) || a.NoLinks && !w.IsDir && !w.Regular {
			return !full(folders) && (a.FoldersFirst || !full(rest)), nil
		}
		e, err := w.Entry(ctx)
		switch {
		case workshop.IsFault(err, workshop.NotFound): // gone meanwhile
			return true, nil
		case err != nil || a.NoLinks && !opens(e):
			return err == nil, err
		}
		*to = append(*to, e)
		return !full(folders) && (a.FoldersFirst || !full(rest)), nil
	})
	out := append(folders, rest...)
	if full(out) {
		out = out[:a.Limit]
	}
	return out, err
}

// notListed says why a folder could not be listed.
func notListed(ctx context.Context, env *tools.Env, p workshop.Path, err error) error {
	if workshop.IsFault(err, workshop.NotFound) {
		return missing(p)
	}
	if e, serr := env.View.Stat(ctx, p); serr == nil && !e.IsDir {
		return refuse(workshop.Invalid, IsFile, p, "%s is a file, not a folder", p).OnField("path")
	}
	return err
}
