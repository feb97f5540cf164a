package cluster

import (
	"context"
	"fmt"
	"time"
)

// The functions of this file are for leases whose keys are used once: after the mark of a
// release, or of End, nobody writes the key again. Then "it is over" stays true.

// alive reports whether a lease is held, as far as this process can know without writing. A
// server that lags behind may say too early that it is not.
func (l *Leases) alive(ctx context.Context, key string) (bool, error) {
	if alive, known := l.known(key); known {
		return alive, nil
	}
	e, there, err := l.last(ctx, key)
	if err != nil || !there || e.Value == nil {
		return false, err
	}
	return !l.see(key, e.Revision), nil
}

// known answers from what Watch has seen: a mark, or a renewal that others may rely on.
func (l *Leases) known(key string) (alive, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.seen[key]
	switch {
	case ok && s.over:
		return false, true
	case ok && l.watching && time.Since(s.at) < l.ttl:
		return true, true
	}
	return false, false
}

// Lively returns whom each lease names, by key, but those of which this process has seen no renewal
// for their whole time, if it watches them.
func (l *Leases) Lively(ctx context.Context) (map[string]Holder, error) {
	all, err := l.Written(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range all {
		if s, ok := l.seen[key]; ok && l.watching && time.Since(s.at) >= l.ttl {
			delete(all, key)
		}
	}
	return all, err
}

func (l *Leases) last(ctx context.Context, key string) (e Entry, there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	found, err := l.c.Last(ctx, l.kv, []string{key})
	e, there = found[key]
	return e, there, err
}

// End reports whether a lease is over, and ends it if it is overdue: its holder's next renewal
// is refused. Nothing depends on a server's answer being up to date: over is true only after a
// mark was seen, which stays, or was written in the place of the renewal that was seen, or of
// no key. An error says that it is not known.
func (l *Leases) End(ctx context.Context, key string) (over bool, err error) {
	if alive, known := l.known(key); known {
		return !alive, nil
	}
	for range 2 {
		e, there, err := l.last(ctx, key)
		if err != nil {
			return false, err
		}
		last := uint64(0) // its key was removed long after it ended, or is not known to that server yet
		if there {
			overdue := l.note(key, e.Revision, e.Value == nil)
			if e.Value == nil {
				return true, nil
			}
			if !overdue {
				return false, nil
			}
			last = max(e.Revision, l.overdue(key)) // that server may lag behind
		}
		rev, err := l.mark(ctx, key, last)
		if err != nil {
			return false, err
		}
		if rev > 0 {
			l.note(key, rev, true)
			return true, nil
		}
	}
	return false, nil // it was renewed, or another process ends it
}

// mark writes the mark of a release if the key has the revision; the result is 0 if it has not.
func (l *Leases) mark(ctx context.Context, key string, last uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	revs, err := l.c.ChangeAll(ctx, l.kv, []Change{{Key: key, Before: last}})
	if err != nil {
		return 0, fmt.Errorf("lease %s: %w", key, err)
	}
	return revs[0], nil
}
