package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/catalogue"
)

// Commands are the methods that the commands of the command line have beside those
// of the protocol, for a command in another process (Options.Dial). No client of the
// protocol can call them. It is for one connection.
type Commands struct {
	e    *Engine
	host CommandHost

	mu      sync.Mutex // protects waiting
	waiting map[string]chan bool
}

// CommandHost is what Commands needs of the program. All must be set.
type CommandHost struct {
	Tell      func(method string, params any)                      // sends a notification to the command
	WriteFile func(path string, write func(io.Writer) error) error // writes a file that the command named
	Param     func(name string) string                             // the command's name for a member of TranslateStartParams
}

// Commands returns the methods of commands.
func (e *Engine) Commands(host CommandHost) *Commands {
	return &Commands{e: e, host: host, waiting: map[string]chan bool{}}
}

// Has reports whether there is a method of that name.
func (c *Commands) Has(method string) bool { return commandTable[method] != nil || HasMethod(method) }

// Call is Engine.Call with the methods of commands.
func (c *Commands) Call(ctx context.Context, method string, params json.RawMessage) (any, error) {
	m := commandTable[method]
	if m == nil {
		return c.e.Call(ctx, method, params)
	}
	return c.e.invoke(context.WithValue(ctx, commandsKey{}, c), m, params)
}

// timedComplete is agent.ToolComplete with the time of the call, which the protocol
// leaves out.
type timedComplete struct {
	agent.ToolComplete
	Took time.Duration `json:"took"` // in nanoseconds
}

// Subscribe is Engine.Subscribe with what only commands are told.
func (c *Commands) Subscribe(f func(Notification)) (cancel func()) {
	return c.e.Subscribe(func(n Notification) {
		if t, ok := n.Params.(agent.ToolComplete); ok {
			n.Params = timedComplete{t, t.Elapsed}
		}
		f(n)
	})
}

type commandsKey struct{}

// commandsOf returns the Commands whose call has ctx.
func commandsOf(ctx context.Context) *Commands { return ctx.Value(commandsKey{}).(*Commands) }

func (c *Commands) tell(method string, params any) { c.host.Tell(method, params) }

// ask tells a command something, and waits for its command/answer with that id.
func (c *Commands) ask(ctx context.Context, id, method string, params any) (yes bool, err error) {
	answer := make(chan bool, 1)
	c.mu.Lock()
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	c.tell(method, params)
	select {
	case yes := <-answer:
		return yes, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (e *Engine) commandAnswerQuestion(ctx context.Context, p answerParams) (Empty, error) {
	c := commandsOf(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := c.waiting[p.ID]
	if answer == nil {
		return Empty{}, validation("nothing waits for this answer")
	}
	delete(c.waiting, p.ID)
	answer <- p.Yes
	return Empty{}, nil
}

// The methods of commands. WorkbenchAttach is that of the protocol, which closes the
// workbench first.
const (
	commandConsent   = "command/consent"
	commandTool      = "command/tool"
	commandGC        = "command/gc"
	commandRepair    = "command/repair"
	commandTranslate = "command/translate"
	commandAnswer    = "command/answer"
)

var commandTable map[string]*Method

func init() {
	commandTable = map[string]*Method{}
	for _, m := range []*Method{
		method(commandConsent, "", (*Engine).commandRequireConsent),
		method(commandTool, "", (*Engine).commandCallTool),
		method(commandGC, "", (*Engine).commandCollect),
		method(commandRepair, "", (*Engine).commandRepairState),
		method("WorkbenchAttach", "", (*Engine).commandAttachFolder),
		method(commandTranslate, "", (*Engine).commandTranslateHere),
		method(commandAnswer, "", (*Engine).commandAnswerQuestion),
	} {
		commandTable[m.Name] = m
	}
}

// forwardAs forwards a method of commands.
func forwardAs[R any](ctx context.Context, e *Engine, h *holder, method string, params any) (R, error) {
	var zero R
	raw, err := json.Marshal(params)
	if err != nil {
		return zero, err
	}
	r, err := e.forward(ctx, h, method, reflect.TypeFor[R](), raw)
	if err != nil {
		return zero, err
	}
	return r.(R), nil
}

// consentParams are the params of command/consent.
type consentParams struct {
	WorkbenchID string `json:"workbench_id"`
	Model       string `json:"model,omitempty"`
}

func (e *Engine) commandRequireConsent(ctx context.Context, p consentParams) (Empty, error) {
	return Empty{}, e.RequireConsent(ctx, p.WorkbenchID, p.Model)
}

// toolParams are the params of command/tool.
type toolParams struct {
	Call      LiveCall `json:"call"`
	Catalogue string   `json:"catalogue"`
	Draft     bool     `json:"draft"`
}

// toolResult is the result of command/tool.
type toolResult struct {
	Result    string          `json:"result"` // its JSON as text, so that no encoder changes it
	Fault     *workshop.Fault `json:"fault,omitempty"`
	Unchanged bool            `json:"unchanged"`
}

func (e *Engine) commandCallTool(ctx context.Context, p toolParams) (r toolResult, err error) {
	c, err := catalogue.Named(p.Catalogue)
	if err != nil {
		return r, err
	}
	p.Call.Unchanged = &r.Unchanged
	call := e.LiveWith(c).Call
	if p.Draft {
		call = e.LiveWith(c).CallDraft
	}
	result, fault := call(ctx, p.Call)
	if fault != nil {
		told := *fault
		told.Err = nil // the message has what it says
		r.Fault = &told
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return r, fmt.Errorf("the result of the tool: %w", err)
	}
	r.Result = buf.String()
	return r, nil
}

// forward has another process call the tool.
func (l *Live) forward(ctx context.Context, h *holder, c LiveCall, draft bool) (any, *workshop.Fault) {
	unchanged := c.Unchanged
	c.Unchanged = nil
	r, err := forwardAs[toolResult](ctx, l.e, h, commandTool, toolParams{c, l.catalogue.Name(), draft})
	if err != nil {
		var info *ErrorInfo
		if errors.As(err, &info) {
			return nil, &workshop.Fault{Code: workshop.Internal, Message: info.Detail, Hint: info.Hint, Err: err}
		}
		return nil, asFault(err)
	}
	if unchanged != nil {
		*unchanged = r.Unchanged
	}
	var text string
	if json.Unmarshal([]byte(r.Result), &text) == nil && r.Result != "null\n" {
		return text, r.Fault
	}
	return json.RawMessage(r.Result), r.Fault
}

// gcParams are the params of command/gc.
type gcParams struct {
	WorkbenchID string        `json:"workbench_id"`
	OlderThan   time.Duration `json:"older_than"` // in nanoseconds
	DryRun      bool          `json:"dry_run"`
}

func (e *Engine) commandCollect(ctx context.Context, p gcParams) (workshop.GCResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return workshop.GCResult{}, err
	}
	return wb.GC(ctx, workshop.GCOptions{OlderThan: p.OlderThan, DryRun: p.DryRun})
}

// GC is Workbench.GC in the process that has the workbench open.
func (e *Engine) GC(ctx context.Context, wb *workshop.Workbench, o workshop.GCOptions) (workshop.GCResult, error) {
	p := gcParams{wb.ID(), o.OlderThan, o.DryRun}
	if h := e.holderOf(wb.ID()); h != nil {
		return forwardAs[workshop.GCResult](ctx, e, h, commandGC, p)
	}
	return e.commandCollect(ctx, p)
}

func (e *Engine) commandRepairState(ctx context.Context, p WorkbenchRef) (r workshop.RepairResult, err error) {
	err = e.withoutOpen(ctx, p.WorkbenchID, func() error {
		r, err = e.home.Repair(ctx, p.WorkbenchID)
		return err
	})
	return r, err
}

// Repair is Home.Repair. Where another process has the workbench open and can be
// reached, that one repairs it, if nothing is in progress there.
func (e *Engine) Repair(ctx context.Context, id string) (workshop.RepairResult, error) {
	r, err := e.home.Repair(ctx, id)
	if e.opt.Dial == nil || !errors.Is(err, workshop.ErrInUse) {
		return r, err
	}
	h, err := e.reach(ctx, id, err)
	if err != nil {
		return r, err
	}
	return forwardAs[workshop.RepairResult](ctx, e, h, commandRepair, WorkbenchRef{id})
}

func (e *Engine) commandAttachFolder(ctx context.Context, p WorkbenchAttachParams) (r WorkbenchInfo, err error) {
	err = e.withoutOpen(ctx, p.WorkbenchID, func() error {
		r, err = e.workbenchAttach(ctx, p)
		return err
	})
	return r, err
}

// withoutOpenTries is how often withoutOpen closes a workbench that another call
// opens again.
const withoutOpenTries = 3

// withoutOpen closes a workbench in which nothing is in progress, calls do, and opens
// the workbench again.
func (e *Engine) withoutOpen(ctx context.Context, id string, do func() error) (err error) {
	for range withoutOpenTries {
		if err = e.closeUnused(id); err != nil {
			return err
		}
		if err = do(); !workshop.IsFault(err, workshop.Conflict) {
			break
		}
	}
	if _, oerr := e.workbench(ctx, id); oerr != nil {
		e.log.Warn("a workbench could not be opened again after a command", "workbench", id, "err", oerr)
	}
	return err
}

func (e *Engine) closeUnused(id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	wb := e.open[id]
	if wb == nil {
		return nil
	}
	end, err := wb.Begin(workshop.ActAttach)
	if err != nil {
		return err
	}
	defer end()
	if wb.users > 0 {
		f := workshop.Faultf(workshop.Conflict, "a call on the workbench is in progress in the process that has it open")
		f.Hint, f.Retryable = "try again when it has ended", true
		return f
	}
	wb.stopEvents()
	delete(e.open, id)
	return e.home.CloseWorkbench(id)
}
