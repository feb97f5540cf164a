package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Copy copies a file or a folder with everything in it. The copies have an
// identity of their own; a review compares them with what they were copied from.
// Its result is Moved.
func Copy() *tools.Tool {
	return tools.New("copy", "Copy a file or folder.", tools.Write,
		func(ctx context.Context, env *tools.Env, a MoveArgs) (any, error) {
			m, err := relocation(ctx, env, a, "copied")
			if err != nil {
				return nil, err
			}
			return m, workshop.Rearrange(ctx, env.View, workshop.Edit{Kind: workshop.EditCopy, Path: a.From, To: m.To, Replace: a.Replace})
		})
}
