package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// DialFunc connects to the process that has a workbench open for writing. notify
// is called with the notifications of that workbench, one at a time, and those of
// a call before its result. The error says why the process cannot be asked; the
// caller is then told that the workbench is in use.
type DialFunc func(ctx context.Context, who workshop.Holder, workbench string, notify func(method string, params json.RawMessage)) (HolderConn, error)

// HolderConn is a connection to the process that has a workbench open for writing.
// It is safe for concurrent use.
type HolderConn interface {
	// Call calls a method there: one of the protocol, or of Commands. When ctx ends,
	// it asks the process to cancel the call, and waits a while for its answer. The
	// error is the *ErrorInfo of that process, or a *HolderGone.
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Alive reports whether calls can be sent.
	Alive() bool
	Close() error
}

// HolderGone is the error that the process that has a workbench open has ended, or
// does not answer.
type HolderGone struct{ Why string }

// Error says why, of the process as "it".
func (g *HolderGone) Error() string { return g.Why }

// holders are the processes to which calls go, by workbench id.
type holders struct {
	mu        sync.Mutex // protects the fields below
	m         map[string]*holder
	listeners map[string]func(method string, params json.RawMessage) // by id of what they wait for
}

// listen has f called with what is told to the command about id, until the returned
// function is called.
func (hs *holders) listen(id string, f func(method string, params json.RawMessage)) (stop func()) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.listeners == nil {
		hs.listeners = map[string]func(string, json.RawMessage){}
	}
	hs.listeners[id] = f
	return func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		delete(hs.listeners, id)
	}
}

// heard hands what is told to a command to who waits for it; false: nobody does.
func (hs *holders) heard(method string, params json.RawMessage) bool {
	var p struct{ ID string }
	if !strings.HasPrefix(method, "command/") || json.Unmarshal(params, &p) != nil {
		return false
	}
	hs.mu.Lock()
	f := hs.listeners[p.ID]
	hs.mu.Unlock()
	if f != nil {
		f(method, params)
	}
	return f != nil
}

// holder is another process that has a workbench open for writing.
type holder struct {
	id      string // of the workbench
	process string
	conn    HolderConn
}

func (hs *holders) of(id string) *holder {
	if id == "" {
		return nil
	}
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return hs.m[id]
}

func (hs *holders) close() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for _, h := range hs.m {
		h.conn.Close()
	}
	hs.m = nil
}

// holderOf returns the process to which calls on a workbench go, nil for this one. One
// that has ended since its last answer began nothing, so the call is done here.
func (e *Engine) holderOf(id string) *holder {
	h := e.elsewhere.of(id)
	if h == nil || h.conn.Alive() {
		return h
	}
	e.forget(h)
	return nil
}

// forwardedID returns the workbench of a call that may have to go to another
// process, "" for none.
func (e *Engine) forwardedID(params json.RawMessage) string {
	if e.opt.Dial == nil {
		return ""
	}
	var p WorkbenchRef
	_ = json.Unmarshal(params, &p) // a call with other params fails by itself
	return p.WorkbenchID
}

// addressTakes is how long a process has to write its address after it has taken
// the lock.
const addressTakes = 50 * time.Millisecond

// reach connects to the process that has a workbench open, which inUse says. The
// error is inUse if that is not possible.
func (e *Engine) reach(ctx context.Context, id string, inUse error) (*holder, error) {
	e.elsewhere.mu.Lock()
	defer e.elsewhere.mu.Unlock()
	if h := e.elsewhere.m[id]; h != nil {
		return h, nil
	}
	who, held, err := e.home.Holder(id)
	if err == nil && held && who.Address == "" {
		time.Sleep(addressTakes)
		who, held, err = e.home.Holder(id)
	}
	if err != nil || !held || who.Address == "" {
		return nil, inUse
	}
	conn, err := e.opt.Dial(ctx, who, id, e.heard)
	if err != nil {
		return nil, unreachable(inUse, err)
	}
	h := &holder{id: id, process: who.Process, conn: conn}
	if e.elsewhere.m == nil {
		e.elsewhere.m = map[string]*holder{}
	}
	e.elsewhere.m[id] = h
	return h, nil
}

// unreachable adds why a process cannot be asked to the error that it has the
// workbench.
func unreachable(inUse, why error) error {
	var f *workshop.Fault
	if !errors.As(inUse, &f) {
		return inUse
	}
	told := *f
	told.Message += "; it cannot be asked to do this: " + why.Error()
	return &told
}

// openElsewhere opens the workbench of a folder for reading, and has calls on it go
// to the process that has it open for writing. Where that is not possible the error
// is inUse.
func (e *Engine) openElsewhere(ctx context.Context, dir string, inUse error) (*workshop.Workbench, error) {
	i, found, err := e.home.FindFolder(ctx, dir)
	if err != nil || !found {
		return nil, errors.Join(err, inUse)
	}
	if _, err := e.reach(ctx, i.ID, inUse); err != nil {
		return nil, err
	}
	wb, found, err := e.ReadFolder(ctx, dir)
	if err == nil && !found {
		err = inUse
	}
	return wb, err
}

// Current returns the workbench as it is now, to read from: wb itself if this engine
// writes to it. done ends its use.
func (e *Engine) Current(ctx context.Context, wb *workshop.Workbench) (now *workshop.Workbench, done func(), err error) {
	if !wb.ReadOnly() {
		return wb, func() {}, nil
	}
	if now, err = e.home.Read(ctx, wb.ID()); err != nil {
		return nil, nil, err
	}
	return now, func() { now.Close() }, nil
}

// forward calls a method of the process that has the workbench open.
func (e *Engine) forward(ctx context.Context, h *holder, method string, result reflect.Type, params json.RawMessage) (any, error) {
	raw, err := h.conn.Call(ctx, method, params)
	var gone *HolderGone
	if errors.As(err, &gone) {
		e.forget(h)
		return nil, &ErrorInfo{ErrorCode: CodeUnavailable, Retryable: true, WorkbenchID: h.id, cause: err,
			Detail: fmt.Sprintf("process %s, which had the folder open, did not complete this: %s", h.process, gone),
			Hint:   "what it stored is kept; 'atelier status' shows the state of the folder"}
	}
	if err != nil {
		return nil, toErrorInfo(ctx, err)
	}
	r := reflect.New(result)
	if err := json.Unmarshal(raw, r.Interface()); err != nil {
		return nil, toErrorInfo(ctx, fmt.Errorf("the answer of process %s to %s: %w", h.process, method, err))
	}
	e.tellNotes(raw)
	return r.Elem().Interface(), nil
}

// tellNotes passes on what a result says beside its matter: the other process tells
// it to its own person only.
func (e *Engine) tellNotes(result json.RawMessage) {
	var r struct {
		Notes []string `json:"notes"`
	}
	if e.opt.Told == nil || json.Unmarshal(result, &r) != nil {
		return
	}
	for _, n := range r.Notes {
		e.opt.Told(n)
	}
}

// forget has later calls on a workbench done here again: its lock is free when the
// other process has ended.
func (e *Engine) forget(h *holder) {
	e.elsewhere.mu.Lock()
	if e.elsewhere.m[h.id] == h {
		delete(e.elsewhere.m, h.id)
	}
	e.elsewhere.mu.Unlock()
	h.conn.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	if wb := e.open[h.id]; wb != nil && wb.ReadOnly() {
		wb.stopEvents() // it stays readable for those who have it, until Close
		e.left = append(e.left, wb.Workbench)
		delete(e.open, h.id)
	}
}

// heard hands a notification of another process to the subscribers of this one.
func (e *Engine) heard(method string, params json.RawMessage) {
	t := notificationTypes()[method]
	if e.elsewhere.heard(method, params) || t == nil {
		return
	}
	p := reflect.New(t)
	if err := json.Unmarshal(params, p.Interface()); err != nil {
		e.log.Warn("a notification of the process that has the workbench open", "method", method, "err", err)
		return
	}
	n := Notification{Method: method, Params: p.Elem().Interface()}
	if c, ok := n.Params.(timedComplete); ok {
		c.Elapsed = c.Took
		n.Params = c.ToolComplete
	}
	e.hub.tell(n)
}

var notificationTypes = sync.OnceValue(func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, n := range Notifications() {
		types[n.Name] = n.Params
		if n.Params == reflect.TypeFor[agent.ToolComplete]() {
			types[n.Name] = reflect.TypeFor[timedComplete]()
		}
	}
	return types
})
