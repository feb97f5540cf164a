package acp

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// server is the agent that the client talks to.
type server struct {
	eng  *engine.Engine
	opt  Options
	work context.Context // ends with the connection
	conn *sdk.AgentSideConnection
	wire *wire
	up   chan struct{} // closed when conn is set

	working sync.WaitGroup // prompts and runs in progress

	last atomic.Int64 // number that was given last

	mu       sync.Mutex // protects the fields below
	client   sdk.ClientCapabilities
	sessions map[string]*session
}

// maxSessions is how many folders one connection may have open.
const maxSessions = 256

func newAgent(work context.Context, eng *engine.Engine, opt Options) *server {
	return &server{eng: eng, opt: opt, work: work, up: make(chan struct{}), sessions: map[string]*session{}}
}

func (a *server) connected(conn *sdk.AgentSideConnection) {
	a.conn = conn
	close(a.up)
}

// number returns a number that no other id has.
func (a *server) number() string { return strconv.FormatInt(a.last.Add(1), 10) }

// Initialize says what the agent can do, and notes what the client can.
func (a *server) Initialize(_ context.Context, p sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	<-a.up
	a.mu.Lock()
	a.client = p.ClientCapabilities
	a.mu.Unlock()
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "atelier", Title: sdk.Ptr("Atelier"), Version: engine.Version},
		AuthMethods:     []sdk.AuthMethod{},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: sdk.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{
				List: &sdk.SessionListCapabilities{}, Resume: &sdk.SessionResumeCapabilities{}, Close: &sdk.SessionCloseCapabilities{},
			},
		},
	}, nil
}

// Authenticate refuses: keys of models are set with Atelier itself.
func (a *server) Authenticate(context.Context, sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, refused(codeInvalidParams, "there is nothing to authenticate: set the model's key with 'atelier key set'")
}

// effect returns what a tool can do: read, write or interact.
func (a *server) effect(tool string) tools.Effect {
	for _, name := range []string{a.opt.Catalogue, "workshop", "buildscale"} {
		if name == "" {
			continue
		}
		if c, err := catalogue.Named(name); err == nil {
			if e, ok := c.Effect(tool); ok {
				return e
			}
		}
	}
	return ""
}

// canRead reports whether the client reads files for us, and canWrite whether it
// writes them.
func (a *server) canRead() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client.Fs.ReadTextFile
}

func (a *server) canWrite() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client.Fs.ReadTextFile && a.client.Fs.WriteTextFile
}

// open returns the session of a folder, which it opens.
func (a *server) open(ctx context.Context, cwd string) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, refused(codeInvalidParams, "cwd must be an absolute path of a folder")
	}
	wb, err := a.eng.OpenFolder(ctx, cwd)
	if err != nil {
		return nil, wireError(err)
	}
	return a.adopt(wb.ID(), wb.Root())
}

func (a *server) adopt(id, root string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	if len(a.sessions) >= maxSessions {
		return nil, refused(codeServer, "too many sessions are open; close one with session/close")
	}
	s := newSession(a, id, root)
	a.sessions[id] = s
	return s, nil
}

// session returns an open session.
func (a *server) session(id sdk.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[string(id)]; s != nil {
		return s, nil
	}
	return nil, refused(codeInvalidParams, "no session has this id; open one with session/new or session/load")
}

// notify hands a notification of the engine to its session. It does not block.
func (a *server) notify(n engine.Notification) {
	id := agent.WorkbenchOf(n)
	a.mu.Lock()
	s := a.sessions[id]
	a.mu.Unlock()
	if s != nil {
		s.events.add(n)
	}
}

// refused is an error of the protocol.
func refused(code int, message string) error { return &sdk.RequestError{Code: code, Message: message} }

// wireError words an error of the engine for the client.
func wireError(err error) error {
	var known *sdk.RequestError
	if err == nil || errors.As(err, &known) {
		return err
	}
	var info *engine.ErrorInfo
	if !errors.As(err, &info) {
		return &sdk.RequestError{Code: codeInternal, Message: err.Error()}
	}
	code := codeServer
	switch info.ErrorCode {
	case engine.CodeValidationFailed, engine.CodeInvalidParams, engine.CodeNotFound:
		code = codeInvalidParams
	}
	return &sdk.RequestError{Code: code, Message: explain(err), Data: info}
}

// explain is an error with what to do about it.
func explain(err error) string {
	var info *engine.ErrorInfo
	if errors.As(err, &info) && info.Hint != "" {
		return info.Error() + " (" + info.Hint + ")"
	}
	return err.Error()
}
