package runerr

import (
	"errors"
	"fmt"
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

// Error says why a run ended early. What was finished by then is kept: tool
// results and text in the conversation, changes in the draft.
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

// Errorf returns an *Error; a %w verb sets its cause.
func Errorf(code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Detail: err.Error(), Err: errors.Unwrap(err)}
}
