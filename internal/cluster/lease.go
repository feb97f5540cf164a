package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Holder is what a lease says about the process that has it.
type Holder struct {
	Owner   string `json:"owner"`             // names the process for people
	Address string `json:"address,omitempty"` // where it answers others
	Away    bool   `json:"away,omitempty"`    // it takes nothing, or nothing more
}

// leaseValue is the value of a lease's key.
type leaseValue struct {
	Holder
	Nonce string `json:"nonce"` // of this lease; it tells the holder's writes from those of others
}

// TTL is after how long without a renewal a lease ends.
func (l *Leases) TTL() time.Duration { return l.ttl }

// Lease is a lease that this process has, or had. It is safe for concurrent use.
type Lease struct {
	of    *Leases
	key   string
	nonce string
	fence uint64

	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{} // renewing has ended
	said   chan struct{} // there is another value to write

	mu    sync.Mutex // protects the fields below
	value []byte
	rev   uint64
	until time.Time // by the monotonic clock
}

// Acquire takes a lease that nobody has. The error is a *HeldError when somebody has it.
func (l *Leases) Acquire(ctx context.Context, key string, by Holder) (*Lease, error) {
	n := rand.Text()
	value, err := json.Marshal(leaseValue{by, n})
	if err != nil {
		return nil, err
	}
	sent := time.Now()
	rev, err := uint64(0), error(ErrConflict)
	if last := l.overdue(key); last != 0 {
		rev, err = l.take(ctx, key, value, last)
	}
	if IsConflict(err) { // no lease is known that is overdue, or it was renewed or removed
		sent = time.Now()
		rev, err = l.take(ctx, key, value, 0)
	}
	if IsConflict(err) {
		if last := l.ended(ctx, key); last != 0 {
			sent = time.Now()
			rev, err = l.take(ctx, key, value, last)
		}
	}
	if err != nil {
		// The answer may have been lost, not the write.
		if rev = l.mine(ctx, key, n); rev == 0 {
			if IsConflict(err) {
				holder, _, herr := l.written(ctx, key)
				if herr != nil && !errors.Is(herr, ErrNotFound) {
					return nil, herr
				}
				return nil, &HeldError{key, holder}
			}
			return nil, classified("lease "+key, err)
		}
	}
	lease := &Lease{of: l, key: key, value: value, nonce: n, fence: rev, rev: rev, until: sent.Add(l.usable()), ended: make(chan struct{}), said: make(chan struct{}, 1)}
	lease.ctx, lease.cancel = context.WithCancelCause(context.Background())
	go lease.keep()
	return lease, nil
}

// take writes a lease's key, if the key has the revision; 0: if there is none.
func (l *Leases) take(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	if last == 0 {
		return l.kv.Create(ctx, key, value)
	}
	return l.kv.Update(ctx, key, value, last) // refused if it was renewed
}

// Wait acquires a lease as soon as nobody has it. While the cluster cannot be reached it
// tries again, until ctx ends.
func (l *Leases) Wait(ctx context.Context, key string, by Holder) (*Lease, error) {
	for {
		lease, err := l.Acquire(ctx, key, by)
		if err == nil || !errors.Is(err, ErrHeld) && !errors.Is(err, ErrUnreachable) {
			return lease, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(max(l.ttl/20, 20*time.Millisecond)):
		}
	}
}

// usable is how long a holder relies on a renewal: less than others wait, so that clocks
// may run 10 % apart.
func (l *Leases) usable() time.Duration { return l.ttl - l.ttl/8 }

// mine returns the revision of the key if its value has the nonce, else 0.
func (l *Leases) mine(ctx context.Context, key, nonce string) uint64 {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	e, err := l.kv.Get(ctx, key)
	if err != nil {
		return 0
	}
	var v leaseValue
	if json.Unmarshal(e.Value(), &v) != nil || v.Nonce != nonce {
		return 0
	}
	return e.Revision()
}

// Fence is the fencing number: larger than that of each earlier lease of the bucket.
func (l *Lease) Fence() uint64 { return l.fence }

// Key is the lease's key.
func (l *Lease) Key() string { return l.key }

// Say has the lease tell something else of its holder, with a renewal at once.
func (l *Lease) Say(by Holder) {
	value, err := json.Marshal(leaseValue{by, l.nonce})
	if err != nil {
		return // texts and a flag can be told
	}
	l.mu.Lock()
	l.value = value
	l.mu.Unlock()
	select {
	case l.said <- struct{}{}:
	default:
	}
}

// Context ends when the lease does; its cause is ErrLost, or context.Canceled after
// Release. A process that was paused sees it end late: Valid asks the clock.
func (l *Lease) Context() context.Context { return l.ctx }

// Valid reports whether the lease can be relied on now.
func (l *Lease) Valid() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx.Err() == nil && time.Now().Before(l.until)
}

// keep renews the lease until it is lost or released.
func (l *Lease) keep() {
	defer close(l.ended)
	every := l.of.ttl / 4
	for {
		l.mu.Lock()
		left := time.Until(l.until)
		l.mu.Unlock()
		if left <= 0 {
			l.cancel(fmt.Errorf("lease %s: %w: it could not be renewed for %s", l.key, ErrLost, l.of.usable()))
			return
		}
		select {
		case <-l.ctx.Done():
			return
		case <-l.said:
		case <-time.After(min(every, left)):
		}
		if err := l.renew(left); err != nil {
			l.cancel(fmt.Errorf("lease %s: %w: %w", l.key, ErrLost, err))
			return
		}
	}
}

// renew writes the key again; an error says that another process has changed or removed it. A server that does not answer is no error.
func (l *Lease) renew(within time.Duration) error {
	l.mu.Lock()
	rev, until, value := l.rev, l.until, l.value
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(l.ctx, min(time.Until(until), max(within/2, 50*time.Millisecond)))
	defer cancel()
	sent := time.Now()
	next, err := l.of.kv.Update(ctx, l.key, value, rev)
	if err != nil {
		if !IsConflict(err) {
			return nil
		}
		// A renewal whose answer was lost changed the revision too.
		if next = l.of.mine(ctx, l.key, l.nonce); next == 0 {
			if ctx.Err() != nil {
				return nil
			}
			if _, _, gerr := l.of.Holder(ctx, l.key); gerr != nil && !errors.Is(gerr, ErrNotFound) {
				return nil
			}
			return err
		}
		sent = until.Add(-l.of.usable()) // when that was sent is not known
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rev, l.until = next, sent.Add(l.of.usable())
	return nil
}

// Release ends the lease, so that another process can have it at once. It takes at most
// a second; a lease that cannot be released ends when it was not renewed for its time.
func (l *Lease) Release() {
	l.cancel(nil)
	<-l.ended
	l.mu.Lock()
	rev := l.rev
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := l.of.kv.Delete(ctx, l.key, jetstream.LastRevision(rev))
	if IsConflict(err) { // a renewal was on its way
		if rev = l.of.mine(ctx, l.key, l.nonce); rev != 0 {
			_ = l.of.kv.Delete(ctx, l.key, jetstream.LastRevision(rev))
		}
	}
}
