package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/internal/busyfile"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/internal/trace"
	"atelier/workshop"
)

// A translation job in a cluster: what another server needs to start it again is in a file of
// the state folder of its workspace, until the job has ended or was stopped.

// keptJob is what the file has. A workspace has one job at a time.
type keptJob struct {
	RunID   string                      `json:"run_id"` // by which the list of what is in progress names it
	JobID   string                      `json:"job_id"`
	Params  engine.TranslateStartParams `json:"params"`
	UserID  string                      `json:"user_id,omitempty"`
	Started time.Time                   `json:"started"`
	Moves   int                         `json:"moves,omitempty"`  // to servers with room
	Waited  float64                     `json:"waited,omitempty"` // seconds, for its turn on other servers
	Trace   string                      `json:"trace,omitempty"`  // traceparent
}

func (rs *runs) jobFile(workspace string) string {
	return filepath.Join(rs.opt.Places.StateDir(workspace), replica.RunsDir, "translation.json")
}

// keepJob keeps a job that was started, where it is in a cluster.
func (rs *runs) keepJob(ctx context.Context, r *run, k keptJob) error {
	if ownedOf(ctx) == nil {
		return nil
	}
	k.Trace = trace.Parent(ctx)
	if err := rs.writeJob(r.workspace, k); err != nil {
		return err
	}
	if list := rs.opt.Places.Waiting(); list != nil {
		rs.noted(r, list.Add(ctx, r.workspace, r.id))
	}
	return nil
}

func (rs *runs) writeJob(workspace string, k keptJob) error {
	path := rs.jobFile(workspace)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", marshal(k), 0o600); err != nil {
		return err
	}
	return busyfile.Rename(path+".new", path)
}

// dropJob removes the file of a job that no server is to start again; jobID "": whichever it is.
func (rs *runs) dropJob(workspace, jobID string) {
	if rs.opt.Places == nil {
		return
	}
	if k, err := rs.readJob(workspace); err != nil || jobID != "" && k.JobID != jobID {
		return
	}
	if err := os.Remove(rs.jobFile(workspace)); err != nil && !errors.Is(err, os.ErrNotExist) {
		rs.opt.Log.Error("a translation job that has ended may be started again by another server", "workspace", workspace, "err", err)
	}
}

func (rs *runs) readJob(workspace string) (k keptJob, err error) {
	b, err := os.ReadFile(rs.jobFile(workspace))
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	return k, err
}

// adoptJob takes over the job of a workspace that was taken, if there is one that had not
// ended, and returns the name of it in the list of what is in progress.
func (rs *runs) adoptJob(workspace string, w *owner.Workspace) string {
	k, err := rs.readJob(workspace)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		rs.opt.Log.Error("a translation job cannot be read back; the same start continues it", "workspace", workspace, "err", err)
		return ""
	}
	r := &run{id: k.RunID, workspace: workspace, user: k.UserID, started: k.Started, translates: true, log: newEventLog(), left: make(chan struct{})}
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.WithValue(w.Context(), ownedKey{}, w))
	r.sent, r.waited = k.Moves, time.Duration(k.Waited*float64(time.Second))
	rs.mu.Lock()
	r.ticket = rs.arrives(workspace, r.user)
	rs.active[workspace] = r
	rs.goroutine.Add(1)
	rs.mu.Unlock()
	go rs.resumeJob(ctx, w, r, k)
	return r.id
}

// resumeJob starts a job again whose server ended: it continues where it was.
func (rs *runs) resumeJob(ctx context.Context, w *owner.Workspace, r *run, k keptJob) {
	rs.opt.Log.Info("a translation job is continued whose server ended", "workspace", r.workspace, "job", k.JobID)
	if r.user != "" {
		ctx = engine.WithPayer(ctx, payerOf(rs.opt, r.user))
	}
	ctx = trace.Continue(rs.opt.Tracer.Into(ctx), k.Trace)
	var begun *jobBegun
	err := w.Do(ctx, func(op context.Context, _ *workshop.Workbench) (err error) {
		begun, err = rs.beginJob(context.WithValue(op, ownedKey{}, w), r, k.Params)
		return err
	})
	if begun == nil {
		if !rs.leaving(w, r) {
			rs.opt.Log.Warn("a translation job whose server ended cannot be continued; the same start tells why", "workspace", r.workspace, "job", k.JobID, "err", err)
		}
		rs.leaveJob(ctx, w, r, rs.leaving(w, r))
		return
	}
	rs.attendJob(ctx, r, begun) // it is at work, also where err says that the log does not have that yet
}

// leaveJob frees the place of a job: moved, where another server is to start it again.
func (rs *runs) leaveJob(ctx context.Context, w *owner.Workspace, r *run, moved bool) {
	switch {
	case w == nil:
		rs.leave(r, "", nil)
	case moved:
		rs.moveOn(r)
	default:
		rs.dropJob(r.workspace, "")
		rs.leave(r, "", nil)
		if w.Commit(context.WithoutCancel(ctx)) == nil {
			rs.over(ctx, r)
		}
	}
}

// jobBegun is a job at work.
type jobBegun struct {
	engine.TranslateStarted
	ended <-chan struct{}
	stop  func() // no longer waits for the end
}

// beginJob starts a job for which the place of a run is taken, or waits: it is checked at
// once, and works when it has its turn.
func (rs *runs) beginJob(ctx context.Context, r *run, p engine.TranslateStartParams) (*jobBegun, error) {
	ended := make(chan struct{}, 1)
	stop := rs.engine.Subscribe(func(n engine.Notification) {
		if c, ok := n.Params.(engine.TranslateCompleted); ok && c.WorkbenchID == r.workspace {
			select {
			case ended <- struct{}{}:
			default:
			}
		}
	})
	w := ownedOf(ctx)
	select {
	case <-r.ticket.Turn():
		rs.opt.Figures.waited("begun", 0)
	default:
		ctx = engine.WithTurn(ctx, func(ctx context.Context, say func(string)) error { return rs.awaitJob(ctx, w, r, say) })
	}
	var result any
	err := rs.idle(ctx, r.workspace)
	if err == nil {
		result, err = rs.call(ctx, "TranslateStart", p)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &jobBegun{result.(engine.TranslateStarted), ended, stop}, nil
}

// commitJob is how often what a job has done is put into the log.
const commitJob = 2 * time.Second

// attendJob waits for the end of a job, or ends it when runCtx ends, and frees its place.
func (rs *runs) attendJob(runCtx context.Context, r *run, j *jobBegun) {
	defer j.stop()
	ctx := context.WithoutCancel(runCtx)
	w := ownedOf(runCtx)
	byItself := false
	wait := func(runCtx context.Context, _ *workshop.Workbench) error {
		tick := time.NewTicker(commitJob)
		defer tick.Stop()
		for runCtx.Err() == nil {
			select {
			case <-j.ended:
				byItself = true
				return nil
			case <-tick.C: // what was translated is there for the next server
				if w != nil {
					_ = w.Commit(runCtx) // runCtx ends when the workspace is lost
				}
			case <-runCtx.Done():
			}
		}
		// The job is at work until it says that it has ended; where it did so
		// meanwhile, there is nothing to cancel.
		_, _ = rs.call(ctx, "TranslateCancel", engine.TranslateRef{WorkbenchID: r.workspace, JobID: j.JobID})
		<-j.ended
		return nil
	}
	if w == nil {
		_ = wait(runCtx, nil)
	} else if errors.Is(w.Do(runCtx, wait), owner.ErrNotBegun) {
		r.cancel() // the workspace leaves this server
		_ = wait(runCtx, nil)
	}
	rs.leaveJob(ctx, w, r, w != nil && !byItself && rs.leaving(w, r))
}

// translate starts a translation job, which counts as a run: it is the only one in
// its workspace, it is one of Options.MaxRuns, and the server waits for it when it
// stops. In a cluster another server starts it again when this one loses the workspace.
func (rs *runs) translate(ctx context.Context, p engine.TranslateStartParams, user string) (engine.TranslateStarted, error) {
	r := &run{id: uuid.Must(uuid.NewV7()).String(), workspace: p.WorkbenchID, translates: true, user: user, started: rs.opt.Now(), log: newEventLog()}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	if err := rs.enter(ctx, r); err != nil {
		cancel()
		return engine.TranslateStarted{}, err
	}
	begun, err := rs.beginJob(ctx, r, p)
	if err != nil {
		rs.leave(r, "", nil)
		return engine.TranslateStarted{}, err
	}
	if err := rs.keepJob(ctx, r, keptJob{RunID: r.id, JobID: begun.JobID, Params: p, UserID: user, Started: r.started}); err != nil {
		rs.opt.Log.Warn("another server could not continue a translation job", "workspace", r.workspace, "job", begun.JobID, "err", err)
	}
	go rs.attendJob(runCtx, r, begun)
	return begun.TranslateStarted, nil
}

// stopsJob is called before a job is canceled: one that a person stops is not started again by
// another server.
func (rs *runs) stopsJob(workspace string, params json.RawMessage) {
	var p engine.TranslateRef
	if json.Unmarshal(params, &p) == nil && p.JobID != "" {
		rs.dropJob(workspace, p.JobID)
	}
}
