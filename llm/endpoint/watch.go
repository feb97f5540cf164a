package endpoint

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrIdle is the cause of an exchange that ended because nothing came for too long.
var ErrIdle = errors.New("nothing came from the model endpoint")

// finishGrace is how long an endpoint may keep silent after the finish reason
// (usage may still come) before the answer counts as ended.
const finishGrace = 5 * time.Second

// Watch ends an exchange on which nothing arrives for limit. Only waiting for
// the endpoint counts, not the time its reader takes.
type Watch struct {
	Ctx    context.Context
	cancel context.CancelCauseFunc
	Limit  time.Duration
	timer  *time.Timer
}

// NewWatch starts waiting for the response's header.
func NewWatch(ctx context.Context, limit time.Duration) *Watch {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &Watch{Ctx: ctx, cancel: cancel, Limit: limit}
	w.timer = time.AfterFunc(limit, func() { cancel(ErrIdle) })
	return w
}

// Pause stops the clock until the next read.
func (w *Watch) Pause() { w.timer.Stop() }

// End frees what the watch holds; the exchange is over.
func (w *Watch) End() {
	w.timer.Stop()
	w.cancel(nil)
}

// Finishing shortens the patience: the answer is complete.
func (w *Watch) Finishing() { w.Limit = min(w.Limit, finishGrace) }

// Idled reports whether the watch ended the exchange.
func (w *Watch) Idled() bool { return context.Cause(w.Ctx) == ErrIdle }

// watchedBody runs the clock while it waits for bytes.
type watchedBody struct {
	io.ReadCloser
	w *Watch
}

// Read reads with the clock running.
func (b watchedBody) Read(p []byte) (int, error) {
	b.w.timer.Reset(b.w.Limit)
	defer b.w.timer.Stop()
	return b.ReadCloser.Read(p)
}

// Body returns body with the clock of w running while it waits for bytes.
func (w *Watch) Body(body io.ReadCloser) io.ReadCloser { return watchedBody{body, w} }
