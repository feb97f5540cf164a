package mcpserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/engine"
	"atelier/workshop/tools/catalogue"
)

// The revisions that every scenario runs in: one that asks the client by requests, and
// the stateless one.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// rig is a folder with a server.
type rig struct {
	t      *testing.T
	e      *engine.Engine
	srv    *Server
	folder string
}

func newRig(t *testing.T, change ...func(*Options, *engine.Options)) *rig {
	t.Helper()
	// The SDK delays notices of changed lists by a timer of its own.
	t.Cleanup(func() { goleak.VerifyNone(t, goleak.IgnoreCurrent()) })
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../../testdata/documents")))
	eo := engine.Options{Home: t.TempDir(), Model: "pseudo"}
	o := Options{Catalogue: catalogue.Workshop(), Folder: folder, Every: 20 * time.Millisecond}
	for _, c := range change {
		c(&o, &eo)
	}
	e, err := engine.New(eo)
	require.NoError(t, err)
	o.Engine = e
	srv, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close(); require.NoError(t, e.Close()) })
	return &rig{t, e, srv, folder}
}

// connect connects a client of a revision.
func (r *rig) connect(version string, o *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	if o == nil {
		o = &mcp.ClientOptions{}
	}
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.srv.Run(ctx, there) }()
	c := mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "1"}, o)
	s, err := c.Connect(r.t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		s.Close()
		cancel()
		<-done
	})
	return s
}

// yes is a person who agrees to everything; asked gets the messages.
func yes(asked *[]string) *mcp.ClientOptions {
	return answering(asked, func(*mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"publish": true, "discard": true}}
	})
}

func answering(asked *[]string, say func(*mcp.ElicitParams) *mcp.ElicitResult) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if asked != nil {
			*asked = append(*asked, req.Params.Message)
		}
		return say(req.Params), nil
	}}
}

// call calls a tool; the result is its text, and whether it is an error.
func (r *rig) call(s *mcp.ClientSession, tool string, args any) (text string, failed bool) {
	r.t.Helper()
	res := r.result(s, tool, args)
	require.NotEmpty(r.t, res.Content)
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

func (r *rig) result(s *mcp.ClientSession, tool string, args any) *mcp.CallToolResult {
	r.t.Helper()
	res, err := s.CallTool(r.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(r.t, err)
	return res
}

// must is call where no error is expected; the result is decoded if it is an object.
func (r *rig) must(s *mcp.ClientSession, tool string, args any) map[string]any {
	r.t.Helper()
	text, failed := r.call(s, tool, args)
	require.False(r.t, failed, text)
	var out map[string]any
	if strings.HasPrefix(text, "{") {
		require.NoError(r.t, json.Unmarshal([]byte(text), &out))
	}
	return out
}

func (r *rig) file(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.folder, name))
	require.NoError(r.t, err)
	return string(b)
}

type args = map[string]any

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
