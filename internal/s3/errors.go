package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// The kinds of failure; use errors.Is.
var (
	ErrNotFound    = errors.New("the store does not have it")    // an object
	ErrNoBucket    = errors.New("the store has no such bucket")  // or none that may be seen
	ErrRefused     = errors.New("the store refused the request") // keys, rights, clocks
	ErrUnavailable = errors.New("the store did not answer")      // or is busy, for now
)

// Error is a request that failed.
type Error struct {
	Op, Object string // "PUT", and the name of the object
	Host       string
	Status     int    // of the answer; 0: there was none
	Code       string // of the store, such as AccessDenied
	Message    string // of the store
	Err        error  // why there was no answer
	kind       error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s at %s: %s", e.Op, e.Object, e.Host, e.Reason())
}

// Reason says what went wrong, without the object.
func (e *Error) Reason() string {
	switch {
	case e.Status == 0 && e.Err != nil:
		return e.Err.Error()
	case e.Code == "":
		return fmt.Sprintf("it answered %d", e.Status)
	}
	text := fmt.Sprintf("it answered %d %s", e.Status, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	if hint := hints[e.Code]; hint != "" {
		text += "; " + hint
	}
	return text
}

// hints say what to do.
var hints = map[string]string{
	"SignatureDoesNotMatch":        "look at AWS_SECRET_ACCESS_KEY and the region",
	"InvalidAccessKeyId":           "look at AWS_ACCESS_KEY_ID",
	"ExpiredToken":                 "AWS_SESSION_TOKEN has ended: start with a new one",
	"RequestTimeTooSkewed":         "the clock of this machine or of the store is wrong",
	"AccessDenied":                 "the key needs the rights to put, get, list and delete objects",
	"PermanentRedirect":            "look at the address and the region",
	"TemporaryRedirect":            "look at the address and the region",
	"NoSuchBucket":                 "make the bucket, or look at its name",
	"QuotaExceeded":                "make room in the store",
	"XMinioStorageFull":            "make room in the store",
	"EntityTooLarge":               "the store takes no object of this size in one piece",
	"AuthorizationHeaderMalformed": "look at the region",
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.kind, e.Err} }

// again reports whether the same request may succeed soon.
func (e *Error) again() bool { return e.kind == ErrUnavailable }

// unanswered is the error of a request without an answer.
func (c *Client) unanswered(ctx context.Context, op, object string, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address
	}
	return &Error{Op: op, Object: object, Host: c.Host(), Err: err, kind: ErrUnavailable}
}

// answered is the error that an answer says, whose body it reads.
func (c *Client) answered(op, object string, res *http.Response) *Error {
	e := &Error{Op: op, Object: object, Host: c.Host(), Status: res.StatusCode}
	var said struct {
		Code    string `xml:"Code"`
		Message string `xml:"Message"`
	}
	b, _ := io.ReadAll(io.LimitReader(res.Body, 16<<10))
	if xml.Unmarshal(b, &said) == nil {
		e.Code, e.Message = c.shown(said.Code, 60), c.shown(said.Message, 200)
	}
	if e.Code == "" {
		e.Code = map[int]string{403: "AccessDenied", 404: "", 507: "InsufficientStorage"}[res.StatusCode]
	}
	switch s := res.StatusCode; {
	case e.Code == "NoSuchBucket":
		e.kind = ErrNoBucket
	case s == http.StatusNotFound:
		e.kind = ErrNotFound
	case s == http.StatusInsufficientStorage, e.Code == "XMinioStorageFull", e.Code == "QuotaExceeded", s == http.StatusNotImplemented:
		e.kind = ErrRefused
	case s >= 500, s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, e.Code == "RequestTimeout", e.Code == "SlowDown":
		e.kind = ErrUnavailable
	default:
		e.kind = ErrRefused
	}
	return e
}

// shown is a text of the store for people: one line, and nothing of the keys.
func (c *Client) shown(s string, most int) string {
	for _, secret := range []string{c.cfg.Secret, c.cfg.Token, c.cfg.Key} {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "…")
		}
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strings.TrimSpace(s)
}
