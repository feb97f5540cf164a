package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Remove removes a file or an empty folder. Its result is the workshop.Entry
// that was there.
func Remove() *tools.Tool {
	return tools.New("remove", "Remove a file or an empty folder.", tools.Write,
		func(ctx context.Context, env *tools.Env, a PathArgs) (any, error) {
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
			if e.IsDir {
				inside, err := env.View.List(ctx, a.Path, workshop.ListOptions{NoHash: true})
				if err != nil {
					return nil, err
				}
				if len(inside) > 0 {
					return nil, refuse(workshop.Conflict, NotEmpty, a.Path, "%s is not empty: it has %d files or folders", a.Path, len(inside))
				}
			}
			return e, env.View.Remove(ctx, a.Path)
		}).GuardsItself()
}

func isVirtual(p workshop.Path) *workshop.Fault {
	return refuse(workshop.Invalid, Virtual, p, "%s is a virtual file, which is only read", p).OnField("path")
}
