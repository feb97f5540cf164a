package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"atelier/engine/eventlog"
	"atelier/workshop"
	"atelier/workshop/agent"
)

// Notification is one event for clients. Params encodes to a JSON object that
// has workbench_id where the event concerns one.
type Notification = agent.Event

// hub hands each notification to every subscriber, in order, with its position.
type hub struct {
	mu   sync.Mutex // protects next and subs; held while a notification is handed on
	next int
	subs map[int]func(Notification)

	logs sync.Map // *eventlog.Log by workbench id
	log  *slog.Logger
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
	id := agent.WorkbenchOf(n)
	if id == "" {
		h.tell(n)
		return
	}
	params, err := json.Marshal(n.Params)
	if err == nil {
		err = h.logOf(id).Add(n.Method, params, func(position int64) {
			n.Position = position
			h.tell(n)
		})
	}
	if err != nil {
		h.log.Warn("clients that connect again cannot have what came before", "workbench", id, "method", n.Method, "err", err)
	}
}

// position is that of the latest notification of a workbench.
func (h *hub) position(id string) (at int64) {
	if err := h.logOf(id).Since(nil, func(_ []eventlog.Event, last int64, _ bool) { at = last }); err != nil {
		h.log.Warn("the event log of a workbench", "workbench", id, "err", err)
	}
	return at
}

// logOf returns the event log of a workbench, one that keeps nothing if the
// workbench is not open for writing.
func (h *hub) logOf(id string) *eventlog.Log {
	if l, ok := h.logs.Load(id); ok {
		return l.(*eventlog.Log)
	}
	l, _ := h.logs.LoadOrStore(id, eventlog.New(""))
	return l.(*eventlog.Log)
}

// keep begins to keep the events of a workbench in dir, until the returned
// function is called; with dir "" they are numbered only.
func (h *hub) keep(id, dir string) (stop func()) {
	l := eventlog.New(dir)
	h.logs.Store(id, l)
	return func() {
		if err := l.Close(); err != nil {
			h.log.Warn("the event log of a workbench did not close well", "workbench", id, "err", err)
		}
		h.logs.CompareAndDelete(id, l)
	}
}

// tell hands a notification to every subscriber.
func (h *hub) tell(n Notification) {
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

// ConversationChanged says that the conversation changed other than by a run:
// clients that show it read it again (WorkshopGetConversation).
type ConversationChanged struct {
	WorkbenchID string `json:"workbench_id"`
	// Change is "message" (a message of the user was stored), "step" (a file was
	// restored or changes were rejected) or "undo" (it ends with another message now).
	Change    string `json:"change"`
	MessageID string `json:"message_id"` // what was stored, or the last message after an undo
}

const (
	conversationMessage = "message"
	conversationStep    = "step"
	conversationUndo    = "undo"
)

func (e *Engine) conversationChanged(wb *openWorkbench, change, message string) {
	e.hub.Emit(Notification{Method: "WorkshopConversationChanged", Params: ConversationChanged{wb.ID(), change, message}})
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
