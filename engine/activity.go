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

// ActivityBegan says that a run, a translation, a publish or the like began: no
// other can begin before WorkbenchActivityEnded.
type ActivityBegan struct {
	WorkbenchID string            `json:"workbench_id"`
	Activity    workshop.Activity `json:"activity"` // as in WorkshopGetState
	Running     bool              `json:"running"`  // whether WorkshopCancelRun can stop it
}

// ActivityEnded says that an activity ended, one way or another.
type ActivityEnded struct {
	WorkbenchID string            `json:"workbench_id"`
	Activity    workshop.Activity `json:"activity"`
	Running     bool              `json:"running"` // as when it began
	// Error says why a run or a summary failed. Translations have TranslateComplete;
	// the others answer the client that called them.
	Error *ErrorInfo `json:"error,omitempty"`
}

// take takes the workbench for an activity; cancel, which may be nil, asks it
// to stop. end gives it back, and tells clients the error, if any.
func (e *Engine) take(wb *openWorkbench, a workshop.Activity, cancel context.CancelFunc) (end func(*ErrorInfo), err error) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	over, err := wb.Begin(a)
	if err != nil {
		return nil, err
	}
	wb.cancel = cancel
	if cancel != nil {
		wb.runAfter = e.hub.position(wb.ID())
	}
	e.hub.Emit(Notification{Method: "WorkbenchActivityBegan", Params: ActivityBegan{wb.ID(), a, cancel != nil}})
	return func(failed *ErrorInfo) {
		wb.mu.Lock()
		defer wb.mu.Unlock()
		wb.cancel, wb.runAfter = nil, 0
		over()
		e.hub.Emit(Notification{Method: "WorkbenchActivityEnded", Params: ActivityEnded{wb.ID(), a, cancel != nil, failed}})
	}, nil
}

// hold takes the workbench for an activity that Close waits for.
func (e *Engine) hold(wb *openWorkbench, a workshop.Activity, cancel context.CancelFunc) (end func(*ErrorInfo), err error) {
	over, err := e.take(wb, a, cancel)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		over(nil)
		return nil, errClosing
	}
	e.running.Add(1)
	return func(failed *ErrorInfo) { over(failed); e.running.Done() }, nil
}

// beginRun takes the workbench for work of a model; the context ends with
// WorkshopCancelRun, and end gives it back with the error that ended the work.
func (e *Engine) beginRun(ctx context.Context, wb *openWorkbench, a workshop.Activity) (_ context.Context, end func(error), err error) {
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
	return ctx, func(err error) {
		var failed *ErrorInfo
		if err != nil {
			failed = toErrorInfo(ctx, err)
		}
		cancel()
		over(failed)
	}, nil
}

// beginActivity takes a workbench for something the person does to it as a whole.
func (e *Engine) beginActivity(ctx context.Context, id string, a workshop.Activity) (wb *openWorkbench, end func(), err error) {
	if wb, err = e.workbench(ctx, id); err != nil {
		return nil, nil, err
	}
	over, err := e.hold(wb, a, nil)
	return wb, func() { over(nil) }, err
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
