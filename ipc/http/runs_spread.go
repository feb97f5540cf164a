package httpapi

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/replica/owner"
	"atelier/internal/turns"
)

// Runs that wait on a server of a cluster while another one has room: the whole workspace is
// moved there, and the run begins in a place that the other server keeps for it.

const (
	spreadEvery = time.Second
	spreadAfter = 2 * time.Second  // a run waits for so long first: moving a workspace costs more
	spreadMost  = 3                // moves of one run
	claimTime   = 15 * time.Second // for which a place is kept
)

// offer lets the other servers know the free places here, and moves runs that wait to them.
func (rs *runs) offer() {
	rs.opt.Places.SetRoom(owner.Room{Free: rs.queue.Free, Claim: rs.claim})
	if rs.opt.Places.CanMove() {
		rs.moving.Go(rs.spread)
	}
}

// claim keeps a place for the run of a workspace that comes from another server.
func (rs *runs) claim(workspace string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.claims[workspace] != nil {
		return false
	}
	t, ok := rs.queue.Claim()
	if !ok {
		return false
	}
	rs.claims[workspace] = t
	time.AfterFunc(claimTime, func() {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		if rs.claims[workspace] == t {
			delete(rs.claims, workspace)
			t.Leave()
		}
	})
	return true
}

// arrives returns the place of a run that comes from another server: the one that is kept for
// its workspace, else the next in its user's turn. The caller holds rs.mu.
func (rs *runs) arrives(workspace, user string) *turns.Ticket {
	if t := rs.claims[workspace]; t != nil {
		delete(rs.claims, workspace)
		return t
	}
	return rs.queue.Continue(user)
}

// spread moves the runs that wait to servers with room, until the server stops.
func (rs *runs) spread() {
	tick := time.NewTicker(spreadEvery)
	defer tick.Stop()
	for {
		select {
		case <-rs.open.Done():
			return
		case <-tick.C:
		}
		for _, r := range rs.movable() {
			ctx, cancel := context.WithTimeout(rs.open, claimTime/2)
			to, ok := rs.opt.Places.ClaimElsewhere(ctx, r.workspace)
			cancel()
			if !ok {
				break // there is no room now
			}
			rs.send(r, to)
		}
	}
}

// movable returns the runs that another server may begin, in the order of their turns.
func (rs *runs) movable() (list []*run) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.active {
		if r.waiting && !r.sending && r.at != nil && r.sent < spreadMost && r.ticket.Waited() >= spreadAfter && (r.translates || r.log.kept != nil) && !r.at.Busy() {
			list = append(list, r)
		}
	}
	ahead := func(r *run) int {
		if n, waits := r.ticket.Ahead(); waits {
			return n
		}
		return math.MaxInt
	}
	slices.SortFunc(list, func(a, b *run) int { return cmp.Compare(ahead(a), ahead(b)) })
	return list
}

// send moves the workspace of a run that waits to a server that keeps a place for it.
func (rs *runs) send(r *run, to cluster.Holder) {
	rs.mu.Lock()
	if !r.waiting || !r.ticket.Withdraw() { // it has its turn here now
		rs.mu.Unlock()
		return
	}
	r.sending = true
	r.sent++
	waited := r.waited + r.ticket.Waited()
	rs.mu.Unlock()
	if r.translates {
		if err := rs.jobSent(r, waited); err != nil {
			rs.opt.Log.Warn("how often a translation job was moved is not known to the next server", "workspace", r.workspace, "err", err)
		}
	} else {
		r.log.add(eventThought, queued{Kind: thoughtMoved, Text: "Another server has room: the run moves there.", Moves: r.sent, Waited: waited.Seconds()})
	}
	rs.opt.Log.Info("a run that waits is moved to a server with room", "workspace", r.workspace, "run", r.id, "to", to.Owner)
	rs.moving.Go(func() {
		if err := rs.opt.Places.MoveTo(context.Background(), r.workspace, to); err != nil {
			rs.opt.Log.Warn("a run that waits could not be moved; the next server that takes its workspace begins it", "workspace", r.workspace, "run", r.id, "to", to.Owner, "err", err)
		}
	})
}

// jobSent notes in the file of a job that it was moved.
func (rs *runs) jobSent(r *run, waited time.Duration) error {
	k, err := rs.readJob(r.workspace)
	if err != nil {
		return err
	}
	k.Moves, k.Waited = r.sent, waited.Seconds()
	return rs.writeJob(r.workspace, k)
}
