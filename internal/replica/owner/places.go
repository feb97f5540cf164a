package owner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"atelier/internal/cluster"
	"atelier/internal/trace"
)

// PlacesConfig says how a server takes and releases workspaces.
type PlacesConfig struct {
	Idle time.Duration // after which a workspace without operations is released; 0 is 5 minutes
	Most int           // workspaces at work here; 0 is 200
	// Waiting are workspaces in which something is to be continued though no call comes.
	// nil: there are none.
	Waiting *Waiting
	Servers *Servers      // the servers of the cluster; nil: no orders are taken
	Tracer  *trace.Tracer // of what no call asked for; nil: no spans
}

// Places has the workspaces that are at work on a server: it takes one when a call needs it
// and no server has it, and releases those that are idle. It is safe for concurrent use.
type Places struct {
	s   *Server
	cfg PlacesConfig

	mu       sync.Mutex // protects the fields below
	here     map[string]*place
	taken    func(id string, w *Workspace)
	closing  bool
	draining bool // takes no workspace, and passes calls on
	routes   map[routeKey]*route
	room     Room
	sent     map[string]sending // workspaces that are moved to another server
	retries  map[string]retry   // workspaces whose takeover failed here
	watching sync.WaitGroup
	looks    singleflight.Group

	ctx context.Context // ends with Close
	end context.CancelFunc
}

// place is a workspace that is at work here, is being taken, or is being closed.
type place struct {
	doing atomic.Pointer[string] // what the takeover does or waits for
	ready chan struct{}          // closed when w and err are set
	w     *Workspace
	err   error
}

// The errors of Find, besides those of Take.
var (
	ErrFull    = errors.New("this server has as many workspaces at work as it may, and none is idle")
	ErrClosing = errors.New("this server is stopping")
)

// Places returns the places of a server, which has one. Begin and Close follow.
func (s *Server) Places(cfg PlacesConfig) *Places {
	if cfg.Idle == 0 {
		cfg.Idle = 5 * time.Minute
	}
	if cfg.Most == 0 {
		cfg.Most = 200
	}
	p := &Places{s: s, cfg: cfg, here: map[string]*place{}, routes: map[routeKey]*route{}, sent: map[string]sending{}, retries: map[string]retry{}}
	p.ctx, p.end = context.WithCancel(cfg.Tracer.Into(context.Background()))
	return p
}

// Begin begins to release and to continue by itself what waits. taken is called with a
// workspace that was taken, before the operations that wait for it; closing before one is
// closed here, after its last operation.
func (p *Places) Begin(taken func(id string, w *Workspace), closing func(id string)) {
	p.mu.Lock()
	p.taken = taken
	p.mu.Unlock()
	p.s.mu.Lock()
	p.s.closing = closing
	p.s.mu.Unlock()
	p.watching.Go(p.watch)
	p.watching.Go(func() { p.s.cfg.Claims.Watch(p.ctx) })
}

// Self is this server.
func (p *Places) Self() cluster.Holder { return p.s.cfg.Holder }

// TTL is the time of a lease.
func (p *Places) TTL() time.Duration { return p.s.cfg.Claims.Leases().TTL() }

// StateDir is the state folder of a workspace that is at work here.
func (p *Places) StateDir(id string) string { return p.s.cfg.Home.StateDir(id) }

// Waiting are the workspaces of PlacesConfig.Waiting.
func (p *Places) Waiting() *Waiting { return p.cfg.Waiting }

// MayOpen is the error of opening a workspace that is not at work here.
func (p *Places) MayOpen(id string) error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.s.here[id] == nil {
		return fmt.Errorf("workspace %s is not at work on this server", id)
	}
	return nil
}

// Find returns a workspace that is at work here, and takes it where no server has it; a
// *cluster.HeldError says which other server has it. The error of a takeover that failed is
// returned again until it is time for the next try. The context bounds waiting only.
func (p *Places) Find(ctx context.Context, id string) (*Workspace, error) {
	for {
		p.mu.Lock()
		if p.closing {
			p.mu.Unlock()
			return nil, ErrClosing
		}
		at := p.here[id]
		if at == nil {
			p.mu.Unlock()
			holder, err := p.holder(id)
			if err == nil && holder.Owner != p.Self().Owner {
				return nil, &cluster.HeldError{Key: id, Holder: holder}
			}
			if err != nil && !errors.Is(err, cluster.ErrNotFound) {
				return nil, err
			}
			p.mu.Lock()
		}
		if at = p.here[id]; at == nil {
			switch {
			case p.closing:
				p.mu.Unlock()
				return nil, ErrClosing
			case p.draining:
				p.mu.Unlock()
				return nil, p.another(ctx, id)
			}
			if to, ok := p.sentTo(id); ok {
				p.mu.Unlock()
				return nil, &cluster.HeldError{Key: id, Holder: to}
			}
			if err := p.failed(id); err != nil {
				p.mu.Unlock()
				return nil, err
			}
			if len(p.here) >= p.cfg.Most && !p.makeRoom() {
				p.mu.Unlock()
				return nil, ErrFull
			}
			at = &place{ready: make(chan struct{})}
			at.now("begun")
			p.here[id] = at
			go p.take(trace.In(p.ctx, ctx), id, at) // others wait for it too
		}
		p.mu.Unlock()
		select {
		case <-at.ready: // most often, and then there is no wait
		default:
			_, span := trace.Start(ctx, "wait for the takeover")
			defer span.End()
		}
		select {
		case <-at.ready:
		case <-ctx.Done():
			return nil, fmt.Errorf("workspace %s is being taken over (%s): %w", id, *at.doing.Load(), ctx.Err())
		}
		if at.err != nil {
			return nil, at.err
		}
		select {
		case <-at.w.Leaving(): // its last operations end; then it can be taken again
		default:
			return at.w, nil
		}
		select {
		case <-at.w.Done():
		case <-ctx.Done():
			return nil, fmt.Errorf("workspace %s is being closed on this server: %w", id, ctx.Err())
		}
		p.forget(id, at)
	}
}

// holder looks at a claim, once for all calls that ask at the same time: many may wait for
// a workspace whose server died.
func (p *Places) holder(id string) (cluster.Holder, error) {
	h, err, _ := p.looks.Do(id, func() (any, error) {
		return p.s.cfg.Claims.Holder(p.ctx, id)
	})
	return h.(cluster.Holder), err
}

// takeTime bounds taking one workspace: reading its log and fetching its contents.
const takeTime = 2 * time.Minute

// take takes a workspace for all calls that wait for it.
func (p *Places) take(ctx context.Context, id string, at *place) {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	at.w, at.err = p.s.take(ctx, id, at.now)
	p.mu.Lock()
	p.tried(id, at.err)
	p.mu.Unlock()
	if at.err != nil {
		p.forget(id, at)
		close(at.ready)
		return
	}
	p.mu.Lock()
	taken := p.taken
	p.mu.Unlock()
	if taken != nil {
		taken(id, at.w)
	}
	close(at.ready)
	<-at.w.Done()
	p.forget(id, at)
}

// now notes what the takeover does.
func (at *place) now(doing string) { at.doing.Store(&doing) }

func (p *Places) forget(id string, at *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.here[id] == at {
		delete(p.here, id)
	}
}

// idle reports whether a workspace has had no operation for a time, and since when.
func (at *place) idle(least time.Duration) (since time.Time, idle bool) {
	select {
	case <-at.ready:
	default:
		return time.Time{}, false
	}
	if at.err != nil {
		return time.Time{}, false
	}
	at.w.mu.Lock()
	defer at.w.mu.Unlock()
	return at.w.used, at.w.open == 0 && !at.w.over && time.Since(at.w.used) >= least
}

// makeRoom begins to release the workspace that is idle longest. The server may have one
// more for as long as that takes. p.mu is held.
func (p *Places) makeRoom() bool {
	var oldest *place
	var since time.Time
	for _, at := range p.here {
		if t, idle := at.idle(time.Second); idle && (oldest == nil || t.Before(since)) {
			oldest, since = at, t
		}
	}
	if oldest == nil || len(p.here) >= p.cfg.Most+p.cfg.Most/4+1 {
		return false
	}
	p.release(oldest)
	return true
}

// releaseTime is how long a release may wait for the log.
const releaseTime = 30 * time.Second

func (p *Places) release(at *place) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
		defer cancel()
		_ = at.w.Release(ctx) // one that is lost meanwhile is gone too
	}()
}

// watch releases the workspaces that are idle, and takes those that wait.
func (p *Places) watch() {
	every := min(p.cfg.Idle/4+time.Millisecond, p.TTL())
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
		p.mu.Lock()
		for _, at := range p.here {
			if _, idle := at.idle(p.cfg.Idle); idle {
				p.release(at)
			}
		}
		p.mu.Unlock()
		p.takeWaiting()
	}
}

// takeWaiting takes the workspaces in which something is to be continued and that no server
// has.
func (p *Places) takeWaiting() {
	if p.cfg.Waiting == nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, takeTime)
	defer cancel()
	list, err := p.cfg.Waiting.workspaces(ctx)
	if err != nil {
		p.s.log().Debug("the workspaces that wait are not known now", "err", err)
		return
	}
	for _, id := range list {
		p.mu.Lock()
		room := p.here[id] == nil && len(p.here) < p.cfg.Most && !p.closing && !p.draining
		p.mu.Unlock()
		if !room {
			continue
		}
		if h, err := p.s.cfg.Claims.Holder(ctx, id); !errors.Is(err, cluster.ErrNotFound) && (err != nil || h.Owner != p.Self().Owner) {
			continue // what this server has claimed and does not have at work, it may take
		}
		if _, err := p.Find(ctx, id); err != nil && !errors.Is(err, cluster.ErrHeld) {
			p.s.log().Warn("a workspace with something to continue cannot be taken over", "workspace", id, "err", err)
		}
	}
}

// leaveBy releases a workspace: it waits for the operations in progress until ctx ends, then
// it ends their contexts.
func (w *Workspace) leaveBy(ctx context.Context) error {
	err := w.Release(ctx)
	if Moved(err) { // it leaves already, perhaps by an order whose operations have more time
		select {
		case <-w.Done():
			return nil
		case <-ctx.Done():
		}
	}
	if err != nil {
		w.end(ErrClosing)
	}
	select { // the operations were told; what they do now takes no longer than a tool may
	case <-w.Done():
		return nil
	case <-time.After(releaseTime):
		return fmt.Errorf("the operations of workspace %s did not end within %s", w.id, releaseTime)
	}
}

// Close releases all workspaces, so that other servers can have them at once: it lets no
// more operations begin and waits for those in progress until ctx ends, then it ends their
// contexts. No workspace is taken any more.
func (p *Places) Close(ctx context.Context) {
	p.mu.Lock()
	if p.closing {
		p.mu.Unlock()
		return
	}
	p.closing = true
	p.end()
	var all []*place
	for _, at := range p.here {
		all = append(all, at)
	}
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, at := range all {
		wg.Go(func() {
			<-at.ready // taking ends with p.ctx
			if at.err != nil {
				return
			}
			if err := at.w.leaveBy(ctx); err != nil {
				p.s.log().Error("a workspace did not end its operations in time", "workspace", at.w.id)
			}
		})
	}
	wg.Wait()
	p.watching.Wait()
	p.s.Leave()
}
