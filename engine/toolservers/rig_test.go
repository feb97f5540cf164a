//lint:file-ignore SA1019 roots and sampling belong to revisions before 2026-07-28, which are spoken too

package toolservers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/engine/egress"
)

// serverMode is the variable that makes the test binary a server.
const serverMode = "TOOLSERVERS_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(serverMode); mode != "" {
		serve(mode)
		os.Exit(0)
	}
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") != "" && os.Getenv(conformanceMode) != "" {
		os.Exit(conformanceClient())
	}
	os.Exit(m.Run())
}

// memoryKeys is a KeyStore.
type memoryKeys struct {
	mu   sync.Mutex
	keys map[string]string
}

func (m *memoryKeys) Get(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keys[name], nil
}

func (m *memoryKeys) Set(name, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	m.keys[name] = secret
	return nil
}

func (m *memoryKeys) Delete(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, name)
	return nil
}

// rig is a pool with a data folder and a folder.
type rig struct {
	t      *testing.T
	p      *Pool
	home   string
	folder string
	scope  Scope
	keys   *memoryKeys
	logs   *egress.Logs
	env    map[string]string // replaces the environment beside PATH and HOME

	mu      sync.Mutex
	changed []string
	last    []func() // at the end, after the pool is closed
}

func newRig(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t, goleak.IgnoreCurrent()) })
	r := &rig{t: t, home: t.TempDir(), folder: t.TempDir(), keys: &memoryKeys{}, env: map[string]string{}}
	r.scope = Scope{Workbench: "wb", Folder: r.folder}
	r.logs = egress.NewLogs(func(string) string { return r.home })
	base := http.DefaultTransport.(*http.Transport).Clone()
	o := Options{Home: r.home, Keys: r.keys, Version: "test", StartTime: 10 * time.Second,
		Transport: egress.New(egress.Options{Base: base, Logs: r.logs.Get}),
		Getenv: func(name string) (string, bool) {
			if v, ok := r.env[name]; ok {
				return v, true
			}
			if name == "PATH" || name == "HOME" || name == "TMPDIR" {
				return os.LookupEnv(name)
			}
			return "", false
		},
		Changed: func(s string) { r.mu.Lock(); r.changed = append(r.changed, s); r.mu.Unlock() },
	}
	for _, c := range change {
		c(&o)
	}
	r.p = New(o)
	t.Cleanup(func() {
		require.NoError(t, r.p.Close())
		base.CloseIdleConnections()
		for _, f := range r.last {
			f()
		}
		require.NoError(t, r.logs.CloseAll())
	})
	return r
}

// write writes the configuration of the data folder, or of the folder.
func (r *rig) write(folder bool, text string) {
	r.t.Helper()
	path := filepath.Join(r.home, ConfigName)
	if folder {
		path = folderConfig(r.folder)
		require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	}
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
}

// program returns the entry of the test binary as a server.
func program(mode string, change ...func(*Entry)) Entry {
	e := Entry{Command: os.Args[0], Env: map[string]string{serverMode: mode}}
	for _, c := range change {
		c(&e)
	}
	return e
}

func (r *rig) set(name string, e Entry) {
	r.t.Helper()
	require.NoError(r.t, r.p.Set(r.t.Context(), name, e))
}

func (r *rig) call(server, tool string, args string, change ...func(*Call)) (*Result, error) {
	c := Call{Server: server, Tool: tool, Arguments: json.RawMessage(args)}
	for _, f := range change {
		f(&c)
	}
	return r.p.Call(r.t.Context(), r.scope, c)
}

func (r *rig) must(server, tool, args string) *Result {
	r.t.Helper()
	res, err := r.call(server, tool, args)
	require.NoError(r.t, err)
	return res
}

func (r *rig) fails(kind ErrorKind, server, tool, args string, change ...func(*Call)) *Error {
	r.t.Helper()
	_, err := r.call(server, tool, args, change...)
	var e *Error
	require.ErrorAs(r.t, err, &e)
	require.Equal(r.t, kind, e.Kind, e.Error())
	return e
}

func (r *rig) tools() Toolset {
	r.t.Helper()
	set, err := r.p.Tools(r.t.Context(), r.scope)
	require.NoError(r.t, err)
	return set
}

// server returns how a server is.
func (r *rig) server(name string) Server {
	r.t.Helper()
	l, err := r.p.List(r.t.Context(), r.scope)
	require.NoError(r.t, err)
	for _, s := range l.Servers {
		if s.Name == name {
			return s
		}
	}
	r.t.Fatalf("no server %s", name)
	return Server{}
}

// serve is the test binary as a server.
func serve(mode string) {
	if f, ok := rawModes[mode]; ok {
		f(&wire{in: bufio.NewReaderSize(os.Stdin, 1<<20), out: os.Stdout})
		return
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "probe", Title: "Probe", Version: "7"}, nil)
	addTools(s)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

type textIn struct {
	Text string `json:"text"`
}

// addTools adds the tools of an ordinary server.
func addTools(s *mcp.Server) {
	no := false
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Title: "Echo", Description: "Repeats text.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, map[string]any{"text": in.Text}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "env", Description: "Its environment."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		dir, err := os.Getwd()
		return nil, map[string]any{"env": os.Environ(), "dir": dir, "pid": os.Getpid()}, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("there is no such order")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "step\u202e"})
			time.Sleep(150 * time.Millisecond)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		_ = os.WriteFile(filepath.Join(os.Getenv("HOME_OF_TEST"), "begun"), nil, 0o600)
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second): // a cancellation that came before the call is lost
			return nil, nil, fmt.Errorf("nobody canceled")
		}
		_ = os.WriteFile(filepath.Join(os.Getenv("HOME_OF_TEST"), "canceled"), nil, 0o600)
		return nil, nil, ctx.Err()
	})
	mcp.AddTool(s, &mcp.Tool{Name: "rename"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		s.RemoveTools("echo")
		mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "Now it says something else."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return &mcp.CallToolResult{}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "roots"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		res, err := ask(ctx, req, "roots", &mcp.ListRootsParams{})
		return res, nil, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "sample"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		res, err := ask(ctx, req, "sample", &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}})
		return res, nil, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		res, err := ask(ctx, req, "ask", &mcp.ElicitParams{Message: "Which \u200bone?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"which": map[string]any{"type": "string"}}}})
		return res, nil, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "media"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		png := []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 100))
		size := int64(12)
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "before\u202e"}, &mcp.ImageContent{MIMEType: "image/png", Data: png}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte("<html>")},
			&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF")}, &mcp.ResourceLink{URI: "file:///a.txt", Name: "a", Size: &size},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "mem://b", MIMEType: "text/plain", Text: "inside"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "mem://c", MIMEType: "application/zip", Blob: []byte("PK")}},
		}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "big"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct{ Bytes int }) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("é", in.Bytes/2)}}}, nil, nil
	})
}

// ask asks the client in the way of its revision.
func ask(_ context.Context, req *mcp.CallToolRequest, id string, what mcp.InputRequest) (*mcp.CallToolResult, error) {
	answer := req.Params.InputResponses[id]
	if answer == nil {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{id: what}}, nil
	}
	b, err := json.Marshal(answer)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, err
}
