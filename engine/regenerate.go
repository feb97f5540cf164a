package engine

import (
	"context"
	"fmt"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// RegenerateParams are the params of WorkshopRegenerate. Everything but the
// message is as in WorkshopRunAgent.
type RegenerateParams struct {
	RunAgentParams
	// MessageID is an answer, or any other message; what is answered again is the
	// nearest message of the user at or before it. "" is the last one.
	MessageID string `json:"message_id,omitempty"`
}

// RegenerateResult is the result of WorkshopRegenerate.
type RegenerateResult struct {
	RunAgentResult
	// PreviousMessageID is where the conversation stood before:
	// WorkshopUndoToMessage to it brings that back, with its draft.
	PreviousMessageID string `json:"previous_message_id"`
	// Notes say what of the answer that was taken back is not undone: calls of tools of
	// other programs.
	Notes []string `json:"notes,omitempty"`
}

// RegenerateStarted says that an answer is about to be made again.
type RegenerateStarted struct {
	WorkbenchID       string `json:"workbench_id"`
	FromMessageID     string `json:"from_message_id"`   // as it was asked for
	TargetMessageID   string `json:"target_message_id"` // the message of the user that is answered anew
	PreviousMessageID string `json:"previous_message_id"`
}

// RegenerateCompleted says that the new answer is there. When the run fails,
// there is none.
type RegenerateCompleted struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
}

func regenerateMethods() []*Method {
	return []*Method{
		method("WorkshopRegenerate", "Has a message of the user answered anew, on the files as they were; what was there before can be brought back.", (*Engine).regenerate),
	}
}

func (e *Engine) regenerate(ctx context.Context, p RegenerateParams) (_ RegenerateResult, err error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return RegenerateResult{}, err
	}
	if on, err := agenticOn(ctx, wb); err != nil || !on {
		if err == nil {
			err = validation("agentic mode disabled")
		}
		return RegenerateResult{}, err
	}
	ctx, end, err := e.beginRun(ctx, wb, workshop.ActRun) // from here on, so that no other begins before the undo
	if err != nil {
		return RegenerateResult{}, err
	}
	defer func() { end(err) }()
	// From here on messages wait for the end: one that was stored now would be
	// taken back with the answer.
	var target, previous string
	steering, steered, err := e.steering(ctx, wb, func() (string, error) {
		var err error
		target, previous, err = regenerated(wb, p.MessageID)
		return target, err
	})
	if err != nil {
		return RegenerateResult{}, err
	}
	defer steered()
	// What would keep the run from beginning must not cost the answer there is.
	work, err := e.newRun(ctx, wb, p.RunAgentParams)
	if err == nil {
		err = agent.Check(ctx, work.cfg)
	}
	if err != nil {
		return RegenerateResult{}, err
	}
	e.hub.Emit(Notification{Method: "WorkshopRegenerateStarted", Params: RegenerateStarted{p.WorkbenchID, p.MessageID, target, previous}})
	undone, err := wb.UndoTo(ctx, target)
	if err != nil {
		return RegenerateResult{}, conflictInfo(err, p.WorkbenchID, "workshop")
	}
	e.forgetPhases(wb)
	run := p.RunAgentParams
	run.MessageID = target
	r, err := e.answer(ctx, wb, steering, run)
	if err != nil {
		info := toErrorInfo(ctx, err)
		if previous != target {
			info.Hint = fmt.Sprintf("%s; WorkshopUndoToMessage to %s brings the earlier answer back", info.Hint, previous)
		}
		return RegenerateResult{}, info
	}
	e.hub.Emit(Notification{Method: "WorkshopRegenerateCompleted", Params: RegenerateCompleted{p.WorkbenchID, r.MessageID}})
	return RegenerateResult{RunAgentResult: r, PreviousMessageID: previous, Notes: e.tellNotUndone(undone.Outside)}, nil
}

// regenerated finds the message of the user that led to a message, and where
// the conversation stands.
func regenerated(wb *openWorkbench, messageID string) (target, previous string, err error) {
	records, err := wb.Conversation().Records()
	if err != nil {
		return "", "", err
	}
	found := messageID == ""
	for _, r := range records {
		if r.Type == workshop.TypeUser && (!found || messageID == "") {
			target = r.MessageID
		}
		found = found || r.MessageID == messageID
		if r.Type == workshop.TypeUser || r.Type == workshop.TypeAssistant {
			previous = r.MessageID
		}
	}
	switch {
	case !found:
		return "", "", validation("there is no message " + messageID + " in the conversation")
	case target == "":
		return "", "", validation("no user message comes before it; there is nothing to answer again")
	}
	return target, previous, nil
}
