package engine

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"atelier/engine/consent"
	"atelier/engine/egress"
	"atelier/formats"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// The error codes of replies (I-03, and the peer's list).
const (
	CodeValidationFailed  = "VALIDATION_FAILED"
	CodeSandbox           = "SANDBOX_VIOLATION"
	CodeFileReadFailed    = "FILE_READ_FAILED"
	CodeNotFound          = "NOT_FOUND" // of what is not a file: a workbench, message, checkpoint, catalogue, tool, model …
	CodeFileWriteFailed   = "FILE_WRITE_FAILED"
	CodeDiskFull          = "DISK_FULL"
	CodeKeptDamaged       = "KEPT_DATA_DAMAGED"
	CodeUserCanceled      = "USER_CANCELED"
	CodeConflictPublished = "CONFLICT_PUBLISHED_CHANGED"
	CodeAuthFailed        = "PROVIDER_AUTH_FAILED"
	CodeNotConfigured     = "PROVIDER_NOT_CONFIGURED"
	CodeUnavailable       = "PROVIDER_UNAVAILABLE"
	CodeNetwork           = "NETWORK_UNAVAILABLE"
	CodeAnswerTooLarge    = runerr.CodeTooLarge
	CodeEgressConsent     = "EGRESS_CONSENT_REQUIRED"
	CodeEgressBlocked     = "EGRESS_BLOCKED_BY_POLICY"

	// CodeMethodNotFound and CodeInvalidParams become the JSON-RPC codes
	// -32601 and -32602 (I-04).
	CodeMethodNotFound = "METHOD_NOT_FOUND"
	CodeInvalidParams  = "INVALID_PARAMS"
)

// ErrorInfo is what a client learns of a failure (I-03).
type ErrorInfo struct {
	ErrorCode   string   `json:"error_code"`
	Phase       string   `json:"phase,omitempty"`
	Subphase    string   `json:"subphase,omitempty"`
	Retryable   bool     `json:"retryable"`
	Actions     []string `json:"actions,omitempty"` // retry, open_settings, review_draft, discard_draft
	ProviderID  string   `json:"provider_id,omitempty"`
	ModelID     string   `json:"model_id,omitempty"`
	WorkbenchID string   `json:"workbench_id,omitempty"`
	Detail      string   `json:"detail,omitempty"`
	Hint        string   `json:"hint,omitempty"`
	Paths       []string `json:"paths,omitempty"` // the files it concerns
	// Egress is what a consent would be about (EGRESS_CONSENT_REQUIRED).
	Egress *EgressInfo `json:"egress,omitempty"`

	cause error
}

// Error returns the detail, or the code when there is none.
func (e *ErrorInfo) Error() string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.ErrorCode
}

// Unwrap gives the cause.
func (e *ErrorInfo) Unwrap() error { return e.cause }

func validation(detail string) *ErrorInfo {
	return &ErrorInfo{ErrorCode: CodeValidationFailed, Detail: detail}
}

// toErrorInfo maps any error of a method to what the client is told.
func toErrorInfo(ctx context.Context, err error) *ErrorInfo {
	var (
		info  *ErrorInfo
		run   *runerr.Error
		model *llm.Error
		fault *workshop.Fault
		file  *formats.Error
		gate  *egress.Refused
		noLog *egress.Unlogged
	)
	switch {
	case errors.As(err, &info):
		return info
	case errors.As(err, &gate):
		info = &ErrorInfo{ErrorCode: CodeEgressConsent, Phase: "workshop", Detail: gate.Error(), cause: err}
		switch {
		case gate.Policy:
			info.ErrorCode = CodeEgressBlocked
		case len(gate.Files) > 0:
			info.Paths, info.Actions = gate.Files[:min(len(gate.Files), consent.MaxTold)], []string{"grant_consent"}
			info.Hint = "run again: the question for consent then names these files"
		}
		return info
	case errors.As(err, &noLog):
		info = faultErrorInfo(workshop.AsFault(noLog.Err))
		info.Detail = noLog.Error()
		if info.ErrorCode == CodeFileReadFailed {
			info.ErrorCode = CodeFileWriteFailed
		}
		return info
	case errors.As(err, &run):
		return &ErrorInfo{ErrorCode: run.Code, Phase: "workshop", Subphase: run.Subphase, Detail: run.Detail, Hint: run.Hint, Retryable: run.Retryable, Actions: run.Actions, cause: err}
	case errors.As(err, &model):
		return modelErrorInfo(model)
	case errors.As(err, &fault):
		return faultErrorInfo(fault)
	case errors.As(err, &file):
		code := CodeFileReadFailed
		if file.Code == formats.CodeInvalid || file.Code == formats.CodeNotFound {
			code = CodeValidationFailed
		}
		return &ErrorInfo{ErrorCode: code, Detail: file.Error(), cause: err}
	case errors.Is(err, context.Canceled), ctx.Err() != nil:
		return &ErrorInfo{ErrorCode: CodeUserCanceled, Detail: "the call was canceled", cause: err}
	case errors.Is(err, syscall.ENOSPC):
		return &ErrorInfo{ErrorCode: CodeDiskFull, Detail: err.Error(), Hint: "free some space and try again; nothing was changed", Retryable: true, cause: err}
	case errors.Is(err, fs.ErrPermission):
		return &ErrorInfo{ErrorCode: CodeFileWriteFailed, Detail: err.Error(), cause: err}
	}
	return &ErrorInfo{ErrorCode: CodeFileReadFailed, Detail: err.Error(), cause: err}
}

// faultErrorInfo returns the IPC column of A-06.
func faultErrorInfo(f *workshop.Fault) *ErrorInfo {
	info := &ErrorInfo{Detail: f.Message, Hint: f.Hint, Retryable: f.Retryable, Paths: f.Paths, cause: f}
	switch f.Code {
	case workshop.Sandbox, workshop.Forbidden:
		info.ErrorCode = CodeSandbox
	case workshop.NotFound, workshop.Internal:
		info.ErrorCode = CodeFileReadFailed
		switch {
		case f.Code == workshop.NotFound && errors.Is(f, workshop.ErrUnknown):
			info.ErrorCode = CodeNotFound
		case errors.Is(f, workshop.ErrDamaged):
			info.ErrorCode = CodeKeptDamaged
		case errors.Is(f, workshop.ErrDiskFull), errors.Is(f, syscall.ENOSPC):
			info.ErrorCode, info.Actions = CodeDiskFull, []string{"retry"}
		case errors.Is(f, workshop.ErrNotWritable), errors.Is(f, workshop.ErrBusy):
			info.ErrorCode, info.Actions = CodeFileWriteFailed, []string{"retry"}
		}
	case workshop.Unauthenticated:
		info.ErrorCode = CodeAuthFailed
	default:
		info.ErrorCode = CodeValidationFailed
	}
	return info
}

// modelErrorInfo is L-06.
func modelErrorInfo(e *llm.Error) *ErrorInfo {
	info := &ErrorInfo{Detail: e.Error(), Retryable: e.Retryable(), cause: e}
	switch e.Kind {
	case llm.KindUnauthorized:
		info.ErrorCode, info.Actions = CodeAuthFailed, []string{"open_settings"}
	case llm.KindNoKey:
		info.ErrorCode, info.Actions = CodeNotConfigured, []string{"open_settings"}
	case llm.KindNetwork:
		info.ErrorCode, info.Actions = CodeNetwork, []string{"retry"}
	case llm.KindCanceled:
		info.ErrorCode = CodeUserCanceled
	case llm.KindTooLarge:
		info.ErrorCode = CodeAnswerTooLarge
	case llm.KindInvalid, llm.KindContextLength, llm.KindRefused:
		info.ErrorCode = CodeValidationFailed
	default:
		info.ErrorCode, info.Actions = CodeUnavailable, []string{"retry"}
	}
	return info
}
