package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"atelier/internal/replica/owner"
	"atelier/internal/turns"
)

// Runs above Options.MaxRuns wait for their turn. The queue is fair over users (package turns).
// A run that waits is the run of its workspace: no other begins there, and all else can be
// done in it. The message of the run is in the conversation from the start.

// The bounds of what is told about a wait.
const (
	waitTick  = time.Second // between looks at the place
	waitTold  = 100         // places that are told of one wait; then only its end
	retryFull = 10 * time.Second
	// settleTime is for what a person does in the workspace at the moment of the turn, such
	// as a publish, to end.
	settleTime = 30 * time.Second
)

// The kinds of thoughts about a wait.
const (
	thoughtQueued = "queued"
	thoughtBegun  = "begun"
	thoughtMoved  = "moved"
)

// queued is a thought of a run that waits. The next server reads back Begun, Moves and Waited.
type queued struct {
	Kind   string  `json:"kind"`
	Text   string  `json:"text"`
	Ahead  *int    `json:"ahead,omitempty"`  // runs that have their turn before it
	Begun  bool    `json:"begun,omitempty"`  // it was carried out in part, on a server that ended
	Moves  int     `json:"moves,omitempty"`  // how often the run was moved to a server with room
	Waited float64 `json:"waited,omitempty"` // seconds, on all servers so far
}

// Why a wait ended without a turn.
var (
	errWaitStopped = errors.New("stopped")
	errWaitOver    = errors.New("over")
	errWaitClosing = errors.New("closing")
	errWaitLeaves  = errors.New("leaves") // the workspace leaves this server, and the run waits on the next one
)

// share is how many runs of one user may wait.
func (o Options) share() int { return max(1, o.MaxQueue/4) }

func newTurns(o Options) *turns.Queue {
	return turns.New(turns.Limits{Places: o.MaxRuns, Waiting: max(0, o.MaxQueue), Each: o.share()})
}

// refusedTurn is the answer to a run that may not even wait.
func (rs *runs) refusedTurn(err error) *problem {
	p := fail(http.StatusServiceUnavailable, codeUnavailable, "The server carries out as many runs as it may; try again")
	p.retry = retryFull
	switch {
	case errors.Is(err, turns.ErrClosed):
		return fail(http.StatusServiceUnavailable, codeUnavailable, "The server is stopping")
	case rs.opt.MaxQueue <= 0:
	case errors.Is(err, turns.ErrShare):
		p.Message = fmt.Sprintf("The server carries out as many runs as it may, and %d of yours wait for their turn, which is the most of one user; let one begin, or stop it", rs.opt.share())
	default:
		p.Message = fmt.Sprintf("The server carries out as many runs as it may, and %d wait for their turn, which is the most; try again", rs.opt.MaxQueue)
	}
	return p
}

// waitsText says of a run how long it waits.
func waitsText(ahead int) string {
	switch ahead {
	case 0:
		return "Waits for its turn, which is the next: the server carries out as many runs as it may."
	case 1:
		return "Waits for its turn; 1 run is ahead."
	}
	return fmt.Sprintf("Waits for its turn; %d runs are ahead.", ahead)
}

// await waits for the turn of a run, and calls tell with the number of runs ahead each time
// that it changes. w is its workspace in a cluster, else nil. An error is one of the above.
func (rs *runs) await(ctx context.Context, w *owner.Workspace, r *run, tell func(ahead int)) error {
	select {
	case <-r.ticket.Turn():
		rs.opt.Figures.waited("begun", 0)
		return nil
	default:
	}
	rs.waits(r, w, true)
	defer rs.waits(r, nil, false)
	err := rs.awaitTurn(ctx, w, r, tell)
	outcome := "begun"
	if err != nil {
		outcome = err.Error()
		r.ticket.Leave()
	}
	rs.opt.Figures.waited(outcome, r.ticket.Waited())
	return err
}

func (rs *runs) awaitTurn(ctx context.Context, w *owner.Workspace, r *run, tell func(ahead int)) error {
	over := time.NewTimer(max(0, rs.opt.QueueWait-r.waited))
	defer over.Stop()
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	closing := rs.open.Done()
	var leaving, lost <-chan struct{}
	if w != nil {
		defer w.Yields()()
		closing = nil // the workspace leaves, and the run with it
		leaving, lost = w.Leaving(), w.Context().Done()
	}
	last, left := -1, waitTold
	for {
		if n, waits := r.ticket.Ahead(); waits && n != last && left > 0 {
			last = n
			left--
			tell(n)
		}
		select {
		case <-r.ticket.Turn():
			return nil
		case <-leaving:
			return rs.leavesWaiting(r)
		case <-lost:
			return rs.leavesWaiting(r)
		case <-closing:
			return errWaitClosing
		case <-over.C:
			return errWaitOver
		case <-ctx.Done():
			if w != nil && rs.leaving(w, r) {
				return rs.leavesWaiting(r)
			}
			return errWaitStopped
		case <-tick.C:
		}
	}
}

// waits notes whether a run waits, and in which workspace of a cluster.
func (rs *runs) waits(r *run, w *owner.Workspace, is bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.waiting, r.at = is, w
}

// leavesWaiting notes that the next server has a run wait.
func (rs *runs) leavesWaiting(r *run) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.moves = true
	return errWaitLeaves
}

// waitEnding is the last event of a run that had no turn.
func (rs *runs) waitEnding(r *run, err error) (kind string, data any) {
	not, kept := "begun", "its message is in the conversation, and nobody has answered it"
	if r.begun {
		not, kept = "continued", "what it had done on the server that ended is in the draft"
	}
	switch {
	case errors.Is(err, errWaitOver):
		return eventError, runError{Message: fmt.Sprintf("The run waited for its turn for %s, which is the longest, and was not %s; %s", rs.opt.QueueWait, not, kept), Code: codeUnavailable,
			Hint: "start another run when fewer are in progress", Retryable: true}
	case errors.Is(err, errWaitClosing):
		return eventStopped, stopped{Reason: "The server stopped before the run had its turn; " + kept}
	}
	return eventStopped, stopped{Reason: "The run was stopped before it had its turn; " + kept}
}

// tellQueued tells followers of a run, and pages, that it waits.
func (rs *runs) tellQueued(r *run) func(ahead int) {
	return func(ahead int) {
		r.log.add(eventThought, queued{Kind: thoughtQueued, Text: waitsText(ahead), Ahead: &ahead, Begun: r.begun})
		if e, ok := rs.engine.(waitTeller); ok {
			e.RunWaits(r.workspace, r.message, ahead)
		}
	}
}

// waitTeller is an engine that tells pages of runs that wait.
type waitTeller interface {
	RunWaits(workbench, message string, ahead int)
	RunWaitsNoMore(workbench, message, why string)
}

// tellOver tells pages that a run that waited is not begun; err is one of await.
func (rs *runs) tellOver(r *run, err error) {
	e, ok := rs.engine.(waitTeller)
	if !ok || errors.Is(err, errWaitLeaves) {
		return
	}
	switch _, last := rs.waitEnding(r, err); last := last.(type) {
	case runError:
		e.RunWaitsNoMore(r.workspace, r.message, last.Message)
	case stopped:
		e.RunWaitsNoMore(r.workspace, r.message, last.Reason)
	}
}

// turnOf waits for the turn of a run and until its workspace is free for it.
func (rs *runs) turnOf(ctx context.Context, w *owner.Workspace, r *run) error {
	told := false
	tell := rs.tellQueued(r)
	err := rs.await(ctx, w, r, func(ahead int) { told = true; tell(ahead) })
	if err != nil {
		if told {
			rs.tellOver(r, err)
		}
		return err
	}
	if told || r.continued {
		rs.settle(ctx, r.workspace)
	}
	if told || r.waits && !r.continued || r.continued && !r.begun {
		r.log.add(eventThought, thought{thoughtBegun, "The run has its turn and begins."})
	}
	return nil
}

// settle waits until nothing else is in progress in a workspace, for settleTime at most; what
// still is then refuses the run.
func (rs *runs) settle(ctx context.Context, workspace string) {
	for end := time.Now().Add(settleTime); time.Now().Before(end) && rs.idle(ctx, workspace) != nil; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// inTurn carries a run out when it has its turn, and returns its last event; moved: another
// server carries it out.
func (rs *runs) inTurn(ctx context.Context, w *owner.Workspace, r *run) (kind string, last any, moved bool) {
	err := rs.turnOf(ctx, w, r)
	switch {
	case errors.Is(err, errWaitLeaves):
		return "", nil, true
	case err != nil:
		kind, last = rs.waitEnding(r, err)
		return kind, last, false
	case r.continued && r.begun:
		rs.opt.Log.Info("a run is continued whose server ended", "workspace", r.workspace, "run", r.id)
		r.log.add(eventThought, thought{"continued", "The server that carried out the run ended; another one continues it."})
	}
	kind, last = rs.work(ctx, r)
	return kind, last, false
}

// waitingIn is the run that waits in a workspace, and how many are ahead of it.
func (rs *runs) waitingIn(workspace string) (r *run, ahead int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r = rs.active[workspace]; r == nil || r.translates || !r.waiting {
		return nil, 0
	}
	ahead, _ = r.ticket.Ahead()
	return r, ahead
}

// stopWaiting stops the run that waits in a workspace; false: none does.
func (rs *runs) stopWaiting(workspace string) bool {
	r, _ := rs.waitingIn(workspace)
	if r != nil {
		r.cancel()
	}
	return r != nil
}

// closeQueue lets no more runs have a turn, and ends the waits on a server alone.
func (rs *runs) closeQueue() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if !rs.closing {
		rs.closing = true
		rs.queue.Close()
		rs.close()
	}
}

// awaitJob is the turn of a translation job that was checked.
func (rs *runs) awaitJob(ctx context.Context, w *owner.Workspace, r *run, say func(what string)) error {
	err := rs.await(ctx, w, r, func(ahead int) { say(waitsText(ahead)) })
	switch {
	case errors.Is(err, errWaitLeaves):
		r.cancel() // who attends the job ends it
		<-ctx.Done()
		return ctx.Err()
	case errors.Is(err, errWaitOver):
		return fmt.Errorf("the job waited for its turn for %s, which is the longest, and was not begun; the same start tries again", rs.opt.QueueWait)
	case errors.Is(err, errWaitClosing):
		return errors.New("the server stopped before the job had its turn; the same start begins it")
	}
	return ctx.Err()
}
