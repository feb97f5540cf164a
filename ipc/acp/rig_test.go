package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
)

// editorClient is an editor with the SDK's client side.
type editorClient struct {
	conn *sdk.ClientSideConnection

	mu      sync.Mutex // protects the fields below
	updates []sdk.SessionUpdate
	asked   []sdk.RequestPermissionRequest
	buffers map[string]string // unsaved texts, by absolute path
	written map[string]string
	// choose answers a permission request; "" cancels it. nil takes the first option.
	choose func(sdk.RequestPermissionRequest) string
	came   chan struct{} // gets a token with each update
}

func (c *editorClient) ReadTextFile(_ context.Context, p sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text, ok := c.buffers[p.Path]; ok {
		return sdk.ReadTextFileResponse{Content: text}, nil
	}
	b, err := os.ReadFile(p.Path)
	return sdk.ReadTextFileResponse{Content: string(b)}, err
}

func (c *editorClient) WriteTextFile(_ context.Context, p sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written[p.Path] = p.Content
	delete(c.buffers, p.Path)
	return sdk.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

func (c *editorClient) RequestPermission(ctx context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	c.mu.Lock()
	c.asked = append(c.asked, p)
	choose := c.choose
	c.mu.Unlock()
	chosen := string(p.Options[0].OptionId)
	if choose != nil {
		chosen = choose(p)
	}
	out := sdk.RequestPermissionOutcome{Selected: &sdk.RequestPermissionOutcomeSelected{OptionId: sdk.PermissionOptionId(chosen), Outcome: "selected"}}
	if chosen == "" {
		out = sdk.RequestPermissionOutcome{Cancelled: &sdk.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
	}
	return sdk.RequestPermissionResponse{Outcome: out}, ctx.Err()
}

func (c *editorClient) SessionUpdate(_ context.Context, p sdk.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates = append(c.updates, p.Update)
	select {
	case c.came <- struct{}{}:
	default:
	}
	return nil
}

var errNoTerminal = errors.New("no terminals")

func (c *editorClient) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	return sdk.CreateTerminalResponse{}, errNoTerminal
}

func (c *editorClient) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	return sdk.KillTerminalResponse{}, errNoTerminal
}

func (c *editorClient) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{}, errNoTerminal
}

func (c *editorClient) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	return sdk.ReleaseTerminalResponse{}, errNoTerminal
}

func (c *editorClient) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	return sdk.WaitForTerminalExitResponse{}, errNoTerminal
}

// rig is an editor that is connected to an agent with a scripted model.
type rig struct {
	*editorClient
	t    *testing.T
	e    *engine.Engine
	dir  string
	home string
	srv  *replay.Server
	id   sdk.SessionId
	end  func() error
}

// newRig starts an agent whose model gives the answers of a fixture, and opens a
// session on a folder with files.
func newRig(t *testing.T, fixture string, files map[string]string, change ...func(*engine.Options)) *rig {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	r := &rig{t: t, dir: t.TempDir(), home: t.TempDir(), srv: srv}
	for p, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, p)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, p), []byte(text), 0o600))
	}
	opt := engine.Options{Home: r.home, BaseURL: srv.URL, APIKey: "key", Model: "replay"}
	for _, c := range change {
		c(&opt)
	}
	r.e, err = engine.New(opt)
	require.NoError(t, err)
	r.connect(sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}})
	t.Cleanup(func() { require.NoError(t, r.end()); require.NoError(t, r.e.Close()) })
	s, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	r.id = s.SessionId
	require.EqualValues(t, modeWork, s.Modes.CurrentModeId)
	return r
}

// connect begins a connection to the engine.
func (r *rig) connect(can sdk.ClientCapabilities) {
	r.t.Helper()
	toAgent, fromClient := io.Pipe()
	toClient, fromAgent := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), r.e, toAgent, fromAgent, Options{})
		fromAgent.Close()
	}()
	r.editorClient = &editorClient{buffers: map[string]string{}, written: map[string]string{}, came: make(chan struct{}, 1)}
	r.conn = sdk.NewClientSideConnection(r.editorClient, fromClient, toClient)
	r.end = sync.OnceValue(func() error { fromClient.Close(); return <-done })
	init, err := r.conn.Initialize(r.t.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber, ClientCapabilities: can})
	require.NoError(r.t, err)
	require.True(r.t, init.AgentCapabilities.LoadSession)
}

// prompt sends a text and returns why the turn ended.
func (r *rig) prompt(text string) sdk.StopReason {
	r.t.Helper()
	p, err := r.conn.Prompt(r.t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	require.NoError(r.t, err)
	return p.StopReason
}

// wait waits until an update is there.
func (r *rig) wait(is func(sdk.SessionUpdate) bool) sdk.SessionUpdate {
	r.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		r.mu.Lock()
		for _, u := range r.updates {
			if is(u) {
				r.mu.Unlock()
				return u
			}
		}
		r.mu.Unlock()
		select {
		case <-r.came:
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			r.t.Fatalf("the update did not come; there are:\n%s", r.log())
		}
	}
}

// said is the text of the agent so far.
func (r *rig) said() string {
	return r.text(func(u sdk.SessionUpdate) *sdk.ContentBlock {
		if u.AgentMessageChunk == nil {
			return nil
		}
		return &u.AgentMessageChunk.Content
	})
}

// text joins the texts of updates.
func (r *rig) text(of func(sdk.SessionUpdate) *sdk.ContentBlock) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sb strings.Builder
	for _, u := range r.updates {
		if c := of(u); c != nil {
			sb.WriteString(c.Text.Text)
		}
	}
	return sb.String()
}

// log is all updates as JSON.
func (r *rig) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sb strings.Builder
	for _, u := range r.updates {
		b, err := json.Marshal(u)
		if err != nil {
			b = []byte(err.Error())
		}
		sb.Write(append(b, '\n'))
	}
	return sb.String()
}

func (r *rig) file(p string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, p))
	require.NoError(r.t, err)
	return string(b)
}

func (r *rig) path(p string) string {
	root, err := filepath.EvalSymlinks(r.dir)
	require.NoError(r.t, err)
	return filepath.Join(root, p)
}

const (
	waitFor = 10 * time.Second
	tick    = 10 * time.Millisecond
)
