package workshop

import (
	"errors"
	"fmt"
)

// FaultCode classifies a Fault.
type FaultCode string

// The fault codes of A-06.
const (
	Invalid         FaultCode = "INVALID"
	NotFound        FaultCode = "NOT_FOUND"
	Conflict        FaultCode = "CONFLICT"
	Unauthenticated FaultCode = "UNAUTHENTICATED"
	Forbidden       FaultCode = "FORBIDDEN"
	Sandbox         FaultCode = "SANDBOX"
	InContext       FaultCode = "IN_CONTEXT"
	Internal        FaultCode = "INTERNAL"
)

// Fault is the one error shape of the domain and of tools. Message is
// for people and models: it names what is wrong and what to do, without a code
// in front. Encoders turn it into each client's wire shape.
type Fault struct {
	Code      FaultCode
	Message   string
	Field     string   // the argument it concerns, "" when none
	Paths     []string // the paths it concerns, for conflicts
	Changes   []string // the ids of changes of a review that it concerns
	Retryable bool
	Hint      string // what to try instead
	Err       error  // the cause, for logs
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Faultf makes a *Fault; a %w verb sets its cause.
func Faultf(code FaultCode, format string, args ...any) *Fault {
	err := fmt.Errorf(format, args...)
	return &Fault{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// OnField sets the argument a fault concerns.
func (f *Fault) OnField(field string) *Fault { f.Field = field; return f }

// AsFault gives the *Fault in err's chain, or wraps err as INTERNAL.
func AsFault(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Code: Internal, Message: err.Error(), Err: err}
}

// IsFault reports whether err is a fault with that code.
func IsFault(err error, code FaultCode) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}

// ErrUnknown is in a NotFound fault about something else than a file: a
// workbench, a message, a checkpoint, a tool.
var ErrUnknown = errors.New("there is no such thing")

// Unknownf returns a NotFound fault about anything but a file.
func Unknownf(format string, args ...any) *Fault {
	f := Faultf(NotFound, format, args...)
	f.Err = errors.Join(ErrUnknown, f.Err)
	return f
}
