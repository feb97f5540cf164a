package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/internal/trace"
	"atelier/workshop"
)

// placed carries out a request of a workspace where the workspace is: here, or on the other
// server of the cluster that has it. Without a cluster that is here.
func (s *Server) placed(w http.ResponseWriter, r *http.Request, c caller, next memberHandler) error {
	if s.opt.Places == nil {
		return next(w, r, c)
	}
	p := s.placing
	return p.find(w, r, placement{id: c.Access.WorkspaceID, here: func(ws *owner.Workspace) error { return p.here(ws, w, r, c, next) }})
}

// placement is a request that is to be carried out where its workspace is.
type placement struct {
	id     string
	here   func(ws *owner.Workspace) error // carries it out on this server
	ofPage bool                            // it makes a connection of the page
}

// placing finds the server for each request of a workspace.
type placing struct {
	s       *Server
	at      *owner.Places
	peers   *http.Transport
	passing places // requests that other servers carry out
}

func newPlacing(s *Server) *placing {
	most := s.opt.MaxCalls + s.opt.MaxStreams
	return &placing{s: s, at: s.opt.Places, passing: newPlaces(most, s.opt.Wait), peers: newPeers(most)}
}

// patience is how long a request waits for a server to have its workspace: the lease of one
// that died ends, and another takes the workspace over.
func (p *placing) patience() time.Duration { return 3*p.at.TTL() + 5*time.Second }

// find has a request carried out here, or on the server that has its workspace.
func (p *placing) find(w http.ResponseWriter, r *http.Request, of placement) error {
	id := of.id
	b := &repeated{}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), p.patience())
	defer cancel()
	var failed error // of the last try that ended
	var waiting *trace.Span
	defer func() { waiting.End() }()
	for {
		ws, err := p.at.Find(ctx, id)
		if err != nil && ctx.Err() == nil {
			failed = err
		} else if err != nil && failed != nil {
			err = fmt.Errorf("%w; the try before: %w", err, failed)
		}
		var held *cluster.HeldError
		if err == nil || errors.As(err, &held) {
			waiting.End()
			waiting = nil
		}
		switch {
		case err == nil:
			b.again(r)
			if err = of.here(ws); !again(err, r) {
				return err
			}
		case errors.As(err, &held) && held.Holder.Owner != "" && held.Holder.Owner != p.at.Self().Owner:
			if r.Header.Get(passedOn) != "" {
				return notHere(w, id, err)
			}
			var repeat bool
			if repeat, err = p.passOn(w, r, of, held.Holder, b); !repeat {
				return err
			}
			err = fmt.Errorf("%s, which has it, does not answer: %w", held.Holder.Owner, err)
		case errors.Is(err, owner.ErrFull), errors.Is(err, owner.ErrClosing):
			if r.Header.Get(passedOn) != "" {
				return notHere(w, id, err) // the other server looks again
			}
			retryAfter(w, time.Second)
			return unavailable(id, err, begun)
		case errors.Is(err, replica.ErrDamaged): // waiting does not mend it
			return damaged(id, err)
		}
		if err := b.read(w, r); err != nil { // it waits no longer than its caller
			return err
		}
		if waiting == nil {
			_, waiting = trace.Start(ctx, "wait for a server to have the workspace")
		}
		select {
		case <-ctx.Done():
			waiting.Fail(codeUnavailable)
			retryAfter(w, p.at.TTL())
			return unavailable(id, err, begun)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// again reports whether a request can be carried out elsewhere though the workspace was lost:
// it was not begun, or changes nothing.
func again(err error, r *http.Request) bool {
	return errors.Is(err, owner.ErrNotBegun) || owner.Moved(err) && reads(r)
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// unavailable says what a request waited for.
func unavailable(id string, err error, since time.Time) error {
	message := fmt.Sprintf("The workspace %s is not at work on any server that can be reached; waited %.1f s", id, time.Since(since).Seconds())
	switch {
	case errors.Is(err, owner.ErrFull):
		message = "This server has as many workspaces at work as it may, and none is idle; try again"
	case errors.Is(err, owner.ErrClosing):
		message = "The server is stopping; another takes the workspace; try again"
	case errors.Is(err, replica.ErrStore):
		message = storeMessage(err)
	case errors.Is(err, cluster.ErrUnreachable):
		message = fmt.Sprintf("The servers that keep the workspaces cannot be reached; waited %.1f s", time.Since(since).Seconds())
	}
	p := fail(http.StatusServiceUnavailable, codeUnavailable, message)
	p.cause = err
	return p
}

// damaged says that a workspace cannot be opened. What is damaged is told to the operator, in the
// log: it may be the name of a file.
func damaged(id string, err error) error {
	p := fail(http.StatusInternalServerError, codeInternal, fmt.Sprintf("The workspace %s cannot be opened: what the cluster has of it is damaged. The log of the server says what; restore it from a copy of the cluster, or mend the store and try again", id))
	p.cause = err
	return p
}

// left ends what this server has of a workspace that is closed here.
func (s *Server) left(id string) {
	s.mcps.drop(id)
	s.runs.drop(id)
}

// leaveAll lets other servers have the workspaces that are at work here.
func (s *Server) leaveAll(ctx context.Context) {
	if s.opt.Places != nil {
		s.opt.Places.Close(ctx)
	}
}

type ownedKey struct{}

// ownedOf is the workspace in which a request is carried out, nil without a cluster.
func ownedOf(ctx context.Context) *owner.Workspace {
	w, _ := ctx.Value(ownedKey{}).(*owner.Workspace)
	return w
}

// here carries a request out in a workspace that is at work here. Nothing of the answer
// leaves this server before the log has what the answer says.
func (p *placing) here(ws *owner.Workspace, w http.ResponseWriter, r *http.Request, c caller, next memberHandler) error {
	g := newGated(w, func() error { return ws.Commit(r.Context()) })
	stopped := false
	err := ws.Do(r.Context(), func(ctx context.Context, _ *workshop.Workbench) error {
		err := next(g, r.WithContext(context.WithValue(ctx, ownedKey{}, ws)), c)
		if stopped = err != nil && ctx.Err() != nil; err != nil && !stopped {
			p.s.fail(g, r, err)
		}
		return nil
	})
	switch {
	case err == nil && !stopped:
		return g.finish()
	case g.sent:
		panic(http.ErrAbortHandler) // the client must not take a part for the whole
	case err == nil:
		g.discard()
		retryAfter(w, time.Second)
		return fail(http.StatusServiceUnavailable, codeUnavailable, stoppedMessage)
	}
	g.discard()
	retryAfter(w, time.Second)
	return err
}
