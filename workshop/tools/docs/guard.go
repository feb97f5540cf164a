package docs

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Guard returns v with changes of active files refused: their newest content is
// in the person's editor, where they are changed (C-07, C-50). Without active
// files it returns v itself.
func Guard(v workshop.View, s *tools.Session) workshop.View {
	if s == nil || s.Docs == nil || len(s.Active.All()) == 0 {
		return v
	}
	return workshop.Intercept(v, workshop.Hooks{
		Change: func(ctx context.Context, under workshop.View, edits []workshop.Edit) (func([]workshop.Entry), error) {
			for _, e := range edits {
				paths, err := editedPaths(ctx, under, e)
				if err != nil {
					return nil, err
				}
				for _, p := range paths {
					if err := refuseActive(ctx, under, s, p); err != nil {
						return nil, err
					}
				}
			}
			return nil, nil
		},
	})
}

// editedPaths lists the paths of an edit at which no active file may be.
func editedPaths(ctx context.Context, v workshop.View, e workshop.Edit) ([]workshop.Path, error) {
	switch e.Kind {
	case workshop.EditMkdir:
		return nil, nil
	case workshop.EditMove:
		paths := []workshop.Path{e.Path, e.To}
		list, err := workshop.Inside(ctx, v, e.Path)
		for _, f := range list[min(len(list), 1):] {
			paths = append(paths, f.Path, e.To+f.Path[len(e.Path):])
		}
		return paths, err
	case workshop.EditCopy, workshop.EditRemove:
		at := e.Path
		if e.Kind == workshop.EditCopy {
			at = e.To
		}
		paths := []workshop.Path{at}
		list, err := workshop.Inside(ctx, v, e.Path)
		for _, f := range list[min(len(list), 1):] {
			paths = append(paths, at+f.Path[len(e.Path):])
		}
		return paths, err
	}
	return []workshop.Path{e.Path}, nil
}

// refuseActive refuses a path whose docPath is active.
func refuseActive(ctx context.Context, v workshop.View, s *tools.Session, p workshop.Path) error {
	doc, err := s.Docs.DocOf(ctx, v, p)
	if err != nil {
		return err
	}
	if _, ok := s.ActiveFile(doc); !ok {
		return nil
	}
	f := workshop.Faultf(workshop.Conflict, "%s is active in the user's editor, whose content is newer; it is changed there, not here", p)
	f.Hint, f.Paths = "propose the change to the user, or use workspace_write_patch where it is offered", []string{string(p)}
	return f
}
