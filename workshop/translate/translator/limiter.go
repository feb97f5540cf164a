package translator

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"atelier/llm"
)

// Limiter is the pace all requests of a job share (TR-08): it holds requests
// and tokens per minute, and when the endpoint is busy it pauses everyone and
// goes on at half the pace, which then recovers. The zero value limits nothing
// until the endpoint asks for it.
type Limiter struct {
	mu       sync.Mutex
	requests *rate.Limiter // nil: no limit known
	tokens   *rate.Limiter // nil: no limit
	most     rate.Limit    // of requests, as configured
	until    time.Time     // nobody asks before
	recent   []time.Time   // of the last minute's requests, at most remembered
}

// NewLimiter limits to requests and tokens per minute; 0 is no limit.
func NewLimiter(requests, tokens int) *Limiter {
	l := &Limiter{most: rate.Inf}
	if requests > 0 {
		l.most = rate.Limit(float64(requests) / 60)
		l.requests = rate.NewLimiter(l.most, 1)
	}
	if tokens > 0 {
		l.tokens = rate.NewLimiter(rate.Limit(float64(tokens)/60), tokens)
	}
	return l
}

const remembered = 256

// wait blocks until a request of about so many tokens may be sent.
func (l *Limiter) wait(ctx context.Context, tokens int, sleep func(context.Context, time.Duration) error) error {
	d, until := l.next(tokens)
	for d > 0 {
		if err := sleep(ctx, d); err != nil {
			return err
		}
		l.mu.Lock()
		d = 0
		if l.until.After(until) { // the endpoint got busy meanwhile
			d, until = time.Until(l.until), l.until
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.recent) == remembered {
		l.recent = append(l.recent[:0], l.recent[1:]...)
	}
	l.recent = append(l.recent, time.Now())
	return ctx.Err()
}

// next reserves a request: how long until it may be sent, and the end of the
// pause that this counts with.
func (l *Limiter) next(tokens int) (time.Duration, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := time.Until(l.until)
	if l.requests != nil {
		d = max(d, l.requests.Reserve().Delay())
	}
	if l.tokens != nil && tokens > 0 {
		d = max(d, l.tokens.ReserveN(time.Now(), min(tokens, l.tokens.Burst())).Delay())
	}
	return d, l.until
}

// busy is told that the endpoint asked for a pause of d: everyone waits, and
// goes on at half the pace of the last minute.
func (l *Limiter) busy(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	already := l.until.After(now) // others said so before: the pace is halved once
	if until := now.Add(d); until.After(l.until) {
		l.until = until
	}
	if already {
		return
	}
	n := 0
	for _, t := range l.recent {
		if now.Sub(t) < time.Minute {
			n++
		}
	}
	if n < 8 && l.requests == nil {
		return // too few to tell a pace: the pause has to do
	}
	span := time.Minute
	if n > 0 {
		span = max(time.Second, min(span, now.Sub(l.recent[len(l.recent)-n])))
	}
	pace := max(rate.Limit(float64(n)/span.Seconds()/2), rate.Every(time.Minute))
	if l.requests == nil {
		l.requests = rate.NewLimiter(pace, 1)
		return
	}
	l.requests.SetLimit(max(min(pace, l.requests.Limit()/2), rate.Every(time.Minute)))
}

// fine is told that a request went through: the pace recovers.
func (l *Limiter) fine() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.requests == nil || l.requests.Limit() >= l.most {
		return
	}
	if faster := l.requests.Limit() * 1.2; faster < 100 {
		l.requests.SetLimit(min(faster, l.most))
	} else {
		l.requests = nil
		if l.most != rate.Inf {
			l.requests = rate.NewLimiter(l.most, 1)
		}
	}
}

// A failing endpoint is tried again this often, a busy one (which says so, and
// slows everyone down) more often; waits go from the first to the last.
const (
	maxRetries = 5
	maxBusy    = 20
	firstWait  = time.Second
	lastWait   = time.Minute
)

// retry decides what a failed request means: nil after the wait to try again.
// attempt counts from 1.
func (l *Limiter) retry(ctx context.Context, err error, attempt int, sleep func(context.Context, time.Duration) error) error {
	var e *llm.Error
	if !errors.As(err, &e) || ctx.Err() != nil {
		return err
	}
	most := maxRetries
	switch e.Kind {
	case llm.KindRateLimited:
		most = maxBusy
	case llm.KindUnavailable, llm.KindNetwork:
		// A stream cut in the middle is asked anew too: nothing was taken of it.
	default:
		return err
	}
	if attempt > most {
		return err
	}
	d := min(llm.Backoff(e, attempt, firstWait, lastWait, rand.Float64()), maxPause)
	if e.Kind == llm.KindRateLimited || e.RetryAfter > 0 {
		l.busy(d)
	}
	return sleep(ctx, d)
}

// maxPause bounds what an endpoint's Retry-After can make a job wait.
const maxPause = 10 * time.Minute
