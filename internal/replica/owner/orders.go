package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"atelier/internal/cluster"
)

// Servers are the servers of a cluster that take workspaces, and take orders about them.
type Servers struct {
	claims *cluster.Claims
	conn   *nats.Conn
}

const (
	leaseBucket = "ws-leases" // has a lease of each server
	claimBucket = "ws-owners" // has which server has which workspace, by its lease
)

// OpenServers opens those of a cluster. All servers use the same time to live.
func OpenServers(ctx context.Context, c *cluster.Cluster, ttl time.Duration) (*Servers, error) {
	leases, err := c.LastingLeases(ctx, leaseBucket, ttl)
	if errors.Is(err, cluster.ErrMismatch) {
		err = fmt.Errorf("%w; give all servers the same --lease", err)
	}
	if err != nil {
		return nil, err
	}
	claims, err := c.Claims(ctx, claimBucket, leases)
	return &Servers{claims, c.Conn()}, err
}

// FindServers is OpenServers for a process that is none; cluster.ErrNotFound: there was none.
func FindServers(ctx context.Context, c *cluster.Cluster) (*Servers, error) {
	leases, err := c.FindLeases(ctx, leaseBucket)
	if err != nil {
		return nil, err
	}
	claims, err := c.FindClaims(ctx, claimBucket, leases)
	return &Servers{claims, c.Conn()}, err
}

// Claims say which server has which workspace.
func (s *Servers) Claims() *cluster.Claims { return s.claims }

// Held returns which server has which workspace, by its id, and the servers that take
// workspaces. What is Overdue has shown no sign of life for the time of a lease. It looks as
// cluster.Leases.Held does.
func (s *Servers) Held(ctx context.Context) (workspaces map[string]cluster.Held, servers []cluster.Held, err error) {
	workspaces, leases, err := s.claims.Held(ctx)
	by := map[string]cluster.Held{}
	for _, h := range leases {
		// A server that has lost a lease may be there twice for a while.
		if at, twice := by[h.Owner]; !h.Away && (!twice || at.Overdue) {
			by[h.Owner] = h
		}
	}
	return workspaces, slices.Collect(maps.Values(by)), err
}

// List returns the servers that take workspaces; one of them may have died. A server leaves out
// those that it knows to be overdue.
func (s *Servers) List(ctx context.Context) (list []cluster.Holder, err error) {
	leases, err := s.claims.Leases().Lively(ctx)
	for _, h := range leases {
		if !h.Away && !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list, err
}

// order is what an operator wants of a server.
type order struct {
	Do        string `json:"do"` // take, release, drain, claim, fetch
	Workspace string `json:"workspace,omitempty"`
	// To is the server that is to have a workspace that is released; nil: any.
	To *cluster.Recipient `json:"to,omitempty"`
}

type orderAnswer struct {
	Error string `json:"error,omitempty"`
}

const (
	orderGrace = 10 * time.Second // for operations in progress in a workspace that is to leave
	orderTime  = orderGrace + releaseTime + 10*time.Second
	moveTime   = 2 * orderTime // for two servers, one after the other
)

// name is a server's name in keys and subjects.
func name(owner string) string { return strings.ReplaceAll(owner, ".", "_") }

func orderSubject(owner string) string { return "atelier.ws.server." + name(owner) }

// Move has a server take a workspace, which the one that has it hands over to it. That of a
// server that died, or does not answer, is taken when its lease is over.
func (s *Servers) Move(ctx context.Context, from, to, workspace string) error {
	err := s.send(ctx, to, order{Do: "fetch", Workspace: workspace})
	if !errors.Is(err, errUnknownOrder) {
		return err
	}
	// The server is older. Another one may take the workspace between the two orders.
	if from != to {
		err = s.send(ctx, from, order{Do: "release", Workspace: workspace})
		if err != nil && !errors.Is(err, ErrNoServer) && !errors.Is(err, ErrSilent) {
			return err
		}
	}
	return s.send(ctx, to, order{Do: "take", Workspace: workspace})
}

// Drain has a server release all workspaces and take no more; it still passes calls on.
func (s *Servers) Drain(ctx context.Context, owner string) error {
	return s.send(ctx, owner, order{Do: "drain"})
}

// The errors of an order that a server did not get: it does not run, or it did not answer.
// errUnknownOrder is that of one that it does not know.
var (
	ErrNoServer     = errors.New("no process answers for the server")
	ErrSilent       = errors.New("it may be paused, cut off or busy, and may still carry out the order")
	errUnknownOrder = errors.New("this server does not know the order")
)

func (s *Servers) send(ctx context.Context, owner string, o order) error {
	within := orderTime
	switch o.Do {
	case "claim":
		within = claimPatience
	case "fetch":
		within = moveTime
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	m, err := s.conn.RequestWithContext(ctx, orderSubject(owner), b)
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w %s: it has ended, or is cut off from the cluster", ErrNoServer, owner)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the server %s did not answer for %s: %w", owner, within, ErrSilent)
	}
	if err != nil {
		return cluster.Classified("asking the server "+owner, err)
	}
	var a orderAnswer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return fmt.Errorf("the answer of the server %s is not valid: %w", owner, err)
	}
	switch {
	case strings.HasPrefix(a.Error, errUnknownOrder.Error()):
		return fmt.Errorf("%w%s", errUnknownOrder, strings.TrimPrefix(a.Error, errUnknownOrder.Error()))
	case a.Error != "":
		return errors.New(a.Error)
	}
	return nil
}

// Join lets the other servers and operators know this one, until leave is called.
func (p *Places) Join(ctx context.Context) (leave func(), err error) {
	s := p.cfg.Servers
	if s == nil {
		return func() {}, nil
	}
	sub, err := s.conn.Subscribe(orderSubject(p.Self().Owner), func(m *nats.Msg) {
		go func() { // one order may wait for the operations of a workspace
			var a orderAnswer
			if err := p.carryOut(m.Data); err != nil {
				a.Error = err.Error()
			}
			if b, err := json.Marshal(a); err == nil {
				_ = m.Respond(b) // who asked may be gone
			}
		}()
	})
	if err != nil {
		return nil, err
	}
	var present sync.WaitGroup
	present.Go(p.present)
	return func() {
		_ = sub.Unsubscribe()
		p.end() // Close did so already
		present.Wait()
		p.s.Leave()
	}, nil
}

// present keeps a lease that lists this server, also while it has no workspace.
func (p *Places) present() {
	p.s.setAway(p.drained())
	for p.ctx.Err() == nil {
		lease, err := p.s.life(p.ctx)
		if err != nil {
			select {
			case <-p.ctx.Done():
			case <-time.After(p.TTL() / 4):
			}
			continue
		}
		tick := time.NewTicker(200 * time.Millisecond)
		for lease.Context().Err() == nil && p.ctx.Err() == nil {
			p.s.setFree(p.free())
			select {
			case <-lease.Context().Done():
			case <-p.ctx.Done():
			case <-tick.C:
			}
		}
		tick.Stop()
	}
}

func (p *Places) drained() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draining
}

// carryOut carries an order out.
func (p *Places) carryOut(message []byte) error {
	var o order
	if err := json.Unmarshal(message, &o); err != nil {
		return fmt.Errorf("the order is not valid: %w", err)
	}
	within := orderTime
	if o.Do == "fetch" {
		within = moveTime
	}
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	switch o.Do {
	case "fetch":
		return p.fetch(ctx, o.Workspace)
	case "take":
		return p.findWhenFree(ctx, o.Workspace)
	case "release":
		p.mu.Lock()
		at := p.here[o.Workspace]
		p.mu.Unlock()
		if at == nil {
			return nil
		}
		return p.letGo(ctx, at, o.To)
	case "drain":
		return p.drain(ctx)
	case "claim":
		return p.claim(o.Workspace)
	}
	return fmt.Errorf("%w %q; it may be older", errUnknownOrder, o.Do)
}

// fetch takes a workspace that another server is to hand over, or that no server has.
func (p *Places) fetch(ctx context.Context, id string) error {
	p.mu.Lock()
	here := p.here[id] != nil
	full := !here && len(p.here) >= p.cfg.Most && !p.makeRoom()
	p.mu.Unlock()
	if full { // before the other server gives it away
		return ErrFull
	}
	if h, err := p.holder(id); !here && err == nil && h.Owner != p.Self().Owner && !p.drained() {
		if err := p.askFor(ctx, id, h); err != nil {
			return err
		}
	}
	return p.findWhenFree(ctx, id)
}

// askFor has another server hand a workspace over to this one. That of a server that died, or
// does not answer, is taken when its lease is over.
func (p *Places) askFor(ctx context.Context, id string, from cluster.Holder) error {
	lease, err := p.s.life(ctx)
	if err != nil {
		return err
	}
	has, leave := p.Follow(id, from)
	defer leave()
	asked, enough := context.WithCancel(ctx)
	defer enough()
	defer context.AfterFunc(has, enough)()
	err = p.cfg.Servers.send(asked, from.Owner, order{Do: "release", Workspace: id, To: &cluster.Recipient{Holder: p.Self(), Lease: lease.Key()}})
	if has.Err() != nil || errors.Is(err, ErrNoServer) || errors.Is(err, ErrSilent) {
		return nil
	}
	return err
}

var errDrained = errors.New("this server is drained: it takes no workspaces until it is started again")

// findWhenFree is Find that waits for the lease of a server that died, or of one that has claimed
// the workspace and does not take it.
func (p *Places) findWhenFree(ctx context.Context, id string) error {
	for end := time.Now().Add(p.TTL() + p.TTL()/2); ; {
		if p.drained() {
			return errDrained
		}
		_, err := p.Find(ctx, id)
		if !errors.Is(err, cluster.ErrHeld) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// letGo releases a workspace, for a server or for any.
func (p *Places) letGo(ctx context.Context, at *place, to *cluster.Recipient) error {
	select {
	case <-at.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if at.err != nil {
		return nil
	}
	if to != nil {
		at.w.handTo(to)
	}
	grace, cancel := context.WithTimeout(ctx, orderGrace)
	defer cancel()
	return at.w.leaveBy(grace)
}

// drain releases all workspaces and takes no more.
func (p *Places) drain(ctx context.Context) error {
	p.mu.Lock()
	p.draining = true
	p.s.setAway(true)
	var all []*place
	for _, at := range p.here {
		all = append(all, at)
	}
	p.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, at := range all {
		wg.Go(func() { errs[i] = p.letGo(ctx, at, nil) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// another names a server that is to take a workspace in the place of this one, which is
// drained: as if it had the workspace.
func (p *Places) another(ctx context.Context, id string) error {
	list, err := p.cfg.Servers.List(ctx)
	if err != nil {
		return err
	}
	self := p.Self().Owner
	var others []cluster.Holder
	for _, h := range list {
		if h.Owner != self {
			others = append(others, h)
		}
	}
	if len(others) == 0 {
		return ErrClosing
	}
	return &cluster.HeldError{Key: id, Holder: others[rand.IntN(len(others))]}
}
