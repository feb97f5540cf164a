package cluster

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Watch sees the renewals of the leases as Leases.Watch does, until ctx ends, and removes
// claims whose leases have been over for long, claims that were handed over and long not taken,
// and marks of releases.
func (c *Claims) Watch(ctx context.Context) {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(sweptAfter*c.leases.ttl + rand.N(2*sweptAfter*c.leases.ttl)):
			}
			// One of all processes is enough, and it reads all claims.
			if rand.IntN(c.leases.holders()) == 0 {
				c.sweep(ctx)
			}
		}
	})
	c.leases.Watch(ctx)
}

// holders is how many leases this process sees being renewed, at least 1.
func (l *Leases) holders() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.seen {
		if !s.over && time.Since(s.at) < l.ttl {
			n++
		}
	}
	return max(n, 1)
}

// claimsSweptAtOnce bounds what a sweep removes: each is a request.
const claimsSweptAtOnce = 256

// sweep removes what nobody has. An error ends it; a later one, or that of another process,
// continues.
func (c *Claims) sweep(ctx context.Context) {
	all, err := c.list(ctx)
	if err != nil {
		return
	}
	over, removed := map[string]bool{"": true}, 0
	for key, e := range all {
		if _, asked := over[e.Lease]; !asked && !c.leases.seenWithin(e.Lease, sweptAfter*c.leases.ttl) {
			// That its key is not there is not enough: a server that lags behind may say so.
			if over[e.Lease], err = c.leases.End(ctx, e.Lease); err != nil {
				return
			}
		}
		if !over[e.Lease] && c.keptFor(key, e.claimValue, e.rev) < sweptAfter*c.leases.ttl {
			continue
		}
		if err := c.remove(ctx, key, e.rev); err != nil {
			return
		}
		if removed++; removed == claimsSweptAtOnce {
			return
		}
	}
}

// seenWithin reports whether something of a lease was seen within a time: what has ended just
// now is left for those who look who had what.
func (l *Leases) seenWithin(key string, d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.seen[key]
	return ok && time.Since(s.at) < d
}

// remove removes a key up to the revision: what is written meanwhile stays.
func (c *Claims) remove(ctx context.Context, key string, rev uint64) error {
	ctx, cancel := context.WithTimeout(ctx, c.leases.timeout)
	defer cancel()
	return c.stream.Purge(ctx, jetstream.WithPurgeSubject("$KV."+c.kv.Bucket()+"."+key), jetstream.WithPurgeSequence(rev+1))
}
