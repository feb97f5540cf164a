package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Bucket is the bucket of the cluster that has the accounts.
const Bucket = "accounts"

const (
	// Staleness is for how long a server uses what it has read without asking the cluster
	// whether there is more. A change that was acknowledged, such as a revocation, holds
	// for every request that begins later than this; than twice this, where the same key
	// was changed again before the first change was read.
	Staleness = 2 * time.Second
	// patience bounds how long a request waits for the cluster.
	patience = 5 * time.Second
	// slots is how many keys the beats of all servers have.
	slots = 64
)

// shared has the accounts of a cluster. It follows the bucket and has all of it in memory.
// To know that nothing is missing it writes a key to the bucket, a beat, and waits until it
// has read that: the write is acknowledged by most of the servers that have the bucket, so
// everything acknowledged before it was read too. Requests within Staleness of a beat need
// no further one. So a server that the cluster does not answer refuses requests instead of
// answering by what it knew.
type shared struct {
	c    *cluster.Cluster
	kv   jetstream.KeyValue
	used jetstream.KeyValue // what users used
	beat string             // key

	ctx     context.Context
	cancel  context.CancelFunc
	ended   sync.WaitGroup
	restart chan struct{} // reading begins anew

	mu       sync.Mutex // protects the fields below and the view
	view     *view
	broken   error         // a value that cannot be read
	grown    chan struct{} // closed at the next change of view
	lastBeat uint64
	fresh    time.Time // everything acknowledged before is in view
	after    time.Time // of the last own write: beats before it do not count
	asking   *asking   // nil: no beat is on its way
}

// asking is a beat on its way.
type asking struct {
	done chan struct{}
	err  error
}

// Share has the accounts in a cluster, for all its servers. The caller closes the cluster
// after the Store.
func Share(ctx context.Context, c *cluster.Cluster, o Options) (*Store, error) {
	kv, err := c.Keys(ctx, Bucket, 0)
	if err != nil {
		return nil, unavailable(err)
	}
	used, err := c.Keys(ctx, spendingBucket, 0)
	if err != nil {
		return nil, unavailable(err)
	}
	var b [1]byte
	rand.Read(b[:]) // never fails
	s := &shared{c: c, kv: kv, used: used, beat: fmt.Sprintf("%s%d", beatKey, b[0]%slots), restart: make(chan struct{}, 1), view: newView(), grown: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ended.Go(s.follow)
	if err := s.current(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return newStore(s, o.withDefaults()), nil
}

// Close ends following the bucket.
func (s *shared) Close() error {
	s.cancel()
	s.ended.Wait()
	return nil
}

// unavailable brings what is wrong with the cluster under ErrUnavailable.
func unavailable(err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// follow reads the bucket, again from the beginning when reading breaks off.
func (s *shared) follow() {
	for s.ctx.Err() == nil {
		s.read()
		select {
		case <-s.ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// read reads the bucket until that breaks off. The view before is used until all of the
// bucket was read.
func (s *shared) read() {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	w, err := s.kv.WatchFiltered(ctx, []string{userKey + "*", emailKeyed + "*", workspaceKey + "*", memberKey + "*.*", s.beat})
	if err != nil {
		return
	}
	defer func() { _ = w.Stop() }()
	fresh := newView()
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return
			}
			s.take(fresh, e)
		case <-s.restart:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// take takes in one change; nil says that v has all that the bucket had.
func (s *shared) take(v *view, e jetstream.KeyValueEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e == nil {
		s.view, s.broken = v, nil
	} else if err := v.apply(e); err != nil {
		s.broken = err
	}
	close(s.grown)
	s.grown = make(chan struct{})
}

// with calls f with the view, which lacks nothing that was acknowledged before Staleness ago.
func (s *shared) with(ctx context.Context, f func(*view)) error {
	if err := s.current(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	f(s.view)
	return nil
}

// current waits until the view may be used.
func (s *shared) current(ctx context.Context) error {
	var late <-chan time.Time // a beat may take longer: while it reconnects, the client blocks
	for {
		s.mu.Lock()
		age := time.Since(s.fresh)
		if age > Staleness/2 && s.asking == nil { // early, so that few requests wait
			s.asking = &asking{done: make(chan struct{})}
			s.ended.Go(s.ask)
		}
		asked := s.asking
		s.mu.Unlock()
		if age <= Staleness {
			return nil
		}
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-asked.done:
			if asked.err != nil {
				return asked.err
			}
		case <-late:
			return unavailable(cluster.ErrUnreachable)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask makes a beat and waits until it was read.
func (s *shared) ask() {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	var sent time.Time
	var rev uint64
	err := cluster.Patiently(ctx, patience, func() (err error) {
		sent = time.Now()
		each, cancel := context.WithTimeout(ctx, patience/3)
		defer cancel()
		rev, err = s.kv.Put(each, s.beat, []byte{'.'})
		return cluster.Classified("asking for the accounts", err)
	})
	if err == nil {
		err = s.wait(ctx, rev)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && sent.After(s.after) {
		s.fresh = sent
	}
	s.asking.err = unavailable(err)
	close(s.asking.done)
	s.asking = nil
}

// wait waits until the change with that revision was read. Where that takes too long,
// reading begins again.
func (s *shared) wait(ctx context.Context, rev uint64) error {
	s.mu.Lock()
	if rev <= s.lastBeat { // another bucket is in the place of the one that was read
		s.view = newView()
		s.again()
	}
	s.lastBeat = rev
	s.mu.Unlock()
	for {
		s.mu.Lock()
		ok, grown := s.view.beat >= rev, s.grown
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			s.again()
			return fmt.Errorf("%w: changes do not arrive", cluster.ErrUnreachable)
		}
	}
}

// again has reading begin again.
func (s *shared) again() {
	select {
	case s.restart <- struct{}{}:
	default:
	}
}

// wrote has the next read wait for what this process has just written.
func (s *shared) wrote() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after, s.fresh = time.Now(), time.Time{}
}

func (s *shared) user(ctx context.Context, id string) (u User, ok bool, err error) {
	err = s.with(ctx, func(v *view) { u, ok = v.users[id] })
	return u, ok, err
}

func (s *shared) users(ctx context.Context) (list []User, err error) {
	err = s.with(ctx, func(v *view) {
		list = sorted(v.users, func(User) bool { return true }, func(u User) string { return u.CreatedAt })
	})
	return list, err
}

func (s *shared) workspace(ctx context.Context, id string) (w Workspace, ok bool, err error) {
	err = s.with(ctx, func(v *view) { w, ok = v.workspaces[id] })
	return w, ok, err
}

func (s *shared) workspaces(ctx context.Context) ([]Workspace, error) {
	return s.workspacesFor(ctx, func(*view, Workspace) bool { return true })
}

func (s *shared) workspacesOf(ctx context.Context, userID string) ([]Workspace, error) {
	return s.workspacesFor(ctx, func(v *view, w Workspace) bool {
		_, member := v.members[w.ID][userID]
		return member || w.OwnerID == userID
	})
}

func (s *shared) workspacesFor(ctx context.Context, keep func(*view, Workspace) bool) (list []Workspace, err error) {
	err = s.with(ctx, func(v *view) {
		list = sorted(v.workspaces, func(w Workspace) bool { return keep(v, w) }, func(w Workspace) string { return w.CreatedAt })
	})
	return list, err
}

func (s *shared) members(ctx context.Context, workspaceID string) (ids []string, err error) {
	type member struct{ id, at string }
	err = s.with(ctx, func(v *view) {
		all := map[string]member{}
		for id, m := range v.members[workspaceID] {
			all[id] = member{id, m.AddedAt}
		}
		for _, m := range sorted(all, func(member) bool { return true }, func(m member) string { return m.at }) {
			ids = append(ids, m.id)
		}
	})
	return ids, err
}

func (s *shared) access(ctx context.Context, workspaceID, userID string) (owner, member bool, err error) {
	err = s.with(ctx, func(v *view) {
		w, ok := v.workspaces[workspaceID]
		if !ok {
			return
		}
		owner = w.OwnerID == userID
		_, member = v.members[workspaceID][userID]
	})
	return owner, member, err
}
