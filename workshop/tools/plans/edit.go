package plans

import (
	"context"

	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// Edit changes one place of the body of a plan; the front matter keeps its
// bytes. Its arguments are files.EditArgs, its result is the workshop.Entry.
func Edit() *tools.Tool {
	return tools.New("plan_edit", "Change one place of a plan.", tools.Write,
		func(ctx context.Context, env *tools.Env, a files.EditArgs) (any, error) {
			if err := checkExtension(a.Path); err != nil {
				return nil, err
			}
			return files.EditAfter(ctx, env, a, func(text string) int {
				_, head := split(text)
				return head
			})
		}).GuardsItself()
}
