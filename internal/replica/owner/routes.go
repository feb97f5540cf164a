package owner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/internal/cluster"
)

// route is another server to which calls of a workspace are passed on, while it has the
// workspace.
type route struct {
	calls int
	ctx   context.Context
	end   context.CancelCauseFunc
}

type routeKey struct{ id, owner string }

// ErrGone is why the context of Follow ends.
var ErrGone = errors.New("the server no longer has the workspace")

// Follow returns a context that ends when another server no longer has a workspace, for a
// call that is passed on to it: a server that is paused answers nothing and keeps its
// connections. leave is called when the call has ended. All calls share one look at the claim.
func (p *Places) Follow(id string, holder cluster.Holder) (ctx context.Context, leave func()) {
	key := routeKey{id, holder.Owner}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.routes[key]
	if r == nil {
		r = &route{}
		r.ctx, r.end = context.WithCancelCause(p.ctx)
		p.routes[key] = r
		go p.follow(r, key)
	}
	r.calls++
	return r.ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.calls--; r.calls == 0 {
			r.end(nil)
			if p.routes[key] == r {
				delete(p.routes, key)
			}
		}
	}
}

// follow looks at the claim until nobody passes calls on, or the other server lost it.
func (p *Places) follow(r *route, key routeKey) {
	begun, known, seen := time.Now(), time.Now(), false
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-time.After(p.TTL() / 4):
		}
		now, err := p.s.cfg.Claims.Holder(r.ctx, key.id)
		switch {
		case err == nil && now.Owner == key.owner:
			known, seen = time.Now(), true
			continue
		case !seen && errors.Is(err, cluster.ErrNotFound) && time.Since(begun) < 2*p.TTL():
			continue // it is asked to take the workspace, and claims it first
		case err == nil || errors.Is(err, cluster.ErrNotFound):
			err = ErrGone
		case time.Since(known) < 3*p.TTL():
			continue
		default:
			err = fmt.Errorf("%w, as far as is known: %w", ErrGone, err)
		}
		p.mu.Lock()
		if p.routes[key] == r {
			delete(p.routes, key)
		}
		p.mu.Unlock()
		r.end(err)
		return
	}
}
