package files

import (
	"cmp"
	"context"
	"slices"

	"atelier/workshop"
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
			entries, err := env.View.List(ctx, a.Dir, workshop.ListOptions{Recursive: a.Recursive, NoHash: true})
			if err != nil {
				return nil, notListed(ctx, env, a.Dir, err)
			}
			if a.NoLinks {
				entries = slices.DeleteFunc(entries, func(e workshop.Entry) bool { return !opens(e) })
			}
			if a.FoldersFirst {
				slices.SortStableFunc(entries, func(x, y workshop.Entry) int {
					return cmp.Or(-boolCompare(x.IsDir, y.IsDir), cmp.Compare(x.Path, y.Path))
				})
			}
			if a.Limit > 0 && len(entries) > a.Limit {
				entries = entries[:a.Limit]
			}
			return entries, nil
		})
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

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
