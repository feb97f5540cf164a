package endpoint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// Dialogue is a request in the form of an API, and the reader of its answer.
type Dialogue interface {
	// Body writes the request, with the repairs so far.
	Body() ([]byte, error)
	// Take reads an event, a JSON object, into c; name is the event's own.
	Take(name string, data []byte, c *Collector) error
	// Repair changes the request after a refusal, whose words are in lower case, and
	// returns false when it knows no change. Each change is made once.
	Repair(refused string, err *llm.Error) bool
	// Learned lists the changes made that later requests should begin with.
	Learned() []string
}

// Exchange sends a request until the endpoint takes it, once and again for each
// repair, and returns the answer, which it asks for as a stream.
func (c *Base) Exchange(ctx context.Context, r llm.Request, d Dialogue) (llm.ChatResponse, error) {
	r.Key = strings.TrimSpace(r.Key)
	if err := c.Ready(r.Key); err != nil {
		return llm.ChatResponse{}, err
	}
	for {
		col := &Collector{req: r, size: AnswerSize{Limits: c.Options.Limits.WithDefaults()}, secret: r.Key}
		sent, err := c.post(ctx, d, col)
		err = c.Typed(ctx, err, r.Key)
		var e *llm.Error
		if !errors.As(err, &e) {
			c.remember(r.Model, d)
			return col.response(nil), nil
		}
		e.Sent = sent
		if !col.begun && col.refused != "" && ctx.Err() == nil && d.Repair(col.refused, e) {
			continue
		}
		if e.Kind == llm.KindContextLength || e.Kind == llm.KindRateLimited {
			c.remember(r.Model, d) // the endpoint took the form of the request
		}
		resp := col.response(err)
		e.Emitted = col.emitted
		return resp, err
	}
}

func (c *Base) remember(model string, d Dialogue) {
	for _, name := range d.Learned() {
		c.Learn(model, name)
	}
}

// post sends the request once and reads the answer into col; sent reports whether the
// whole request went out.
func (c *Base) post(ctx context.Context, d Dialogue, col *Collector) (sent bool, err error) {
	body, err := d.Body()
	if err != nil {
		return false, &llm.Error{Kind: llm.KindInvalid, Message: "the request can't be written", Err: err}
	}
	var out atomic.Bool
	w := NewWatch(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			out.Store(true)
		}
	}}), c.Options.IdleTimeout)
	defer w.End()
	req, err := http.NewRequestWithContext(w.Ctx, http.MethodPost, c.At.Base+c.api.Path, bytes.NewReader(body))
	if err != nil {
		return false, &llm.Error{Kind: llm.KindInvalid, Message: "the request can't be written"}
	}
	c.fill(req, col.secret)
	resp, err := c.HTTP.Do(req)
	w.Pause()
	switch {
	case err != nil && w.Idled():
		return out.Load(), &llm.Error{Kind: llm.KindNetwork, Message: "nothing came from it for " + c.Options.IdleTimeout.String(), Err: ErrIdle}
	case err != nil:
		return out.Load(), err
	}
	defer resp.Body.Close()
	col.watch, col.header = w, resp.Header
	if resp.StatusCode >= http.StatusBadRequest {
		words, err := io.ReadAll(io.LimitReader(w.Body(resp.Body), MaxErrorBody))
		if err != nil && len(words) == 0 {
			words = nil // the status alone has to do
		}
		col.refused = refusalWords(words)
		return out.Load(), FailureOf(resp.StatusCode, resp.Header, words, col.secret)
	}
	events := sse.NewReader(Bounded(w.Body(resp.Body), col.size.MaxBytes()), col.size.MaxEvent())
	return out.Load(), (&reading{Collector: col, events: events, take: d.Take}).run(ctx)
}

// fill sets the headers of a request.
func (c *Base) fill(req *http.Request, key string) {
	req.URL.RawQuery = c.At.Query
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	// Empty, it is not sent, but has net/http send the request again when it was
	// written into a connection that the server was about to close.
	req.Header["Idempotency-Key"] = []string{}
	c.authorize(req, key)
}

// authorize sets the headers that the API wants with every request.
func (c *Base) authorize(req *http.Request, key string) {
	c.api.Authorize(req.Header, key)
	if c.At.Azure && key != "" {
		req.Header.Set("Api-Key", key)
	}
}

// refusalWords returns what an error body says, to look for words in: lower case,
// without backslashes.
func refusalWords(body []byte) string {
	words := strings.NewReplacer(`\u0027`, "'", `\u0022`, `"`, `\n`, " ", `\`, "").Replace(string(body))
	return strings.ToLower(words) + " " + strings.ToLower(ReadRefusal(body).Message)
}

// reading gives the events of a stream to the API's reader until the answer ends.
type reading struct {
	*Collector
	events  *sse.Reader
	take    func(name string, data []byte, c *Collector) error
	garbage string // the beginning of what was no answer
}

func (r *reading) run(ctx context.Context) error {
	for {
		ev, err := r.events.Next()
		if err != nil {
			return r.over(err)
		}
		if err := ctx.Err(); err != nil {
			return err // a cancel counts at once, also with the rest of the answer at hand
		}
		if err := r.event(ev); err != nil || r.ended {
			return err
		}
	}
}

func (r *reading) event(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case len(data) == 0, string(data) == "[DONE]":
		return nil
	case data[0] == '<':
		return r.Failure(llm.KindUnavailable, "it sent a web page instead of an answer", nil)
	case ev.Name == "error":
		return r.Fail(data)
	case data[0] != '{': // "ping" and the like
		if r.garbage == "" && !r.begun {
			r.garbage = string(data[:min(len(data), 200)])
		}
		return nil
	}
	return r.take(ev.Name, data, r.Collector)
}

// over returns the error of an answer whose stream ended with err; nil when the
// answer is complete anyway.
func (r *reading) over(err error) error {
	switch {
	case r.finish != "":
		return nil // whatever happened to the connection afterwards
	case errors.Is(err, sse.ErrTooLong):
		return r.tooLarge("it goes on without an end")
	case r.watch.Idled():
		return r.Failure(llm.KindNetwork, "nothing came from it for "+r.watch.Limit.String(), nil)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	msg := "the answer was cut off"
	switch {
	case r.garbage != "":
		msg = "no answer came but " + r.garbage
	case r.events.Stray() != "":
		msg += ": " + r.events.Stray()
	case !r.begun:
		msg = "the answer was empty"
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return r.Failure(llm.KindUnavailable, msg, err)
}
