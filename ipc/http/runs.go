package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/internal/replica/owner"
	"atelier/internal/turns"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/attachments"
	"atelier/workshop/tools/catalogue"
)

// keepRuns and keepFor limit how many ended runs are kept, and for how long,
// so that followers can still read their events.
const (
	keepRuns = 100
	keepFor  = 10 * time.Minute
)

// runs manages the agent's runs that were started over HTTP: at most one at a
// time in each workspace.
type runs struct {
	opt       Options
	engine    Engine
	stopRelay func()
	goroutine sync.WaitGroup // of runs in progress

	mu      sync.Mutex // protects the fields below
	closing bool
	byID    map[string]*run
	active  map[string]*run          // by workspace, also those that wait for their turn
	ended   []*run                   // oldest first
	claims  map[string]*turns.Ticket // places that are kept for workspaces that come from other servers

	queue  *turns.Queue
	open   context.Context // ends with closing
	close  func()
	moving sync.WaitGroup // of workspaces to servers with room
}

// run is one run of the agent.
type run struct {
	id, workspace, message, model string
	tools                         *tools.Catalogue
	started                       time.Time
	cancel                        context.CancelFunc
	log                           *eventLog

	workflow    string
	budget      *engine.Budget
	user        string                   // whose limit its requests count for
	attachments []attachments.Attachment // of the message
	translates  bool                     // a translation job, which takes the place of a run
	trace       string                   // the span that began it, for the server that continues it
	left        chan struct{}            // closed when its place is free

	ticket    *turns.Ticket // its place, or its wait for one
	waits     bool          // it waited when it was kept
	continued bool          // it came from another server
	begun     bool          // where it was carried out in part
	waited    time.Duration // for its turn on other servers
	sent      int           // how often it was moved to a server with room

	endedAt time.Time        // zero while it runs; protected by runs.mu
	moves   bool             // another server is to continue it; protected by runs.mu
	waiting bool             // for its turn; protected by runs.mu
	at      *owner.Workspace // in which it waits, in a cluster; protected by runs.mu
	sending bool             // its workspace is being moved; protected by runs.mu
}

func newRuns(opt Options) *runs {
	rs := &runs{opt: opt, engine: opt.Engine, byID: map[string]*run{}, active: map[string]*run{}, claims: map[string]*turns.Ticket{}, queue: newTurns(opt)}
	rs.open, rs.close = context.WithCancel(context.Background())
	rs.stopRelay = opt.Engine.Subscribe(rs.relay)
	return rs
}

// relay passes a notification to the run of its workspace.
func (rs *runs) relay(n engine.Notification) {
	rs.opt.Figures.heard(n)
	rs.mu.Lock()
	r := rs.active[agent.WorkbenchOf(n)]
	rs.mu.Unlock()
	if r != nil {
		translate(n, r.log.add)
	}
}

// task is the request for a run.
type task struct {
	Text      string         `json:"text"`
	Model     string         `json:"model"`     // "" is the workspace's
	Catalogue string         `json:"catalogue"` // the catalogue of tools; "" is the workshop's
	Mode      string         `json:"mode"`      // plan or build; "" keeps the workspace's
	Workflow  string         `json:"workflow"`  // agent, rpi or auto; "" is agent
	Budget    *engine.Budget `json:"budget"`    // limited by the server's; missing members are the server's
	// Attachments have their content in the request, because a path would be
	// one on the server.
	Attachments []attachment `json:"attachments"`

	user string // who asks
}

// attachment is a file of a task.
type attachment struct {
	Name    string  `json:"name"`
	Content *string `json:"content"` // base64
}

// attached converts attachments to the engine's form.
func attached(list []attachment) ([]engine.AttachmentParams, error) {
	var out []engine.AttachmentParams
	for _, a := range list {
		if a.Content == nil {
			return nil, invalidField("attachments", "an attachment needs a name and its content in base64")
		}
		out = append(out, engine.AttachmentParams{Name: a.Name, Content: *a.Content})
	}
	return out, nil
}

// start stores the user's message and has the agent answer it.
func (rs *runs) start(ctx context.Context, workspace string, t task) (*run, error) {
	list, err := catalogue.Named(t.Catalogue)
	if err != nil {
		return nil, invalidField("catalogue", err.Error())
	}
	if t.Workflow != "" && !slices.Contains(agent.Workflows(), t.Workflow) {
		return nil, invalidField("workflow", "workflow is one of "+strings.Join(agent.Workflows(), ", "))
	}
	if err := t.Budget.Within(rs.opt.Ceiling); err != nil {
		return nil, invalidField("budget", err.Error())
	}
	files, err := attached(t.Attachments)
	if err != nil {
		return nil, err
	}
	r := &run{id: uuid.Must(uuid.NewV7()).String(), workspace: workspace, model: t.Model, tools: list, workflow: t.Workflow, budget: t.Budget, user: t.user, started: rs.opt.Now(), log: newEventLog()}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	if err := rs.enter(ctx, r); err != nil {
		cancel()
		return nil, err
	}
	ref, err := rs.prepare(ctx, workspace, t, files)
	if err != nil {
		rs.leave(r, "", nil)
		return nil, err
	}
	r.message, r.attachments = ref.MessageID, ref.Attachments
	if err := rs.keep(ctx, r); err != nil {
		rs.leave(r, "", nil)
		return nil, err
	}
	rs.mu.Lock()
	rs.byID[r.id] = r // visible from here on: only endedAt changes after this
	rs.mu.Unlock()
	r.log.begin(eventSessionInit, sessionInit{RunID: r.id, WorkspaceID: workspace, MessageID: r.message, Model: r.model, Attachments: r.attachments})
	go rs.carryOut(runCtx, r)
	return r, nil
}

// prepare sets the mode and stores the message, unless another activity is in
// progress: the message would then stay without an answer.
func (rs *runs) prepare(ctx context.Context, workspace string, t task, files []engine.AttachmentParams) (message engine.MessageRef, err error) {
	if err := rs.idle(ctx, workspace); err != nil {
		return message, err
	}
	if t.Mode != "" {
		if _, err := rs.call(ctx, "WorkshopSetMode", engine.SetModeParams{WorkbenchID: workspace, Mode: t.Mode}); err != nil {
			return message, err
		}
	}
	ref, err := rs.call(ctx, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: workspace, Text: t.Text, Attachments: files})
	if err != nil {
		return message, err
	}
	return ref.(engine.MessageRef), nil
}

// idle is the problem of a workspace in which something is in progress already.
func (rs *runs) idle(ctx context.Context, workspace string) error {
	state, err := rs.call(ctx, "WorkshopGetState", engine.WorkbenchRef{WorkbenchID: workspace})
	if err != nil {
		return err
	}
	if a := state.(engine.WorkshopState).Activity; a != "" {
		return fail(http.StatusConflict, codeConflict, workshop.Busy{With: a}.Error())
	}
	return nil
}

// enter reserves the workspace for a run, which has a place or waits for one. A translation
// whose work is done is about to leave the workspace.
func (rs *runs) enter(ctx context.Context, r *run) (err error) {
	rs.mu.Lock()
	before := rs.active[r.workspace]
	rs.mu.Unlock()
	if before != nil && before.translates && rs.idle(ctx, r.workspace) == nil {
		select {
		case <-before.left:
		case <-time.After(time.Second): // its work has not begun
		case <-ctx.Done():
		}
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.forget()
	switch {
	case rs.closing:
		return fail(http.StatusServiceUnavailable, codeUnavailable, "The server is stopping")
	case rs.active[r.workspace] != nil && !rs.active[r.workspace].translates && rs.active[r.workspace].waiting:
		return fail(http.StatusConflict, codeConflict, "A run waits for its turn in this workspace: "+rs.active[r.workspace].id)
	case rs.active[r.workspace] != nil && rs.active[r.workspace].translates:
		return fail(http.StatusConflict, codeConflict, "A translation is in progress in this workspace")
	case rs.active[r.workspace] != nil:
		return fail(http.StatusConflict, codeConflict, "A run is in progress in this workspace: "+rs.active[r.workspace].id)
	}
	if r.ticket, err = rs.queue.Enter(r.user); err != nil {
		return rs.refusedTurn(err)
	}
	r.left = make(chan struct{})
	rs.active[r.workspace] = r
	rs.goroutine.Add(1)
	return nil
}

// leave releases the workspace and then adds the last event, unless kind is
// "", so that a follower of that event can start the next run. The events
// stay available.
func (rs *runs) leave(r *run, kind string, last any) {
	r.cancel()
	rs.mu.Lock()
	if rs.active[r.workspace] == r {
		delete(rs.active, r.workspace)
	}
	r.ticket.Leave()
	r.endedAt = rs.opt.Now()
	rs.ended = append(rs.ended, r)
	rs.mu.Unlock()
	close(r.left)
	r.log.end(kind, last)
	rs.goroutine.Done()
}

// forget drops runs that ended long ago. The caller holds rs.mu.
func (rs *runs) forget() {
	for len(rs.ended) > keepRuns || len(rs.ended) > 0 && rs.opt.Now().Sub(rs.ended[0].endedAt) > keepFor {
		delete(rs.byID, rs.ended[0].id)
		rs.ended[0].log.kept.remove()
		rs.ended = rs.ended[1:]
	}
}

func (rs *runs) carryOut(ctx context.Context, r *run) {
	var kind string
	var last any
	if w := ownedOf(ctx); w != nil {
		rs.carryOutIn(ctx, w, r)
		return
	}
	defer func() { rs.leave(r, kind, last) }()
	kind, last, _ = rs.inTurn(ctx, nil, r)
}

// work has the agent answer the message of a run, and returns the last event.
func (rs *runs) work(ctx context.Context, r *run) (kind string, last any) {
	result, err := rs.call(ctx, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: r.workspace, MessageID: r.message, ModelID: r.model, Catalogue: r.tools.Name(),
		Workflow: r.workflow, Budget: r.budget})
	return ending(r.workspace, result, err)
}

func (rs *runs) call(ctx context.Context, method string, params any) (any, error) {
	b, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return rs.engine.Call(ctx, method, b)
}

// find returns a run of the workspace, or nil.
func (rs *runs) find(workspace, id string) *run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.forget()
	if r := rs.byID[id]; r != nil && r.workspace == workspace {
		return r
	}
	return nil
}

// list describes the runs of a workspace, the most recently started first.
func (rs *runs) list(workspace string) []runInfo {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.forget()
	out := []runInfo{}
	for _, r := range rs.byID {
		if r.workspace == workspace {
			out = append(out, r.info())
		}
	}
	slices.SortFunc(out, func(a, b runInfo) int { return strings.Compare(b.RunID, a.RunID) }) // UUIDv7: by time
	return out
}

// info describes a run. The caller holds rs.mu.
func (r *run) info() runInfo {
	i := runInfo{RunID: r.id, MessageID: r.message, StartedAt: r.started.UTC(), Running: r.endedAt.IsZero(), State: runEnded}
	switch {
	case i.Running && r.waiting:
		ahead, _ := r.ticket.Ahead()
		i.State, i.Ahead = runQueued, &ahead
	case i.Running:
		i.State = runRunning
	}
	return i
}

// inProgress returns how many runs, and how many translations, are in progress. Those that
// wait for their turn are not.
func (rs *runs) inProgress() (running, translations int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.active {
		switch {
		case r.waiting:
		case r.translates:
			translations++
		default:
			running++
		}
	}
	return running, translations
}

// drain waits for the runs to end until ctx ends, then stops the others and
// waits for them. Those that wait for their turn end at once, or leave with their workspaces.
func (rs *runs) drain(ctx context.Context) {
	rs.closeQueue()
	done := make(chan struct{})
	go func() { rs.goroutine.Wait(); close(done) }()
	select {
	case <-done:
		rs.moving.Wait()
		rs.stopRelay()
	case <-ctx.Done():
		rs.stopAll()
	}
}

// stopAll stops every run and waits until all have ended.
func (rs *runs) stopAll() {
	rs.closeQueue()
	rs.mu.Lock()
	for _, r := range rs.active {
		r.moves = rs.opt.Places != nil
		r.cancel()
	}
	rs.mu.Unlock()
	rs.goroutine.Wait()
	rs.moving.Wait()
	rs.stopRelay()
}
