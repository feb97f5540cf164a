package engine

import (
	"context"
	"errors"
	"time"

	"atelier/workshop"
)

// A run works on a draft and a conversation that publish, discard, undo,
// restore and the like replace. So each of them takes the workbench as a run
// does, and the second call fails at once and names what is in progress.

// take takes the workbench for an activity; cancel, which may be nil, asks it
// to stop.
func (wb *openWorkbench) take(a workshop.Activity, cancel context.CancelFunc) (end func(), err error) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	over, err := wb.Begin(a)
	if err != nil {
		return nil, err
	}
	wb.cancel = cancel
	return func() {
		wb.mu.Lock()
		defer wb.mu.Unlock()
		wb.cancel = nil
		over()
	}, nil
}

// hold takes the workbench for an activity that Close waits for.
func (e *Engine) hold(wb *openWorkbench, a workshop.Activity, cancel context.CancelFunc) (end func(), err error) {
	over, err := wb.take(a, cancel)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		over()
		return nil, errClosing
	}
	e.running.Add(1)
	return func() { over(); e.running.Done() }, nil
}

// beginRun takes the workbench for work of a model; the context ends with
// WorkshopCancelRun, and end gives it back.
func (e *Engine) beginRun(ctx context.Context, wb *openWorkbench, a workshop.Activity) (_ context.Context, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	over, err := e.hold(wb, a, cancel)
	if err != nil {
		cancel()
		if a == workshop.ActRun && errors.Is(err, workshop.Busy{With: workshop.ActRun}) {
			f := *workshop.AsFault(err)
			f.Message = "workshop run already in progress" // W-13
			err = &f
		}
		return ctx, nil, err
	}
	at := e.hub.position(wb.ID())
	wb.setRunAfter(at)
	return ctx, func() { wb.setRunAfter(0); cancel(); over() }, nil
}

// beginActivity takes a workbench for something the person does to it as a whole.
func (e *Engine) beginActivity(ctx context.Context, id string, a workshop.Activity) (wb *openWorkbench, end func(), err error) {
	if wb, err = e.workbench(ctx, id); err != nil {
		return nil, nil, err
	}
	end, err = e.hold(wb, a, nil)
	return wb, end, err
}

func (wb *openWorkbench) setRunAfter(position int64) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	wb.runAfter = position
}

func (wb *openWorkbench) cancelRun() bool {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if wb.cancel == nil {
		return false
	}
	wb.cancel()
	return true
}

// closeGrace is how long a close waits for runs that were canceled: longer than
// a tool may take to stop.
const closeGrace = 10 * time.Second

// stopRuns cancels the runs and waits until they have stored what they had, and
// until publishes and the like have ended.
func (e *Engine) stopRuns() {
	e.mu.Lock()
	e.closing = true
	for _, wb := range e.open {
		wb.cancelRun()
	}
	e.mu.Unlock()
	ended := make(chan struct{})
	go func() { e.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(closeGrace):
		e.log.Error("a run did not end when the engine was closed")
	}
}
