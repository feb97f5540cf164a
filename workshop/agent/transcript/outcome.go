package transcript

import (
	"errors"

	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
)

// outcome is a line of want-events that says how a run ended.
type outcome struct {
	Returned *runResult `json:"returned,omitempty"`
	Failed   *runError  `json:"failed,omitempty"`
}

type runResult struct {
	MessageID string `json:"message_id"`
	HasDraft  bool   `json:"has_draft"`
	ToolCalls int    `json:"tool_calls"`
	Turns     int    `json:"turns"`
}

type runError struct {
	Code      string   `json:"code"`
	Subphase  string   `json:"subphase,omitempty"`
	Detail    string   `json:"detail"`
	Hint      string   `json:"hint,omitempty"`
	Retryable bool     `json:"retryable"`
	Actions   []string `json:"actions,omitempty"`
}

func returned(res agent.Result, err error) outcome {
	var e *runerr.Error
	if errors.As(err, &e) {
		return outcome{Failed: &runError{e.Code, e.Subphase, e.Detail, e.Hint, e.Retryable, e.Actions}}
	}
	return outcome{Returned: &runResult{res.MessageID, res.HasDraft, res.ToolCalls, res.Turns}}
}

// line is one event as want-events has it.
func line(v any) ([]byte, error) {
	if e, ok := v.(agent.Event); ok {
		v = struct {
			Method string `json:"method"`
			Params any    `json:"params"`
		}{e.Method, e.Params}
	}
	return encode(v)
}
