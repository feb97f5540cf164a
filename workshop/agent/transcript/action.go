package transcript

import (
	"errors"

	"atelier/workshop/tools"
)

// cancelRequest is what cancel_after says for the sending of a request.
const cancelRequest = "request"

// action is a line of the client section.
type action struct {
	Send        string `json:"send"`
	Run         bool   `json:"run"`
	Message     string `json:"message"`
	CancelAfter string `json:"cancel_after"`
	CrashAfter  string `json:"crash_after"`
	Count       int    `json:"count"`
	Publish     bool   `json:"publish"`
	Discard     bool   `json:"discard"`
	Reopen      bool   `json:"reopen"`
	Compact     bool   `json:"compact"`
	Keep        string `json:"keep"`
	KeepTurns   int    `json:"keep_turns"`
	Mode        string `json:"mode"`
	PlanFile    string `json:"plan_file"`
	Workflow    string `json:"workflow"`
	// Steer is what the user says while the run works.
	Steer []steer `json:"steer"`
	// Answers are those the user gives in a run, one after the other; an
	// answer that is refused is followed by the next one at once.
	Answers []tools.Answers `json:"answers"`
}

// check finds an action that does nothing, or two things at once.
func (a action) check() error {
	n := 0
	for _, does := range []bool{a.Send != "", a.Run, a.Publish, a.Discard, a.Compact, a.Reopen, a.Mode != ""} {
		if does {
			n++
		}
	}
	switch {
	case n != 1:
		return errors.New("it must say one thing to do: send, run, publish, discard, compact, reopen or mode")
	case !a.Compact && (a.Keep != "" || a.KeepTurns != 0):
		return errors.New("keep and keep_turns belong to compact")
	case !a.Run && (a.CancelAfter+a.CrashAfter+a.Workflow+a.Message != "" || a.Answers != nil || a.Count != 0):
		return errors.New("cancel_after, crash_after, count, answers, workflow and message belong to run")
	case a.CancelAfter != "" && a.CrashAfter != "", a.Count != 0 && a.CancelAfter+a.CrashAfter == "", a.Count < 0:
		return errors.New("want cancel_after or crash_after, and count with one of them")
	}
	return nil
}
