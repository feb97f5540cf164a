package engine

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/translate"
)

// mayTell reports whether a model may see an active file: whether it is not kept
// back, by its path, or where it has none by its docPath as a whole.
func (e *Engine) mayTell(ctx context.Context, wb *openWorkbench, f openfiles.File) bool {
	ctx = context.WithoutCancel(ctx)
	g, err := e.documents(wb).Guard(ctx)
	if err != nil {
		return false
	}
	p, err := wb.FindDoc(ctx, wb.DraftView(workshop.Cause{}), workshop.DocPath(f.DocPath))
	if workshop.IsFault(err, workshop.NotFound) {
		p, err = workshop.Path(f.DocPath), nil
	}
	return err == nil && g.Check(p) == nil
}

// withheld says why models are not given a document of a workbench, "" where they
// are, by the rules and the list as they are now.
func (e *Engine) withheld(ctx context.Context, workbench string) (func(translate.Document) string, error) {
	wb, err := e.workbench(ctx, workbench)
	if err != nil {
		return nil, err
	}
	g, err := e.documents(wb).Guard(ctx)
	if err != nil {
		return nil, err
	}
	return func(d translate.Document) string { return g.Withheld(workshop.Path(d.Path), false) }, nil
}
