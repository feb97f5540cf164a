package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"atelier/llm/endpoint"

	"atelier/llm"
	"atelier/llm/internal/sse"
)

// transport carries one request of go-openai and cleans its answer. It holds
// what one exchange needs and is not used twice.
type transport struct {
	base        http.RoundTripper
	query       string // of the base URL, such as Azure's api-version
	azure       bool   // send the key in the api-key header too
	idle        time.Duration
	temperature *float64        // sent by us, since go-openai leaves 0 out; nil: none
	tools       []llm.Tool      // of the request
	declared    map[string]bool // their names
	messages    int             // in the request
	inText      bool            // look for calls inside the text
	told        []string        // in the request, by others than the model
	textTools   bool            // the model was told to write its calls into the text
	extras      []extra         // what the messages have beside what go-openai sends
	keep        keep            // whose answer it is
	limits      llm.AnswerLimits
	thinks      bool // the answer begins inside reasoning
	echo        bool // the reasoning of the answer is wanted back

	kept    map[string]string // what to keep of the answer's calls, by id
	sent    atomic.Bool       // the whole request went out
	refused string            // what a refusal said, lower case; "" when none came
	status  int               // of the refusal
}

// RoundTrip sends the request and returns a response with a clean body, or an
// *llm.Error.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	w := endpoint.NewWatch(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			t.sent.Store(true)
		}
	}}), t.idle)
	out, err := t.prepare(req.Clone(w.Ctx))
	if err != nil {
		w.End()
		return nil, err
	}
	resp, err := t.base.RoundTrip(out)
	w.Pause()
	secret := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	switch {
	case err != nil && w.Idled():
		err = &llm.Error{Kind: llm.KindNetwork, Message: "nothing came from it for " + t.idle.String(), Err: endpoint.ErrIdle}
	case err == nil && resp.StatusCode >= http.StatusBadRequest:
		err = t.refuse(resp, w, secret)
	}
	if err != nil {
		w.End()
		return nil, err
	}
	body := w.Body(resp.Body)
	of := endpoint.AnswerSize{Limits: t.limits}
	a := &answer{
		body: body, watch: w, events: sse.NewReader(endpoint.Bounded(body, of.MaxBytes()), of.MaxEvent()), size: of, secret: secret, header: resp.Header,
		stream: strings.Contains(req.Header.Get("Accept"), "event-stream"),
		calls:  calls{declared: t.declared, asked: t.messages}, of: t, think: thinking{begun: t.thinks},
	}
	if t.inText {
		a.inText = &textCalls{tools: toolsOf(t.tools), told: t.told, asked: t.textTools}
	}
	resp.Body = a
	return resp, nil
}

func (t *transport) refuse(resp *http.Response, w *endpoint.Watch, secret string) error {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(w.Body(resp.Body), endpoint.MaxErrorBody))
	if err != nil && len(body) == 0 {
		body = nil // the status alone has to do
	}
	return t.failure(resp.StatusCode, resp.Header, body, secret)
}

// failure makes the typed error of a refusal and keeps its words, unless the
// error says what to do already.
func (t *transport) failure(status int, h http.Header, body []byte, secret string) *llm.Error {
	e := endpoint.FailureOf(status, h, body, secret)
	if e.Kind == llm.KindInvalid || e.Kind == llm.KindUnavailable {
		t.keepRefusal(status, body)
	}
	return e
}

// prepare adds to go-openai's request what go-openai can't say.
func (t *transport) prepare(req *http.Request) (*http.Request, error) {
	body, err := io.ReadAll(req.Body)
	if err == nil {
		body, err = complete(body, t.extras)
	}
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the request can't be written", Err: err}
	}
	if t.temperature != nil {
		body = append(fmt.Appendf(nil, `{"temperature":%g,`, *t.temperature), bytes.TrimPrefix(body, []byte("{"))...)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	// Empty, it is not sent, but has net/http send the request again when it was
	// written into a connection that the server was about to close: llama.cpp
	// closes each after a streamed answer, though it promised to keep it.
	req.Header["Idempotency-Key"] = []string{}
	if t.query != "" {
		req.URL.RawQuery = t.query
	}
	if t.azure {
		req.Header.Set("Api-Key", strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "))
	}
	return req, nil
}
