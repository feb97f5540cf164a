package toolservers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine/egress"
	"atelier/workshop"
)

// authServer is a server that wants a sign-in, with its authorization server.
type authServer struct {
	at string // address of the server

	mu        sync.Mutex
	access    string // the token that counts
	refresh   string
	scope     string // that a call needs
	refuse    bool   // the person refuses
	life      int    // seconds of a token
	clients   int
	renewed   int
	authorize []url.Values
	tokens    []url.Values
	metadata  string // replaces the address of the metadata
	issuer    string // replaces that of the authorization server
}

func (r *rig) authServer() *authServer {
	a := &authServer{life: 3600}
	a.at = r.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			a.mu.Lock()
			defer a.mu.Unlock()
			base := "http://" + req.Host
			say := func(v any) { w.Header().Set("Content-Type", "application/json"); _ = json.NewEncoder(w).Encode(v) }
			switch req.URL.Path {
			case "/.well-known/oauth-protected-resource/mcp":
				issuer := base
				if a.issuer != "" {
					issuer = a.issuer
				}
				say(map[string]any{"resource": base + "/mcp", "authorization_servers": []string{issuer}, "scopes_supported": []string{"read"}})
			case "/.well-known/oauth-authorization-server":
				say(map[string]any{"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
					"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"}})
			case "/register":
				a.clients++
				w.WriteHeader(http.StatusCreated)
				say(map[string]any{"client_id": fmt.Sprintf("client-%d", a.clients), "token_endpoint_auth_method": "none", "redirect_uris": []string{"http://127.0.0.1/callback"}})
			case "/authorize":
				q := req.URL.Query()
				a.authorize = append(a.authorize, q)
				back := q.Get("redirect_uri") + "?state=" + q.Get("state")
				if a.refuse {
					back += "&error=access_denied"
				} else {
					back += "&code=the-code"
				}
				http.Redirect(w, req, back, http.StatusFound)
			case "/token":
				_ = req.ParseForm()
				a.tokens = append(a.tokens, req.PostForm)
				if req.PostForm.Get("grant_type") == "refresh_token" {
					if req.PostForm.Get("refresh_token") != a.refresh {
						w.WriteHeader(http.StatusBadRequest)
						say(map[string]any{"error": "invalid_grant"})
						return
					}
					a.renewed++
				}
				a.access, a.refresh = fmt.Sprintf("access-%d", len(a.tokens)), fmt.Sprintf("refresh-%d", len(a.tokens))
				say(map[string]any{"access_token": a.access, "refresh_token": a.refresh, "token_type": "Bearer", "expires_in": a.life})
			case "/mcp":
				if a.access == "" || req.Header.Get("Authorization") != "Bearer "+a.access {
					m := base + "/.well-known/oauth-protected-resource/mcp"
					if a.metadata != "" {
						m = a.metadata
					}
					w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+m+`"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				body, _ := io.ReadAll(req.Body)
				req.Body = io.NopCloser(bytes.NewReader(body))
				if a.scope != "" && len(a.authorize) < 2 && bytes.Contains(body, []byte(`"tools/call"`)) {
					w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+a.scope+`"`)
					w.WriteHeader(http.StatusForbidden)
					return
				}
				a.mu.Unlock()
				next.ServeHTTP(w, req)
				a.mu.Lock()
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		})
	})
	r.last = append([]func(){http.DefaultClient.CloseIdleConnections}, r.last...)
	return a
}

// browser is a person who opens the address.
func browser(address string) {
	go func() {
		if resp, err := http.Get(address); err == nil {
			resp.Body.Close()
		}
	}()
}

// Sign in, use, renew, a scope that is missing, sign out.
func TestSignIn(t *testing.T) {
	r := newRig(t)
	a := r.authServer()
	r.set("s", Entry{URL: a.at + "/mcp"})
	e := r.fails(SignIn, "s", "echo", "{}")
	require.Contains(t, e.Error(), "atelier mcp login s")
	require.Equal(t, NeedsSignIn, r.server("s").State)
	require.Equal(t, NeedsSignIn, r.tools().Failed[0].State)
	require.Zero(t, a.clients, "nobody registers before a person wants to sign in")

	a.refuse = true
	require.ErrorContains(t, r.p.SignIn(t.Context(), r.scope, "s", browser), "refused: access_denied")
	require.Len(t, a.authorize, 1, "the person is asked once")
	a.refuse, a.authorize = false, nil
	require.NoError(t, r.p.SignIn(t.Context(), r.scope, "s", browser))
	require.Equal(t, "S256", a.authorize[0].Get("code_challenge_method"))
	require.Equal(t, a.at+"/mcp", a.authorize[0].Get("resource"))
	require.Equal(t, "read", a.authorize[0].Get("scope"))
	require.NotEmpty(t, a.tokens[0].Get("code_verifier"))
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)
	require.True(t, r.server("s").SignedIn)

	// The server takes the token back: the refresh token gets another.
	a.mu.Lock()
	a.access = "another"
	a.mu.Unlock()
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)
	require.Equal(t, 1, a.renewed)
	require.Equal(t, a.at+"/mcp", a.tokens[len(a.tokens)-1].Get("resource"))

	// Another process renewed it: its token counts.
	other := newRig(t)
	other.keys, other.home = r.keys, r.home
	other.p.opt.Keys, other.p.opt.Home = r.keys, r.home
	other.p.decided.home = r.home
	a.mu.Lock()
	a.access = "another"
	a.mu.Unlock()
	require.Equal(t, "hi", other.must("s", "echo", `{"text":"hi"}`).Text)
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)
	require.Equal(t, 2, a.renewed)

	// A call needs more than the sign-in gave.
	a.mu.Lock()
	a.scope = "write"
	a.mu.Unlock()
	require.Contains(t, r.fails(SignIn, "s", "echo", "{}").Error(), "write")
	require.NoError(t, r.p.SignIn(t.Context(), r.scope, "s", browser))
	require.ElementsMatch(t, []string{"read", "write"}, strings.Fields(a.authorize[1].Get("scope")))
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)

	// The refresh token does not count any more.
	a.mu.Lock()
	a.access, a.refresh = "another", "another"
	a.mu.Unlock()
	require.Contains(t, r.fails(SignIn, "s", "echo", "{}").Error(), "the sign-in has ended")
	require.NoError(t, r.p.SignOut(t.Context(), r.scope, "s"))
	require.False(t, r.server("s").SignedIn)
	require.Empty(t, r.keys.keys)
	require.NoError(t, r.logs.Read("", func(l *egress.Log) error {
		list, _, err := l.Find(context.Background(), egress.Query{Limit: 1000})
		require.NotEmpty(t, list)
		b, _ := json.Marshal(list)
		require.NotContains(t, string(b), "access-1")
		return err
	}))
}

// A sign-in in another process counts at once.
func TestSignInElsewhere(t *testing.T) {
	r := newRig(t)
	a := r.authServer()
	r.set("s", Entry{URL: a.at + "/mcp"})
	r.fails(SignIn, "s", "echo", "{}")
	other := newRig(t)
	other.p.opt.Keys, other.p.opt.Home = r.keys, r.home
	require.NoError(t, other.p.SignIn(t.Context(), other.scope, "s", browser))
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)
}

// A token that ends soon is renewed before it is used.
func TestTokensEnd(t *testing.T) {
	r := newRig(t)
	a := r.authServer()
	a.life = 10
	r.set("s", Entry{URL: a.at + "/mcp"})
	require.NoError(t, r.p.SignIn(t.Context(), r.scope, "s", browser))
	before := len(a.tokens)
	r.must("s", "echo", `{"text":"hi"}`)
	require.Greater(t, len(a.tokens), before)
}

// What a person cannot sign in to is said, and a sign-in ends with its context.
func TestSignInThatCannotBe(t *testing.T) {
	r := newRig(t)
	r.set("program", program("ok"))
	r.set("header", Entry{URL: "https://example.com", Headers: map[string]string{"authorization": "Bearer x"}})
	r.set("open", Entry{URL: r.serveHTTP(nil) + "/mcp"})
	for name, want := range map[string]string{"program": "program on this machine", "header": "Authorization", "open": "wants no sign-in"} {
		err := r.p.SignIn(t.Context(), r.scope, name, browser)
		require.True(t, workshop.IsFault(err, workshop.Invalid), "%v", err)
		require.ErrorContains(t, err, want)
	}
	a := r.authServer()
	r.set("s", Entry{URL: a.at + "/mcp"})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var address string
	began := time.Now()
	err := r.p.SignIn(ctx, r.scope, "s", func(at string) { // somebody else's page comes back
		address = at
		u, _ := url.Parse(at)
		browser(u.Query().Get("redirect_uri") + "?code=stolen&state=guessed")
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), 5*time.Second)
	require.Contains(t, address, "/authorize?")
	// A header of the entry that does not do is not taken for a sign-in.
	r.set("s", Entry{URL: a.at + "/mcp", Headers: map[string]string{"Authorization": "Bearer wrong-token"}})
	e := r.fails(SignIn, "s", "echo", "{}")
	require.Contains(t, e.Error(), "does not accept the header")
	require.NotContains(t, e.Error(), "wrong-token")
}

// Metadata of a server elsewhere cannot send requests into this machine or its network.
func TestSignInStaysOutside(t *testing.T) {
	u, err := url.Parse("https://mcp.example.com/mcp")
	require.NoError(t, err)
	sent := 0
	g := &signInGate{name: "s", server: u, base: roundTrip(func(req *http.Request) (*http.Response, error) {
		sent++
		return httptest.NewRecorder().Result(), nil
	})}
	for _, at := range []string{"http://login.example.com/x", "https://127.0.0.1/x", "https://localhost/x", "https://10.0.0.1/x", "https://192.168.1.1/", "https://169.254.169.254/latest", "https://[::1]/x", "https://a.localhost/"} {
		req, err := http.NewRequest(http.MethodGet, at, nil)
		require.NoError(t, err)
		_, err = g.RoundTrip(req)
		require.ErrorContains(t, err, "not followed", at)
	}
	require.Zero(t, sent)
	for _, at := range []string{"https://login.example.com/x", "https://mcp.example.com/.well-known"} {
		req, err := http.NewRequest(http.MethodGet, at, nil)
		require.NoError(t, err)
		resp, err := g.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
	}
	require.Equal(t, 2, sent)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
