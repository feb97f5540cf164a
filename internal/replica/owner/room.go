package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/internal/cluster"
)

// Room is what the server has of places in which runs are carried out.
type Room struct {
	Free func() int // places that are free now
	// Claim keeps a free place for the run of a workspace that another server releases;
	// false: there is none.
	Claim func(workspace string) bool
}

// SetRoom lets the other servers know about the room of this one.
func (p *Places) SetRoom(r Room) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.room = r
}

// CanMove reports whether there may be servers to which workspaces can be moved.
func (p *Places) CanMove() bool { return p.cfg.Servers != nil }

func (p *Places) free() int {
	p.mu.Lock()
	free, may := p.room.Free, p.mayTake()
	p.mu.Unlock()
	if free == nil || !may {
		return 0
	}
	return free()
}

// mayTake reports whether this server may take one more workspace. p.mu is held.
func (p *Places) mayTake() bool { return !p.closing && !p.draining && len(p.here) < p.cfg.Most }

// claim carries out the order to keep a place for a workspace that comes.
func (p *Places) claim(id string) error {
	p.mu.Lock()
	claim, may := p.room.Claim, p.mayTake()
	p.mu.Unlock()
	if claim == nil || !may || !claim(id) {
		return errors.New("no place is free")
	}
	return nil
}

// The bounds of a search for room.
const (
	claimMost     = 3               // servers that are asked
	claimPatience = 2 * time.Second // for the answer of one
)

// ClaimElsewhere has another server keep a place for the run of a workspace: one of those
// that said lately that they have some, the one with the most first.
func (p *Places) ClaimElsewhere(ctx context.Context, id string) (cluster.Holder, bool) {
	list, err := p.cfg.Servers.List(ctx)
	if err != nil {
		p.s.log().Debug("the servers with room are not known now", "err", err)
		return cluster.Holder{}, false
	}
	self := p.Self().Owner
	list = slices.DeleteFunc(list, func(h cluster.Holder) bool { return h.Free <= 0 || h.Owner == self })
	slices.SortFunc(list, func(a, b cluster.Holder) int { return cmp.Compare(b.Free, a.Free) })
	for _, h := range list[:min(len(list), claimMost)] {
		if err := p.cfg.Servers.send(ctx, h.Owner, order{Do: "claim", Workspace: id}); err == nil {
			return h, true
		}
	}
	return cluster.Holder{}, false
}

// sending is a workspace on its way to another server.
type sending struct {
	to    cluster.Holder
	until time.Time
}

// sendTime is how long another server may need to ask for a workspace that is moved to it.
const sendTime = 5 * time.Second

// sentTo is where a workspace is moved: calls are passed on there, and do not bring it back.
// p.mu is held.
func (p *Places) sentTo(id string) (cluster.Holder, bool) {
	s, ok := p.sent[id]
	if ok && time.Now().After(s.until) {
		delete(p.sent, id)
		ok = false
	}
	return s.to, ok
}

// MoveTo has another server take a workspace, which is handed over to it. It gives operations in
// progress as long as an order does. Where the other one does not take it, it is released all the
// same, and any server takes it that is asked for it, or that sees that it waits.
func (p *Places) MoveTo(ctx context.Context, id string, to cluster.Holder) error {
	ctx, cancel := context.WithTimeout(ctx, moveTime)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	p.mu.Lock()
	at := p.here[id]
	p.sent[id] = sending{to, time.Now().Add(moveTime)}
	p.mu.Unlock()
	asks, silent := context.WithCancel(ctx)
	defer silent()
	if at != nil {
		go p.asked(asks, at, silent)
	}
	err := p.cfg.Servers.Move(asks, p.Self().Owner, to.Owner, id)
	if err != nil && at != nil {
		err = errors.Join(err, p.letGo(ctx, at, nil))
	}
	p.mu.Lock()
	delete(p.sent, id) // its claim names the other server now, or nobody
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("workspace %s could not be moved to %s: %w", id, to.Owner, err)
	}
	return nil
}

// asked ends the move of a workspace for which the other server does not ask in time.
func (p *Places) asked(ctx context.Context, at *place, silent func()) {
	late := time.After(sendTime)
	select {
	case <-at.ready:
	case <-ctx.Done():
		return
	case <-late:
		silent()
		return
	}
	if at.err != nil {
		return
	}
	select {
	case <-at.w.Leaving():
	case <-ctx.Done():
	case <-late:
		silent()
	}
}

// Yields notes that an operation in progress ends by itself as soon as the workspace leaves,
// such as one that waits or that follows events, until over is called.
func (w *Workspace) Yields() (over func()) {
	w.mu.Lock()
	w.yields++
	w.mu.Unlock()
	return func() {
		w.mu.Lock()
		w.yields--
		w.mu.Unlock()
	}
}

// Busy reports whether an operation is in progress that would be disturbed if the workspace
// left.
func (w *Workspace) Busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open > w.yields
}
