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

// The error codes of replies: those of package runerr, and two of JSON-RPC.
const (
	CodeValidationFailed  = runerr.CodeValidation
	CodeSandbox           = runerr.CodeSandbox
	CodeFileReadFailed    = runerr.CodeReadFailed
	CodeNotFound          = runerr.CodeNotFound
	CodeFileWriteFailed   = runerr.CodeWriteFailed
	CodeDiskFull          = runerr.CodeDiskFull
	CodeKeptDamaged       = runerr.CodeKeptDamaged
	CodeUserCanceled      = runerr.CodeUserCanceled
	CodeConflictPublished = runerr.CodeConflictPublished
	CodeAuthFailed        = runerr.CodeAuthFailed
	CodeNotConfigured     = runerr.CodeNotConfigured
	CodeUnavailable       = runerr.CodeUnavailable
	CodeNetwork           = runerr.CodeNetwork
	CodeAnswerTooLarge    = runerr.CodeTooLarge
	CodeEgressConsent     = runerr.CodeEgressConsent
	CodeEgressBlocked     = runerr.CodeEgressBlocked

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
	Paths       []string `json:"paths,omitempty"`   // the files it concerns
	Changes     []string `json:"changes,omitempty"` // the changes of a review that it concerns
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
		info = encodeFault(workshop.AsFault(noLog.Err))
		info.Detail = noLog.Error()
		if info.ErrorCode == CodeFileReadFailed {
			info.ErrorCode = CodeFileWriteFailed
		}
		return info
	case errors.As(err, &run):
		info = encode(run)
		info.Phase, info.cause = "workshop", err
		return info
	case errors.As(err, &model):
		return encode(runerr.OfModel(model))
	case errors.As(err, &fault):
		return encodeFault(fault)
	case errors.As(err, &file):
		code := CodeFileReadFailed
		switch file.Code {
		case formats.CodeInvalid, formats.CodeNotFound:
			code = CodeValidationFailed
		case formats.CodeEncrypted, formats.CodeWrongPassword:
			code = string(file.Code) // the app can ask the person for a password
		}
		return &ErrorInfo{ErrorCode: code, Detail: file.Error(), Retryable: formats.Passing(err), cause: err}
	case errors.Is(err, context.Canceled), ctx.Err() != nil:
		return &ErrorInfo{ErrorCode: CodeUserCanceled, Detail: "the call was canceled", cause: err}
	case errors.Is(err, syscall.ENOSPC):
		return &ErrorInfo{ErrorCode: CodeDiskFull, Detail: err.Error(), Hint: "free some space and try again; nothing was changed", Retryable: true, cause: err}
	case errors.Is(err, fs.ErrPermission):
		return &ErrorInfo{ErrorCode: CodeFileWriteFailed, Detail: err.Error(), cause: err}
	}
	return &ErrorInfo{ErrorCode: CodeFileReadFailed, Detail: err.Error(), cause: err}
}

// encode returns a failure as a client is told it. The cause is that of the failure.
func encode(e *runerr.Error) *ErrorInfo {
	return &ErrorInfo{ErrorCode: e.Code, Subphase: e.Subphase, Detail: e.Detail, Hint: e.Hint, Retryable: e.Retryable, Actions: e.Actions, Paths: e.Paths, Changes: e.Changes, cause: e.Err}
}

func encodeFault(f *workshop.Fault) *ErrorInfo { return encode(runerr.OfFault(f)) }
