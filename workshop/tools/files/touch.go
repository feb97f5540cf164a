package files

import (
	"context"

	"atelier/workshop/tools"
)

// Touch sets the time of a file or folder, importing what only the disk knows,
// or makes an empty file. Its result is the workshop.Entry.
func Touch() *tools.Tool {
	return tools.New("touch", "Set the time of a file, or make an empty one.", tools.Write,
		func(ctx context.Context, env *tools.Env, a PathArgs) (any, error) {
			e, there, err := LookUp(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			if e.Virtual {
				return nil, isVirtual(a.Path)
			}
			if err := GuardContent(env, a.Path, e, there); err != nil {
				return nil, err
			}
			return env.View.Touch(ctx, a.Path)
		}).GuardsItself()
}
