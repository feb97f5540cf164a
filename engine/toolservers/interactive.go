package toolservers

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"atelier/engine/egress"
)

// callbackPath is where the browser comes back to.
const callbackPath = "/callback"

// interactive is a sign-in that a person does in a browser: the authorization code grant
// with PKCE (RFC 7636), a loopback redirect (RFC 8252, 7.3) and the resource indicator
// (RFC 8707).
type interactive struct {
	auth.OAuthHandler
	p        *Pool
	r        *resolved
	show     func(string)
	listener net.Listener

	mu       sync.Mutex
	resource string
	done     bool
}

// interactive prepares a sign-in. It listens until close.
func (p *Pool) interactive(r *resolved, scopes []string, show func(string)) (*interactive, error) {
	o := r.filled.OAuth
	if o == nil {
		o = &OAuth{}
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.CallbackPort)))
	if err != nil {
		return nil, &Error{Server: r.name, Kind: NotStarted, What: "the sign-in cannot listen on this machine: " + err.Error(), Do: "choose another callbackPort in its entry", Err: err}
	}
	h := &interactive{p: p, r: r, show: show, listener: l}
	back := "http://" + l.Addr().String() + callbackPath
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              back,
		AuthorizationCodeFetcher: h.fetch,
		RequestRefreshToken:      true,
		AcceptUnadvertisedIss:    true,
		Client:                   p.signInClient(r),
		NewTokenSource:           h.keep,
		ScopeFilter: func(found []string) []string {
			if len(o.Scopes) > 0 {
				found = o.Scopes
			}
			for _, s := range scopes { // that a call needed
				if !slices.Contains(found, s) {
					found = append(slices.Clone(found), s)
				}
			}
			return found
		},
	}
	switch {
	case strings.HasPrefix(o.ClientID, "https://"):
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.ClientID}
	case o.ClientID != "":
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID}
		if o.ClientSecret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.ClientSecret}
		}
	}
	if c.PreregisteredClient == nil {
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Atelier", SoftwareID: "atelier", SoftwareVersion: p.opt.Version, RedirectURIs: []string{back},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	if h.OAuthHandler, err = auth.NewAuthorizationCodeHandler(c); err != nil {
		l.Close()
		return nil, err
	}
	return h, nil
}

func (h *interactive) close() { h.listener.Close() }

// signedIn reports whether tokens were kept.
func (h *interactive) signedIn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done
}

// Authorize implements auth.OAuthHandler: the person is asked once.
func (h *interactive) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if h.signedIn() {
		resp.Body.Close()
		return &needSignIn{again: true, status: resp.StatusCode}
	}
	return h.OAuthHandler.Authorize(ctx, req, resp)
}

// keep keeps the tokens of a sign-in.
func (h *interactive) keep(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := &kept{ClientID: c.ClientID, ClientSecret: c.ClientSecret, InHeader: c.Endpoint.AuthStyle == oauth2.AuthStyleInHeader, TokenURL: c.Endpoint.TokenURL,
		Resource: h.resource, Scopes: c.Scopes, Access: t.AccessToken, Refresh: t.RefreshToken, Expiry: t.Expiry}
	if s, ok := t.Extra("scope").(string); ok && s != "" {
		k.Scopes = strings.Fields(s)
	}
	if err := h.p.keepTokens(h.r, k); err != nil {
		return nil, fmt.Errorf("the tokens cannot be kept: %w", err)
	}
	h.done = true
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: t.AccessToken, TokenType: "Bearer"}), nil
}

// fetch shows the address and waits until the browser comes back.
func (h *interactive) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(args.URL)
	if err != nil || u.Scheme != "https" && !(u.Scheme == "http" && egress.Local(ctx, u.Hostname())) {
		return nil, errors.New("the authorization server names an address that is not https")
	}
	state := u.Query().Get("state")
	h.mu.Lock()
	h.resource = u.Query().Get("resource")
	h.mu.Unlock()
	type back struct {
		res *auth.AuthorizationResult
		err error
	}
	came := make(chan back, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			q := req.URL.Query()
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'none'")
			if req.Method != http.MethodGet || req.URL.Path != callbackPath || q.Get("state") != state {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, "<!doctype html><title>Atelier</title><p>This is not the answer that Atelier waits for.")
				return
			}
			b := back{res: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
			text := "You are signed in. You can close this page and go back to Atelier."
			if e := q.Get("error"); e != "" || b.res.Code == "" {
				b = back{err: fmt.Errorf("the sign-in was refused: %s", line(strings.TrimSpace(e+" "+q.Get("error_description")), 300))}
				text = "The sign-in was refused. You can close this page and go back to Atelier."
			}
			fmt.Fprintf(w, "<!doctype html><title>Atelier</title><p>%s", html.EscapeString(text))
			select {
			case came <- b:
			default:
			}
		})}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(h.listener) }() // its error is that of the end
	defer func() {
		ending, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ending) != nil {
			server.Close()
		}
		<-served
	}()
	h.show(args.URL)
	select {
	case b := <-came:
		return b.res, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-h.p.ctx.Done():
		return nil, h.p.ctx.Err()
	}
}

// signInClient returns the client of requests that sign in: to the origins that the
// server's metadata name.
func (p *Pool) signInClient(r *resolved) *http.Client {
	u, err := url.Parse(r.filled.URL)
	if err != nil {
		u = &url.URL{}
	}
	return &http.Client{Transport: &signInGate{base: p.opt.Transport, name: r.name, server: u}, CheckRedirect: stay, Timeout: p.opt.StartTime}
}

// signInGate lets requests of a sign-in through: to the server itself and, over https, to
// addresses that are not of this machine or its network, unless the server is here too.
type signInGate struct {
	base   http.RoundTripper
	name   string
	server *url.URL
}

// RoundTrip implements http.RoundTripper.
func (g *signInGate) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if egress.OriginOf(req.URL) != egress.OriginOf(g.server) && !egress.Local(ctx, g.server.Hostname()) {
		if req.URL.Scheme != "https" || inside(ctx, req.URL.Hostname()) {
			return nil, fmt.Errorf("the sign-in names the address %s, which is not followed", req.URL.Host)
		}
	}
	ctx, cancel := context.WithCancel(purpose(ctx, egress.KindSignIn, g.name, egress.OriginOf(req.URL)))
	resp, err := g.base.RoundTrip(req.Clone(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &boundedBody{resp.Body, maxOther, cancel}
	return resp, nil
}

// inside reports whether a host is of this machine or a private network, as far as its
// name says.
func inside(ctx context.Context, host string) bool {
	if egress.Local(ctx, host) || strings.HasSuffix(host, ".localhost") || strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast())
}
