package toolservers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine/egress"
)

// maxOther bounds answers that are not messages, in bytes.
const maxOther = 1 << 20

// caller is what a context says about the call that a request is for.
type caller struct {
	workbench, tool string
}

type callerKey struct{}

func withCaller(ctx context.Context, c caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// purpose gives a request its purpose: to the origin and nowhere else. What the context
// says of files stays.
func purpose(ctx context.Context, kind, server, origin string) context.Context {
	p, _ := egress.PurposeOf(ctx)
	c, _ := ctx.Value(callerKey{}).(caller)
	if p.Workbench == "" {
		p.Workbench = c.workbench
	}
	p.Kind, p.Provider, p.Model, p.Origin = kind, line(server, maxName), line(c.tool, 100), origin
	return egress.With(ctx, p)
}

// gate carries requests to an http server.
type gate struct {
	base    http.RoundTripper
	name    string
	version string
	origin  string
	headers map[string]string
	end     context.Context // of the connection: it ends requests under way
	streams streamMeter
	odd     func(error)  // told of answers that are not of the protocol
	event   func() error // counts events
}

// RoundTrip implements http.RoundTripper.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(purpose(req.Context(), egress.KindServer, g.name, g.origin))
	stop := context.AfterFunc(g.end, cancel)
	done := func() { stop(); cancel() }
	out := req.Clone(ctx)
	for name, value := range g.headers {
		out.Header.Set(name, value)
	}
	if egress.OriginOf(req.URL) != g.origin { // the client does not follow redirects there
		done()
		return nil, errElsewhere
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", "atelier/"+g.version)
	}
	resp, err := g.send(out)
	if err != nil {
		done()
		return nil, err
	}
	limit := int64(maxOther)
	switch kind := strings.ToLower(resp.Header.Get("Content-Type")); {
	case strings.HasPrefix(kind, "text/event-stream"):
		limit = -1 // the reader of events bounds each
		resp.Body = &eventBody{ReadCloser: resp.Body, count: g.event}
	case resp.StatusCode < 300:
		limit = MaxMessage
		if kind != "" && !strings.HasPrefix(kind, "application/json") && resp.StatusCode == http.StatusOK {
			g.odd(fmt.Errorf("it answered with %s, which is not of the protocol", line(kind, 60)))
		}
	}
	resp.Body = &boundedBody{resp.Body, limit, done}
	return resp, nil
}

func (g *gate) send(req *http.Request) (*http.Response, error) {
	if !isStream(req) {
		return g.base.RoundTrip(req)
	}
	if err := g.streams.wait(req.Context()); err != nil {
		return nil, err
	}
	return openStream(g.base, req)
}

var errElsewhere = errors.New("it sent the request on to another address, which is not followed")

// boundedBody is a body of at most left bytes, where that is not negative.
type boundedBody struct {
	io.ReadCloser
	left int64
	done func()
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return b.ReadCloser.Read(p)
	}
	if b.left == 0 {
		if n, err := b.ReadCloser.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Close implements io.Closer.
func (b *boundedBody) Close() error {
	b.done() // first, so that nothing waits for more of it
	return b.ReadCloser.Close()
}

// maxRedirects is how many redirects within an origin are followed.
const maxRedirects = 3

// stay refuses redirects to another origin.
func stay(req *http.Request, via []*http.Request) error {
	if egress.OriginOf(req.URL) != egress.OriginOf(via[0].URL) {
		return errElsewhere
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirected more than %d times", maxRedirects)
	}
	return nil
}

// httpTransport is the transport to an http server.
func (p *Pool) httpTransport(r *resolved, x *session, h auth.OAuthHandler) (mcp.Transport, error) {
	u, err := url.Parse(r.filled.URL)
	if err != nil {
		return nil, err
	}
	g := &gate{base: p.opt.Transport, name: r.name, version: p.opt.Version, origin: egress.OriginOf(u), headers: r.filled.Headers, end: x.ctx, odd: x.noteOdd, event: x.countEvent}
	return &mcp.StreamableClientTransport{Endpoint: r.filled.URL, HTTPClient: &http.Client{Transport: g, CheckRedirect: stay},
		MaxRetries: 3, MaxEventSize: MaxMessage, OAuthHandler: h}, nil
}
