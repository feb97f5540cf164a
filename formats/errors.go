package formats

import (
	"errors"
	"fmt"
)

// Code classifies a failure for machines.
type Code string

// The codes an *Error can carry.
const (
	CodeInvalid       Code = "INVALID"        // an argument or operation is wrong; fix it and call again
	CodeNotFound      Code = "NOT_FOUND"      // a sheet, section, slide or page that is not there
	CodeCorrupt       Code = "CORRUPT"        // the file is cut, damaged or not what its name says
	CodeEncrypted     Code = "ENCRYPTED"      // the file needs a password, and none was given
	CodeWrongPassword Code = "WRONG_PASSWORD" // none of the passwords that were given opens the file
	CodeTooLarge      Code = "TOO_LARGE"      // over a limit that protects memory or time
	CodeUnsupported   Code = "UNSUPPORTED"    // valid, but we cannot do this to it without damage
	CodeUnavailable   Code = "UNAVAILABLE"    // the machine lacks memory for it, or a program that does it was ended: later it may work
)

// Error is the failure of a format function. Message is a full sentence part
// for a person or a model: it names what is wrong and, where it helps, what
// to do; it starts in lower case and carries no code.
type Error struct {
	Code    Code
	Message string
	// Op is the 1-based position of the failing operation of an Apply, with
	// OpName its name; 0 when the failure concerns no operation.
	Op     int
	OpName string
	Err    error // the cause, for logs; may be nil
}

// Error returns the message, led by the operation it concerns.
func (e *Error) Error() string {
	if e.Op > 0 && e.OpName == "" {
		return fmt.Sprintf("operation %d: %s", e.Op, e.Message)
	}
	if e.Op > 0 {
		return fmt.Sprintf("operation %d (%s): %s", e.Op, e.OpName, e.Message)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an *Error; a %w verb sets its cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Passing reports whether err says nothing about the file: the same call may work later, so
// that its result must not be kept.
func Passing(err error) bool { return CodeOf(err) == CodeUnavailable }

// InOp marks err as the failure of the operation at 0-based index.
func InOp(err error, index int, name string) error {
	var fe *Error
	if errors.As(err, &fe) {
		c := *fe
		c.Op, c.OpName = index+1, name
		return &c
	}
	return fmt.Errorf("operation %d (%s): %w", index+1, name, err)
}

// CodeOf returns the code of the *Error in err's chain, or "" when none is.
func CodeOf(err error) Code {
	var fe *Error
	if errors.As(err, &fe) {
		return fe.Code
	}
	return ""
}
