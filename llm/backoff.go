package llm

import (
	"context"
	"time"
)

// Backoff returns how long to wait before trying again (W-15): what the endpoint
// asked for in e, else base doubled with each attempt (1 is the first) up to
// cap, of which jitter (in [0, 1)) takes off up to a half, so that many clients
// do not come back at once.
func Backoff(e *Error, attempt int, base, cap time.Duration, jitter float64) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	wait := base
	for i := 1; i < attempt && wait < cap; i++ {
		wait *= 2
	}
	wait = min(wait, cap)
	return wait - time.Duration(jitter*float64(wait)/2)
}

// Sleep waits for d, or until ctx ends, whose error it then returns.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
