package engine

import (
	"context"

	"atelier/workshop/agent"
)

// Turn waits until a translation job may begin its work. say tells people how long that may
// take.
type Turn func(ctx context.Context, say func(what string)) error

type turnKey struct{}

// WithTurn returns a context for TranslateStart whose job, once it was checked, waits for its
// turn before it works. An error of the turn is how the job fails.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// awaitTurn waits for the turn of a job, if it has to.
func (e *Engine) awaitTurn(ctx context.Context, t *translation) error {
	turn, _ := ctx.Value(turnKey{}).(Turn)
	if turn == nil {
		return nil
	}
	queued := func(is bool) {
		t.mu.Lock()
		t.job.Queued = is
		t.mu.Unlock()
	}
	queued(true)
	err := turn(ctx, func(what string) { e.translateNote(t, what) })
	queued(false)
	e.translateNote(t, "")
	return err
}

// RunWaits tells the clients that a run was asked for and waits for its turn: that is decided
// by who calls WorkshopRunAgent, when it has the turn.
func (e *Engine) RunWaits(workbench, message string, ahead int) {
	e.hub.Emit(Notification{Method: agent.EventRunQueued, Params: agent.RunQueued{WorkbenchID: workbench, MessageID: message, Ahead: ahead}})
}

// RunWaitsNoMore tells the clients why a run that waited is not begun.
func (e *Engine) RunWaitsNoMore(workbench, message, why string) {
	e.hub.Emit(Notification{Method: agent.EventRunQueued, Params: agent.RunQueued{WorkbenchID: workbench, MessageID: message, Over: why}})
}
