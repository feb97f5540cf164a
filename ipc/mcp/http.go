package mcpserver

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/ipc/jsonrpc"
)

// Bounds of the sessions of one server over HTTP.
const (
	maxSessions = 256
	sessionIdle = 30 * time.Minute
)

// HTTP serves a Server over Streamable HTTP: revisions before 2026-07-28 in sessions,
// later ones request by request. Who calls it has checked who the caller is.
type HTTP struct {
	*Server
	sessions, stateless http.Handler
}

// HTTP returns the handler of the server.
func (s *Server) HTTP() *HTTP {
	get := func(*http.Request) *mcp.Server { return s.sdk }
	log := quiet(s.opt.Log)
	return &HTTP{s,
		mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Logger: log, SessionTimeout: sessionIdle, EventStore: newEvents(keptStreams, keptBytes), MaxRequestBodyBytes: jsonrpc.MaxMessage, DisableLocalhostProtection: true}),
		mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Logger: log, Stateless: true, MaxRequestBodyBytes: jsonrpc.MaxMessage, DisableLocalhostProtection: true, PropagateRequestCancellation: true}),
	}
}

// Serve answers a request of a user. A session belongs to the user who began it.
func (h *HTTP) Serve(w http.ResponseWriter, r *http.Request, user string, expires time.Time) {
	handler := h.sessions
	if r.Header.Get("Mcp-Protocol-Version") >= stateless {
		handler = h.stateless
	} else if r.Header.Get("Mcp-Session-Id") == "" && h.Sessions() >= maxSessions {
		http.Error(w, "there are too many sessions; end some, or try again later", http.StatusServiceUnavailable)
		return
	}
	if id := r.Header.Get("Mcp-Session-Id"); r.Method == http.MethodDelete && id != "" {
		h.calls.end(func(of, by string) bool { return of == id && by == user })
	}
	verify := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: user, Expiration: expires}, nil
	}
	auth.RequireBearerToken(verify, nil)(handler).ServeHTTP(w, r)
}

// Sessions returns how many clients are connected.
func (s *Server) Sessions() (n int) {
	for range s.sdk.Sessions() {
		n++
	}
	return n
}

// Drain waits until no call is at work or ctx ends, then ends the calls that are, and all
// sessions.
func (s *Server) Drain(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(s.queue) > 0 && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	s.calls.end(func(string, string) bool { return true })
	for session := range s.sdk.Sessions() {
		if err := session.Close(); err != nil {
			s.opt.Log.Debug("a session did not end well", "err", err)
		}
	}
}

// Loopback returns the handler for programs of this machine: each request must have the
// token in its header, the host must be a loopback address (a page of a browser that was
// led here by DNS has another), and pages of other sites are refused.
func (h *HTTP) Loopback(token string) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !loopback(r.Host):
			http.Error(w, "this address is for programs of this machine", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && origins.Check(r) != nil:
			http.Error(w, "the request comes from a page of another site", http.StatusForbidden)
		case !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 0:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token that 'atelier mcp --listen' prints, in the header: Authorization: Bearer …", http.StatusUnauthorized)
		case r.URL.Path != "/mcp":
			http.Error(w, "there is nothing here; the address ends with /mcp", http.StatusNotFound)
		default:
			h.Serve(w, r, "local", time.Now().Add(time.Hour))
		}
	})
}

// loopback reports whether a host, with or without a port, is this machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
