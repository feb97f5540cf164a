package toolservers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine/egress"
)

// exitTime is how long an error waits for what a program that ended has to say.
const exitTime = 300 * time.Millisecond

// failure returns the error of a request to a server that is connected.
func (x *session) failure(ctx context.Context, r *resolved, err error, doing string) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Server: r.name, Err: err}
	var need *needSignIn
	var rpc *jsonrpc.Error
	refused := refusedBy(err)
	switch {
	case errors.As(err, &need):
		need.describe(e)
	case refused != nil:
		e.Kind, e.What = Refused, refused.Error()
	case errors.Is(context.Cause(ctx), errLate):
		e.Kind, e.What, e.Do = Timeout, doing+" did not end in time", `give it more with "timeout" in `+r.path
	case errors.Is(err, errElsewhere):
		e.Kind, e.What, e.Do = BadAnswer, errElsewhere.Error(), "write the address that it names into "+r.path+", if you trust it"
	case x.over():
		return x.endedDuring(r, err, doing)
	case errors.As(err, &rpc):
		e.Kind, e.What = RPC, fmt.Sprintf("it answered with error %d: %s", rpc.Code, redact(line(rpc.Message, 1000), r))
	case errors.Is(err, mcp.ErrSessionMissing):
		e.Kind, e.What = Ended, "it forgot the session"
	default:
		e.Kind, e.What = BadAnswer, doing+" failed: "+plainError(err, r)
	}
	return e
}

// over reports whether a session has ended, which may show a moment after a call fails.
func (x *session) over() bool {
	if x.ended() || x.ctx.Err() != nil {
		return true
	}
	if x.process == nil {
		return false
	}
	t := time.NewTimer(exitTime)
	defer t.Stop()
	select {
	case <-x.process.exited:
		return true
	case <-x.done:
		return true
	case <-t.C:
		return x.ended()
	}
}

// endedDuring returns the error of a call whose server ended.
func (x *session) endedDuring(r *resolved, err error, doing string) *Error {
	e := &Error{Server: r.name, Kind: Ended, Err: err, What: "it ended during " + doing, Do: "whether the call was done is not known"}
	if cause := x.causeOf(); cause != nil {
		e.What += ": " + plainError(cause, r)
		if errors.Is(cause, errTooLarge) || errors.Is(cause, errFlood) {
			e.Kind = BadAnswer
		}
	}
	x.atEnd(e, r)
	return e
}

// atEnd adds how a program ended and what it wrote.
func (x *session) atEnd(e *Error, r *resolved) {
	if x.process == nil {
		return
	}
	t := time.NewTimer(exitTime)
	defer t.Stop()
	select {
	case <-x.process.exited:
	case <-t.C:
	}
	if how := x.process.how(); how != "" && x.causeOf() == nil {
		e.What += " (" + how + ")"
	}
	e.Stderr = redact(x.process.stderr.last(), r)
}

// why returns why a session ended by itself.
func (x *session) why(r *resolved) *Error {
	e := &Error{Server: r.name, Kind: NotStarted, What: "it ended"}
	if cause := x.causeOf(); cause != nil {
		e.Err = cause
		e.What += ": " + plainError(cause, r)
	}
	x.atEnd(e, r)
	return e
}

// asError returns the error of a start.
func asError(name string, err error, r *resolved) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Server: name, Kind: NotStarted, Err: err}
	var need *needSignIn
	var start *startError
	errors.As(err, &start)
	refused := refusedBy(err)
	switch {
	case errors.As(err, &need):
		need.describe(e)
		return e
	case refused != nil:
		e.Kind, e.What = Refused, refused.Error()
		return e
	case errors.Is(err, errElsewhere):
		e.What, e.Do = errElsewhere.Error(), "write the address that it names into "+r.path+", if you trust it"
		return e
	case start != nil && start.late:
		e.What = "it did not answer in time"
	default:
		e.What = "it cannot be connected to: " + plainError(err, r)
	}
	if start != nil {
		if start.how != "" && !start.late {
			e.What = "it ended before it answered (" + start.how + ")"
		}
		e.Stderr = redact(start.stderr, r)
	}
	switch r.kind {
	case kindStdio:
		e.Do = "run its command by hand to see what is wrong: " + clip(strings.Join(shownCommand(r.entry, r.source), " "), 200)
	default:
		e.Do = "check its address " + plainURL(r.entry.URL)
	}
	return e
}

// brief returns the error without what to do.
func (e *Error) brief() string {
	text := e.What
	if e.Stderr != "" {
		text += fmt.Sprintf("; it wrote: %q", e.Stderr)
	}
	return text
}

func refusedBy(err error) error {
	var refused *egress.Refused
	if errors.As(err, &refused) {
		return refused
	}
	var unlogged *egress.Unlogged
	if errors.As(err, &unlogged) {
		return unlogged
	}
	return nil
}

// plainError returns the text of an error without addresses and secrets.
func plainError(err error, r *resolved) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var start *startError
	if errors.As(err, &start) {
		err = start.err
	}
	text := strings.ReplaceAll(err.Error(), r.filled.URL, plainURL(r.filled.URL))
	if r.filled.URL == "" {
		text = err.Error()
	}
	return redact(line(text, 600), r)
}

// minSecret is how long a value must be to be looked for in texts.
const minSecret = 6

// redact takes the values of an entry that may be secret out of a text.
func redact(text string, r *resolved) string {
	hide := func(v string) {
		if len(v) >= minSecret {
			text = strings.ReplaceAll(text, v, "•••")
		}
	}
	for _, v := range r.filled.Headers {
		hide(v)
		if _, secret, ok := strings.Cut(v, " "); ok { // of "Bearer …"
			hide(secret)
		}
	}
	for name, v := range r.filled.Env {
		if secretName(name) || r.entry.Env[name] != v {
			hide(v)
		}
	}
	for i, a := range r.filled.Args {
		if r.entry.Args[i] != a {
			hide(a)
		}
	}
	if o := r.filled.OAuth; o != nil {
		hide(o.ClientSecret)
	}
	return text
}

// secretName reports whether a variable's name says that its value is secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
