package httpapi

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"atelier/engine"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/internal/trace"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/catalogue"
)

// Runs in a cluster: what another server needs to continue one is in the state folder of the
// workspace, and so in its log.

// keep begins to keep the events of a run, where it is in a cluster.
func (rs *runs) keep(ctx context.Context, r *run) (err error) {
	if ownedOf(ctx) == nil {
		return nil
	}
	_, r.waits = r.ticket.Ahead()
	r.log.kept, err = makeRunFile(filepath.Join(rs.opt.Places.StateDir(r.workspace), replica.RunsDir), keptRun{RunID: r.id, MessageID: r.message, Model: r.model,
		Catalogue: r.tools.Name(), Workflow: r.workflow, Budget: r.budget, UserID: r.user, Started: r.started, Attachments: r.attachments, Trace: trace.Parent(ctx), Waits: r.waits}, rs.opt.Log)
	if list := rs.opt.Places.Waiting(); err == nil && list != nil {
		rs.noted(r, list.Add(ctx, r.workspace, r.id))
	}
	return err
}

// over notes that no other server is to continue a run.
func (rs *runs) over(ctx context.Context, r *run) {
	if list := rs.opt.Places.Waiting(); list != nil {
		rs.noted(r, list.Remove(context.WithoutCancel(ctx), r.workspace, r.id))
	}
}

// noted logs that the other servers could not be told about a run. The next call of its
// workspace continues it, or finds that it has ended.
func (rs *runs) noted(r *run, err error) {
	if err != nil {
		rs.opt.Log.Warn("the other servers do not know whether a run is in progress", "workspace", r.workspace, "run", r.id, "err", err)
	}
}

// carryOutIn carries out a run in a workspace of a cluster. When the server loses the
// workspace, or stops, the run has no end here: the next server continues it.
func (rs *runs) carryOutIn(ctx context.Context, w *owner.Workspace, r *run) {
	var kind string
	var last any
	moved := false
	err := w.Do(ctx, func(ctx context.Context, _ *workshop.Workbench) error {
		if kind, last, moved = rs.inTurn(engine.WithRunHooks(ctx, engine.RunHooks{BeforeCalls: w.Commit}), w, r); moved {
			rs.moveOn(r) // before the workspace is closed here, which waits for this operation
		}
		return nil
	})
	if moved {
		return
	}
	if err != nil || rs.leaving(w, r) {
		rs.moveOn(r)
		return
	}
	rs.leave(r, kind, last)
	if w.Commit(context.WithoutCancel(ctx)) == nil {
		rs.over(ctx, r)
	}
}

// moveOn ends a run here that another server continues.
func (rs *runs) moveOn(r *run) {
	r.cancel()
	rs.mu.Lock()
	if rs.active[r.workspace] == r {
		delete(rs.active, r.workspace)
	}
	if rs.byID[r.id] == r {
		delete(rs.byID, r.id)
	}
	r.ticket.Leave()
	rs.mu.Unlock()
	close(r.left)
	r.log.leave()
	rs.goroutine.Done()
}

// drop forgets the runs of a workspace that is closed here; none is in progress.
func (rs *runs) drop(workspace string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.ended = slices.DeleteFunc(rs.ended, func(r *run) bool {
		if r.workspace == workspace {
			delete(rs.byID, r.id)
		}
		return r.workspace == workspace
	})
}

// adopt takes over the runs of a workspace that was taken: those that ended can be followed
// again, and one that had not ended is continued.
func (rs *runs) adopt(workspace string, w *owner.Workspace) {
	dir := filepath.Join(rs.opt.Places.StateDir(workspace), replica.RunsDir)
	files, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		rs.opt.Log.Error("the runs of a workspace cannot be read", "workspace", workspace, "err", err)
	}
	var unfinished []*run
	for _, f := range files { // by name, and so by time
		if filepath.Ext(f.Name()) != ".jsonl" {
			continue
		}
		r, err := rs.restored(workspace, filepath.Join(dir, f.Name()))
		if err != nil {
			rs.opt.Log.Error("a run cannot be read back", "workspace", workspace, "run", f.Name(), "err", err)
			continue
		}
		rs.mu.Lock()
		rs.byID[r.id] = r
		if !r.endedAt.IsZero() {
			r.endedAt = rs.opt.Now() // the other server's clock may differ: it is kept for as long again
			rs.ended = append(rs.ended, r)
			slices.SortStableFunc(rs.ended, func(a, b *run) int { return a.endedAt.Compare(b.endedAt) })
		} else {
			unfinished = append(unfinished, r)
		}
		rs.mu.Unlock()
	}
	continued := ""
	for i, r := range unfinished {
		if i < len(unfinished)-1 { // cannot be: a workspace has one at a time
			r.log.end(eventError, runError{Message: "The server ended, and another run began", Code: codeInternal})
			rs.mu.Lock()
			r.endedAt = rs.opt.Now()
			rs.ended = append(rs.ended, r)
			rs.mu.Unlock()
			continue
		}
		continued = r.id
		ctx, cancel := context.WithCancel(context.WithValue(w.Context(), ownedKey{}, w))
		r.cancel, r.left = cancel, make(chan struct{})
		rs.mu.Lock()
		r.continued, r.ticket = true, rs.arrives(workspace, r.user)
		rs.active[workspace] = r
		rs.goroutine.Add(1)
		rs.mu.Unlock()
		go rs.resume(ctx, w, r)
	}
	if continued == "" {
		continued = rs.adoptJob(workspace, w)
	}
	if list := rs.opt.Places.Waiting(); list != nil { // of runs that ended before their server did
		if err := list.Keep(w.Context(), workspace, continued); err != nil {
			rs.opt.Log.Warn("the other servers may look at a workspace that has no run", "workspace", workspace, "err", err)
		}
	}
}

// restored makes a run of its file.
func (rs *runs) restored(workspace, path string) (*run, error) {
	k, l, ended, err := readRunFile(path, rs.opt.Log)
	if err != nil {
		return nil, err
	}
	list, err := catalogue.Named(k.Catalogue)
	if err != nil {
		return nil, err
	}
	r := &run{id: k.RunID, workspace: workspace, message: k.MessageID, model: k.Model, tools: list, workflow: k.Workflow, budget: k.Budget, user: k.UserID,
		attachments: k.Attachments, trace: k.Trace, started: k.Started, endedAt: ended, log: l, cancel: func() {}, waits: k.Waits}
	r.readWait()
	return r, nil
}

// readWait reads from the events of a run whether it had begun, and how it waited. The first
// of them may be missing where its server was killed, so that it waited at all is in its file.
func (r *run) readWait() {
	events, _, _, _ := r.log.after(0)
	waited := r.waits
	for _, e := range events {
		var q queued
		if e.Type != eventThought || json.Unmarshal(e.Data, &q) != nil {
			continue
		}
		switch q.Kind {
		case thoughtQueued:
			waited = true
			r.begun = r.begun || q.Begun
		case thoughtBegun:
			r.begun = true
		case thoughtMoved:
			r.sent, r.waited = q.Moves, time.Duration(q.Waited*float64(time.Second))
		}
	}
	r.begun = r.begun || !waited
}

// resume continues a run whose server ended, or begins one that waited there, when it has its
// turn here. Calls of tools that were begun are not made again: the model is told that they
// may have been done.
func (rs *runs) resume(ctx context.Context, w *owner.Workspace, r *run) {
	if answer, ok := rs.answered(ctx, w, r); ok {
		rs.leave(r, eventDone, map[string]any{"message_id": answer, "workflow": r.workflow})
		if w.Commit(ctx) == nil {
			rs.over(ctx, r)
		}
		return
	}
	ctx = trace.Continue(rs.opt.Tracer.Into(ctx), r.trace)
	if r.user != "" {
		ctx = engine.WithPayer(ctx, payerOf(rs.opt, r.user))
	}
	rs.carryOutIn(ctx, w, r)
}

// answered returns the final answer to the message of a run, which may have been stored
// before the end of the run was.
func (rs *runs) answered(ctx context.Context, w *owner.Workspace, r *run) (message string, ok bool) {
	_ = w.Do(ctx, func(ctx context.Context, _ *workshop.Workbench) error {
		said, err := rs.call(ctx, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: r.workspace})
		if err == nil {
			var rec workshop.Record
			rec, ok = agent.Answered(said.(engine.Conversation).Messages, r.message)
			message = rec.MessageID
		}
		return err
	})
	return message, ok
}
