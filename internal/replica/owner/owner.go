// Package owner has workspaces at work on one of many servers at a time.
//
//	s := owner.New(owner.Config{Home: home, Store: store, Claims: claims, Holder: holder})
//	w, err := s.Take(ctx, id)     // *cluster.HeldError: another server has it, and where
//	err = w.Do(ctx, func(ctx context.Context, wb *workshop.Workbench) error { … })
//	err = w.Release(ctx)          // all that was acknowledged is in the log
//
// A server renews one lease, and claims workspaces by it: so it says which server is to take
// calls, and when another may take over. That protects nothing: that an owner which was paused or cut
// off acknowledges no write is the log's doing (package replica).
package owner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/trace"
	"atelier/workshop"
)

// Store has the logs and contents of workspaces; stream.Store is one.
type Store interface {
	Log(id string) replica.Log
	Contents(id string) replica.Contents
}

// Config is what a server needs to own workspaces.
type Config struct {
	Home   *workshop.Home // whose managed workbenches are the workspaces
	Store  Store
	Claims *cluster.Claims // the same for all servers
	Holder cluster.Holder  // this server
	Lost   func(id string, err error)
	// Ready is asked after a workspace was claimed and before the workspace is taken over; nil:
	// always ready. The workspace stays free where it is not.
	Ready func(ctx context.Context) error
	// Closing is called before a workspace is closed here, after its last operation.
	Closing func(id string)
	// Options of the replicas; Owner, Valid and Lost are set here.
	Options replica.Options
}

// Server owns workspaces. It is safe for concurrent use.
type Server struct {
	cfg       Config
	beginning chan struct{} // has room where nobody begins a life

	mu      sync.Mutex            // protects the fields below
	here    map[string]*Workspace // that are open here, or were last
	taking  map[string]bool       // workspaces that are being claimed
	closing func(id string)       // Places.Begin
	lease   *cluster.Lease        // of this life; nil before the first
	away    bool                  // it takes no workspaces, or no more
	free    int                   // places for runs
	left    bool                  // there are no more lives
}

// New makes a server that owns nothing yet.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, here: map[string]*Workspace{}, taking: map[string]bool{}, beginning: make(chan struct{}, 1), away: true}
}

// Workspace is one that this server has at work, or had. It is safe for concurrent use.
type Workspace struct {
	s     *Server
	id    string
	wb    *workshop.Workbench
	rep   *replica.Replica
	lease *cluster.Lease // of the server
	claim *cluster.Claim

	ctx     context.Context // ends when the ownership does
	end     context.CancelCauseFunc
	mu      sync.Mutex         // protects the fields below
	open    int                // operations in progress
	yields  int                // of them, those that end when the workspace leaves
	used    time.Time          // when the last of them ended
	over    bool               // no more begin
	to      *cluster.Recipient // that is to have the workspace next; nil: any server
	leaving chan struct{}
	done    chan struct{}
	once    sync.Once
}

// Take takes a workspace that no server has, and makes it where there is none yet with the
// id. Where another server has it the error is a *cluster.HeldError. The context bounds
// taking only.
func (s *Server) Take(ctx context.Context, id string) (*Workspace, error) {
	return s.take(ctx, id, func(string) {})
}

// take is Take, and says what it does.
func (s *Server) take(ctx context.Context, id string, now func(string)) (_ *Workspace, err error) {
	ctx, span := trace.Start(ctx, "take the workspace over", trace.String("atelier.workspace.id", id))
	defer func() {
		if err != nil {
			span.Fail(takeCode(err))
		}
		span.End()
	}()
	w, err := s.claim(ctx, id, now)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.mu.Lock()
			w.leave()
			w.mu.Unlock()
			w.end(err)
			w.shut()
		}
		w.ended()
	}()
	opt := s.cfg.Options
	opt.Owner, opt.Valid, opt.Lost = s.cfg.Holder.Owner, w.lease.Valid, w.lost
	if s.cfg.Ready != nil {
		now("asking whether this server is ready for it")
		if err := s.cfg.Ready(ctx); err != nil {
			return nil, fmt.Errorf("workspace %s cannot be taken over: %w", id, err)
		}
	}
	store := s.cfg.Store
	now("adding the new owner to its log")
	rep, empty, err := replica.Own(ctx, store.Log(id), store.Contents(id), opt)
	if err != nil {
		return nil, err
	}
	w.rep = rep
	now("making its files from the log")
	if err := w.restore(ctx, empty); err != nil {
		return nil, fmt.Errorf("workspace %s cannot be taken over: %w", id, err)
	}
	go w.watch()
	return w, nil
}

// takeCode is the code of an error of Take.
func takeCode(err error) string {
	switch {
	case errors.Is(err, cluster.ErrHeld):
		return "held by another server"
	case errors.Is(err, cluster.ErrUnreachable):
		return "the cluster does not answer"
	}
	return string(workshop.AsFault(err).Code)
}

// watch ends the ownership with the lease of the server.
func (w *Workspace) watch() {
	select {
	case <-w.lease.Context().Done():
		w.rep.Lose() // does nothing after a release
	case <-w.ctx.Done():
	}
}

// lost is called when nothing may be acknowledged any more.
func (w *Workspace) lost(err error) {
	w.end(err)
	w.stop()
	if w.s.cfg.Lost != nil {
		w.s.cfg.Lost(w.id, err)
	}
}

// stop lets no more operations begin; the last one that is in progress closes.
func (w *Workspace) stop() {
	w.mu.Lock()
	w.leave()
	last := w.open == 0
	w.mu.Unlock()
	if last {
		go w.shut()
	}
}

// leave lets no more operations begin. w.mu is held.
func (w *Workspace) leave() {
	if !w.over {
		w.over = true
		close(w.leaving)
	}
}

// handTo has the claim handed over to a server when the workspace is closed here; the first one
// that is named counts.
func (w *Workspace) handTo(to *cluster.Recipient) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		w.to = to
	}
}

// letNext lets another server have the claim.
func (w *Workspace) letNext() {
	w.mu.Lock()
	to := w.to
	w.mu.Unlock()
	if to == nil {
		w.claim.Release()
		return
	}
	w.claim.Hand(*to)
}

// shut closes the workbench and releases the claim.
func (w *Workspace) shut() {
	w.once.Do(func() {
		w.s.mu.Lock()
		closing := w.s.closing
		w.s.mu.Unlock()
		for _, f := range []func(string){closing, w.s.cfg.Closing} {
			if f != nil {
				f(w.id)
			}
		}
		if w.rep != nil {
			_ = w.rep.Close() // the state here no longer counts
		}
		_ = w.s.cfg.Home.CloseWorkbench(w.id)
		w.letNext()
		w.s.mu.Lock()
		if w.s.here[w.id] == w {
			delete(w.s.here, w.id)
		}
		w.s.mu.Unlock()
		close(w.done)
	})
}

// ID is the workspace's.
func (w *Workspace) ID() string { return w.id }

// Done is closed when the workspace is closed here.
func (w *Workspace) Done() <-chan struct{} { return w.done }

// Leaving is closed when no more operations begin, while the last of them may be in
// progress. An operation that may last as long as its caller likes ends then.
func (w *Workspace) Leaving() <-chan struct{} { return w.leaving }

// Commit returns when everything that was done and seen in the workspace is in the log,
// for an operation that says part of its answer before it has ended. Its errors are those
// of Do.
func (w *Workspace) Commit(ctx context.Context) error {
	err := w.rep.Commit(ctx)
	if err != nil && w.rep.Lost() != nil {
		return w.moved()
	}
	return err
}

// Context ends when the server no longer owns the workspace.
func (w *Workspace) Context() context.Context { return w.ctx }

// Replica is the ownership's replica.
func (w *Workspace) Replica() *replica.Replica { return w.rep }

// Do calls f with the workbench and returns when everything that f did and saw is in the
// log. An error that Moved recognizes means that nothing may be said of f: whether it
// was done is known to the new owner. The context of f ends with the ownership.
func (w *Workspace) Do(ctx context.Context, f func(context.Context, *workshop.Workbench) error) error {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return fmt.Errorf("%w: %w", ErrNotBegun, w.moved())
	}
	w.open++
	w.mu.Unlock()
	defer w.ended()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })()
	err := f(inner, w.wb)
	if cerr := w.Commit(ctx); cerr != nil {
		if Moved(cerr) {
			return cerr
		}
		return errors.Join(cerr, err) // what f did is not acknowledged, and a later Commit may do it
	}
	return err
}

// ended notes the end of an operation.
func (w *Workspace) ended() {
	w.mu.Lock()
	w.open--
	w.used = time.Now()
	last := w.over && w.open == 0
	w.mu.Unlock()
	if last {
		go w.finish()
	}
}

// moved is the error of an operation that another server is to be asked about.
func (w *Workspace) moved() error {
	f := workshop.Faultf(workshop.Conflict, "workspace %s is no longer at work on this server; whether the operation was done is known to the server that has it now", w.id)
	f.Retryable, f.Hint = true, "look whether it was done, and try again if not"
	f.Err = errors.Join(errMoved, context.Cause(w.ctx))
	return f
}

// ErrNotBegun is the error of Do that did not call its function: the server no longer has
// the workspace.
var ErrNotBegun = errors.New("the operation was not begun")

var errMoved = errors.New("the workspace moved")

// Moved reports whether an error of Do says that the server lost the workspace.
func Moved(err error) bool { return errors.Is(err, errMoved) }

// Release gives the workspace to any other server, with all that was done in it: it waits
// for the operations in progress, while ctx lasts.
func (w *Workspace) Release(ctx context.Context) error {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return w.moved()
	}
	w.leave()
	idle := w.open == 0
	w.mu.Unlock()
	if idle { // else the last operation closes
		go w.finish()
	}
	select {
	case <-w.done:
		w.end(errMoved)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish closes a workspace after its last operation.
func (w *Workspace) finish() {
	if w.rep != nil { // it was taken
		_ = w.rep.Commit(context.Background()) // of what no operation waits for, or one whose context had ended
	}
	w.shut()
}
