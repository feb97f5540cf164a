package owner

import (
	"context"
	"errors"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/replica"
)

// retry is when a workspace whose takeover failed is taken again: each call that waits for it
// would try otherwise, and each try claims the workspace and reads its log.
type retry struct {
	err  error
	wait time.Duration
	at   time.Time
}

// The bounds of waits between takeovers that fail: what is damaged seldom mends itself. A
// workspace of which no call came for retryKept is tried at once.
const (
	retryFirst   = 100 * time.Millisecond
	retryMost    = time.Second
	retryDamaged = 5 * time.Second
	retryKept    = time.Minute
)

// waits reports whether trying again after an error is to wait: it will most likely fail again.
// What others or the cluster do may change in any moment.
func waits(err error) bool {
	for _, soon := range []error{cluster.ErrHeld, cluster.ErrUnreachable, cluster.ErrLost, replica.ErrFenced, replica.ErrUncertain, ErrClosing, context.Canceled} {
		if errors.Is(err, soon) {
			return false
		}
	}
	return err != nil
}

// tried notes how taking a workspace ended. p.mu is held.
func (p *Places) tried(id string, err error) {
	now := time.Now()
	for other, r := range p.retries {
		if now.Sub(r.at) > retryKept {
			delete(p.retries, other)
		}
	}
	if !waits(err) {
		delete(p.retries, id)
		return
	}
	wait, most := retryFirst, retryMost
	if errors.Is(err, replica.ErrDamaged) {
		most = retryDamaged
	}
	if before, ok := p.retries[id]; ok {
		wait = min(2*before.wait, most)
	}
	p.retries[id] = retry{err, wait, now.Add(wait)}
}

// failed is the error of the last try to take a workspace, while it is too early for the next
// one; nil: it can be taken now. p.mu is held.
func (p *Places) failed(id string) error {
	if r, ok := p.retries[id]; ok && time.Now().Before(r.at) {
		return r.err
	}
	return nil
}
