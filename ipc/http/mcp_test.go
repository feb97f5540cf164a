package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	mcpserver "atelier/ipc/mcp"
	"atelier/workshop/tools/catalogue"
)

// newMCPRig is a rig that serves workspaces to other agents.
func newMCPRig(t *testing.T) *rig {
	r := newRig(t, withMCP)
	r.drainsMCP(t)
	return r
}

// withMCP has a rig serve workspaces to other agents.
func withMCP(o *Options) {
	e := o.Engine.(*engine.Engine)
	o.MCP = func(workspace string, translations GuestTranslations) (MCP, error) {
		s, err := mcpserver.New(mcpserver.Options{Engine: e, Catalogue: catalogue.Workshop(), Workbench: workspace, Translations: translations,
			HowToPublish: func(string) string { return "POST the draft" }})
		if err != nil {
			return nil, err
		}
		return s.HTTP(), nil
	}
}

func (r *rig) drainsMCP(t *testing.T) {
	t.Cleanup(func() { // before the engine is closed
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.srv.mcps.drain(ctx)
	})
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

// A translation that an agent starts is a run of the server: it waits for its turn, the same
// call waits with it, it can be stopped, and its workspace refuses what it refuses then.
func TestMCPTranslationsTakeTurns(t *testing.T) {
	g, base, ann, _ := newQueueRig(t, withMCP, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() })
	base.drainsMCP(t)
	_, a := ann.begin("a0")
	base.started(a)
	g.at(t)
	r := translations{base}
	r.Put("a.md", "One.\n")
	agent, err := r.mcp(base.annToken, "/mcp/"+base.ws, "2025-06-18", nil)
	require.NoError(t, err)
	defer agent.Close()
	call := func(more map[string]any) (st engine.TranslateStatusResult) {
		t.Helper()
		args := map[string]any{"to": "es", "wait_seconds": 1}
		maps.Copy(args, more)
		res, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "translate", Arguments: args})
		require.NoError(t, err)
		b, err := json.Marshal(res.StructuredContent)
		require.NoError(t, err)
		require.False(t, res.IsError, "%v", res.Content[0])
		require.NoError(t, json.Unmarshal(b, &st))
		return st
	}
	first := call(nil)
	require.True(t, first.Queued)
	require.Contains(t, first.Note, "Waits for its turn")
	require.Equal(t, first.JobID, call(nil).JobID)
	require.Equal(t, 409, r.start(map[string]any{"to": []string{"fr"}, "engine": "pseudo"}).Status)
	call(map[string]any{"stop": true})
	require.Eventually(t, func() bool {
		return r.result(r.request("GET", r.path("/"+first.JobID), ""))["status"] == "canceled"
	}, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, first.JobID, call(nil).JobID)
	g.let <- true
	require.Eventually(t, func() bool { return !call(nil).Queued }, 10*time.Second, 10*time.Millisecond)
	call(map[string]any{"stop": true})
}

// A translation that another agent begins counts for the limit of the user's tokens, in a
// session and without one.
func TestMCPCountsForTheLimitOfAUser(t *testing.T) {
	r := newModelRig(t, answering, withMCP)
	r.drainsMCP(t)
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
