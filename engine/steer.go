package engine

import (
	"cmp"
	"context"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// SteerRunParams are the params of WorkshopSteerRun.
type SteerRunParams struct {
	WorkbenchID string `json:"workbench_id"`
	Text        string `json:"text"`
	// When is "now" (default): the run sees the message with its next request
	// to the model; or "after": the run answers it once it has given its answer.
	When string `json:"when,omitempty"`
}

func steerMethods() []*Method {
	return []*Method{
		method("WorkshopSteerRun", "Says something to the run in progress, which goes on with it at the next safe point or after its answer.", (*Engine).steerRun),
	}
}

func (e *Engine) steerRun(ctx context.Context, p SteerRunParams) (MessageRef, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return MessageRef{}, err
	}
	when := cmp.Or(p.When, agent.SteerNow)
	if when == agent.SteerHold {
		when = "" // not for clients
	}
	idle := &ErrorInfo{ErrorCode: CodeValidationFailed, WorkbenchID: p.WorkbenchID, Detail: "no run is in progress",
		Hint: "send the message with WorkshopSendUserMessage and have it answered with WorkshopRunAgent"}
	wb.mu.Lock()
	steering := wb.steering
	wb.mu.Unlock()
	if steering == nil {
		return MessageRef{}, idle
	}
	id, ended, err := steering.Push(ctx, p.Text, when)
	if ended {
		return MessageRef{}, idle
	}
	return MessageRef{MessageID: id}, err
}

// steering returns what the user says to the run that begins; end is called when it
// has ended. answers finds the message that the run answers: no other is stored
// from then on.
func (e *Engine) steering(ctx context.Context, wb *openWorkbench, answers func() (string, error)) (s *agent.Steering, end func(), err error) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	messageID, err := answers()
	if err != nil {
		return nil, nil, err
	}
	if s, err = agent.NewSteering(ctx, wb.Workbench, messageID, &e.hub, e.opt.Now); err != nil {
		return nil, nil, err
	}
	wb.steering = s
	return s, func() {
		if err := s.End(context.WithoutCancel(ctx)); err != nil { // when the run could not begin
			e.log.Error("messages that waited for a run are not in the conversation yet", "workbench", wb.ID(), "err", err)
		}
		wb.mu.Lock()
		defer wb.mu.Unlock()
		wb.steering = nil
	}, nil
}

// store keeps a message of the user. While a run works it waits until that has
// ended: in the middle of the run's records it would seem to be answered by
// them. While an undo is at work the call waits.
func (e *Engine) store(ctx context.Context, wb *openWorkbench, text string) (string, error) {
	wb.talk.Lock()
	defer wb.talk.Unlock()
	wb.mu.Lock()
	defer wb.mu.Unlock() // no run begins meanwhile
	if wb.steering != nil {
		id, ended, err := wb.steering.Push(ctx, text, agent.SteerHold)
		if !ended {
			return id, err
		}
	}
	c := wb.Conversation()
	id := c.NewMessageID("u-")
	err := c.Append(workshop.Record{Type: workshop.TypeUser, MessageID: id, Role: "user", Text: text, CreatedAt: e.opt.Now().UTC()})
	if err == nil {
		e.conversationChanged(wb, conversationMessage, id)
	}
	return id, err
}

// queued returns what waits for the run in progress.
func (wb *openWorkbench) queued() []agent.Queued {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if wb.steering == nil {
		return nil
	}
	return wb.steering.Queued()
}

// settle puts messages into the conversation that waited for a run when the
// process died.
func (e *Engine) settle(wb *workshop.Workbench) {
	if wb.ReadOnly() {
		return
	}
	if err := agent.SettleQueue(context.Background(), wb); err != nil {
		e.log.Error("messages that waited for a run are not in the conversation yet", "workbench", wb.ID(), "err", err)
	}
}
