package llm

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a failed request (L-06).
type Kind string

// The kinds of failure.
const (
	KindUnauthorized  Kind = "unauthorized"   // 401, 403
	KindRateLimited   Kind = "rate_limited"   // 429
	KindUnavailable   Kind = "unavailable"    // 5xx, a cut or broken stream, nonsense instead of an answer
	KindNetwork       Kind = "network"        // no connection, time-out
	KindCanceled      Kind = "canceled"       // the caller's context ended
	KindNoKey         Kind = "no_key"         // the endpoint needs a key and none was given
	KindContextLength Kind = "context_length" // the request is longer than the model's window
	KindRefused       Kind = "refused"        // not sent: the user or a policy does not allow it
	KindTooLarge      Kind = "too_large"      // the answer went over AnswerLimits
	KindInvalid       Kind = "invalid"        // the endpoint refused the request for another reason
)

// Sentinels for errors.Is against an *Error of the same kind (L-06).
var (
	ErrUnauthorized = &Error{Kind: KindUnauthorized}
	ErrRateLimited  = &Error{Kind: KindRateLimited}
	ErrUnavailable  = &Error{Kind: KindUnavailable}
	ErrTooLarge     = &Error{Kind: KindTooLarge}
)

// Error is a failed request to a model. It never holds a key or a body that
// could hold one (L-11).
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 when there was none
	Message    string        // for people
	RetryAfter time.Duration // what the endpoint asked for; 0: nothing
	Emitted    bool          // text or a call had already been passed on: do not retry
	Sent       bool          // the whole request went out before the failure, so that it may be on the bill
	Err        error
}

// Error describes the failure for people.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("model endpoint: %s (HTTP %d)", e.Message, e.Status)
	}
	return "model endpoint: " + e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches by kind.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Kind == e.Kind
}

// Retryable reports whether the same request may succeed later and nothing of
// an answer was passed on yet (W-15).
func (e *Error) Retryable() bool {
	return !e.Emitted && (e.Kind == KindRateLimited || e.Kind == KindUnavailable || e.Kind == KindNetwork)
}
