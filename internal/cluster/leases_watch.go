package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// sighting is when this process first saw the last renewal of a lease that it knows, by its
// monotonic clock. The holder had sent the renewal before.
type sighting struct {
	rev  uint64
	at   time.Time
	over bool // it was the mark of a release
}

// seenMost is how many leases are remembered before those that nobody looks at are forgotten.
const seenMost = 1000

// see notes a renewal, and reports whether the lease ended though its key is there: this
// process has seen no later one for the whole time. A replica that lags behind may say an
// earlier one.
func (l *Leases) see(key string, rev uint64) (overdue bool) { return l.note(key, rev, false) }

// note is see, also of the mark of a release.
func (l *Leases) note(key string, rev uint64, over bool) (overdue bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if s, ok := l.seen[key]; ok && rev <= s.rev {
		return now.Sub(s.at) >= l.ttl
	}
	if len(l.seen) >= seenMost && !l.watching { // else the sweep forgets them
		for k, s := range l.seen {
			if now.Sub(s.at) > 4*l.ttl {
				delete(l.seen, k)
			}
		}
	}
	l.seen[key] = sighting{rev, now, over}
	return false
}

// overdue returns the revision of a lease that is known to be overdue, else 0.
func (l *Leases) overdue(key string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.seen[key]; ok && time.Since(s.at) >= l.ttl {
		return s.rev
	}
	return 0
}

// ended looks at a lease, and returns its revision if it is overdue, else 0.
func (l *Leases) ended(ctx context.Context, key string) uint64 {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	e, err := l.kv.Get(ctx, key)
	if err != nil || !l.see(key, e.Revision()) {
		return 0
	}
	return l.overdue(key)
}

// Watch sees all renewals until ctx ends, so that this process can take a lease as soon as it
// is overdue, not only when it has looked at it for its whole time. It removes the keys of
// lasting leases that have been over for long.
func (l *Leases) Watch(ctx context.Context) {
	l.mu.Lock()
	l.watching = true
	l.mu.Unlock()
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() {
		tick := time.NewTicker(l.ttl)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.sweep(ctx)
			}
		}
	})
	for ctx.Err() == nil {
		l.watch(ctx)
		select { // it ends when the cluster cannot be reached
		case <-ctx.Done():
		case <-time.After(l.ttl / 4):
		}
	}
}

func (l *Leases) watch(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(4*l.timeout, cancel) // the request may be lost
	updates, err := l.kv.WatchAll(ctx, jetstream.MetaOnly())
	if err != nil {
		return
	}
	defer updates.Stop()
	if !late.Stop() {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-updates.Updates():
			if !open {
				return
			}
			if e != nil {
				l.note(e.Key(), e.Revision(), e.Operation() != jetstream.KeyValuePut)
			}
		}
	}
}

// sweptAtOnce bounds what a sweep removes: each is a request.
const sweptAtOnce = 64

// A sweep removes what has been over for sweptAfter times of a lease, and up to twice as long
// again, so that not all processes do it at once: the first spares the others the work. It is
// tried for sweptFor times.
const (
	sweptAfter = 4
	sweptFor   = 32
)

// sweep forgets leases that have been over, or released, for long, and removes the keys of
// those that are lasting.
func (l *Leases) sweep(ctx context.Context) {
	old := map[string]sighting{}
	l.mu.Lock()
	for key, s := range l.seen {
		if time.Since(s.at) > sweptAfter*l.ttl+rand.N(2*sweptAfter*l.ttl) && len(old) < sweptAtOnce {
			old[key] = s
		}
	}
	l.mu.Unlock()
	for key, s := range old {
		if l.lasting && l.remove(ctx, key, s.rev) != nil && time.Since(s.at) < sweptFor*l.ttl {
			return // the next sweep tries again
		}
		l.mu.Lock()
		if l.seen[key] == s {
			delete(l.seen, key)
		}
		l.mu.Unlock()
	}
}

var errLags = errors.New("the server that answered does not know the last renewal yet")

// remove removes the key of a lease, or the mark of its release, if it has the revision.
func (l *Leases) remove(ctx context.Context, key string, rev uint64) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	subject := "$KV." + l.kv.Bucket() + "." + key
	last, err := l.stream.GetLastMsgForSubject(ctx, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil // another process was first
	case err != nil:
		return err
	case last.Sequence < rev:
		return errLags
	case last.Sequence > rev:
		return nil
	}
	// What is written meanwhile stays.
	return l.stream.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(rev+1))
}
