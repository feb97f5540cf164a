package toolservers

import (
	"fmt"

	"atelier/workshop"
)

// ErrorKind classifies an Error.
type ErrorKind string

// The kinds of errors.
const (
	Unknown      ErrorKind = "unknown"       // no such server or tool
	NotAllowed   ErrorKind = "not_allowed"   // off, invalid, hidden or not approved
	SignIn       ErrorKind = "sign_in"       // the person has to sign in
	NotStarted   ErrorKind = "not_started"   // it cannot be started or connected to
	Ended        ErrorKind = "ended"         // it ended while the call was under way: whether the call was done is not known
	Timeout      ErrorKind = "timeout"       // it did not answer in time: whether the call was done is not known
	Refused      ErrorKind = "refused"       // the request was not allowed to leave
	BadAnswer    ErrorKind = "bad_answer"    // the answer is not of the protocol, or too large
	RPC          ErrorKind = "rpc"           // the server answered with an error of the protocol
	ToolChanged  ErrorKind = "tool_changed"  // the tool is not as it was offered
	BadArguments ErrorKind = "bad_arguments" // the arguments are not a JSON object, or too large
)

// Error is why a server or a tool cannot be used. Its texts hold no secret.
type Error struct {
	Server string
	Kind   ErrorKind
	What   string // what is wrong
	Do     string // what to do about it, for a person; "" when there is nothing
	Stderr string // the last lines that the server wrote to standard error; "" when none
	Err    error  // the cause, for logs
}

// Error says what is wrong and what to do.
func (e *Error) Error() string {
	text := fmt.Sprintf("server %s: %s", e.Server, e.What)
	if e.Stderr != "" {
		text += fmt.Sprintf("; it wrote: %q", e.Stderr)
	}
	if e.Do != "" {
		text += "; " + e.Do
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Unsure reports whether the call may have been done although there is no answer.
func (e *Error) Unsure() bool { return e.Kind == Ended || e.Kind == Timeout }

// As makes it a fault for tools.
func (e *Error) As(target any) bool {
	f, ok := target.(**workshop.Fault)
	if !ok {
		return false
	}
	code := workshop.Internal
	switch e.Kind {
	case Unknown:
		code = workshop.NotFound
	case NotAllowed, Refused:
		code = workshop.Forbidden
	case SignIn:
		code = workshop.Unauthenticated
	case ToolChanged:
		code = workshop.Conflict
	case BadArguments, RPC:
		code = workshop.Invalid
	}
	*f = &workshop.Fault{Code: code, Message: e.Error(), Err: e}
	return true
}
