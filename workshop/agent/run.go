package agent

import (
	"context"
	"errors"
	"strings"
	"sync"

	"atelier/internal/trace"
	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
	"atelier/workshop/approvals"
	"atelier/workshop/provenance"
	"atelier/workshop/skills"
	"atelier/workshop/tools/servertools"
)

// Run answers the user message messageID of the workbench's conversation: it
// lets the model work until it is done (W-01…W-22). The caller holds the
// workbench's run lock. An error is always an *Error; the Result then says how
// far the run got.
func Run(ctx context.Context, cfg Config, messageID string) (Result, error) {
	r := newRun(cfg)
	ctx, span := trace.Start(ctx, "run", trace.String("atelier.run.id", r.id))
	defer span.End()
	err := r.all(ctx, messageID)
	span.Set(trace.Int("atelier.turns", r.result.Turns), trace.Int("atelier.tool_calls", r.result.ToolCalls))
	r.result.Usage = spend.NewTotals(r.meter.Spent)
	if serr := r.endSteering(ctx); err == nil {
		err = serr
	}
	if st, derr := r.wb.Draft(context.WithoutCancel(ctx)); derr == nil {
		r.result.HasDraft = st.HasDraft
	} else if err == nil {
		err = readError("the state of the draft cannot be read", derr)
	}
	if err != nil {
		e := inPhase(withoutKey(asError(ctx, err), cfg.APIKey), r.phase)
		span.Fail(e.Code)
		r.cfg.Log.Info("a run ended early", "workbench", r.wb.ID(), "code", e.Code, "turns", r.result.Turns, "tool_calls", r.result.ToolCalls)
		return r.result, e
	}
	return r.result, nil
}

// Check says why Run would refuse a configuration before it sends anything; nil
// when it would not. An error is always an *Error.
func Check(ctx context.Context, cfg Config) error {
	r := newRun(cfg)
	err := r.setLimits(ctx)
	if err == nil {
		_, err = r.checkWorkflow(ctx)
	}
	if err != nil {
		return asError(ctx, err)
	}
	return nil
}

func newRun(cfg Config) *run {
	r := &run{cfg: cfg.withDefaults(), wb: cfg.Workbench, entries: map[string]int64{}, trail: provenance.NewTrail()}
	r.approvals = approvals.NewRun(cfg.Approvals, r.cfg.Now)
	r.meter = spend.NewMeter(spend.Options{Owner: "This run", Budget: cfg.Budget, Ceiling: cfg.Ceiling, Model: cfg.Model, Price: cfg.Price, Reasons: cfg.Reasons, Now: r.cfg.Now})
	r.cfg.Client, r.id = r.countedClient(r.cfg.Client), r.wb.Conversation().NewMessageID("run-")
	return r
}

// run is one Run or Compact; it belongs to one goroutine.
type run struct {
	cfg     Config
	wb      *workshop.Workbench
	message string // id of the user message that is answered
	phase   phase
	said    string           // the last answer of the phase
	chose   bool             // the model asked to work in phases
	msgs    []llm.Message    // after the system message, as the model sees them
	tools   []llm.Tool       // of the phase
	files   string           // the manifest
	told    string           // standing context
	skills  skills.List      // instructions as the run found them; nil: not read yet
	extra   string           // Config.Context of this turn
	ids     map[string]bool  // call ids used in the conversation
	entries map[string]int64 // tool log entry by call id, of this run
	gauge   tokens.Gauge

	carried    provenance.Set // what the run's requests are made of
	stored     provenance.Set // of that, what records of the conversation say
	toldOf     []string       // sources of told
	extraOf    []string       // and of extra
	trail      *provenance.Trail
	unsaidOnce sync.Once
	// by unsaidOnce
	unsaidFiles []string
	unsaidErr   error

	steers  int    // messages of the user after the one that is answered
	keep    string // what the person wants summaries to keep
	again   int    // tokens of a request from which on compacting ahead is tried again
	stuck   stuckness
	nudged  bool // the phase had an answer without words
	longest bool // the last answer was as long as answers may be, so that it may lack its end

	short     bool // the tools are described in short
	approvals *approvals.Run
	fetched   fetchAnswers
	allowed   fetchAnswers          // servers that may be sent something
	servers   *servertools.Set      // nil without Config.Servers
	problems  []servertools.Problem // servers without tools
	id        string                // of the run
	meter     *spend.Meter
	stopped   error // the budget is used up and the run told to stop
	cut       int64 // limit at which the budget cut the last answer, in tokens; 0: it did not
	turn      int   // of the phase, 1-based
	result    Result
}

func (r *run) all(ctx context.Context, messageID string) error {
	r.message = messageID
	if err := r.chooseTools(ctx, r.view(workshop.Cause{MessageID: messageID, Author: author})); err != nil {
		return err
	}
	if err := r.setLimits(ctx); err != nil {
		return err
	}
	if err := r.meetServers(ctx); err != nil {
		return err
	}
	if err := r.askInstructions(ctx); err != nil {
		return err
	}
	if _, err := r.tellStanding(ctx); err != nil {
		return err
	}
	if err := r.noteAbandoned(ctx); err != nil {
		return err
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	return r.turns(ctx)
}

// look takes over the files and the conversation as they are now.
func (r *run) look(ctx context.Context) (err error) {
	view, err := r.marked(ctx, r.view(workshop.Cause{MessageID: r.message, Author: author}))
	if err != nil {
		return readError("what is kept from the model cannot be read", err)
	}
	if r.files, err = manifestIn(ctx, view, r.cfg.Names, r.cfg.Window); err != nil {
		return readError("the files of the workbench cannot be listed", err)
	}
	return r.load(ctx, r.message)
}

// view returns the files as the run may see them.
func (r *run) view(c workshop.Cause) workshop.View {
	v := r.wb.DraftView(c)
	if r.cfg.View != nil {
		return r.cfg.View(v)
	}
	return v
}

// published is view without the draft.
func (r *run) published() workshop.View {
	v := r.wb.PublishedView()
	if r.cfg.View != nil {
		return r.cfg.View(v)
	}
	return v
}

// author of what a run writes.
const author = "agent"

// load takes over the conversation and closes calls that a run which died left
// without a result. The message must be in it, unless messageID is "".
func (r *run) load(ctx context.Context, messageID string) error {
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return readError("the conversation cannot be read", err)
	}
	found := false
	r.steers = 0
	for _, rec := range records {
		if rec.Type != workshop.TypeUser {
			continue
		}
		if found {
			r.steers++
		}
		found = found || rec.MessageID == messageID
	}
	if !found && messageID != "" {
		return runerr.Errorf(runerr.CodeValidation, "no user message has the id %s", messageID)
	}
	for _, c := range openCalls(records) {
		rec := r.resultRecord(c.id, c.name, interruptedResult, false, 0, nil)
		if server, _, ok := strings.Cut(c.name, servertools.Mark); ok {
			rec.Metadata[workshop.MetaOutside] = server // it may have been called
		}
		if err := r.append(rec); err != nil {
			return err
		}
		records = append(records, rec)
		// The process that began the call is gone: a client of this one gets both.
		r.emit(EventToolExecuting, ToolExecuting{WorkbenchID: r.wb.ID(), ToolName: c.name, ToolCallID: c.id})
		r.emit(EventToolComplete, ToolComplete{WorkbenchID: r.wb.ID(), ToolName: c.name, ToolCallID: c.id})
	}
	r.msgs = messagesOf(records, withRequest(items(records), records, messageID))
	r.msgs = r.loadImages(ctx, r.msgs)
	r.loadCalled()
	if messageID != "" {
		r.msgs = askOn(r.msgs, records)
	}
	files, said := SourcesOf(records)
	r.stored.Add(files...)
	if err := r.carry(ctx, files, said); err != nil {
		return err
	}
	if r.ids == nil {
		r.ids = map[string]bool{} // phases go on with what earlier ones used
	}
	for _, rec := range records {
		for _, c := range rec.ToolCalls {
			r.ids[c.ID] = true
		}
		if n, ok := entryOf(rec); ok {
			r.entries[rec.ToolCallID] = n
		}
	}
	return nil
}

// enter begins a phase: what it may use, and nothing of the one before.
func (r *run) enter(p phase) {
	r.phase, r.said, r.nudged = p, "", false
	r.stuck, r.again = stuckness{}, 0
	r.offer(p)
}

// offer gives the model the tools of the phase.
func (r *run) offer(p phase) {
	r.tools = nil
	for _, t := range r.cfg.Catalogue.Tools() {
		if p.offers == nil || p.offers(t) {
			r.tools = append(r.tools, t)
		}
	}
	r.tools = append(r.tools, r.servers.Offered(mayServer(p))...)
	if p.chooses {
		r.tools = append(r.tools, inPhases)
	}
}

func (r *run) runPhase(ctx context.Context, p phase) error {
	r.enter(p)
	if p.stage {
		if err := r.fitPhase(ctx); err != nil {
			return err
		}
	}
	limit := r.cfg.Limits.Turns
	if p.turns > 0 {
		limit = min(limit, p.turns)
	}
	for r.turn = 1; r.turn <= limit; r.turn++ {
		done, err := r.oneTurn(ctx)
		if err != nil {
			return err
		}
		if !done {
			continue
		}
		more, err := r.goesOn(ctx)
		if !more || err != nil {
			return err
		}
		r.turn, r.nudged = 0, false // what the user said asks for work of its own
	}
	e := runerr.Errorf(runerr.CodeLoopDetected, "the run reached the maximum turn limit (%d)", limit)
	e.Hint, e.Actions = "what was done so far is in the draft; send a message to go on", []string{"review_draft"}
	return e
}

// tellSession reads what else the model is told now.
func (r *run) tellSession(ctx context.Context) (err error) {
	if r.cfg.Context == nil {
		return nil
	}
	set := &provenance.Set{}
	if r.extra, err = r.cfg.Context(provenance.With(ctx, set)); err != nil {
		return readError("what the model is told of the session cannot be read", err)
	}
	view := r.view(workshop.Cause{})
	set.Resolve(func(doc workshop.DocPath) string { return r.docName(ctx, view, doc) },
		func(p workshop.Path) []string { return r.trail.Name(ctx, view, p) })
	r.extraOf = set.List()
	return nil
}

// oneTurn asks the model once and carries out its calls; done when it made
// none.
func (r *run) oneTurn(ctx context.Context) (done bool, err error) {
	if _, err := r.steered(ctx); err != nil {
		return false, err
	}
	if err := r.tellSession(ctx); err != nil {
		return false, err
	}
	if err := r.meetServers(ctx); err != nil {
		return false, err
	}
	id := r.wb.Conversation().NewMessageID("a-")
	resp, err := r.ask(ctx, id)
	if err != nil {
		if err = r.keepPartial(id, resp.Content, err); errors.Is(err, errCut) {
			err = nil // before it is asked again, the budget is
		}
		return false, err
	}
	r.result.Turns++
	r.nameCalls(resp.ToolCalls)
	r.longest = resp.FinishReason == "length"
	rec := r.assistantRecord(id, resp)
	if err := r.append(rec); err != nil {
		return false, err
	}
	if m := messages([]workshop.Record{rec}); len(m) > 0 {
		r.msgs = append(r.msgs, m[0])
	}
	if len(resp.ToolCalls) > 0 {
		cause := id
		if r.phase.private {
			cause = r.message // the answer is in no conversation that could be taken back to it
		}
		err := r.carryOut(ctx, cause, resp.ToolCalls)
		r.decide(resp.ToolCalls)
		return r.phase.chooses && r.chose, err
	}
	if again, err := r.blank(resp); again || err != nil {
		return false, err
	}
	r.said = resp.Content
	if r.phase.final {
		r.result.MessageID, r.result.Text = id, resp.Content
		r.emit(EventMessageComplete, MessageComplete{r.wb.ID(), id, cutReason(resp)})
	}
	return true, nil
}

func (r *run) emit(method string, params any) {
	r.cfg.Events.Emit(Event{Method: method, Params: params})
}
