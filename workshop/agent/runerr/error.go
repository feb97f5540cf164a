package runerr

import (
	"errors"
	"fmt"
	"syscall"

	"atelier/llm"
	"atelier/workshop"
)

// The codes of replies (I-03, and the peer's list).
const (
	CodeLoopDetected      = "AGENT_LOOP_DETECTED"
	CodeBudget            = "BUDGET_EXCEEDED"
	CodeUserCanceled      = "USER_CANCELED"
	CodeAuthFailed        = "PROVIDER_AUTH_FAILED"
	CodeNotConfigured     = "PROVIDER_NOT_CONFIGURED"
	CodeUnavailable       = "PROVIDER_UNAVAILABLE"
	CodeNetwork           = "NETWORK_UNAVAILABLE"
	CodeTooLarge          = "ANSWER_TOO_LARGE"
	CodeValidation        = "VALIDATION_FAILED"
	CodeSandbox           = "SANDBOX_VIOLATION"
	CodeReadFailed        = "FILE_READ_FAILED"
	CodeNotFound          = "NOT_FOUND" // of what is not a file: a workbench, message, checkpoint, catalogue, tool, model …
	CodeWriteFailed       = "FILE_WRITE_FAILED"
	CodeDiskFull          = "DISK_FULL"
	CodeKeptDamaged       = "KEPT_DATA_DAMAGED"
	CodeConflictPublished = "CONFLICT_PUBLISHED_CHANGED"
	CodeEgressConsent     = "EGRESS_CONSENT_REQUIRED"
	CodeEgressBlocked     = "EGRESS_BLOCKED_BY_POLICY"
)

// Error is a failure with the code of a reply. Where it ends a run, what was finished
// by then is kept: tool results and text in the conversation, changes in the draft.
type Error struct {
	Code      string
	Subphase  string // "rpi_research", "rpi_plan", …: the phase of a run in phases; else ""
	Detail    string // what happened, for people
	Hint      string // what to do about it
	Retryable bool
	Actions   []string // "retry", "open_settings", "review_draft", "grant_consent"
	Paths     []string // the files it concerns
	Changes   []string // the changes of a review that it concerns
	Err       error    // the cause
}

// Error returns the detail.
func (e *Error) Error() string { return e.Detail }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an *Error; a %w verb sets its cause.
func Errorf(code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Detail: err.Error(), Err: errors.Unwrap(err)}
}

// OfModel returns the failure of a request to a model (L-06), without a hint.
func OfModel(e *llm.Error) *Error {
	out := &Error{Detail: e.Error(), Retryable: e.Retryable(), Err: e}
	switch e.Kind {
	case llm.KindUnauthorized:
		out.Code, out.Actions = CodeAuthFailed, []string{"open_settings"}
	case llm.KindNoKey:
		out.Code, out.Actions = CodeNotConfigured, []string{"open_settings"}
	case llm.KindNetwork:
		out.Code, out.Actions = CodeNetwork, []string{"retry"}
	case llm.KindCanceled:
		out.Code = CodeUserCanceled
	case llm.KindTooLarge:
		out.Code = CodeTooLarge
	case llm.KindInvalid, llm.KindContextLength, llm.KindRefused:
		out.Code = CodeValidation
	default:
		out.Code, out.Actions = CodeUnavailable, []string{"retry"}
	}
	return out
}

// OfFault returns the failure that stands for a fault of the workshop (the IPC column
// of A-06).
func OfFault(f *workshop.Fault) *Error {
	out := &Error{Code: CodeValidation, Detail: f.Message, Hint: f.Hint, Retryable: f.Retryable, Paths: f.Paths, Changes: f.Changes, Err: f}
	switch f.Code {
	case workshop.Sandbox, workshop.Forbidden:
		out.Code = CodeSandbox
	case workshop.Unauthenticated:
		out.Code = CodeAuthFailed
	case workshop.NotFound, workshop.Internal:
		out.Code = CodeReadFailed
		switch {
		case f.Code == workshop.NotFound && errors.Is(f, workshop.ErrUnknown):
			out.Code = CodeNotFound
		case errors.Is(f, workshop.ErrDamaged):
			out.Code = CodeKeptDamaged
		case errors.Is(f, workshop.ErrDiskFull), errors.Is(f, syscall.ENOSPC):
			out.Code, out.Actions = CodeDiskFull, []string{"retry"}
		case errors.Is(f, workshop.ErrNotWritable), errors.Is(f, workshop.ErrBusy):
			out.Code, out.Actions = CodeWriteFailed, []string{"retry"}
		}
	}
	return out
}
