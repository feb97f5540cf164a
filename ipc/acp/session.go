package acp

import (
	"context"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop/agent"
)

// session is the conversation of one folder with this client.
type session struct {
	a        *server
	id, root string
	events   *queue
	shown    *shownTexts // what diffs begin from
	calls    *callNames
	plan     plan
	editor   editor

	ctx  context.Context // ends with the session
	stop context.CancelFunc

	prompts chan struct{} // has a token while a prompt is answered
	next    chan struct{} // has a token while a prompt waits for the one before it

	mu   sync.Mutex // protects the fields below
	asks bool       // in ask mode
	run  *run       // in progress, nil when none is
	cut  string     // why the last answer ends before its end: agent.MessageComplete.FinishReason
	job  *job       // a translation in progress
}

// run is a run of the model. It may outlive a prompt, when it waits for an answer
// that the person types.
type run struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when result and err are set
	result engine.RunAgentResult
	err    error

	typed chan struct{} // has a token when a question waits for the next prompt

	mu   sync.Mutex // protects open
	open *typedQuestion
}

func newSession(a *server, id, root string) *session {
	s := &session{a: a, id: id, root: root, prompts: make(chan struct{}, 1), next: make(chan struct{}, 1), shown: newShownTexts(), calls: newCallNames()}
	s.editor = editor{s: s, seen: map[string]seenText{}}
	s.events = newQueue(s.handle)
	s.ctx, s.stop = context.WithCancel(a.work)
	go s.events.work(s.ctx)
	return s
}

func (s *session) ref() engine.WorkbenchRef { return engine.WorkbenchRef{WorkbenchID: s.id} }

// send sends an update. It does not wait for the client; an error means that it is
// gone, which ends the connection.
func (s *session) send(u sdk.SessionUpdate) {
	<-s.a.up
	_ = s.a.conn.SessionUpdate(s.a.work, sdk.SessionNotification{SessionId: sdk.SessionId(s.id), Update: u})
}

// say sends a text that is not of the model.
func (s *session) say(text string) {
	if text != "" {
		s.send(sdk.UpdateAgentMessageText(text))
	}
}

// note sends what is good to know while a run works.
func (s *session) note(text string) { s.send(sdk.UpdateAgentThoughtText(text + "\n")) }

// begin counts work that Serve waits for; false: the connection ends.
func (a *server) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.work.Err() != nil {
		return false
	}
	a.working.Add(1)
	return true
}

// start runs the model on a message.
func (s *session) start(messageID string) (*run, error) {
	if !s.a.begin() {
		return nil, refused(codeServer, "the connection ends")
	}
	mode, err := s.mode(s.a.work)
	if err != nil {
		s.a.working.Done()
		return nil, err
	}
	p := engine.RunAgentParams{WorkbenchID: s.id, MessageID: messageID, Catalogue: s.a.opt.Catalogue, Workflow: s.a.opt.Workflow}
	switch {
	case mode == modeAsk:
		p.ReadOnly, p.Workflow = true, ""
	case mode == modePlan && p.Catalogue == "":
		p.Catalogue = "buildscale" // its tools can leave plan mode
	}
	r := &run{done: make(chan struct{}), typed: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancel(s.ctx) // a closed session asks nobody anything
	s.mu.Lock()
	s.run, s.cut = r, ""
	s.mu.Unlock()
	s.plan.clear()
	hooks := engine.RunHooks{Thought: s.events.thought, EditorText: s.editor.text}
	s.editor.begin()
	go func() {
		defer s.a.working.Done()
		defer r.cancel()
		r.result, r.err = engine.CallAs[engine.RunAgentResult](engine.WithRunHooks(r.ctx, hooks), s.a.eng, "WorkshopRunAgent", p)
		s.editor.end()
		s.mu.Lock()
		if s.run == r {
			s.run = nil
		}
		s.mu.Unlock()
		close(r.done)
	}()
	return r, nil
}

// follow waits until a run has ended, or waits for an answer that the person types.
func (s *session) follow(ctx context.Context, r *run) (sdk.PromptResponse, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		r.cancel()
		<-r.done
	case <-r.typed:
		s.events.flush(s.ctx)
		return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
	}
	s.events.flush(s.ctx)
	if r.err != nil {
		return s.stopped(r)
	}
	s.tellDraft(s.a.work, r.result.HasDraft)
	resp := sdk.PromptResponse{StopReason: s.reason(), Usage: usageOf(r.result.Usage)}
	return resp, nil
}

// cancelWork asks the run or translation in progress to stop.
func (s *session) cancelWork() {
	s.mu.Lock()
	r, j := s.run, s.job
	s.mu.Unlock()
	if r != nil {
		r.cancel()
	}
	if j != nil {
		j.cancel()
	}
}

// Cancel stops what a session does.
func (a *server) Cancel(_ context.Context, p sdk.CancelNotification) error {
	s, err := a.session(p.SessionId)
	if err != nil {
		return err
	}
	s.cancelWork()
	return nil
}

// reason is why a run ended that did not fail.
func (s *session) reason() sdk.StopReason {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.cut {
	case "length":
		return sdk.StopReasonMaxTokens
	case "content_filter":
		return sdk.StopReasonRefusal
	}
	return sdk.StopReasonEndTurn
}

// stopped is the answer to a prompt whose run failed.
func (s *session) stopped(r *run) (sdk.PromptResponse, error) {
	code := codeOf(r.err)
	switch code {
	case engine.CodeUserCanceled:
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	case codeLoop, codeBudget:
		s.say("\n\nStopped: " + explain(r.err) + "\n")
		if code == codeBudget {
			return sdk.PromptResponse{StopReason: sdk.StopReasonMaxTokens}, nil
		}
		return sdk.PromptResponse{StopReason: sdk.StopReasonMaxTurnRequests}, nil
	}
	return sdk.PromptResponse{}, wireError(r.err)
}

// handle sends what a notification of the engine says.
func (s *session) handle(n engine.Notification) {
	switch p := n.Params.(type) {
	case agent.StreamDelta:
		u := sdk.UpdateAgentMessageText(p.TokenDelta)
		u.AgentMessageChunk.MessageId = sdk.Ptr(p.MessageID)
		s.send(u)
	case thought:
		s.send(sdk.UpdateAgentThoughtText(string(p)))
	case agent.MessageComplete:
		s.mu.Lock()
		s.cut = p.FinishReason
		s.mu.Unlock()
	case agent.ToolExecuting:
		s.send(s.toolBegins(p))
	case agent.ToolComplete:
		s.toolEnds(p)
	case agent.QuestionPending:
		s.question(p)
	case agent.ModeChanged:
		s.modeChanged()
	case agent.PhaseStarted:
		s.sendPlan(s.plan.phase(p.Phase))
	case agent.PhaseCompleted:
		s.sendPlan(s.plan.phaseDone(p.Phase))
	case agent.ImplementProgress:
		s.sendPlan(s.plan.item(p))
	case engine.WindowFillChanged:
		s.usage(p)
	case engine.TranslateProgress:
		s.translated(p)
	case engine.TranslateCompleted:
		s.translateEnded(p)
	default:
		if text := told(n.Params); text != "" {
			s.note(text)
		}
	}
}
