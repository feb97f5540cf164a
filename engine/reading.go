package engine

import (
	"context"

	"atelier/workshop"
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
	w, err := e.home.Read(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return &openWorkbench{Workbench: w}, func() { w.Close() }, nil
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
