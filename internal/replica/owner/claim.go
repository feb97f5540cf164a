package owner

import (
	"context"
	"fmt"

	"atelier/internal/cluster"
)

// claim claims a workspace that no server has, one call at a time.
func (s *Server) claim(ctx context.Context, id string, now func(string)) (*Workspace, error) {
	s.mu.Lock()
	taking := s.taking[id]
	s.taking[id] = true
	s.mu.Unlock()
	if taking {
		return nil, &cluster.HeldError{Key: id, Holder: s.cfg.Holder}
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taking, id)
	}()
	now("waiting for the end of what uses it on this server")
	if err := s.closed(ctx, id); err != nil {
		return nil, err
	}
	now("renewing the lease of this server")
	lease, err := s.life(ctx)
	if err != nil {
		return nil, err
	}
	now("claiming it")
	claim, err := s.cfg.Claims.Take(ctx, id, lease, s.cfg.Holder)
	if err != nil {
		return nil, err
	}
	// Taking counts as an operation, so that what is lost meanwhile is closed after it.
	w := &Workspace{s: s, id: id, lease: lease, claim: claim, open: 1, leaving: make(chan struct{}), done: make(chan struct{})}
	w.ctx, w.end = context.WithCancelCause(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.here[id] = w
	return w, nil
}

// closed waits until an earlier ownership of this server no longer uses the state folder.
func (s *Server) closed(ctx context.Context, id string) error {
	s.mu.Lock()
	old := s.here[id]
	s.mu.Unlock()
	if old == nil {
		return nil
	}
	if old.ctx.Err() == nil {
		return &cluster.HeldError{Key: id, Holder: s.cfg.Holder}
	}
	select {
	case <-old.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("workspace %s is still being closed here: %w", id, ctx.Err())
	}
}
