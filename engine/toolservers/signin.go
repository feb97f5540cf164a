package toolservers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"atelier/workshop"
)

// SignOut forgets the tokens of a server.
func (p *Pool) SignOut(ctx context.Context, s Scope, name string) error {
	r, err := p.lookUp(s, name)
	if err != nil {
		return err
	}
	defer p.drop(name)
	return p.forgetTokens(r)
}

// needSignIn is why a request was not answered: the person has to sign in.
type needSignIn struct {
	again  bool     // there were tokens
	scopes []string // that the request needs
	header bool     // the entry has a header that does not do
	status int
}

// Error implements error.
func (n *needSignIn) Error() string { return "the server wants a sign-in" }

func (n *needSignIn) describe(e *Error) {
	e.Kind, e.Err = SignIn, n
	e.Do = "sign in with 'atelier mcp login " + e.Server + "'"
	switch {
	case n.header:
		e.What, e.Do = fmt.Sprintf("it does not accept the header Authorization of its entry (HTTP status %d)", n.status), "correct the header, or take it out to sign in"
	case len(n.scopes) > 0 && n.again:
		e.What = "the sign-in does not allow this call; it needs " + line(strings.Join(n.scopes, " "), 300)
	case n.again:
		e.What = "the sign-in has ended"
	default:
		e.What = "it wants you to sign in"
	}
}

// authOf returns how requests to a server show who sends them; nil for programs.
func (p *Pool) authOf(r *resolved) auth.OAuthHandler {
	if r.kind != kindHTTP {
		return nil
	}
	if hasAuthorization(r.filled.Headers) {
		return headerAuth{}
	}
	if o := r.filled.OAuth; o != nil && o.GrantType == "client_credentials" {
		h, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
			Credentials: &oauthex.ClientCredentials{ClientID: o.ClientID, ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: o.ClientSecret}},
			HTTPClient:  p.signInClient(r),
		})
		if err != nil {
			return headerAuth{}
		}
		return &oneAtATime{h: h}
	}
	return &keptAuth{p: p, r: r}
}

// headerAuth is for entries that have the header Authorization.
type headerAuth struct{}

// TokenSource implements auth.OAuthHandler.
func (headerAuth) TokenSource(context.Context) (oauth2.TokenSource, error) { return nil, nil }

// Authorize implements auth.OAuthHandler.
func (headerAuth) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	return &needSignIn{header: true, status: resp.StatusCode}
}

// firstAnswer keeps why a server refused the first request of a session: the others of
// its start would be refused the same way, and a person is not asked twice.
type firstAnswer struct {
	auth.OAuthHandler
	mu  sync.Mutex
	err error
	up  bool // the session has started
}

// Authorize implements auth.OAuthHandler.
func (f *firstAnswer) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		resp.Body.Close()
		return err
	}
	err = f.OAuthHandler.Authorize(ctx, req, resp)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.up {
		f.err = err
	}
	return err
}

// end says that the start has ended, and returns why a request of it was refused.
func (f *firstAnswer) end() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.err
	f.up, f.err = true, nil
	return err
}

// oneAtATime guards a handler of the SDK that is not safe for concurrent use.
type oneAtATime struct {
	mu sync.Mutex
	h  auth.OAuthHandler
}

// TokenSource implements auth.OAuthHandler.
func (o *oneAtATime) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.h.TokenSource(ctx)
}

// Authorize implements auth.OAuthHandler.
func (o *oneAtATime) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.h.Authorize(ctx, req, resp)
}

// wanted remembers the scopes that a request needed, for the next sign-in.
func (p *Pool) wanted(r *resolved, scopes []string) {
	c := p.connection(*r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scopes = slices.Compact(slices.Sorted(slices.Values(scopes)))
}

// SignIn signs in to a server with OAuth. show gets the address that the person opens in
// a browser; SignIn returns when the browser came back to a loopback address of this
// machine, or ctx ended.
func (p *Pool) SignIn(ctx context.Context, s Scope, name string, show func(address string)) error {
	r, err := p.lookUp(s, name)
	if err != nil {
		return err
	}
	switch {
	case r.kind != kindHTTP:
		return workshop.Faultf(workshop.Invalid, "server %s is a program on this machine; only servers with an address have a sign-in", name)
	case hasAuthorization(r.filled.Headers):
		return workshop.Faultf(workshop.Invalid, "server %s has the header Authorization in its entry, which counts; take it out of %s to sign in", name, r.path)
	case r.filled.OAuth != nil && r.filled.OAuth.GrantType == "client_credentials":
		return workshop.Faultf(workshop.Invalid, "server %s signs in by itself, with the secret of its entry", name)
	}
	c := p.connection(r)
	c.mu.Lock()
	scopes := c.scopes
	c.mu.Unlock()
	h, err := p.interactive(&r, scopes, show)
	if err != nil {
		return err
	}
	defer h.close()
	if err := p.tryWith(ctx, s, &r, h); err != nil {
		return err
	}
	if !h.signedIn() {
		return workshop.Faultf(workshop.Invalid, "server %s wants no sign-in", name)
	}
	p.drop(name)
	return nil
}

// tryWith connects once with a handler and lists the tools: some servers want a sign-in
// for these only.
func (p *Pool) tryWith(ctx context.Context, s Scope, r *resolved, h *interactive) error {
	x, err := p.open(withCaller(ctx, caller{workbench: s.Workbench}), r, false, h)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if h.signedIn() {
			return nil // the session is another's matter
		}
		return asError(r.name, err, r)
	}
	go x.watch(nil)
	defer x.close()
	if _, _, err := x.list(ctx, false); err != nil && !h.signedIn() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return x.failure(ctx, r, err, "the sign-in")
	}
	return nil
}
