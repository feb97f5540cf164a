package engine

import (
	"context"
	"errors"

	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
)

// reader returns a workbench to read from: the open one, or, when this engine does
// not have it open, one opened for reading, which works whoever writes to it
// (K-08). done ends its use.
func (e *Engine) reader(ctx context.Context, id string) (wb *openWorkbench, done func(), err error) {
	if id == "" {
		return nil, nil, validation("workbench_id is required")
	}
	e.mu.Lock()
	if wb = e.open[id]; wb != nil {
		e.use(ctx, wb)
	}
	e.mu.Unlock()
	if wb != nil {
		return wb, func() {}, nil
	}
	if err := e.mayOpen(id); err != nil {
		return nil, nil, err
	}
	w, err := e.home.Read(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	wb = &openWorkbench{Workbench: w, index: &lazyIndex{wb: w, texts: e.texts}, approvals: approvals.NewStore(w, e.opt.Approvals)}
	return wb, func() { w.Close() }, nil
}

// forTool returns the workbench for a call of a tool with the given effect. A
// tool that only reads also runs while another process has the workbench open
// for writing (K-08). done ends its use.
func (e *Engine) forTool(ctx context.Context, id string, effect tools.Effect) (wb *openWorkbench, done func(), err error) {
	if wb, err = e.workbench(ctx, id); effect == tools.Read && errors.Is(err, workshop.ErrInUse) {
		return e.reader(ctx, id)
	}
	return wb, func() {}, err
}

// OpenFolderForTool opens the workbench of a folder for a call of a tool with
// the given effect, and creates one if the folder has none. A tool that only
// reads gets it for reading if another process has it open for writing.
func (e *Engine) OpenFolderForTool(ctx context.Context, dir string, effect tools.Effect) (*workshop.Workbench, error) {
	wb, err := e.OpenFolder(ctx, dir)
	if effect == tools.Read && errors.Is(err, workshop.ErrInUse) {
		wb, _, err = e.ReadFolder(ctx, dir)
	}
	return wb, err
}

// ReadFolder opens the workbench of a folder for reading as long as the engine
// lives; found is false when the folder has none. All calls then see the draft
// as it is now.
func (e *Engine) ReadFolder(ctx context.Context, dir string) (wb *workshop.Workbench, found bool, err error) {
	i, found, err := e.home.FindFolder(ctx, dir)
	if err != nil || !found {
		return nil, false, err
	}
	w, err := e.home.Read(ctx, i.ID)
	if err != nil {
		return nil, true, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if open := e.open[i.ID]; open != nil {
		w.Close()
		return open.Workbench, true, nil
	}
	return e.adopt(w).Workbench, true, nil
}
