package engine

import (
	"context"
	"sync"
	"time"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// Notification is one event for clients. Params encodes to a JSON object that
// has workbench_id where the event concerns one.
type Notification = agent.Event

// hub hands each notification to every subscriber, in order.
type hub struct {
	mu   sync.Mutex
	next int
	subs map[int]func(Notification)
}

// Subscribe calls f for every notification, one at a time and in order, until
// the returned function is called. f must not block or call the engine.
func (e *Engine) Subscribe(f func(Notification)) (cancel func()) {
	h := &e.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = map[int]func(Notification){}
	}
	id := h.next
	h.next++
	h.subs[id] = f
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, id)
	}
}

// Emit implements agent.Sink.
func (h *hub) Emit(n Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.subs {
		f(n)
	}
}

// DraftStateChanged says that a workbench gained, changed or lost its draft (I-24).
type DraftStateChanged struct {
	WorkbenchID string `json:"workbench_id"`
	DraftGetStateResult
}

// WorkbenchFilesChanged names the published files that changed (I-24).
type WorkbenchFilesChanged struct {
	WorkbenchID string   `json:"workbench_id"`
	Added       []string `json:"added"`
	Removed     []string `json:"removed"`
	Updated     []string `json:"updated"`
}

// RunCancelRequested says that a run was asked to stop (I-24).
type RunCancelRequested struct {
	WorkbenchID string `json:"workbench_id"`
}

// relay turns a change of the domain into a notification.
func (e *Engine) relay(wb *openWorkbench, ev workshop.Event) {
	switch ev.Kind {
	case "draft":
		st, err := wb.Draft(context.Background())
		if err != nil {
			e.log.Warn("the draft state cannot be read", "workbench", wb.ID(), "err", err)
			return
		}
		e.hub.Emit(Notification{Method: "DraftStateChanged", Params: DraftStateChanged{WorkbenchID: wb.ID(), DraftGetStateResult: draftState(st)}})
	case "files":
		e.hub.Emit(Notification{Method: "WorkbenchFilesChanged", Params: WorkbenchFilesChanged{
			WorkbenchID: wb.ID(), Added: orEmpty(ev.Added), Removed: orEmpty(ev.Removed), Updated: orEmpty(ev.Updated)}})
	}
}

func draftState(st workshop.DraftState) DraftGetStateResult {
	r := DraftGetStateResult{HasDraft: st.HasDraft}
	if st.HasDraft {
		r.DraftID, r.SourceKind, r.SourceRef = st.ID, st.SourceKind, st.SourceRef
		r.CreatedAt = rfc3339(st.CreatedAt)
	}
	return r
}

// rfc3339 writes a time as every reply does (B-07).
func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// orEmpty makes nil encode as [].
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
