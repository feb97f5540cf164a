package agent

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// asError maps what ended a run to an *Error. Whatever failed, a run whose
// context has ended was canceled.
func asError(ctx context.Context, err error) *runerr.Error {
	var own *runerr.Error
	var model *llm.Error
	switch {
	case errors.As(err, &own) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return own
	case ctx.Err() != nil:
		return &runerr.Error{Code: runerr.CodeUserCanceled, Detail: "the run was canceled", Hint: "what was finished is kept; send a message to go on", Err: err}
	case errors.As(err, &model):
		return modelError(model)
	case errors.Is(err, syscall.ENOSPC):
		return &runerr.Error{Code: runerr.CodeDiskFull, Detail: err.Error(), Hint: "free some space and try again", Retryable: true, Err: err}
	}
	return &runerr.Error{Code: runerr.CodeWriteFailed, Detail: err.Error(), Err: err}
}

const tooLargeHint = "no call of it was carried out, and of its text the conversation keeps 64 KiB at most; ask for the work in smaller parts, use another model, or raise answer_limits in config.json"

// modelError returns the failure of a request to a model (L-06), with what a person
// can do about it.
func modelError(e *llm.Error) *runerr.Error {
	out := runerr.OfModel(e)
	switch e.Kind {
	case llm.KindUnauthorized:
		out.Hint = "check the API key of the provider"
	case llm.KindNoKey:
		out.Hint = "set an API key for the provider, or use the built-in model pseudo"
	case llm.KindContextLength:
		out.Hint = "the conversation no longer fits the model's window: use a model with a larger one, or begin a new conversation"
	case llm.KindTooLarge:
		out.Hint = tooLargeHint
	}
	if out.Code == runerr.CodeUnavailable {
		out.Retryable = true // of the run, even where the request's answer had begun
	}
	return out
}

// readError returns the failure to see the workbench's files (W-16).
func readError(what string, err error) *runerr.Error {
	f := workshop.AsFault(err)
	e := &runerr.Error{Code: runerr.CodeReadFailed, Detail: what + ": " + f.Message, Hint: f.Hint, Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Hint = "check the permissions of the folder"
	}
	return e
}

// inPhase names the phase of a run in phases in an error.
func inPhase(e *runerr.Error, p phase) *runerr.Error {
	if !p.stage || e.Subphase != "" {
		return e
	}
	c := *e
	c.Subphase = "rpi_" + p.name
	return &c
}

// withoutKey removes the API key from an error into which an endpoint echoed it
// (L-11).
func withoutKey(e *runerr.Error, key string) *runerr.Error {
	if len(key) < 4 || !strings.Contains(e.Detail+e.Hint, key) {
		return e
	}
	c := *e
	c.Detail = strings.ReplaceAll(c.Detail, key, "[key]")
	c.Hint = strings.ReplaceAll(c.Hint, key, "[key]")
	c.Err = nil // its text holds the key too
	return &c
}
