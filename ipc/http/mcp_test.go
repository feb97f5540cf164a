package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	mcpserver "atelier/ipc/mcp"
	"atelier/workshop/tools/catalogue"
)

// newMCPRig is a rig that serves workspaces to other agents.
func newMCPRig(t *testing.T) *rig {
	return withMCP(t, func(serve func(*Options)) *rig { return newRig(t, serve) })
}

// withMCP has the rig that begin makes serve workspaces to other agents.
func withMCP(t *testing.T, begin func(serve func(*Options)) *rig) *rig {
	var r *rig
	r = begin(func(o *Options) {
		o.MCP = func(workspace string) (MCP, error) {
			s, err := mcpserver.New(mcpserver.Options{Engine: r.engine, Catalogue: catalogue.Workshop(), Workbench: workspace,
				HowToPublish: func(string) string { return "POST the draft" }})
			if err != nil {
				return nil, err
			}
			return s.HTTP(), nil
		}
	})
	t.Cleanup(func() { // before the engine is closed
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.srv.mcps.drain(ctx)
	})
	return r
}

// withToken sends requests with a token.
type withToken string

// RoundTrip implements http.RoundTripper.
func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if t != "" {
		r.Header.Set("Authorization", "Bearer "+string(t))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (r *rig) mcp(token, path, version string, o *mcp.ClientOptions) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "1"}, o)
	return c.Connect(r.t.(*testing.T).Context(), &mcp.StreamableClientTransport{Endpoint: r.http.URL + path, HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
}

// An agent works on a workspace over Streamable HTTP, with and without sessions, and the
// person is asked before anything is published.
func TestMCPOverHTTP(t *testing.T) {
	r := newMCPRig(t)
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		for _, path := range []string{"/mcp", "/mcp/" + r.ws} {
			asked := 0
			s, err := r.mcp(r.annToken, path, version, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked++
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"publish": true}}, nil
			}})
			require.NoError(t, err, version)
			require.Equal(t, version, s.InitializeResult().ProtocolVersion)
			name := strings.ReplaceAll(version+path, "/", "_") + ".txt"
			for tool, args := range map[string]map[string]any{"write_text_file": {"path": name, "content": "x\n"}} {
				res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
				require.NoError(t, err)
				require.False(t, res.IsError)
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "publish"})
			require.NoError(t, err)
			require.False(t, res.IsError)
			require.Contains(t, res.Content[0].(*mcp.TextContent).Text, name)
			require.Equal(t, 1, asked)
			require.NoError(t, s.Close())
		}
	}
}

// Nobody gets in without a token of a member in the header, and the answer says where the
// metadata is.
func TestMCPNeedsAToken(t *testing.T) {
	r := newMCPRig(t)
	_, err := r.mcp(r.eveToken, "/mcp/"+r.ws, "", nil)
	require.Error(t, err)
	_, err = r.mcp("", "/mcp/"+r.ws, "", nil)
	require.Error(t, err)
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	a := r.request("POST", "/mcp/"+r.ws, body, "Authorization", "")
	require.Equal(t, 401, a.Status)
	require.Contains(t, a.Header.Get("WWW-Authenticate"), "/.well-known/oauth-protected-resource/mcp/"+r.ws)
	a = r.request("POST", "/mcp/"+r.ws, body, "Authorization", "", "Cookie", cookieName+"="+r.annToken)
	require.Equal(t, 401, a.Status, "a page of another site has the cookie")
	a = r.request("POST", "/mcp/"+r.ws, body, "Authorization", "Bearer "+r.annToken, "Origin", "https://evil.example.org")
	require.Equal(t, 403, a.Status)
	var meta map[string]any
	a = r.request("GET", "/.well-known/oauth-protected-resource/mcp/"+r.ws, "", "Authorization", "")
	require.Equal(t, 200, a.Status)
	require.NoError(t, json.Unmarshal([]byte(a.Body), &meta))
	require.Equal(t, r.http.URL+"/mcp/"+r.ws, meta["resource"])
	require.Equal(t, []any{"header"}, meta["bearer_methods_supported"])
	a = r.request("PUT", "/mcp", "")
	require.Equal(t, 405, a.Status)
}

// A session is that of the user who began it, and sessions are bounded.
func TestMCPSessions(t *testing.T) {
	r := newMCPRig(t)
	_, err := r.accounts.AddMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	s, err := r.mcp(r.annToken, "/mcp/"+r.ws, "2025-06-18", nil)
	require.NoError(t, err)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	head := []string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json", "Mcp-Session-Id", s.ID()}
	require.Equal(t, 200, r.request("POST", "/mcp/"+r.ws, ping, append(head, "Authorization", "Bearer "+r.annToken)...).Status)
	require.Equal(t, 403, r.request("POST", "/mcp/"+r.ws, ping, append(head, "Authorization", "Bearer "+r.eveToken)...).Status)
	require.NoError(t, s.Close())
	require.Equal(t, 404, r.request("POST", "/mcp/"+r.ws, ping, append(head, "Authorization", "Bearer "+r.annToken)...).Status)

	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	begin := []string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json", "Authorization", "Bearer " + r.annToken}
	last := 0
	for range 300 {
		r.clock.advance(time.Second) // the rate of a user is another limit
		if last = r.request("POST", "/mcp/"+r.ws, body, begin...).Status; last != 200 {
			break
		}
	}
	require.Equal(t, 503, last)
}

// A translation that another agent begins counts for the limit of the user's tokens, in a
// session and without one.
func TestMCPCountsForTheLimitOfAUser(t *testing.T) {
	r := withMCP(t, func(serve func(*Options)) *rig { return newModelRig(t, answering, serve) })
	_, err := r.accounts.SetLimit(t.Context(), r.ann.ID, 10)
	require.NoError(t, err)
	for i, version := range []string{"2025-06-18", "2026-07-28"} {
		name := []string{"a.md", "b.md"}[i]
		s, err := r.mcp(r.annToken, "/mcp/"+r.ws, version, nil)
		require.NoError(t, err)
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_text_file", Arguments: map[string]any{"path": name, "content": "This is a sentence.\n"}})
		require.NoError(t, err)
		require.False(t, res.IsError)
		res, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "translate", Arguments: map[string]any{"to": "de", "paths": []string{name}}})
		require.NoError(t, err)
		require.Contains(t, res.Content[0].(*mcp.TextContent).Text, "tokens in", version)
		require.NoError(t, s.Close())
	}
	spent, err := r.accounts.Spending(t.Context(), r.ann.ID)
	require.NoError(t, err)
	require.Zero(t, spent.Tokens, "nothing was sent")
}
