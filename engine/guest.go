package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/formats"
	"atelier/formats/password"
	"atelier/internal/budget"
	"atelier/internal/timelimit"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/openfiles"
	"atelier/workshop/provenance"
	"atelier/workshop/secrets"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/virtual"
)

// GuestCall is one tool call of another program, whose model works on the draft of a
// workbench. It gets what a model of Atelier gets: rules, secret files and limits count,
// its result goes into the tool log, and what it changes is a step of the conversation
// that can be undone.
type GuestCall struct {
	Workbench string
	Catalogue *tools.Catalogue
	Tool      string
	Args      json.RawMessage // an object
	Client    string          // how the program calls itself
	ID        string          // of the call, for the tool log
	Asker     tools.Asker     // the person at the program; nil: nobody can be asked
	ResultMax int             // bytes of the result's text; 0 is tools.DefaultResultMax
	Sees      bool            // the program takes images
	Published bool            // of a tool that reads: the folder without the draft
}

// Guest runs a tool for another program. The error is that no call could be made; what
// goes wrong in a call is in the result. Calls that may write run one after the other.
func (e *Engine) Guest(ctx context.Context, c GuestCall) (tools.Result, error) {
	ctx, end := e.begin(e.withPasswords(ctx, c.Workbench))
	defer end()
	effect, _ := c.Catalogue.Effect(c.Tool)
	wb, done, err := e.forTool(ctx, c.Workbench, effect)
	if err != nil {
		return tools.Result{}, toErrorInfo(ctx, err)
	}
	defer done()
	if len(c.Args) == 0 || string(c.Args) == "null" {
		c.Args = json.RawMessage("{}")
	}
	g := &guest{e: e, wb: wb, call: c, effect: effect, set: &provenance.Set{}, trail: provenance.NewTrail()}
	if effect != tools.Write {
		return g.run(ctx)
	}
	leave, err := wb.enterStep(ctx)
	if err != nil {
		return tools.Result{}, toErrorInfo(ctx, err)
	}
	defer leave()
	return g.write(ctx)
}

// enterStep waits until no other program changes the draft; leave ends that.
func (wb *openWorkbench) enterStep(ctx context.Context) (leave func(), err error) {
	select {
	case wb.step <- struct{}{}:
		return func() { <-wb.step }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// guest is one call.
type guest struct {
	e      *Engine
	wb     *openWorkbench
	call   GuestCall
	effect tools.Effect
	set    *provenance.Set
	trail  *provenance.Trail
	step   *workshop.GuestStep // nil for a call that only reads
	entry  int64               // in the tool log

	mu      sync.Mutex // protects changed
	changed []workshop.Path
}

// write is run as a step of the conversation.
func (g *guest) write(ctx context.Context) (r tools.Result, err error) {
	if g.step, err = g.wb.BeginGuestStep(ctx); err != nil {
		return r, toErrorInfo(ctx, err)
	}
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		var serr error
		if len(g.changed) == 0 {
			serr = g.step.Drop(ctx)
		} else {
			serr = g.step.End(g.changed, g.call.Catalogue.Resolve(g.call.Tool), g.call.Client)
		}
		if serr != nil && err == nil {
			err = toErrorInfo(ctx, serr)
		}
	}()
	return g.run(ctx)
}

func (g *guest) note(p workshop.Path, _ bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.changed, p) {
		g.changed = append(g.changed, p)
	}
}

func (g *guest) changes() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.changed)
}

func (g *guest) run(ctx context.Context) (tools.Result, error) {
	limit := g.e.opt.Limits.ToolTimeout
	if limit == 0 {
		limit = 30 * time.Second
	}
	call, cancel := timelimit.With(ctx, limit)
	defer cancel()
	if g.effect == tools.Interact { // people take their time
		call = ctx
	}
	call, opened := password.Watch(provenance.With(call, g.set))
	env, err := g.env(call)
	if err != nil {
		return tools.Result{}, toErrorInfo(ctx, err)
	}
	began := time.Now()
	env.LogResult = func(ctx context.Context, _, _, full string, success bool) (int64, error) {
		if opened.Any() {
			return 0, errors.New("the content of encrypted files is not logged")
		}
		return g.log(full, success, time.Since(began))
	}
	r := g.call.Catalogue.Call(call, env, g.call.Tool, g.call.Args)
	if !r.Success && r.Fault != nil && ctx.Err() == nil && call.Err() != nil {
		f := *r.Fault
		f.Message = fmt.Sprintf("tool %s timed out after %s%s", g.call.Tool, limit, budget.Why(f.Err))
		if n := g.changes(); n > 0 {
			f.Message += fmt.Sprintf("; it had changed %s by then", formats.Count(n, "file"))
		}
		r.Fault, r.Text = &f, "Error: "+f.Message
		r.Full = r.Text
	}
	g.e.called("mcp", g.call.Catalogue.Resolve(g.call.Tool), r.Success)
	full := r.Full
	if opened.Any() {
		full = "[This result has content of encrypted files, which is not stored.]"
	}
	if g.entry == 0 && !g.wb.ReadOnly() {
		if _, err := g.log(full, r.Success, time.Since(began)); err != nil {
			g.e.log.Warn("a call of another program could not be logged", "tool", g.call.Tool, "err", err)
		}
	}
	return r, nil
}

// log keeps the call in the tool log, also when it is canceled.
func (g *guest) log(full string, success bool, took time.Duration) (id int64, err error) {
	if g.wb.ReadOnly() {
		return 0, errors.New("the workbench is open for reading only")
	}
	ctx := context.Background()
	view := g.wb.DraftView(workshop.Cause{})
	g.set.Resolve(func(d workshop.DocPath) string { return openfiles.Elsewhere + string(d) },
		func(p workshop.Path) []string { return g.trail.Name(ctx, view, p) })
	g.entry, err = g.wb.LogTool(ctx, workshop.ToolLogEntry{Tool: g.call.Tool, CallID: g.call.ID, Args: string(g.call.Args), Result: full,
		Success: success, Elapsed: took, At: g.e.opt.Now().UTC(), Sources: append([]string{}, g.set.List()...)})
	return g.entry, err
}

// env returns what the call works on.
func (g *guest) env(ctx context.Context) (*tools.Env, error) {
	e, wb := g.e, g.wb
	mode, err := e.modesOf(wb).State(ctx)
	if err != nil {
		return nil, err
	}
	cause := workshop.Cause{Tool: g.call.Tool, Author: workshop.GuestAuthor, Changed: g.note}
	if g.step != nil {
		cause.MessageID = g.step.ID()
	}
	env := &tools.Env{
		View:      wb.DraftView(cause),
		Published: wb.PublishedView(),
		Formats:   e.formats,
		Texts:     e.texts,
		Pages:     e.previews,
		Session:   e.sessionOf(wb),
		Virtual:   virtual.Chats(wb.Workbench),
		Asker:     g.call.Asker,
		Mode:      mode.Mode,
		ResultMax: g.call.ResultMax,
		Sees:      g.call.Sees,
		Recall:    g.recall,
	}
	if g.call.Published {
		env.View = env.Published
	}
	if env.Guard, err = g.guard(ctx); err != nil {
		return nil, err
	}
	if env.Skills, err = e.skillsOf(ctx, wb); err != nil {
		return nil, err
	}
	agent.Guarded(env)
	gate, err := g.gate(ctx)
	if err != nil {
		return nil, err
	}
	agent.Gated(env, gate)
	env.View = docs.Guard(g.trail.Over(env.View, g.set), env.Session)
	env.Published = docs.Guard(g.trail.Over(env.Published, g.set), env.Session)
	return env, nil
}

func (g *guest) names() []string {
	return []string{g.call.Catalogue.Resolve(g.call.Tool), g.call.Catalogue.Canonical(g.call.Tool)}
}

// guard returns what keeps secret files from the program.
func (g *guest) guard(ctx context.Context) (*secrets.Guard, error) {
	unlocked, err := g.wb.approvals.Unlocks(ctx, g.names()...)
	if err != nil {
		return nil, err
	}
	return secrets.Load(ctx, g.wb.Workbench, unlocked)
}

// recall gives the whole result of an earlier call, unless it holds what is withheld now.
func (g *guest) recall(ctx context.Context, id int64) (string, error) {
	entry, err := g.wb.ToolLog(ctx, id)
	if err != nil {
		return "", err
	}
	guard, err := g.guard(ctx)
	if err != nil {
		return "", err
	}
	for _, f := range entry.Sources {
		if err := guard.Check(workshop.Path(f)); err != nil {
			return "", err
		}
	}
	if entry.Sources == nil {
		return "", workshop.Faultf(workshop.Forbidden, "it is not known which files this result is from; make the call again")
	}
	g.set.Add(entry.Sources...)
	return entry.Result, nil
}

// gate returns what decides about the call by the rules of the person, nil when no rule
// concerns it.
func (g *guest) gate(ctx context.Context) (*approvals.Gate, error) {
	names := g.names()
	c := approvals.Call{Tool: names[0], Names: names[1:], ID: g.call.ID}
	if g.call.Asker != nil {
		c.Ask = g.ask
	}
	return approvals.NewRun(g.wb.approvals, g.e.opt.Now).Gate(ctx, c)
}

// approvalAnswer is the name of the answer to an approval.
const approvalAnswer = "approval"

// ask puts a request to the person at the program.
func (g *guest) ask(ctx context.Context, req approvals.Request) (approvals.Answer, error) {
	defer timelimit.Pause(ctx)()
	always := ""
	for i, gr := range req.Always {
		if i > 0 {
			always += ", "
		}
		always += gr.String()
	}
	answers, err := g.call.Asker.Ask(ctx, tools.Asking{ID: g.call.ID, Approval: &req, Questions: []tools.Question{{
		Name:     approvalAnswer,
		Question: fmt.Sprintf("Allow %s? (always: %s)", req.Describe(), always),
		Schema:   json.RawMessage(`{"type":"string","enum":["once","always","no"]}`)}}})
	if errors.Is(err, tools.ErrNobody) {
		err = approvals.ErrNobody
	}
	if err != nil {
		return approvals.Answer{}, err
	}
	var said string
	if err := json.Unmarshal(answers[approvalAnswer], &said); err != nil {
		return approvals.Answer{}, err
	}
	return approvals.Answer{Choice: said}, nil
}
