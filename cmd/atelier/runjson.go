package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
	"atelier/workshop/review"
)

// runOutcome is the last line of 'run --json'.
type runOutcome struct {
	Type        string          `json:"type"`   // result
	Status      string          `json:"status"` // done, failed or stopped
	WorkbenchID string          `json:"workbench_id,omitempty"`
	MessageID   string          `json:"message_id,omitempty"` // the final answer
	Workflow    string          `json:"workflow,omitempty"`
	Turns       int             `json:"turns"`
	ToolCalls   int             `json:"tool_calls"`
	Usage       spend.Totals    `json:"usage"`
	HasDraft    bool            `json:"has_draft"`
	Changed     []review.Change `json:"changed"`             // the changes of the draft, or the published changes
	Published   string          `json:"published,omitempty"` // the checkpoint of the publish
	ExitCode    int             `json:"exit_code"`
	Error       *runFailure     `json:"error,omitempty"`

	mu   sync.Mutex // protects seen
	seen struct {
		turns, calls int
		usage        spend.Totals
	}
}

// runFailure is an error of 'run --json'.
type runFailure struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Actions []string `json:"actions,omitempty"`
}

// notify counts what a failed run does not report itself.
func (o *runOutcome) notify(n engine.Notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := n.Params.(type) {
	case agent.ToolComplete:
		o.seen.calls++
	case agent.RequestUsage:
		o.seen.usage = e.Run
		if !e.Failed && e.Purpose == workshop.UsageTurn {
			o.seen.turns++
		}
	}
}

// ran stores the result of the run; a failed run has none.
func (o *runOutcome) ran(r engine.RunAgentResult, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		r = engine.RunAgentResult{Turns: o.seen.turns, ToolCalls: o.seen.calls, Usage: o.seen.usage}
	}
	o.MessageID, o.Workflow, o.Turns, o.ToolCalls, o.Usage = r.MessageID, r.Workflow, r.Turns, r.ToolCalls, r.Usage
}

// write prints the error, if there is one, as an event, and the result as the
// last line.
func (o *runOutcome) write(out io.Writer, err error, stopped bool) error {
	o.Type, o.Status = "result", "done"
	if o.Changed == nil {
		o.Changed = []review.Change{}
	}
	if err != nil {
		o.Status, o.ExitCode, o.Error = "failed", exitFailed, failureOf(err)
		var usage usageError
		if errors.As(err, &usage) {
			o.ExitCode = exitUsage
		}
		if stopped {
			o.Status = "stopped"
		}
		if err := jsonLine(out, map[string]any{"type": "error", "error": o.Error}); err != nil {
			return err
		}
	}
	return jsonLine(out, o)
}

func jsonLine(out io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", b)
	}
	return err
}

// failureOf returns an error as JSON.
func failureOf(err error) *runFailure {
	f := &runFailure{Code: "FAILED", Message: err.Error()}
	var (
		info  *engine.ErrorInfo
		run   *runerr.Error
		fault *workshop.Fault
		usage usageError
	)
	switch {
	case errors.As(err, &usage):
		f.Code = "USAGE"
	case errors.As(err, &info):
		f.Code, f.Hint, f.Actions = info.ErrorCode, info.Hint, info.Actions
	case errors.As(err, &run):
		f.Code, f.Hint, f.Actions = run.Code, run.Hint, run.Actions
	case errors.As(err, &fault):
		f.Code, f.Hint = string(fault.Code), fault.Hint
	}
	return f
}
