package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/ipc/ws"
	"atelier/workshop"
)

// The page over several servers. A connection is to one workspace, which its address names
// (/session/ws?workspace=ID), and is passed on as a whole to the server that has it: the calls
// are carried out there, and nothing leaves that server before the log has what it says. When
// the server loses the workspace the connection ends, and the page connects again.

// connectPlaced makes a connection where its workspace is. One that names none, or none that
// the user may use, is to no workspace: it has the calls that need none.
func (p *page) connectPlaced(w http.ResponseWriter, r *http.Request, of *session) {
	id := ""
	if p.s.placing != nil {
		var err error
		if id, err = p.named(r, of); err != nil {
			p.s.fail(w, r, err)
			return
		}
	}
	if id == "" {
		p.socket.ServeHTTP(w, r)
		return
	}
	noteWorkspace(r, id)
	err := p.s.placing.find(w, r, placement{id: id, ofPage: true, here: func(at *owner.Workspace) error { return p.connectHere(w, r, at) }})
	if err != nil {
		p.s.fail(w, r, err)
	}
}

// named is the workspace of a connection, "" where the user may use none of that name.
func (p *page) named(r *http.Request, of *session) (string, error) {
	text := r.URL.Query().Get("workspace")
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return "", nil
	}
	access, err := p.s.opt.Accounts.Access(r.Context(), id.String(), of.claims.user)
	if err != nil || !access.IsMember {
		return "", err
	}
	return access.WorkspaceID, nil
}

// connectHere serves a connection to a workspace that is at work here, which it keeps at work.
func (p *page) connectHere(w http.ResponseWriter, r *http.Request, at *owner.Workspace) error {
	begun := false
	err := at.Do(context.WithoutCancel(r.Context()), func(context.Context, *workshop.Workbench) error {
		begun = true
		defer at.Yields()() // pageCalls.leaves ends it
		p.socket.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ownedKey{}, at)))
		return nil
	})
	if begun {
		return nil // what was said was in the log before
	}
	return err
}

// leaves ends a connection when its workspace leaves this server, so that the page connects to
// the next one. A run in progress is told until it ends or moves.
func (c *pageCalls) leaves(until context.Context) {
	select {
	case <-until.Done():
		return
	case <-c.ws.Leaving():
	case <-c.ws.Context().Done():
	}
	if left := c.p.s.runs.leftOf(c.ws.ID()); left != nil {
		select {
		case <-until.Done():
		case <-c.ws.Context().Done():
		case <-left:
		}
	}
	c.stop(ws.ErrConnectAgain)
}

// leftOf is closed when the run in progress in a workspace has ended here; nil: there is none.
func (rs *runs) leftOf(workspace string) <-chan struct{} {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.active[workspace]; r != nil {
		return r.left
	}
	return nil
}

// carryOutPlaced is carryOut in the workspace of the connection; the answer is in the log when
// it returns.
func (c *pageCalls) carryOutPlaced(ctx context.Context, need right, method, workspace string, params []byte) (result any, err error) {
	if c.p.s.placing == nil || need == anyUser {
		return c.carryOut(ctx, need, method, workspace, params)
	}
	if c.ws == nil || c.ws.ID() != workspace {
		return nil, &engine.ErrorInfo{ErrorCode: string(workshop.Conflict), Detail: "this connection is not to that workspace", Hint: "connect to /session/ws?workspace=" + workspace}
	}
	kept := c.ws.Do(ctx, func(ctx context.Context, _ *workshop.Workbench) error {
		result, err = c.carryOut(context.WithValue(ctx, ownedKey{}, c.ws), need, method, workspace, params)
		return nil
	})
	if kept == nil {
		return result, err
	}
	var f *workshop.Fault
	if errors.As(kept, &f) {
		return nil, &engine.ErrorInfo{ErrorCode: string(f.Code), Detail: f.Message, Hint: f.Hint, Retryable: f.Retryable}
	}
	if errors.Is(kept, replica.ErrStore) {
		return nil, &engine.ErrorInfo{ErrorCode: engine.CodeFileWriteFailed, Detail: storeMessage(kept), Retryable: true}
	}
	return nil, kept
}
