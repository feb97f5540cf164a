package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// PathArgs are the arguments of tools that take one path.
type PathArgs struct{ Path workshop.Path }

// Mkdir makes a folder with its parents. Its result is the workshop.Entry, the
// same whether the folder was there before or not; the root has no id.
func Mkdir() *tools.Tool {
	return tools.New("mkdir", "Make a folder with its parents.", tools.Write,
		func(ctx context.Context, env *tools.Env, a PathArgs) (any, error) {
			if err := guardFolder(env, a.Path); err != nil {
				return nil, err
			}
			e, err := env.View.Mkdir(ctx, a.Path)
			if err != nil || a.Path == "" || e.FileID != "" {
				return e, err
			}
			return env.View.Touch(ctx, a.Path) // only the disk knew it
		}).GuardsItself()
}
