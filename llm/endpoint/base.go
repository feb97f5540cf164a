package endpoint

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

// Options of a client; the zero value asks the maker of the API.
type Options struct {
	// BaseURL of the endpoint, with or without /v1; "": that of the maker of the API.
	BaseURL string
	// API is what the endpoint speaks, for llm/api; "": the default of the address.
	API string
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

// API is what differs between APIs in how an endpoint is found and asked.
type API struct {
	Name      string                          // of the API
	Home      string                          // the base URL of its maker's endpoint
	Path      string                          // of a request below the base URL
	Authorize func(h http.Header, key string) // sets the key, "" for none, and what else every request needs
	Versioned bool                            // requests go below /v1 also where the base URL has another path
	Known     []string                        // optional parameters and repairs, in the order in which Refused lists them
}

// Bearer sends a key as OpenAI wants it.
func Bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// Base is what the clients of all APIs have in common: the address, the transport,
// the settings of models, and what was learned of the endpoint.
type Base struct {
	api     API
	Options Options
	At      Location
	err     error // the base URL is unusable
	HTTP    http.Client
	table   models.Table

	// refused holds model + "\x00" + name for each optional parameter an endpoint
	// did not take and each repair it needed.
	refused  sync.Map
	toolless sync.Map // by model: whether its server says that the template knows no tools
	shown    sync.Map // by model: whether Ollama was asked for what it says of it
	sees     sync.Map // by model: whether its server says that it takes images
}

// NewBase makes the part of a client that every API needs.
func NewBase(api API, o Options) *Base {
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 5 * time.Minute
	}
	c := &Base{api: api, Options: o, table: models.Builtin()}
	if o.Models != nil {
		c.table = *o.Models
	}
	c.At, c.err = parseBaseURL(o.BaseURL, api)
	if o.HTTPClient != nil {
		c.HTTP = *o.HTTPClient
	}
	if c.HTTP.Transport == nil {
		c.HTTP.Transport = http.DefaultTransport
	}
	if len(o.Headers) > 0 {
		c.HTTP.Transport = withHeaders{c.HTTP.Transport, c.At.Name, o.Headers}
	}
	c.HTTP.Transport, c.HTTP.CheckRedirect = noRedirects{c.HTTP.Transport}, limitRedirects
	return c
}

// Learn keeps a change to requests for model that the endpoint needs.
func (c *Base) Learn(model, name string) { c.refused.Store(model+"\x00"+name, true) }

// Ready returns why no request can be made with a key: the base URL is unusable, or
// the endpoint needs a key and there is none. nil otherwise.
func (c *Base) Ready(key string) error {
	if c.err == nil && strings.TrimSpace(key) == "" && !c.At.local {
		return &llm.Error{Kind: llm.KindNoKey, Message: "no API key is set for " + c.At.host}
	}
	return c.err
}

// Typed makes an *llm.Error of whatever went wrong.
func (c *Base) Typed(ctx context.Context, err error, key string) error {
	var e *llm.Error
	var u *url.Error
	typed := errors.As(err, &e)
	if typed {
		for _, secret := range SecretHeaders(c.Options.Headers) {
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
		return &llm.Error{Kind: llm.KindNetwork, Message: Clean("can't reach "+c.At.host+": "+reason(cause), key), Err: cause}
	case errors.Is(err, context.DeadlineExceeded): // of the HTTP client
		return &llm.Error{Kind: llm.KindNetwork, Message: "the time for the request was over", Err: err}
	default:
		return &llm.Error{Kind: llm.KindInvalid, Message: Clean(err.Error(), key), Err: err}
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
