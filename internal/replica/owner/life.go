package owner

import (
	"context"
	"crypto/rand"
	"fmt"

	"atelier/internal/cluster"
)

// A server has workspaces by one lease, which it renews; each lease is one of its lives. When
// a lease is lost, so are all workspaces that were taken by it, and the server begins the next
// life, with a lease of another key.

// life returns the lease of this server, and begins one if it has none or has lost it.
func (s *Server) life(ctx context.Context) (*cluster.Lease, error) {
	select { // one at a time
	case s.beginning <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("the lease of this server: %w", ctx.Err())
	}
	defer func() { <-s.beginning }()
	s.mu.Lock()
	last, left := s.lease, s.left
	s.mu.Unlock()
	if left {
		return nil, ErrClosing
	}
	if last != nil {
		if last.Valid() {
			return last, nil
		}
		go last.Release() // so that others need not wait: nothing relies on it any more
	}
	said := s.self()
	next, err := s.cfg.Claims.Leases().Acquire(ctx, rand.Text(), said)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.lease, left = next, s.left
	s.mu.Unlock()
	if left {
		next.Release()
		return nil, ErrClosing
	}
	if now := s.self(); now != said {
		next.Say(now)
	}
	return next, nil
}

// self is what the lease says of this server.
func (s *Server) self() cluster.Holder {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.cfg.Holder
	h.Away = s.away
	return h
}

// setAway has others see whether this server takes workspaces.
func (s *Server) setAway(away bool) {
	s.mu.Lock()
	s.away = away
	lease := s.lease
	s.mu.Unlock()
	if lease != nil {
		lease.Say(s.self())
	}
}

// Leave ends the lease of this server, after its last workspace was released. It takes at most a
// second, and nothing is taken any more.
func (s *Server) Leave() {
	s.mu.Lock()
	lease := s.lease
	s.lease, s.left = nil, true
	s.mu.Unlock()
	if lease != nil {
		lease.Release()
	}
}
