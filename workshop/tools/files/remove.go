package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// RemoveArgs are the arguments of remove.
type RemoveArgs struct {
	Path  workshop.Path
	Whole bool // also a folder with everything in it
}

// Removed is the result of remove.
type Removed struct {
	Entry workshop.Entry // that was there
	Files int            // of a folder: how many files it had
	First []workshop.Path
}

// namedFiles is how many files of a folder Removed names.
const namedFiles = 5

// Remove removes a file or an empty folder, or with Whole any folder. Its result
// is Removed.
func Remove() *tools.Tool {
	return tools.New("remove", "Remove a file or a folder.", tools.Write,
		func(ctx context.Context, env *tools.Env, a RemoveArgs) (any, error) {
			if a.Path == "" {
				return nil, refuse(workshop.Invalid, IsRoot, "", "the workbench itself cannot be removed").OnField("path")
			}
			if err := guardFolder(env, a.Path); err != nil {
				return nil, err
			}
			e, err := stat(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			if e.Virtual {
				return nil, isVirtual(a.Path)
			}
			r := Removed{Entry: e}
			if e.IsDir && a.Whole {
				if r.Files, r.First, err = filesIn(ctx, env, a.Path, namedFiles); err != nil {
					return nil, err
				}
				return r, workshop.Rearrange(ctx, env.View, workshop.Edit{Kind: workshop.EditRemove, Path: a.Path})
			}
			if err := refuseFull(ctx, env, e); err != nil {
				return nil, err
			}
			return r, env.View.Remove(ctx, a.Path)
		}).GuardsItself()
}

// refuseFull refuses a folder that has something in it.
func refuseFull(ctx context.Context, env *tools.Env, e workshop.Entry) error {
	if !e.IsDir {
		return nil
	}
	inside, err := env.View.List(ctx, e.Path, workshop.ListOptions{NoHash: true})
	if err == nil && len(inside) > 0 {
		return refuse(workshop.Conflict, NotEmpty, e.Path, "%s is not empty: it has %d files or folders", e.Path, len(inside))
	}
	return err
}

func isVirtual(p workshop.Path) *workshop.Fault {
	return refuse(workshop.Invalid, Virtual, p, "%s is a virtual file, which is only read", p).OnField("path")
}
