package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/trace"
)

const (
	// passedOn is the header of requests that another server passed on: they are never
	// passed on again.
	passedOn = "Atelier-Passed-On"
	// elsewhere is a header of the answer that the workspace is not here either.
	elsewhere = "Atelier-Elsewhere"
)

// repeatMost is up to how many bytes of a request are kept, so that it can be sent to another
// server when the first was gone.
const repeatMost = 1 << 20

// repeated is the body of a request that may be sent more than once.
type repeated struct {
	looked bool
	body   []byte
	whole  bool // body has all of it
}

// read reads a short body to its end. Only then the server notices that a caller has left.
func (b *repeated) read(w http.ResponseWriter, r *http.Request) error {
	if b.looked {
		return nil
	}
	b.looked = true
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		b.whole = true
	case r.ContentLength >= 0 && r.ContentLength <= repeatMost:
		var err error
		if b.body, err = io.ReadAll(&uploadReader{r.Body, http.NewResponseController(w)}); err != nil {
			return invalid("The request body could not be read to its end; nothing was changed")
		}
		readAll(w)
		b.whole = true
	}
	return nil
}

// again gives the request its body from the beginning.
func (b *repeated) again(r *http.Request) {
	if b.whole && r.Body != nil && r.Body != http.NoBody {
		r.Body = io.NopCloser(bytes.NewReader(b.body))
	}
}

// newPeers returns the connections to other servers. Nothing bounds how long an answer may
// take but the lease of the server that gives it.
func newPeers(most int) *http.Transport {
	return &http.Transport{
		DialContext:     (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 10 * time.Second}).DialContext,
		MaxConnsPerHost: most, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 5 * time.Second, DisableCompression: true,
	}
}

// notHere is the answer to a request that another server passed on though the workspace is
// not here; that server looks again.
func notHere(w http.ResponseWriter, id string, why error) error {
	w.Header().Set(elsewhere, "1")
	retryAfter(w, time.Second)
	return fail(http.StatusMisdirectedRequest, codeUnavailable, fmt.Sprintf("The workspace %s is not on this server: %v", id, why))
}

var errElsewhere = errors.New("the workspace moved meanwhile")

// passOn has the server that has the workspace carry a request out. again: the request was
// not begun there, or changes nothing, and can be sent to the next one; err says why.
func (p *placing) passOn(w http.ResponseWriter, r *http.Request, of placement, to cluster.Holder, b *repeated) (again bool, err error) {
	id := of.id
	traced, span := trace.StartKind(r.Context(), trace.Client, "pass on", trace.String("atelier.server", to.Owner))
	defer func() {
		span.FailIf(err, "not answered")
		span.End()
	}()
	base, err := url.Parse(to.Address)
	if err != nil || base.Host == "" {
		return true, fmt.Errorf("its address %q is not one", to.Address)
	}
	leave, err := p.passing.take(r.Context(), w)
	if err != nil {
		return false, err
	}
	defer leave()
	if err := b.read(w, r); err != nil {
		return false, err
	}
	has, over := p.at.Follow(id, to)
	defer over()
	ctx, cancel := context.WithCancelCause(traced)
	defer cancel(nil)
	defer context.AfterFunc(has, func() { cancel(context.Cause(has)) })()
	noteOf(r).at = to.Owner
	defer func() {
		if again {
			noteOf(r).at = "" // it did not answer
		}
	}()
	var failed error
	proxy := &httputil.ReverseProxy{
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.URL.Scheme, out.Out.URL.Host = base.Scheme, base.Host
			out.Out.Host = r.Host // the origin of a page is compared with it
			if of.ofPage {        // this server has checked both; the other one takes its own address only
				out.Out.Host = base.Host
				out.Out.Header.Set("Origin", base.Scheme+"://"+base.Host)
			}
			for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"} {
				if v := r.Header[name]; v != nil {
					out.Out.Header[name] = v
				}
			}
			if b.whole && len(b.body) > 0 { // for a connection that was closed before it was used
				out.Out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.body)), nil }
			}
			out.Out.Header.Set(passedOn, p.at.Self().Owner)
			out.Out.Header.Set("X-Request-Id", requestID(r))
			if parent := trace.Parent(traced); parent != "" {
				out.Out.Header.Set("Traceparent", parent)
			}
		},
		Transport:     p.peers,
		FlushInterval: -1,
		ModifyResponse: func(res *http.Response) error {
			noteOf(r).upgraded = res.StatusCode == http.StatusSwitchingProtocols
			return p.passed(res)
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:     slog.NewLogLogger(p.s.log.Handler(), slog.LevelDebug),
	}
	b.again(r)
	if !b.whole {
		readAll(w)
		r.Body = &begunReader{ReadCloser: r.Body, reader: uploadReader{r.Body, http.NewResponseController(w)}}
	}
	proxy.ServeHTTP(&slowWriter{w, http.NewResponseController(w)}, r.WithContext(ctx))
	if failed == nil {
		return false, nil
	}
	if r.Context().Err() != nil {
		return false, r.Context().Err()
	}
	if cause := context.Cause(ctx); cause != nil {
		failed = cause
	}
	if b.whole && (notSent(failed) || reads(r)) {
		return true, failed
	}
	retryAfter(w, p.at.TTL())
	if started, ok := r.Body.(*begunReader); notSent(failed) && (!ok || !started.begun) {
		return false, unavailable(id, failed, time.Now())
	}
	f := fail(http.StatusServiceUnavailable, codeUnavailable, "The server that had the workspace did not answer; whether the request was carried out is known to the next one: look whether it was, and try again if not")
	f.cause = failed
	return false, f
}

// passed looks at an answer before it is passed to the caller.
func (p *placing) passed(res *http.Response) error {
	if res.StatusCode == http.StatusMisdirectedRequest && res.Header.Get(elsewhere) != "" {
		return errElsewhere
	}
	res.Header.Del("X-Request-Id") // this server has set it
	return nil
}

// notSent reports whether a request was surely not begun.
func notSent(err error) bool {
	var op *net.OpError
	return errors.Is(err, errElsewhere) || errors.As(err, &op) && op.Op == "dial"
}

// begunReader notes whether something of a body was read.
type begunReader struct {
	io.ReadCloser
	reader uploadReader
	begun  bool
}

func (b *begunReader) Read(to []byte) (int, error) {
	b.begun = true
	return b.reader.Read(to)
}

// slowWriter gives each part of an answer time to be read, since a stream may last.
type slowWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *slowWriter) Write(b []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(answerTimeout)) // not every connection has deadlines
	return w.ResponseWriter.Write(b)
}

func (w *slowWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
