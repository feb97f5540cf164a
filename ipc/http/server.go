package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"atelier/engine"
	"atelier/internal/metrics"
	"atelier/internal/replica/owner"
	"atelier/internal/trace"
	"atelier/ipc/accounts"
	"atelier/llm"
	"atelier/workshop"
)

// Engine is the part of *engine.Engine that the transport uses.
type Engine interface {
	Has(method string) bool
	Call(ctx context.Context, method string, params json.RawMessage) (any, error)
	Subscribe(f func(engine.Notification)) (cancel func())
}

// Tools are the tools served at POST …/tools, with the trash and the
// questions that belong to them. *engine.Live implements it.
type Tools interface {
	// Tools lists them in OpenAI's function format; New calls it once.
	Tools() []llm.Tool
	// Call calls a tool; its result is encoded as JSON.
	Call(ctx context.Context, c engine.LiveCall) (result any, fault *workshop.Fault)
	// Trash lists the workspace's deleted files.
	Trash(ctx context.Context, workspace string) (engine.TrashResult, error)
	// Restore restores a deleted file: Conflict if its path is used.
	Restore(ctx context.Context, workspace, user, fileID string) (engine.RestoredFile, error)
	// Open opens the published version of a file, or the draft's.
	Open(ctx context.Context, workspace, path string, draft bool) (*engine.OpenedFile, error)
	// PutFile creates or replaces a file, completely or not at all.
	PutFile(ctx context.Context, workspace, user, path string, opt workshop.PutOptions, r io.Reader) (workshop.Entry, error)
	// OpenVersion opens the content of a version of a file.
	OpenVersion(ctx context.Context, p engine.FileVersionParams) (*engine.OpenedFile, error)
	// RestoreVersion puts a version of a file into the draft.
	RestoreVersion(ctx context.Context, user string, p engine.FileVersionParams) (engine.RestoreFileVersionResult, error)
	// Answer answers an open question; answers are by name (M-11).
	Answer(ctx context.Context, workspace, user, questionID string, answers map[string]json.RawMessage) error
}

// Options configure a Server. Engine, Tools, Accounts and Tokens are
// required; the zero value of the others works.
type Options struct {
	Engine   Engine
	Tools    Tools
	Accounts *accounts.Store
	// MCP serves a workspace to other agents at /mcp, whose translations have turns; nil: not
	// served.
	MCP    func(workspace string, t GuestTranslations) (MCP, error)
	Tokens *Tokens
	Log    *slog.Logger // access log and errors; nil logs nothing
	Now    func() time.Time
	// AllowOrigins are the web origins whose pages may call (CORS), such as
	// https://app.example.org; none by default, "*" for all without cookies.
	AllowOrigins []string
	Rate         float64       // requests a second for each user; 0 is 100, below 0 no limit
	MaxCalls     int           // calls executed at once; 0 is 64
	MaxRuns      int           // runs of the agent at once; 0 is 16
	Ceiling      engine.Budget // of each run: callers can only ask for less
	MaxQueue     int           // runs that wait for their turn, a quarter of them of one user; 0 is 64, below 0 none
	QueueWait    time.Duration // for a turn, before a run ends without one; 0 is 10 minutes
	MaxStreams   int           // event streams at once; 0 is 1000
	Wait         time.Duration // for a free place before a call is refused; 0 is 10 s
	Drain        time.Duration // for running calls when the server stops; 0 is 30 s
	Ping         time.Duration // between heartbeats of an event stream; 0 is 10 s (V-06)
	// Places are where the workspaces of a cluster are at work. The server begins and closes
	// them. nil: all workspaces are here.
	Places *owner.Places
	// Page serves the page of package ui to users, who sign in with their tokens.
	Page bool
	// PageOrigins are the origins at which they open it, such as
	// https://atelier.example.org. The server's own address is always one.
	PageOrigins []string
	// Sessions keep those of the page for all servers of a cluster; required with Page and
	// Places.
	Sessions *SharedSessions
	Figures  *Figures      // count what the server does; nil: nothing
	Metrics  *metrics.Set  // where Figures are; nil without them
	Tracer   *trace.Tracer // makes spans of what is done; nil: none
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	setDefault(&o.Rate, 100)
	setDefault(&o.MaxCalls, 64)
	setDefault(&o.MaxRuns, 16)
	setDefault(&o.MaxQueue, 64)
	setDefault(&o.QueueWait, 10*time.Minute)
	setDefault(&o.MaxStreams, 1000)
	setDefault(&o.Wait, 10*time.Second)
	setDefault(&o.Drain, 30*time.Second)
	setDefault(&o.Ping, 10*time.Second)
	return o
}

func setDefault[T float64 | int | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Server is the HTTP transport. New creates it.
type Server struct {
	opt     Options
	log     *slog.Logger
	origins *http.CrossOriginProtection // for requests authenticated by a cookie
	rates   *rates
	calls   places
	streams places
	uploads *shares
	mcps    *mcps
	runs    *runs
	tools   map[string]bool // by name: whether it needs arguments
	openAPI []byte
	page    *page    // nil without Options.Page
	placing *placing // nil without Options.Places
	handler http.Handler
	hurry   context.Context // ends when draining must end
	Hurry   func()          // ends the time that Serve gives to running calls when it stops
}

// New creates a server; it returns an error if an allowed origin is
// malformed.
func New(opt Options) (*Server, error) {
	opt = opt.withDefaults()
	s := &Server{opt: opt, log: opt.Log, origins: http.NewCrossOriginProtection(),
		rates: newRates(opt.Rate, opt.Now), calls: newPlaces(opt.MaxCalls, opt.Wait), streams: newPlaces(opt.MaxStreams, 0), uploads: newShares(opt.MaxCalls)}
	for _, o := range opt.AllowOrigins {
		if o == "*" {
			continue
		}
		if err := s.origins.AddTrustedOrigin(o); err != nil {
			return nil, err
		}
	}
	list := opt.Tools.Tools()
	s.tools = needingArguments(list)
	var err error
	if s.openAPI, err = openAPI(list); err != nil {
		return nil, err
	}
	s.runs = newRuns(opt)
	if opt.Page {
		if s.page, err = newPage(s); err != nil {
			return nil, err
		}
	}
	s.mcps = &mcps{make: func(id string) (MCP, error) { return opt.MCP(id, GuestTranslations{s}) }, now: opt.Now, by: map[string]*usedMCP{}}
	if opt.Places != nil {
		s.placing = newPlacing(s)
		s.runs.offer()
		opt.Places.Begin(s.runs.adopt, s.left)
	}
	s.hurry, s.Hurry = context.WithCancel(context.Background())
	s.handler = s.middleware(s.routes())
	if opt.Figures != nil {
		opt.Figures.follow(s, opt.Metrics)
	}
	return s, nil
}

// Handler returns all routes with the middleware.
func (s *Server) Handler() http.Handler { return s.handler }

// httpServer has timeouts against slow callers. Handlers remove the read and
// write deadlines where the work itself takes long.
func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute,
		WriteTimeout:      5 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// Serve answers on the listener until ctx ends. It then accepts no new
// connections, waits for calls and runs for Options.Drain, stops the
// remaining runs, keeping their changes, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := s.httpServer()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		s.runs.stopAll()
		s.mcps.drain(ctx)
		leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Drain)
		defer cancel()
		s.leaveAll(leave)
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping; calls and runs in progress are let end", "for", s.opt.Drain)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Drain)
	defer cancel()
	defer context.AfterFunc(s.hurry, cancel)()
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Shutdown(drain) }()
	var guests sync.WaitGroup
	guests.Go(func() { s.mcps.drain(drain) })
	guests.Go(func() { s.leaveAll(drain) })
	s.runs.drain(drain)
	if s.page != nil {
		if err := s.page.socket.Shutdown(drain); err != nil {
			s.log.Warn("calls of the page had not ended")
		}
	}
	guests.Wait()
	err := <-stopped
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.log.Warn("connections were cut off: their calls had not ended")
		err = srv.Close()
	}
	return err
}
