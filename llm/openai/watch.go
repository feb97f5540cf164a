package openai

import (
	"context"
	"errors"
	"io"
	"time"
)

var errIdle = errors.New("nothing came from the model endpoint")

// finishGrace is how long an endpoint may keep silent after the finish reason
// (usage may still come) before the answer counts as ended.
const finishGrace = 5 * time.Second

// watch ends an exchange on which nothing arrives for limit. Only waiting for
// the endpoint counts, not the time its reader takes.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer
}

// newWatch starts waiting for the response's header.
func newWatch(ctx context.Context, limit time.Duration) *watch {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{ctx: ctx, cancel: cancel, limit: limit}
	w.timer = time.AfterFunc(limit, func() { cancel(errIdle) })
	return w
}

// pause stops the clock until the next read.
func (w *watch) pause() { w.timer.Stop() }

// end frees what the watch holds; the exchange is over.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// finishing shortens the patience: the answer is complete.
func (w *watch) finishing() { w.limit = min(w.limit, finishGrace) }

// idled reports whether the watch ended the exchange.
func (w *watch) idled() bool { return context.Cause(w.ctx) == errIdle }

// watchedBody runs the clock while it waits for bytes.
type watchedBody struct {
	io.ReadCloser
	w *watch
}

// Read reads with the clock running.
func (b watchedBody) Read(p []byte) (int, error) {
	b.w.timer.Reset(b.w.limit)
	defer b.w.timer.Stop()
	return b.ReadCloser.Read(p)
}
