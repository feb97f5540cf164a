package agent

import (
	"strings"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

const blankNote = "[Your last answer was empty. Go on: call a tool, or say in words what you found or did.]"

// blank deals with a final answer without words, as models give that spend all
// of it on reasoning or mean a call that nobody could read: they are asked once
// more. When they then still say nothing, a run that did something is done, and
// one that did nothing has failed.
func (r *run) blank(resp llm.ChatResponse) (again bool, err error) {
	if !r.phase.final || strings.TrimSpace(resp.Content) != "" || len(resp.ToolCalls) > 0 {
		return false, nil
	}
	if !r.nudged {
		r.nudged = true
		r.turn-- // the next answer is in the place of this one
		r.msgs = addBelow(r.msgs, blankNote)
		return true, nil
	}
	if r.result.ToolCalls > 0 {
		return false, nil
	}
	e := runerr.Errorf(runerr.CodeUnavailable, "%s gave no answer", r.cfg.Model)
	e.Retryable, e.Actions, e.Hint = true, []string{"retry"}, "try again, or another model"
	if resp.FinishReason == "length" {
		e.Detail += ": its reasoning took all that an answer may have"
		e.Hint = "lower the reasoning effort, raise the longest answer (models in config.json: reasoning_effort, send_limit), or use another model"
	}
	if resp.FinishReason == "content_filter" {
		e.Detail += ": the endpoint's content filter stopped it"
		e.Retryable, e.Actions, e.Hint = false, nil, "say it in other words, leave out the document it may be about, or use another model"
	}
	return false, e
}
