package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"atelier/llm"
	"atelier/llm/models"
)

// Options of a Client; the zero value asks api.openai.com.
type Options struct {
	// BaseURL of the endpoint, with or without /v1; "": DefaultBaseURL.
	BaseURL string
	// HTTPClient carries the requests; nil: one with the usual transport and no
	// overall time limit. Its Timeout should be 0: it would cut long answers.
	HTTPClient *http.Client
	// IdleTimeout is the longest silence of the endpoint; 0: five minutes.
	// Comments and keep-alives end a silence.
	IdleTimeout time.Duration
	// Headers go with every request, for gateways that want some; see CheckHeaders.
	Headers map[string]string
	// ParallelToolCalls is sent as parallel_tool_calls; nil: not sent.
	ParallelToolCalls *bool
	// TextToolCalls also takes calls of declared tools that a model writes into
	// its text, as local models do. They are removed from the text.
	TextToolCalls bool
	// Limits bound what is taken of an answer.
	Limits llm.AnswerLimits
	// Models says what models of this endpoint want; nil: models.Builtin. The
	// fields above come before it.
	Models *models.Table
}

// dialect is what differs between APIs in how an endpoint is found and asked.
type dialect struct {
	name      string                          // of the API
	home      string                          // the base URL of its maker's endpoint
	path      string                          // of a request below the base URL
	authorize func(h http.Header, key string) // sets the key
	known     []string                        // optional parameters and repairs, in the order in which Refused lists them
}

// bearer sends a key as OpenAI wants it.
func bearer(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// base is what the clients of all APIs have in common: the address, the transport,
// the settings of models, and what was learned of the endpoint.
type base struct {
	api   dialect
	opt   Options
	at    location
	err   error // the base URL is unusable
	http  http.Client
	table models.Table

	// refused holds model + "\x00" + name for each optional parameter an endpoint
	// did not take and each repair it needed.
	refused  sync.Map
	toolless sync.Map // by model: whether its server says that the template knows no tools
	shown    sync.Map // by model: whether Ollama was asked for what it says of it
	sees     sync.Map // by model: whether its server says that it takes images
}

// newBase makes the part of a client that every API needs.
func newBase(api dialect, o Options) *base {
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 5 * time.Minute
	}
	c := &base{api: api, opt: o, table: models.Builtin()}
	if o.Models != nil {
		c.table = *o.Models
	}
	c.at, c.err = parseBaseURL(o.BaseURL, api)
	if o.HTTPClient != nil {
		c.http = *o.HTTPClient
	}
	if c.http.Transport == nil {
		c.http.Transport = http.DefaultTransport
	}
	if len(o.Headers) > 0 {
		c.http.Transport = withHeaders{c.http.Transport, c.at.name, o.Headers}
	}
	c.http.Transport, c.http.CheckRedirect = noRedirects{c.http.Transport}, limitRedirects
	return c
}

// learn keeps a change to requests for model that the endpoint needs.
func (c *base) learn(model, name string) { c.refused.Store(model+"\x00"+name, true) }

// Ready returns why no request can be made with a key: the base URL is unusable, or
// the endpoint needs a key and there is none. nil otherwise.
func (c *base) Ready(key string) error {
	if c.err == nil && strings.TrimSpace(key) == "" && !c.at.local {
		return &llm.Error{Kind: llm.KindNoKey, Message: "no API key is set for " + c.at.host}
	}
	return c.err
}

// typed makes an *llm.Error of whatever went wrong.
func (c *base) typed(ctx context.Context, err error, key string) error {
	var e *llm.Error
	var u *url.Error
	typed := errors.As(err, &e)
	if typed {
		for _, secret := range SecretHeaders(c.opt.Headers) {
			e.Message = hide(e.Message, secret)
		}
	}
	switch {
	case err == nil:
		return nil
	case typed && e.Status != 0:
		return e
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &llm.Error{Kind: llm.KindNetwork, Message: "the time for the request was over", Err: ctx.Err()}
	case ctx.Err() != nil:
		return &llm.Error{Kind: llm.KindCanceled, Message: "the request was cancelled", Err: ctx.Err()}
	case typed:
		return e
	case errors.As(err, &u):
		cause := u.Err // u itself holds the address, which may hold a secret
		return &llm.Error{Kind: llm.KindNetwork, Message: clean("can't reach "+c.at.host+": "+reason(cause), key), Err: cause}
	case errors.Is(err, context.DeadlineExceeded): // of the HTTP client
		return &llm.Error{Kind: llm.KindNetwork, Message: "the time for the request was over", Err: err}
	default:
		return &llm.Error{Kind: llm.KindInvalid, Message: clean(err.Error(), key), Err: err}
	}
}

// reason returns the short form of a network error.
func reason(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "the name " + dns.Name + " is not known"
	case errors.As(err, &op) && op.Err != nil:
		return op.Err.Error()
	case errors.Is(err, io.EOF):
		return "the connection was closed"
	default:
		return err.Error()
	}
}
