package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"atelier/llm"
	"atelier/workshop"
)

// The codes an *Error can carry.
const (
	CodeLoopDetected  = "AGENT_LOOP_DETECTED"
	CodeBudget        = "BUDGET_EXCEEDED"
	CodeUserCanceled  = "USER_CANCELED"
	CodeAuthFailed    = "PROVIDER_AUTH_FAILED"
	CodeNotConfigured = "PROVIDER_NOT_CONFIGURED"
	CodeUnavailable   = "PROVIDER_UNAVAILABLE"
	CodeNetwork       = "NETWORK_UNAVAILABLE"
	CodeValidation    = "VALIDATION_FAILED"
	CodeReadFailed    = "FILE_READ_FAILED"
	CodeWriteFailed   = "FILE_WRITE_FAILED"
	CodeDiskFull      = "DISK_FULL"
	CodeTooLarge      = "ANSWER_TOO_LARGE"
)

// Error is why a run ended early. What was done until then is kept: finished
// tool results and text are in the conversation, changes in the draft.
type Error struct {
	Code      string
	Subphase  string // "rpi_research", "rpi_plan", …: the phase of a run in phases; else ""
	Detail    string // what happened, for people
	Hint      string // what to do about it
	Retryable bool
	Actions   []string // "retry", "open_settings", "review_draft"
	Err       error    // the cause
}

// Error returns the detail.
func (e *Error) Error() string { return e.Detail }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

func errorf(code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Detail: err.Error(), Err: errors.Unwrap(err)}
}

// asError maps what ended a run to an *Error. Whatever failed, a run whose
// context has ended was canceled.
func asError(ctx context.Context, err error) *Error {
	var own *Error
	var model *llm.Error
	switch {
	case errors.As(err, &own) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return own
	case ctx.Err() != nil:
		return &Error{Code: CodeUserCanceled, Detail: "the run was canceled", Hint: "what was finished is kept; send a message to go on", Err: err}
	case errors.As(err, &model):
		return modelError(model)
	case errors.Is(err, syscall.ENOSPC):
		return &Error{Code: CodeDiskFull, Detail: err.Error(), Hint: "free some space and try again", Retryable: true, Err: err}
	}
	return &Error{Code: CodeWriteFailed, Detail: err.Error(), Err: err}
}

const tooLargeHint = "no call of it was carried out, and of its text the conversation keeps 64 KiB at most; ask for the work in smaller parts, use another model, or raise answer_limits in config.json"

// modelError is L-06.
func modelError(e *llm.Error) *Error {
	out := &Error{Detail: e.Error(), Retryable: e.Retryable(), Err: e}
	switch e.Kind {
	case llm.KindUnauthorized:
		out.Code, out.Actions, out.Hint = CodeAuthFailed, []string{"open_settings"}, "check the API key of the provider"
	case llm.KindNoKey:
		out.Code, out.Actions, out.Hint = CodeNotConfigured, []string{"open_settings"}, "set an API key for the provider, or use the built-in model pseudo"
	case llm.KindNetwork:
		out.Code, out.Actions = CodeNetwork, []string{"retry"}
	case llm.KindCanceled:
		out.Code = CodeUserCanceled
	case llm.KindContextLength:
		out.Code, out.Hint = CodeValidation, "the conversation no longer fits the model's window: use a model with a larger one, or begin a new conversation"
	case llm.KindTooLarge:
		out.Code, out.Hint = CodeTooLarge, tooLargeHint
	case llm.KindInvalid, llm.KindRefused:
		out.Code = CodeValidation
	default:
		out.Code, out.Actions = CodeUnavailable, []string{"retry"}
		out.Retryable = true
	}
	return out
}

// readError is the failure to see the workbench's files (W-16).
func readError(what string, err error) *Error {
	f := workshop.AsFault(err)
	e := &Error{Code: CodeReadFailed, Detail: what + ": " + f.Message, Hint: f.Hint, Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Hint = "check the permissions of the folder"
	}
	return e
}

// in names the phase of a run in phases.
func (e *Error) in(p phase) *Error {
	if !p.stage || e.Subphase != "" {
		return e
	}
	c := *e
	c.Subphase = "rpi_" + p.name
	return &c
}

// scrub takes the API key out of an error that an endpoint echoed it into (L-11).
func (e *Error) scrub(key string) *Error {
	if len(key) < 4 || !strings.Contains(e.Detail+e.Hint, key) {
		return e
	}
	c := *e
	c.Detail = strings.ReplaceAll(c.Detail, key, "[key]")
	c.Hint = strings.ReplaceAll(c.Hint, key, "[key]")
	c.Err = nil // its text holds the key too
	return &c
}
