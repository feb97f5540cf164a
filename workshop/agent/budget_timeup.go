package agent

import (
	"context"
	"errors"
	"time"

	"atelier/llm"
)

// errTimeUp is why an answer was not waited for any longer.
var errTimeUp = errors.New("the time of the budget was over before the answer was there")

// sendFor sends a request and waits for its answer no longer than left; 0 waits
// for any time. Otherwise an endpoint that says nothing, or never stops, would
// hold a run for as long as it likes. up says that the time was over: what came
// by then is in the response, and err is why it is not whole.
func sendFor(ctx context.Context, left time.Duration, send func(context.Context) (llm.ChatResponse, error)) (resp llm.ChatResponse, up bool, err error) {
	if left > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer time.AfterFunc(left, func() { cancel(errTimeUp) }).Stop()
	}
	resp, err = send(ctx)
	return resp, err != nil && context.Cause(ctx) == errTimeUp, err
}

// timeBound is the bound in time that ends first of those that nobody can add
// to; nil when there is none. While somebody is there, an answer on its way is
// not cut: they are asked after it, and can cancel it.
func (r *run) timeBound() (first *bound) {
	for _, b := range r.bounds {
		if b.what == "time" && (b.fixed || r.cfg.Questions == nil) && (first == nil || b.most < first.most) {
			first = b
		}
	}
	return first
}

// timeUp ends the run, whose answer was not waited for.
func (r *run) timeUp(b *bound) error {
	said := b.who + " has used all of its " + b.show(b.most, 0) + ", and the answer on its way was not waited for"
	r.stopped = spentError(said)
	if b.fixed {
		r.stopped = ceilingError(said)
	}
	return r.stopped
}
