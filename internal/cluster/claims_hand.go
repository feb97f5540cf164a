package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"
)

// A process that releases a key can have another process take it next: it writes the claim in
// the name of the other's lease and marks it as handed over. Nobody works by such a claim, since
// the other process first writes one in its place, by compare-and-set as always. So it only says
// for whom the key is kept, and only for a time: a process that has seen it for handedFor may
// take the key, by compare-and-set too.

// Recipient is a process to which a claim is handed over.
type Recipient struct {
	Holder
	Lease string `json:"lease"` // the key of its lease
}

// handedFor is for how long a key is kept, by the clock of each process that would take it.
func (c *Claims) handedFor() time.Duration { return c.leases.ttl / 2 }

// Hand is Release that keeps the key for another process until that has taken it, for half the
// time of a lease at most. Nothing is kept for a process whose lease is over or that says that
// it takes nothing.
func (c *Claim) Hand(to Recipient) {
	c.leave(func(ctx context.Context) bool { return c.hand(ctx, to) })
}

// hand reports whether the claim is no longer there.
func (c *Claim) hand(ctx context.Context, to Recipient) bool {
	value, err := json.Marshal(claimValue{Holder: to.Holder, Lease: to.Lease, Nonce: rand.Text(), Handed: true})
	if err != nil || !c.of.leases.takes(ctx, to.Lease) {
		return c.release(ctx)
	}
	_, err = c.of.write(ctx, Change{c.key, value, c.rev})
	return err == nil // another revision is another claim
}

// takes reports whether the holder of a lease takes something, as far as this process knows.
func (l *Leases) takes(ctx context.Context, key string) bool {
	if alive, known := l.known(key); known && !alive {
		return false
	}
	e, there, err := l.last(ctx, key)
	if err != nil || !there || e.Value == nil || l.see(key, e.Revision) {
		return false
	}
	var v leaseValue
	return json.Unmarshal(e.Value, &v) == nil && !v.Away
}

// keptFor is how long this process has seen that a key is kept for another one; 0: it is not, or
// a server that lags behind says so.
func (c *Claims) keptFor(key string, v claimValue, rev uint64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	s, ok := c.handed[key]
	switch {
	case ok && s.rev > rev:
		return 0
	case !v.Handed:
		delete(c.handed, key)
		return 0
	case ok && s.rev == rev:
		return max(now.Sub(s.at), 1)
	}
	if len(c.handed) >= seenMost {
		for k, s := range c.handed {
			if now.Sub(s.at) > 4*c.leases.ttl {
				delete(c.handed, k)
			}
		}
	}
	c.handed[key] = sighting{rev: rev, at: now}
	return 1
}

// notTaken reports whether a key was kept for another process for its time.
func (c *Claims) notTaken(key string, v claimValue, rev uint64) bool {
	return c.keptFor(key, v, rev) >= c.handedFor()
}
