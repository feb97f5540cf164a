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
}

// leaseValue is the value of a lease's key.
type leaseValue struct {
	Holder
	Nonce string `json:"nonce"` // of this lease; it tells the holder's writes from those of others
}

// Leases are the leases of a bucket.
type Leases struct {
	kv      jetstream.KeyValue
	ttl     time.Duration
	timeout time.Duration // of a request

	mu   sync.Mutex
	seen map[string]sighting // by key, of leases that this process looked at
}

// sighting is when a process first saw a renewal of a lease, by its monotonic clock.
type sighting struct {
	rev uint64
	at  time.Time
}

// seenMost is how many leases are remembered before those that nobody looks at are forgotten.
const seenMost = 1000

// overdue reports whether a lease ended though its key is there: this process has seen no
// other renewal for its whole time. The servers remove keys by the time of day, which may be
// hours ahead on one of them; a holder relies on no more than this by any clock.
func (l *Leases) overdue(key string, rev uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if s, ok := l.seen[key]; ok && s.rev == rev {
		return now.Sub(s.at) >= l.ttl
	}
	if len(l.seen) >= seenMost {
		for k, s := range l.seen {
			if now.Sub(s.at) > 4*l.ttl {
				delete(l.seen, k)
			}
		}
	}
	l.seen[key] = sighting{rev, now}
	return false
}

// ended returns the revision of a lease that is overdue, else 0.
func (l *Leases) ended(ctx context.Context, key string) uint64 {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	e, err := l.kv.Get(ctx, key)
	if err != nil || !l.overdue(key, e.Revision()) {
		return 0
	}
	return e.Revision()
}

// Leases returns the leases of a bucket. All processes of a cluster must use the same
// time to live, at least 500 ms.
func (c *Cluster) Leases(ctx context.Context, bucket string, ttl time.Duration) (*Leases, error) {
	if ttl < 500*time.Millisecond {
		return nil, fmt.Errorf("leases of %s: the shortest is 500ms", ttl)
	}
	kv, err := c.Keys(ctx, bucket, ttl)
	if err != nil {
		return nil, err
	}
	return &Leases{kv: kv, ttl: ttl, timeout: min(c.opt.Timeout, ttl), seen: map[string]sighting{}}, nil
}

// FindLeases returns the leases of a bucket that other processes made; ErrNotFound.
func (c *Cluster) FindLeases(ctx context.Context, bucket string) (*Leases, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	kv, err := c.js.KeyValue(ctx, prefix+bucket)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	return &Leases{kv: kv, ttl: status.TTL(), timeout: min(c.opt.Timeout, status.TTL()), seen: map[string]sighting{}}, nil
}

// TTL is after how long without a renewal a lease ends.
func (l *Leases) TTL() time.Duration { return l.ttl }

// Holder returns who has a lease and the revision of its last renewal, which is at least
// its fencing number. The error is ErrNotFound when nobody has it.
func (l *Leases) Holder(ctx context.Context, key string) (Holder, uint64, error) {
	h, rev, err := l.written(ctx, key)
	if err == nil && l.overdue(key, rev) {
		return Holder{}, 0, fmt.Errorf("lease %s of %s: %w: it was not renewed for %s", key, h.Owner, ErrNotFound, l.ttl)
	}
	return h, rev, err
}

// written is Holder as a server says it, which may lag behind: also of a lease that is overdue.
func (l *Leases) written(ctx context.Context, key string) (Holder, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	e, err := l.kv.Get(ctx, key)
	if err != nil {
		return Holder{}, 0, classified("lease "+key, err)
	}
	var v leaseValue
	if err := json.Unmarshal(e.Value(), &v); err != nil {
		return Holder{}, 0, fmt.Errorf("lease %s: its value is not valid: %w", key, err)
	}
	return v.Holder, e.Revision(), nil
}

// Held returns who has which lease, by key.
func (l *Leases) Held(ctx context.Context) (map[string]Holder, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*l.timeout)
	defer cancel()
	watch, err := l.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, classified("leases", err)
	}
	defer watch.Stop()
	out := map[string]Holder{}
	for {
		select {
		case e := <-watch.Updates():
			if e == nil { // all that there are were told
				return out, nil
			}
			var v leaseValue
			if err := json.Unmarshal(e.Value(), &v); err != nil {
				return nil, fmt.Errorf("lease %s: its value is not valid: %w", e.Key(), err)
			}
			out[e.Key()] = v.Holder
		case <-ctx.Done():
			return nil, classified("leases", ctx.Err())
		}
	}
}

// Lease is a lease that this process has, or had. It is safe for concurrent use.
type Lease struct {
	of    *Leases
	key   string
	value []byte
	nonce string
	fence uint64

	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{} // renewing has ended

	mu    sync.Mutex
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
	asked, cancel := context.WithTimeout(ctx, l.timeout)
	rev, err := l.kv.Create(asked, key, value)
	cancel()
	if IsConflict(err) {
		if last := l.ended(ctx, key); last != 0 {
			sent = time.Now()
			asked, cancel := context.WithTimeout(ctx, l.timeout)
			rev, err = l.kv.Update(asked, key, value, last) // refused if it was renewed
			cancel()
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
	lease := &Lease{of: l, key: key, value: value, nonce: n, fence: rev, rev: rev, until: sent.Add(l.usable()), ended: make(chan struct{})}
	lease.ctx, lease.cancel = context.WithCancelCause(context.Background())
	go lease.keep()
	return lease, nil
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

// usable is how long a holder relies on a renewal: less than the server, so that clocks
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
		case <-time.After(min(every, left)):
		}
		if err := l.renew(left); err != nil {
			l.cancel(fmt.Errorf("lease %s: %w: %w", l.key, ErrLost, err))
			return
		}
	}
}

// renew writes the key again; an error says that another process has changed it or the
// server has removed it. A server that does not answer is no error.
func (l *Lease) renew(within time.Duration) error {
	l.mu.Lock()
	rev, until := l.rev, l.until
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(l.ctx, min(time.Until(until), max(within/2, 50*time.Millisecond)))
	defer cancel()
	sent := time.Now()
	next, err := l.of.kv.Update(ctx, l.key, l.value, rev)
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
// a second; a lease that cannot be released ends by its time to live.
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
