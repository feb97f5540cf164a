package httpapi

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/internal/replica/owner"
	"atelier/workshop"
	"atelier/workshop/tools/catalogue"
)

// carryOutCall makes a call that has the agent work, in the place of a run: it is the only
// one of its workspace, waits in the same queue, is listed with the others, and has their
// events. In a cluster another server continues it as it continues a run, if all that the run
// is bound by is in its file.
func (rs *runs) carryOutCall(ctx context.Context, workspace, method string, params json.RawMessage, user string) (any, error) {
	var p engine.RunAgentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &engine.ErrorInfo{ErrorCode: engine.CodeInvalidParams, Detail: err.Error()}
	}
	if err := p.Budget.Within(rs.opt.Ceiling); err != nil {
		return nil, &engine.ErrorInfo{ErrorCode: engine.CodeValidationFailed, Detail: err.Error()}
	}
	list, err := catalogue.Named(p.Catalogue)
	if err != nil {
		return nil, &engine.ErrorInfo{ErrorCode: engine.CodeValidationFailed, Detail: err.Error()}
	}
	r := &run{id: uuid.Must(uuid.NewV7()).String(), workspace: workspace, message: p.MessageID, model: p.ModelID, tools: list, workflow: p.Workflow, budget: p.Budget, user: user,
		started: rs.opt.Now(), log: newEventLog()}
	var runCtx context.Context
	runCtx, r.cancel = context.WithCancel(ctx)
	if err := rs.enter(ctx, r); err != nil {
		r.cancel()
		return nil, err
	}
	if method == "WorkshopRunAgent" && !p.Headless && !p.ReadOnly && len(p.AllowTools) == 0 {
		if err := rs.keep(ctx, r); err != nil {
			rs.leave(r, "", nil)
			return nil, err
		}
	}
	rs.mu.Lock()
	rs.byID[r.id] = r
	rs.mu.Unlock()
	r.log.begin(eventSessionInit, sessionInit{RunID: r.id, WorkspaceID: workspace, MessageID: r.message, Model: r.model})
	w := ownedOf(ctx)
	if err := rs.turnOf(runCtx, w, r); err != nil {
		return nil, rs.waitedCall(ctx, w, r, err)
	}
	if w != nil {
		runCtx = engine.WithRunHooks(runCtx, engine.RunHooks{BeforeCalls: w.Commit})
	}
	result, err := rs.engine.Call(runCtx, method, params)
	if w != nil && rs.leaving(w, r) {
		return nil, rs.movedCall(r)
	}
	kind, last := ending(workspace, result, err)
	rs.leave(r, kind, last)
	if w != nil && w.Commit(context.WithoutCancel(ctx)) == nil {
		rs.over(ctx, r)
	}
	return result, err
}

// movedCall ends a call here since its workspace leaves. The next server continues the run, if
// it is one that is kept.
func (rs *runs) movedCall(r *run) error {
	e := &engine.ErrorInfo{ErrorCode: string(workshop.Conflict), Detail: "the workspace leaves this server; the next one continues the run", Retryable: true, Hint: "connect again"}
	if r.log.kept == nil {
		e.Detail, e.Hint = "the workspace leaves this server, and the next one does not continue this", "connect again, and ask for it again"
	}
	rs.moveOn(r)
	return e
}

// waitedCall ends a call that had no turn.
func (rs *runs) waitedCall(ctx context.Context, w *owner.Workspace, r *run, err error) error {
	if errors.Is(err, errWaitLeaves) {
		return rs.movedCall(r)
	}
	kind, last := rs.waitEnding(r, err)
	rs.leave(r, kind, last)
	if w != nil && w.Commit(context.WithoutCancel(ctx)) == nil {
		rs.over(ctx, r)
	}
	switch e := last.(type) {
	case runError:
		return &engine.ErrorInfo{ErrorCode: e.Code, Detail: e.Message, Hint: e.Hint, Retryable: true}
	case stopped:
		return &engine.ErrorInfo{ErrorCode: engine.CodeUserCanceled, Detail: e.Reason}
	}
	return err
}

// leaving reports whether a run ends here because its workspace leaves this server.
func (rs *runs) leaving(w *owner.Workspace, r *run) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return r.moves || w.Context().Err() != nil
}

// ending returns the last event of a run.
func ending(workspace string, result any, err error) (kind string, data any) {
	var info *engine.ErrorInfo
	switch {
	case err == nil:
		return eventDone, result
	case !errors.As(err, &info):
		return eventError, runError{Message: internalMessage, Code: codeInternal}
	case info.ErrorCode == engine.CodeUserCanceled:
		return eventStopped, stopped{Reason: "The run was stopped; what it had done is in the draft"}
	case info.ErrorCode == engine.CodeEgressConsent:
		told := *info
		told.Hint = consentHint(workspace, told.ModelID)
		info = &told
	}
	return eventError, runError{Message: info.Error(), Code: info.ErrorCode, Hint: info.Hint, Retryable: info.Retryable}
}
