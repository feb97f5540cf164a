// Package timelimit bounds the time of a call without counting the time in which it
// waits for a person.
//
//	ctx, cancel := timelimit.With(ctx, 30*time.Second)
//	defer cancel()
//	resume := timelimit.Pause(ctx)   // while a person is asked
//	defer resume()
package timelimit

import (
	"context"
	"sync"
	"time"
)

// limit is the time that a call may take.
type limit struct {
	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	left    time.Duration
	since   time.Time
	waiting int
}

type limitKey struct{}

// With returns a context that ends after d. Its error is then Canceled, its cause
// DeadlineExceeded.
func With(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &limit{left: d, since: time.Now()}
	l.timer = time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return context.WithValue(ctx, limitKey{}, l), func() { l.timer.Stop(); cancel(nil) }
}

// Left returns how much of its time a context has left, by With or by a deadline. ok is
// false where nothing limits it.
func Left(ctx context.Context) (left time.Duration, ok bool) {
	if until, has := ctx.Deadline(); has {
		left, ok = time.Until(until), true
	}
	l, has := ctx.Value(limitKey{}).(*limit)
	if !has {
		return left, ok
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.left
	if l.waiting == 0 {
		own -= time.Since(l.since)
	}
	if ok {
		own = min(own, left)
	}
	return own, true
}

// Early returns a context that ends when five sixths of what is left of the time of ctx
// have passed, with cause DeadlineExceeded, for work that can end with what it has:
// the rest is for its answer. A context without a limit stays as it is.
func Early(ctx context.Context) (context.Context, context.CancelFunc) {
	left, ok := Left(ctx)
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, max(left*5/6, 0))
}

// Pause stops the time of the context until the returned function is called. A context
// without a limit is left as it is.
func Pause(ctx context.Context) (resume func()) {
	l, ok := ctx.Value(limitKey{}).(*limit)
	if !ok {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting++; l.waiting == 1 && l.timer.Stop() {
		l.left -= time.Since(l.since)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.waiting--; l.waiting == 0 {
			l.since = time.Now()
			l.timer.Reset(max(l.left, 0))
		}
	}
}
