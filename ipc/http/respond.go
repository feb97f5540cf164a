package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/budget"
	"atelier/internal/replica"
	"atelier/ipc/accounts"
	"atelier/workshop"
)

// The codes of error bodies (A-06, H-06).
const (
	codeValidation  = "VALIDATION_ERROR"
	codeToken       = "INVALID_TOKEN"
	codeForbidden   = "FORBIDDEN"
	codeNotFound    = "NOT_FOUND"
	codeMethod      = "METHOD_NOT_ALLOWED"
	codeConflict    = "CONFLICT"
	codeRate        = "RATE_LIMITED"
	codeUnavailable = "UNAVAILABLE"
	codeInternal    = "INTERNAL_ERROR"
)

// answerTimeout is how long a caller may take to read an answer.
const answerTimeout = 2 * time.Minute

// Messages without internal details.
const (
	internalMessage = "Internal server error"
	stoppedMessage  = "The call took too long and was stopped before it was done"
)

// envelope is the body of a successful call (H-05).
type envelope struct {
	Success bool    `json:"success"`
	Result  any     `json:"result"`
	Error   *string `json:"error"`
}

// problem is the body of every error, and the error that a handler returns
// for it (H-06).
type problem struct {
	Success *bool             `json:"success,omitempty"` // false if a tool failed (C-09)
	Message string            `json:"error"`
	Code    string            `json:"code"`
	Fields  map[string]string `json:"fields,omitempty"`
	Paths   []string          `json:"paths,omitempty"` // the files of a conflict
	// Result is the payload of a tool whose catalogue has its own form of
	// errors.
	Result any `json:"result,omitempty"`
	// Consent is what the owner can post to …/consents to allow the refused
	// call.
	Consent *neededConsent `json:"consent,omitempty"`

	status int
	retry  time.Duration // Retry-After; 0: none
	cause  error         // for the log, never for the caller
}

// neededConsent is a missing consent in the form of POST …/consents.
type neededConsent struct {
	ProviderID string `json:"provider_id"`
	ModelID    string `json:"model_id"`
	ScopeHash  string `json:"scope_hash"`
}

func (p *problem) Error() string { return p.Message }

func (p *problem) Unwrap() error { return p.cause }

func fail(status int, code, message string) *problem {
	return &problem{Message: message, Code: code, status: status}
}

func invalid(message string) *problem {
	return fail(http.StatusBadRequest, codeValidation, message)
}

// invalidField is the error of one field (H-06).
func invalidField(field, message string) *problem {
	p := invalid("Validation failed")
	p.Fields = map[string]string{field: message}
	return p
}

// fromFault is the HTTP column of A-06. The details of internal faults are
// only logged (H-12).
func fromFault(f *workshop.Fault) *problem {
	p := fail(http.StatusInternalServerError, codeInternal, internalMessage)
	switch f.Code {
	case workshop.Internal:
		if errors.Is(f, context.DeadlineExceeded) || errors.Is(f, context.Canceled) {
			p = fail(http.StatusServiceUnavailable, codeUnavailable, stoppedMessage)
		}
	case workshop.Invalid, workshop.Sandbox:
		p = invalid(f.Message)
		if f.Field != "" {
			p = invalidField(f.Field, f.Message)
		}
	case workshop.NotFound:
		p = fail(http.StatusNotFound, codeNotFound, f.Message)
	case workshop.Conflict, workshop.InContext:
		p = fail(http.StatusConflict, codeConflict, f.Message)
	case workshop.Unauthenticated:
		p = fail(http.StatusUnauthorized, codeToken, f.Message)
	case workshop.Forbidden:
		p = fail(http.StatusForbidden, codeForbidden, f.Message)
	}
	if p.status < 500 {
		p.Paths = f.Paths
	}
	p.cause = f
	return p
}

// toProblem converts any error of a handler to the form for its caller.
func toProblem(err error) *problem {
	var (
		p     *problem
		fault *workshop.Fault
		info  *engine.ErrorInfo
		file  *formats.Error
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, accounts.ErrUnavailable):
		p = fail(http.StatusServiceUnavailable, codeUnavailable, "The accounts cannot be reached, so that nobody can be let in; try again")
	case diskFull(err):
		p = fail(http.StatusServiceUnavailable, codeUnavailable, "The disk of the server is full. Nothing that was acknowledged is lost; make room on it, look whether this request was carried out, and try again if not")
	case errors.Is(err, replica.ErrStore):
		p = fail(http.StatusServiceUnavailable, codeUnavailable, storeMessage(err))
	case shortOfMemory(err):
		p = fail(http.StatusServiceUnavailable, codeUnavailable, shortMessage(err))
		p.retry = memoryRetry
	case errors.As(err, &fault): // before ErrorInfo, which wraps it
		return fromFault(fault)
	case errors.As(err, &file): // ErrorInfo wraps it too; it is the document of the caller
		p = invalid(file.Error())
	case errors.As(err, &info):
		return fromErrorInfo(info)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p = fail(http.StatusServiceUnavailable, codeUnavailable, stoppedMessage)
	default:
		p = fail(http.StatusInternalServerError, codeInternal, internalMessage)
	}
	p.cause = err
	return p
}

// storeMessage says which store of large contents cannot be used, and why.
func storeMessage(err error) string {
	text := replica.ErrStore.Error()
	if e := (*replica.StoreError)(nil); errors.As(err, &e) {
		text = e.Error()
	}
	return strings.ToUpper(text[:1]) + text[1:] + ". Nothing that was acknowledged is lost; look whether this request was carried out when the store works again, and try again if not"
}

// memoryRetry is when a caller may try again that was refused for want of memory.
const memoryRetry = 10 * time.Second

// shortOfMemory reports whether a call failed because memory is short: it waited too long
// for it, or the system ended a program that worked on the document.
func shortOfMemory(err error) bool {
	return errors.As(err, new(*budget.WaitError)) || formats.Passing(err)
}

// shortMessage says so without what is around the error.
func shortMessage(err error) string {
	if w := (*budget.WaitError)(nil); errors.As(err, &w) {
		return "The call " + w.Error()
	}
	if f := (*formats.Error)(nil); errors.As(err, &f) {
		return f.Error() // as it is: it may begin with the name of a file
	}
	return err.Error()
}

// diskFull reports whether an error comes from a disk without room, which the operator can
// mend.
func diskFull(err error) bool {
	info := (*engine.ErrorInfo)(nil)
	return errors.Is(err, workshop.ErrDiskFull) || errors.Is(workshop.StorageFault(err), workshop.ErrDiskFull) || errors.As(err, &info) && info.ErrorCode == engine.CodeDiskFull
}

// fromErrorInfo converts an error of an engine method to HTTP.
func fromErrorInfo(i *engine.ErrorInfo) *problem {
	p := fail(http.StatusInternalServerError, codeInternal, internalMessage)
	switch i.ErrorCode {
	case engine.CodeValidationFailed, engine.CodeInvalidParams, engine.CodeSandbox:
		p = invalid(i.Detail)
	case engine.CodeEgressConsent, engine.CodeEgressBlocked:
		p = fail(http.StatusForbidden, codeForbidden, i.Detail)
	case engine.CodeNotFound:
		p = fail(http.StatusNotFound, codeNotFound, i.Detail)
	case engine.CodeConflictPublished:
		p = fail(http.StatusConflict, codeConflict, i.Detail)
	case engine.CodeAuthFailed, engine.CodeNotConfigured, engine.CodeUnavailable, engine.CodeNetwork:
		p = fail(http.StatusServiceUnavailable, codeUnavailable, i.Detail)
	case engine.CodeUserCanceled:
		p = fail(http.StatusServiceUnavailable, codeUnavailable, stoppedMessage)
	}
	p.Paths, p.cause = i.Paths, i
	return p
}

// marshal encodes without HTML escaping.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return []byte("{}")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")                                                // documents must not be cached
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout)) // not every connection has deadlines
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func writeResult(w http.ResponseWriter, result any) error {
	return writeJSON(w, http.StatusOK, envelope{Success: true, Result: result})
}
