package egress

import (
	"hash/maphash"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"atelier/llm"
)

// Options of a Transport.
type Options struct {
	// Base carries what may pass; nil: http.DefaultTransport.
	Base http.RoundTripper
	// Logs gives the log of a workbench, "" being the data folder's; required.
	Logs func(workbench string) (*Log, error)
	// LocalOnly refuses whatever is not on this machine.
	LocalOnly bool
	Now       func() time.Time // nil: time.Now
	Warn      *slog.Logger     // nil: warns nobody
}

// Transport lets through what its purpose allows, and logs it. It is safe for
// concurrent use.
type Transport struct {
	opt  Options
	seed maphash.Seed

	mu     sync.Mutex
	failed map[uint64]bool // requests that failed, by what was sent: sent again, they are retries
}

// maxFailed bounds what is remembered of failures.
const maxFailed = 4096

// New makes a Transport.
func New(opt Options) *Transport {
	if opt.Base == nil {
		opt.Base = http.DefaultTransport
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Warn == nil {
		opt.Warn = slog.New(slog.DiscardHandler)
	}
	return &Transport{opt: opt, seed: maphash.MakeSeed(), failed: map[uint64]bool{}}
}

// Through returns a Transport like t that sends by way of base.
func (t *Transport) Through(base http.RoundTripper) *Transport {
	opt := t.opt
	opt.Base = base
	return New(opt)
}

// RoundTrip sends req if it may go where it goes. The error of one that may
// not has a *Refused.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	p := purposeOf(ctx)
	e := Event{At: t.opt.Now(), Kind: p.Kind, Provider: p.Provider, Model: p.Model, Workbench: p.Workbench, ScopeHash: p.ScopeHash,
		Host: req.URL.Host, Files: p.Files, FileCount: p.FileCount, Local: Local(ctx, req.URL.Hostname()) && !PassedOn(p.Model)}
	refused := t.check(p, e, req)
	address := int64(0)
	if p.Kind == KindFetch {
		address = int64(len(req.URL.String())) // in which a page can be told things
	}
	if refused != nil {
		e.Error, e.Ended = "refused", true
	} else if e.BytesOut = address; req.Body != nil {
		e.BytesOut += max(req.ContentLength, 0) // all there is to know of a request that never ends
	}
	print := t.fingerprint(req)
	e.Retried = t.seen(print)
	log, err := t.opt.Logs(p.Workbench)
	if err == nil {
		e.ID, err = log.begin(e)
	}
	switch {
	case refused != nil:
		closeBody(req)
		return nil, &llm.Error{Kind: llm.KindRefused, Message: refused.Error(), Err: refused}
	case err != nil:
		closeBody(req)
		return nil, &llm.Error{Kind: llm.KindRefused, Message: "nothing was sent: " + err.Error(), Err: &Unlogged{err}}
	}
	x := &exchange{t: t, log: log, event: e, print: print}
	x.out.Store(address)
	resp, err := t.opt.Base.RoundTrip(x.counted(req))
	if err != nil {
		x.end(err)
		return nil, err
	}
	x.event.Status = resp.StatusCode
	resp.Body = &answerBody{ReadCloser: resp.Body, x: x}
	return resp, nil
}

func (t *Transport) check(p Purpose, e Event, req *http.Request) *Refused {
	switch {
	case e.Local && !sentHere(req):
		return nil
	case t.opt.LocalOnly:
		return &Refused{Host: e.Host, Policy: true}
	case len(p.Withheld) > 0:
		return &Refused{Host: e.Host, Files: p.Withheld}
	case p.Origin != "" && OriginOf(req.URL) == p.Origin:
		return nil
	}
	return &Refused{Host: e.Host}
}

// sentHere reports whether a server elsewhere redirected a request to this
// machine, where it could reach what is meant for nobody but the user.
func sentHere(req *http.Request) bool {
	return req.Response != nil && req.Response.Request != nil && !Local(req.Context(), req.Response.Request.URL.Hostname())
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// fingerprint tells whether two requests are the same, 0 for one that cannot be
// told.
func (t *Transport) fingerprint(req *http.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	h.WriteString(req.Method + " " + req.URL.String() + "\n")
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return 0
		}
		body, err := req.GetBody()
		if err != nil {
			return 0
		}
		defer body.Close()
		if _, err := io.Copy(&h, body); err != nil {
			return 0
		}
	}
	return h.Sum64()
}

func (t *Transport) seen(print uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed[print]
}

func (t *Transport) remember(print uint64, failed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case print == 0:
	case !failed:
		delete(t.failed, print)
	default:
		if len(t.failed) >= maxFailed {
			clear(t.failed)
		}
		t.failed[print] = true
	}
}

// exchange is one request under way.
type exchange struct {
	t     *Transport
	log   *Log
	event Event
	print uint64
	out   atomic.Int64 // read by the base's own goroutine
	in    atomic.Int64
	once  sync.Once
}

// counted returns req with a body that counts what is taken from it, also when the
// base takes it again for another connection.
func (x *exchange) counted(req *http.Request) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	out := req.Clone(req.Context())
	out.Body = &requestBody{req.Body, &x.out}
	if again := req.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			b, err := again()
			if err != nil {
				return nil, err
			}
			return &requestBody{b, &x.out}, nil
		}
	}
	return out
}

// end completes the row, once.
func (x *exchange) end(err error) {
	x.once.Do(func() {
		e := x.event
		e.BytesOut, e.BytesIn, e.Elapsed, e.Ended = x.out.Load(), x.in.Load(), x.t.opt.Now().Sub(e.At), true
		if err != nil {
			e.Error = failure(err)
		}
		x.t.remember(x.print, err != nil || e.Status >= http.StatusBadRequest)
		// What left has left: the row then says that the request never ended.
		if err := x.log.end(e); err != nil {
			x.t.opt.Warn.Warn("the end of a request is not in the egress log", "workbench", e.Workbench, "err", err)
		}
	})
}

type requestBody struct {
	io.ReadCloser
	n *atomic.Int64
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	return n, err
}

// answerBody completes the row at its end, or when it is closed before.
type answerBody struct {
	io.ReadCloser
	x *exchange
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.x.in.Add(int64(n))
	switch err {
	case nil:
	case io.EOF:
		b.x.end(nil)
	default:
		b.x.end(err)
	}
	return n, err
}

func (b *answerBody) Close() error {
	err := b.ReadCloser.Close()
	b.x.end(nil)
	return err
}
