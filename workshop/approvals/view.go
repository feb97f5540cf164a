package approvals

import (
	"context"

	"atelier/workshop"
)

// View returns v with its reads and changes passed through the gate. Names,
// sizes and hashes are not: the model knows which files there are.
func (g *Gate) View(v workshop.View) workshop.View {
	if g == nil {
		return v
	}
	return workshop.Intercept(v, workshop.Hooks{
		Read: g.Read,
		Change: func(ctx context.Context, under workshop.View, edits []workshop.Edit) (func([]workshop.Entry), error) {
			var uses []Use
			for _, e := range edits {
				more, err := usesOf(ctx, under, e)
				if err != nil {
					return nil, err
				}
				uses = append(uses, more...)
			}
			return nil, g.Change(ctx, uses...)
		},
	})
}

// usesOf lists what an edit does to a file, or to a folder and everything in it.
func usesOf(ctx context.Context, v workshop.View, e workshop.Edit) ([]Use, error) {
	var uses func(p workshop.Path) []Use
	switch e.Kind {
	case workshop.EditRemove:
		uses = func(p workshop.Path) []Use { return []Use{{Delete, p}} }
	case workshop.EditMove:
		uses = func(p workshop.Path) []Use {
			return []Use{{Delete, p}, {Write, e.To + p[len(e.Path):]}, {Read, p}} // it could be read there
		}
	case workshop.EditCopy:
		uses = func(p workshop.Path) []Use { return []Use{{Write, e.To + p[len(e.Path):]}, {Read, p}} }
	default:
		return []Use{{Write, e.Path}}, nil
	}
	list, err := workshop.Inside(ctx, v, e.Path)
	out := uses(e.Path)
	for _, f := range list[min(len(list), 1):] {
		out = append(out, uses(f.Path)...)
	}
	return out, err
}
