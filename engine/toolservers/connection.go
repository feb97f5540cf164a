package toolservers

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// connection is how a server is reached: it starts a session when one is needed, and
// again after one ended.
type connection struct {
	p   *Pool
	key string

	mu       sync.Mutex // protects the fields below
	print    string     // of the entry with its variables, that session was made from
	session  *session   // nil: not connected
	starting chan struct{}
	idle     *time.Timer // ends the session
	fails    int         // in a row
	retryAt  time.Time
	failed   *Error // the last failure; nil after a success
	started  time.Time
	restarts int
	began    bool
	legacy   bool     // the server knows no revision with server/discover
	scopes   []string // that a call needed and the sign-in did not give
	refused  string   // the token that a server did not accept, "" for none
	gone     bool     // the pool has another connection for the key
}

// Backoff after failures.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	steady     = time.Minute // a session that lived so long does not count as a failure of the start
)

// fingerprint tells whether entries would make the same connection.
func fingerprint(r *resolved) string {
	b, err := json.Marshal(r.filled)
	if err != nil {
		return ""
	}
	return hashOf(b) + r.kind
}

// acquire returns the session, which it starts if there is none. The caller calls
// release when it needs it no more.
func (c *connection) acquire(ctx context.Context, s Scope, r *resolved, again bool) (*session, error) {
	print := fingerprint(r)
	for {
		c.mu.Lock()
		if c.gone || c.p.ctx.Err() != nil {
			c.mu.Unlock()
			return nil, &Error{Server: r.name, Kind: NotStarted, What: "it was ended by a change of its entry, or Atelier ends", Do: "try again"}
		}
		if old := c.session; old != nil && old.ended() {
			c.mu.Unlock()
			<-old.done // then lost was told
			c.forget(old)
			continue
		}
		if old := c.session; old != nil && c.print != print {
			c.session = nil // calls of an entry that was changed end with it
			c.mu.Unlock()
			old.close()
			continue
		}
		if c.session != nil {
			c.session.users++
			if c.idle != nil {
				c.idle.Stop()
			}
			live := c.session
			c.mu.Unlock()
			return live, nil
		}
		wait := c.starting
		if wait == nil {
			now := c.p.opt.Now()
			if c.failed != nil && now.Before(c.retryAt) && !again && c.print == print && !c.signedInSince(r) {
				e := *c.failed
				e.Do = fmt.Sprintf("it is tried again in %s", c.retryAt.Sub(now).Round(time.Second)) + also(e.Do)
				c.mu.Unlock()
				return nil, &e
			}
			wait = make(chan struct{})
			c.starting, c.print = wait, print
			if !c.p.begin() {
				c.starting = nil
				c.mu.Unlock()
				return nil, &Error{Server: r.name, Kind: NotStarted, What: "Atelier ends"}
			}
			go c.start(s, *r, wait)
		}
		again = false
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wait:
		}
		c.mu.Lock()
		failed := c.failed
		ready := c.session != nil
		c.mu.Unlock()
		if failed != nil && !ready {
			return nil, failed
		}
	}
}

// signedInSince reports whether a person signed in since the server wanted that, maybe in
// another process; mu is locked.
func (c *connection) signedInSince(r *resolved) bool {
	return c.failed.Kind == SignIn && c.p.tokenOf(r) != c.refused
}

func also(do string) string {
	if do == "" {
		return ""
	}
	return "; " + do
}

// start starts a session; it runs beside the calls that wait for it, so that the end of
// one does not end it for the others.
func (c *connection) start(s Scope, r resolved, done chan struct{}) {
	defer c.p.running.Done()
	c.mu.Lock()
	old, legacy := c.session, c.legacy
	c.session = nil
	c.mu.Unlock()
	if old != nil {
		old.close()
	}
	c.p.changed(r.name)
	made, legacy, err := c.p.connect(c.p.ctx, s, &r, legacy, func(x *session) { c.lost(x, &r) })
	c.mu.Lock()
	switch {
	case err != nil:
		c.failed = asError(r.name, err, &r)
		if c.failed.Kind == SignIn {
			c.retryAt, c.refused = c.p.opt.Now().Add(lastRetry), c.p.tokenOf(&r)
		} else {
			c.backOff()
		}
	case c.gone:
		c.failed = &Error{Server: r.name, Kind: NotStarted, What: "it was ended by a change of its entry", Do: "try again"}
	default:
		c.session, c.failed, c.legacy, c.started = made, nil, legacy, c.p.opt.Now()
		if c.began {
			c.restarts++
		}
		c.began = true
		c.waitIdle()
	}
	keep := c.session == made
	c.starting = nil
	close(done)
	c.mu.Unlock()
	if made != nil && !keep {
		made.close()
	}
	c.p.changed(r.name)
}

// backOff sets when the next start may be; mu is locked.
func (c *connection) backOff() {
	wait := firstRetry << min(c.fails, 10)
	c.fails++
	c.retryAt = c.p.opt.Now().Add(min(wait, lastRetry))
}

// lost notes that a session ended by itself.
func (c *connection) lost(x *session, r *resolved) {
	c.mu.Lock()
	if c.session != x {
		c.mu.Unlock()
		return
	}
	now := c.p.opt.Now()
	c.failed = x.why(r)
	if now.Sub(c.started) > steady {
		c.fails = 0
	}
	if c.fails == 0 {
		c.fails, c.retryAt = 1, now // the first time at once
	} else {
		c.backOff()
	}
	c.mu.Unlock()
	c.p.changed(r.name)
}

// forget forgets a session that has ended.
func (c *connection) forget(x *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == x {
		c.session = nil
	}
}

// release says that a call needs the session no more.
func (c *connection) release(x *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.users--
	if x.users == 0 && c.session == x {
		c.waitIdle()
	}
}

// waitIdle ends the session when no call uses it for a while; mu is locked.
func (c *connection) waitIdle() {
	if c.idle != nil {
		c.idle.Stop()
	}
	live := c.session
	if live == nil {
		return
	}
	c.idle = time.AfterFunc(c.p.opt.IdleAfter, func() {
		if !c.p.begin() {
			return
		}
		defer c.p.running.Done()
		c.mu.Lock()
		if live.users > 0 || c.session != live {
			c.mu.Unlock()
			return
		}
		c.session = nil
		c.mu.Unlock()
		live.close()
		c.p.changed(live.name)
	})
}

// close ends the session; the connection is used no more.
func (c *connection) close() {
	c.mu.Lock()
	c.gone = true
	live, wait := c.session, c.starting
	c.session = nil
	if c.idle != nil {
		c.idle.Stop()
	}
	c.mu.Unlock()
	if live != nil {
		live.close()
	}
	if wait != nil {
		<-wait
	}
}

// describe says how the server is now.
func (c *connection) describe(out *Server) {
	out.State = Idle
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out.Restarts = c.restarts
	switch {
	case c.starting != nil:
		out.State = Starting
	case c.session != nil && !c.session.ended():
		out.State = Ready
		out.Title, out.Version, out.Protocol = c.session.title, c.session.version, c.session.protocol
	case c.failed != nil && c.failed.Kind == SignIn:
		out.State, out.Why = NeedsSignIn, c.failed.What
	case c.failed != nil:
		out.State, out.Why, out.RetryAt = Failed, c.failed.brief(), c.retryAt
	}
}
