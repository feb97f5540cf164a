package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"atelier/ipc/accounts"
)

// MCP serves one workspace to other agents over the Model Context Protocol.
// *mcpserver.HTTP implements it.
type MCP interface {
	// Serve answers a request of a user whose right to the workspace was checked.
	Serve(w http.ResponseWriter, r *http.Request, user string, expires time.Time)
	Sessions() int
	// Drain waits for calls until ctx ends, then ends all sessions.
	Drain(ctx context.Context)
	Close()
}

// mcps are the servers of the workspaces that were used lately.
type mcps struct {
	make func(workspace string) (MCP, error)
	now  func() time.Time

	mu   sync.Mutex // protects the fields below
	by   map[string]*usedMCP
	over bool
}

type usedMCP struct {
	MCP
	at time.Time
	in int // requests at work
}

// mcpIdle is how long a server without sessions is kept.
const mcpIdle = 10 * time.Minute

// take returns the server of a workspace until leave is called.
func (m *mcps) take(workspace string) (s MCP, leave func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return nil, nil, fail(http.StatusServiceUnavailable, codeUnavailable, "The server stops")
	}
	u := m.by[workspace]
	if u == nil {
		m.sweep()
		made, err := m.make(workspace)
		if err != nil {
			return nil, nil, err
		}
		u = &usedMCP{MCP: made}
		m.by[workspace] = u
	}
	u.in++
	return u, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		u.in--
		u.at = m.now()
	}, nil
}

// sweep ends the servers that nobody uses. m.mu is held.
func (m *mcps) sweep() {
	for id, u := range m.by {
		if u.in == 0 && m.now().Sub(u.at) > mcpIdle && u.Sessions() == 0 {
			u.Close()
			delete(m.by, id)
		}
	}
}

// drop ends the server of a workspace.
func (m *mcps) drop(workspace string) {
	m.mu.Lock()
	u := m.by[workspace]
	delete(m.by, workspace)
	m.mu.Unlock()
	if u != nil {
		u.Close()
	}
}

// drain lets calls end until ctx ends, and ends all servers.
func (m *mcps) drain(ctx context.Context) {
	m.mu.Lock()
	m.over = true
	all := m.by
	m.by = nil
	m.mu.Unlock()
	var wg sync.WaitGroup
	for _, u := range all {
		wg.Go(func() { u.Drain(ctx); u.Close() })
	}
	wg.Wait()
}

// mcpTable lists the paths of the Model Context Protocol, which are no operations of the
// HTTP API.
func (s *Server) mcpTable() map[string]map[string]handler {
	if s.opt.MCP == nil {
		return nil
	}
	one := s.bearer(s.member(s.serveMCP))
	only := s.bearer(s.onlyWorkspace(s.member(s.serveMCP)))
	return map[string]map[string]handler{
		"/mcp":                     {"GET": only, "POST": only, "DELETE": only},
		"/mcp/{id}":                {"GET": one, "POST": one, "DELETE": one},
		metadataPath:               {"GET": s.mcpMetadata},
		metadataPath + "/mcp":      {"GET": s.mcpMetadata},
		metadataPath + "/mcp/{id}": {"GET": s.mcpMetadata},
	}
}

// serveMCP is /mcp/{id}, and /mcp for a user of one workspace.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, c caller) error {
	leave, err := s.streams.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	srv, done, err := s.mcps.take(c.Access.WorkspaceID)
	if err != nil {
		return err
	}
	defer done()
	rc := http.NewResponseController(w)
	if err := rc.SetWriteDeadline(time.Time{}); err != nil { // a stream lasts as long as its session
		return err
	}
	srv.Serve(w, r, c.User.ID, s.opt.Now().Add(time.Hour)) // each request's own token was checked
	return nil
}

// bearer lets only requests with a token in the header pass: agents have no cookies, and
// a page of another site would have.
func (s *Server) bearer(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", baseOf(r)+metadataPath+r.URL.Path))
		if _, fromCookie := tokenOf(r); fromCookie || r.Header.Get("Authorization") == "" {
			return fail(http.StatusUnauthorized, codeToken, "Send the access token in the header: Authorization: Bearer …")
		}
		if err := s.sameSite(r); err != nil {
			return fail(http.StatusForbidden, codeForbidden, "Access forbidden: the request comes from a page of another site")
		}
		return next(w, r)
	}
}

// onlyWorkspace lets a user of one workspace leave its id out.
func (s *Server) onlyWorkspace(next handler) handler {
	return s.authenticated(func(w http.ResponseWriter, r *http.Request, u accounts.User) error {
		list, err := s.opt.Accounts.WorkspacesOf(r.Context(), u.ID)
		if err != nil {
			return err
		}
		if len(list) != 1 {
			return fail(http.StatusNotFound, codeNotFound, fmt.Sprintf("You have %d workspaces; name one: /mcp/ID (GET /api/v1/workspaces lists them)", len(list)))
		}
		r.SetPathValue("id", list[0].ID)
		return next(w, r)
	})
}

// metadataPath is where RFC 9728 has the metadata of a resource, before its path.
const metadataPath = "/.well-known/oauth-protected-resource"

// mcpMetadata is the protected-resource metadata (RFC 9728).
func (s *Server) mcpMetadata(w http.ResponseWriter, r *http.Request) error {
	path := strings.TrimPrefix(r.URL.Path, metadataPath)
	if path == "" {
		path = "/mcp"
	}
	meta := map[string]any{"resource": baseOf(r) + path, "resource_name": "Atelier", "bearer_methods_supported": []string{"header"}}
	if iss := s.opt.Tokens.issuer; strings.HasPrefix(iss, "https://") {
		meta["authorization_servers"] = []string{iss}
	}
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is public
	return writeJSON(w, http.StatusOK, meta)
}

// baseOf is the address that the caller sees; a proxy with TLS says so.
func baseOf(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
