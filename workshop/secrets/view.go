package secrets

import (
	"context"

	"atelier/workshop"
)

// View returns v without the content of withheld files. A model may
// write such a file: that shows it nothing, and the person sees the change in
// the review. Moving or
// copying one to where it could be read is refused.
func (g *Guard) View(v workshop.View) workshop.View {
	if g == nil {
		return v
	}
	return workshop.Intercept(v, workshop.Hooks{Read: g.Check, Mark: g.markEntry, Change: g.checkMoves})
}

func (g *Guard) markEntry(e workshop.Entry) workshop.Entry {
	if !e.Virtual {
		e.Withheld = g.Withheld(e.Path, e.IsDir)
	}
	return e
}

// checkMoves refuses to move or copy a file to where it could be read, also in a folder.
func (g *Guard) checkMoves(ctx context.Context, under workshop.View, edits []workshop.Edit) (func([]workshop.Entry), error) {
	for _, e := range edits {
		if e.Kind != workshop.EditMove && e.Kind != workshop.EditCopy {
			continue
		}
		files, err := workshop.Inside(ctx, under, e.Path)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.IsDir {
				continue
			}
			why := g.Withheld(f.Path, false)
			if why != "" && g.Withheld(e.To+f.Path[len(e.Path):], false) == "" {
				return nil, withheldFault(f.Path, why)
			}
		}
	}
	return nil, nil
}
