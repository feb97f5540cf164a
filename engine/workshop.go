package engine

import (
	"context"
	"strings"

	"atelier/engine/consent"
	"atelier/engine/egress"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
	"atelier/workshop/approvals"
	"atelier/workshop/tools/attachments"
)

// WorkshopState is the result of WorkshopGetState.
type WorkshopState struct {
	ActiveModelID  string `json:"active_model_id"`
	DefaultModelID string `json:"default_model_id"`
	HasDraft       bool   `json:"has_draft"`
	Running        bool   `json:"running"`
	// Activity is what is in progress: run, translation, summary, publish,
	// discard, undo, checkpoint, restore, attach or delete; left out when nothing is.
	Activity workshop.Activity `json:"activity,omitempty"`
	// RunPosition is the position before the first notification of the run in
	// progress: EventsResume with it sends all of the run. Left out when none is,
	// and before the workbench's first notification.
	RunPosition int64 `json:"run_position,omitempty"`
	Agentic     bool  `json:"agentic"` // W-64
	// Unfinished is a run in phases that was broken off; WorkshopRunAgent with
	// its message continues it.
	Unfinished *UnfinishedRun `json:"unfinished,omitempty"`
	// Abandoned is the plan of one that another message or an undo came after.
	Abandoned *AbandonedPlan `json:"abandoned,omitempty"`
	Queued    []agent.Queued `json:"queued,omitempty"` // messages that wait for the run in progress
	// Ahead is how many runs have their turn before the one that waits for its turn, over
	// atelier http; left out when none waits.
	Ahead *int `json:"ahead,omitempty"`
	ModeResult
}

// Conversation is the result of WorkshopGetConversation: the records of
// conversation.jsonl as they stand (W-50…W-53).
type Conversation struct {
	Messages []workshop.Record `json:"messages"`
}

// SetActiveModelParams are the params of WorkshopSetActiveModel.
type SetActiveModelParams struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id"`
}

// SetAgenticParams are the params of WorkshopSetAgentic.
type SetAgenticParams struct {
	WorkbenchID string `json:"workbench_id"`
	Agentic     bool   `json:"agentic"`
}

// SendUserMessageParams are the params of WorkshopSendUserMessage.
type SendUserMessageParams struct {
	WorkbenchID string             `json:"workbench_id"`
	Text        string             `json:"text"`
	Attachments []AttachmentParams `json:"attachments,omitempty"`
}

// MessageRef names a message.
type MessageRef struct {
	MessageID string `json:"message_id"`
	// Attachments are the files that came with it, as they are in the draft.
	Attachments []attachments.Attachment `json:"attachments,omitempty"`
}

// RunAgentParams are the params of WorkshopRunAgent (W-01).
type RunAgentParams struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`          // the user message to answer
	ModelID     string `json:"model_id,omitempty"`  // for this run only; default: the workbench's active model
	Catalogue   string `json:"catalogue,omitempty"` // whose tools the model gets; default "workshop"
	Headless    bool   `json:"headless,omitempty"`  // nobody answers questions
	Workflow    string `json:"workflow,omitempty"`  // agent (default), rpi or auto (V-01)
	ReadOnly    bool   `json:"read_only,omitempty"` // the model gets no tools that change files
	// AllowTools are patterns of tools of other programs, such as github__get_*, whose
	// calls need no answer in this run, where no rule is about them.
	AllowTools []string `json:"allow_tools,omitempty"`
	// Budget bounds what the run may use; what it leaves out is as the engine
	// was configured.
	Budget *Budget `json:"budget,omitempty"`
}

// RunAgentResult is the result of WorkshopRunAgent (W-01).
type RunAgentResult struct {
	MessageID string `json:"message_id"` // the final assistant message
	HasDraft  bool   `json:"has_draft"`
	ToolCalls int    `json:"tool_calls"`
	Turns     int    `json:"turns"`
	Workflow  string `json:"workflow"` // agent or rpi: how the run worked
	// Usage is what the run took.
	Usage spend.Totals `json:"usage"`
}

// CancelRunResult is the result of WorkshopCancelRun.
type CancelRunResult struct {
	CancelRequested bool `json:"cancel_requested"`
}

// The settings a workbench keeps.
const (
	settingModel   = "active_model"
	settingAgentic = "agentic"
)

func workshopMethods() []*Method {
	return []*Method{
		method("WorkshopGetToolLog", "The tool calls of runs with their whole results, oldest first.", (*Engine).toolLog),
		method("WorkbenchGetClutter", "How full the active model's window is with the next request, and what standing context takes of it.", (*Engine).windowFill),
		method("WorkshopGetState", "The model in use, and whether there is a draft or a run.", (*Engine).workshopState),
		method("WorkshopGetConversation", "The whole conversation, tool calls and results included.", (*Engine).conversation),
		method("WorkshopSetActiveModel", "Chooses the model of this workbench; \"pseudo\" is the built-in one.", (*Engine).setActiveModel),
		method("WorkshopSetAgentic", "Turns WorkshopRunAgent on or off for this workbench; on by default.", (*Engine).setAgentic),
		method("WorkshopSendUserMessage", "Stores a message of the user, after a run in progress; WorkshopRunAgent answers it.", (*Engine).sendUserMessage),
		method("WorkshopRunAgent", "Runs the model with its tools until it is done; returns when the run has ended.", (*Engine).runAgent),
		method("WorkshopCompact", "Has the model sum up the conversation now; the turns summed up stay stored.", (*Engine).compact),
		method("WorkshopCancelRun", "Asks the run in progress to stop; what was finished is kept.", (*Engine).cancelRun),
	}
}

func (e *Engine) workshopState(ctx context.Context, p WorkbenchRef) (WorkshopState, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return WorkshopState{}, err
	}
	defer done()
	st, err := wb.Draft(ctx)
	if err != nil {
		return WorkshopState{}, err
	}
	model, err := e.activeModel(ctx, wb)
	if err != nil {
		return WorkshopState{}, err
	}
	agentic, err := agenticOn(ctx, wb)
	if err != nil {
		return WorkshopState{}, err
	}
	mode, err := modeResult(e.modesOf(wb).State(ctx))
	if err != nil {
		return WorkshopState{}, err
	}
	byDefault, err := e.workbenchModel(ctx, wb)
	if err != nil {
		return WorkshopState{}, err
	}
	left, abandoned, err := plansLeft(wb)
	wb.mu.Lock()
	running, runAfter := wb.cancel != nil, wb.runAfter
	wb.mu.Unlock()
	return WorkshopState{RunPosition: runAfter, Unfinished: left, Abandoned: abandoned, Queued: wb.queued(), ActiveModelID: model, DefaultModelID: byDefault, HasDraft: st.HasDraft, Running: running, Activity: wb.Activity(), Agentic: agentic, ModeResult: mode}, err
}

func (e *Engine) conversation(ctx context.Context, p WorkbenchRef) (Conversation, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return Conversation{}, err
	}
	defer done()
	rs, err := wb.Conversation().Records()
	if err == nil && wb.ReadOnly() { // whoever opens it to write stores them
		var left []workshop.Record
		left, err = agent.Waiting(ctx, wb.Workbench)
		rs = append(rs, left...)
	}
	for i, r := range rs {
		rs[i] = r.WithoutKeep()
	}
	return Conversation{Messages: orEmpty(rs)}, err
}

func (e *Engine) setActiveModel(ctx context.Context, p SetActiveModelParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	return Empty{}, wb.SetSetting(ctx, settingModel, strings.TrimSpace(p.ModelID))
}

func (e *Engine) setAgentic(ctx context.Context, p SetAgenticParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	value := "on"
	if !p.Agentic {
		value = "off"
	}
	return Empty{}, wb.SetSetting(ctx, settingAgentic, value)
}

func agenticOn(ctx context.Context, wb *openWorkbench) (bool, error) {
	v, err := wb.Setting(ctx, settingAgentic)
	return v != "off", err
}

func (e *Engine) sendUserMessage(ctx context.Context, p SendUserMessageParams) (MessageRef, error) {
	if strings.TrimSpace(p.Text) == "" {
		return MessageRef{}, validation("empty message")
	}
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return MessageRef{}, err
	}
	if len(p.Attachments) > 0 {
		return e.storeWith(ctx, wb, p.Text, p.Attachments)
	}
	id, err := e.store(ctx, wb, p.Text)
	return MessageRef{MessageID: id}, err
}

func (e *Engine) runAgent(ctx context.Context, p RunAgentParams) (_ RunAgentResult, err error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return RunAgentResult{}, err
	}
	if on, err := agenticOn(ctx, wb); err != nil || !on {
		if err == nil {
			err = validation("agentic mode disabled")
		}
		return RunAgentResult{}, err
	}
	ctx, end, err := e.beginRun(ctx, wb, workshop.ActRun)
	if err != nil {
		return RunAgentResult{}, err
	}
	defer func() { end(err) }()
	// The first thing, since a server may take minutes to load a model.
	steering, steered, err := e.steering(ctx, wb, func() (string, error) {
		return p.MessageID, hasMessage(wb, p.MessageID) // an undo could take it until the run began
	})
	if err != nil {
		return RunAgentResult{}, err
	}
	defer steered()
	return e.answer(ctx, wb, steering, p)
}

// modelWork is the work of a model on a workbench: what it was resolved to, the
// consent that it needs, and the configuration of the agent.
type modelWork struct {
	model   resolvedModel
	consent *consent.Consent
	cfg     agent.Config
}

// newRun returns the work of a run.
func (e *Engine) newRun(ctx context.Context, wb *openWorkbench, p RunAgentParams) (*modelWork, error) {
	w, err := e.newModelWork(ctx, wb, p.ModelID, p.Catalogue)
	if err != nil {
		return nil, err
	}
	w.cfg.Budget, w.cfg.Ceiling, err = e.budgets(ctx, wb.Workbench, p.Budget)
	w.cfg.Fetch, w.cfg.FetchConsent, w.cfg.Workflow = e.fetcher(wb.ID()), e.fetchConsent(wb), p.Workflow
	w.cfg.Servers, w.cfg.AllowTools = e.serversOf(wb), p.AllowTools
	if err == nil {
		_, err = approvals.Outsides(p.AllowTools)
	}
	addHooks(ctx, wb, &w.cfg)
	if p.ReadOnly && err == nil {
		err = readOnly(&w.cfg, p)
	}
	return w, err
}

// answer runs the agent. The run and its steering have begun.
func (e *Engine) answer(ctx context.Context, wb *openWorkbench, steering *agent.Steering, p RunAgentParams) (RunAgentResult, error) {
	w, err := e.newRun(ctx, wb, p)
	if err != nil {
		return RunAgentResult{}, err
	}
	defer e.consents.KeepMade(ctx, e.documents(wb), w.consent)
	w.cfg.Steering = steering
	if !p.Headless {
		w.cfg.Questions = &e.questions
	}
	ctx, recorded, err := e.recording(ctx, &w.cfg, RunStart{MessageID: p.MessageID, Catalogue: p.Catalogue, Settings: w.model.settings, API: w.model.recordedAPI()})
	if err != nil {
		return RunAgentResult{}, err
	}
	r, err := agent.Run(ctx, w.cfg, p.MessageID)
	recorded(err)
	e.notifyWindowFill(ctx, p.WorkbenchID)
	if err != nil {
		return RunAgentResult{}, runError(ctx, w.cfg, err)
	}
	return RunAgentResult{MessageID: r.MessageID, HasDraft: r.HasDraft, ToolCalls: r.ToolCalls, Turns: r.Turns, Workflow: r.Workflow, Usage: r.Usage}, nil
}

// newModelWork resolves a model for work on a workbench; "" is the workbench's active
// model, and the workshop's catalogue.
func (e *Engine) newModelWork(ctx context.Context, wb *openWorkbench, model, catalogue string) (*modelWork, error) {
	m, err := e.resolveIn(ctx, wb, model)
	if err != nil {
		return nil, err
	}
	docs := e.documents(wb)
	allowed, err := e.consents.ForRun(ctx, docs, m.recipient())
	if err != nil {
		return nil, err
	}
	client, key, err := e.clientWith(ctx, m, allowed, egress.KindRun)
	if err != nil {
		return nil, err
	}
	cat, err := e.catalogueNamed(catalogue)
	if err != nil {
		return nil, err
	}
	efforts, err := e.efforts(ctx, m)
	if err != nil {
		return nil, err
	}
	window, served := e.window(ctx, m, key)
	w := &modelWork{model: m, consent: allowed, cfg: agent.Config{
		Workbench: wb.Workbench, Catalogue: cat, Formats: e.formats, Texts: e.texts,
		Client: client, APIKey: key, Model: m.id, Provider: m.provider.ID,
		Window: window, Served: served, Tools: m.settings.Tools, Efforts: efforts, Reasons: m.settings.Reasons(), CompactAt: e.opt.CompactAt, Price: m.price,
		Approvals: wb.approvals, Session: e.sessionOf(wb), Limits: e.opt.Limits, Events: &e.hub, Now: e.opt.Now, Log: e.log,
	}}
	if !m.builtIn() {
		endpoint := e.endpoint(m.provider)
		w.cfg.Sees = func() bool { return endpoint.Settings(m.name).TakesImages() }
	}
	w.cfg.Pages = e.previews
	allowed.Restrict(ctx, &w.cfg, docs)
	return w, e.setPrompt(ctx, &w.cfg, wb, cat.Name())
}

// runError adds to an error whose work it ended.
func runError(ctx context.Context, cfg agent.Config, err error) error {
	info := toErrorInfo(ctx, err)
	info.WorkbenchID, info.ModelID, info.ProviderID = cfg.Workbench.ID(), cfg.Model, cfg.Provider
	return info
}

// hasMessage checks that id names a user message of the conversation.
func hasMessage(wb *openWorkbench, id string) error {
	if id == "" {
		return validation("message_id is required")
	}
	rs, err := wb.Conversation().Records()
	if err != nil {
		return err
	}
	for _, r := range rs {
		if r.MessageID == id && r.Type == workshop.TypeUser {
			return nil
		}
	}
	return validation("no user message has the id " + id)
}

func (e *Engine) cancelRun(ctx context.Context, p WorkbenchRef) (CancelRunResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return CancelRunResult{}, err
	}
	canceled := wb.cancelRun()
	if canceled {
		e.hub.Emit(Notification{Method: "WorkshopRunCancelRequested", Params: RunCancelRequested(p)})
	}
	return CancelRunResult{CancelRequested: canceled}, nil
}
