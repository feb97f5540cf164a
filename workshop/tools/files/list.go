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
	Limit        int // entries; 0 is all
}

// List lists a folder. Its result is []workshop.Entry, without hashes.
func List() *tools.Tool {
	return tools.New("list", "List files and folders with their metadata. Changes made in the draft are included.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ListArgs) (any, error) {
			entries, err := env.View.List(ctx, a.Dir, workshop.ListOptions{Recursive: a.Recursive, NoHash: true})
			if err != nil {
				return nil, err
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

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
