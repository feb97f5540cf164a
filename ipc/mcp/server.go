//lint:file-ignore SA1019 roots and logging belong to revisions before 2026-07-28, which are served too

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/workshop/tools"
)

// Options configure a Server. Engine and Catalogue are required, and one of Folder and
// Workbench, unless the client names the folder as its root.
type Options struct {
	Engine    *engine.Engine
	Catalogue *tools.Catalogue
	Folder    string // the folder to work on; "" is the client's first root, else WorkDir
	WorkDir   string // the folder where the client names none; "" is an error then
	Workbench string // an id instead of a folder
	// ReadOnly offers only what changes nothing.
	ReadOnly bool
	// AllowPublish publishes where the client cannot ask the person.
	AllowPublish bool
	// FullTools sends whole descriptions of tools, which most models need no more than
	// once; otherwise describe_tool gives them.
	FullTools bool
	// NoImages is for clients whose model takes no images, or gets them as text: render
	// describes pages in words.
	NoImages bool
	// HowToPublish says how the person publishes without the client, such as
	// "atelier publish --in ./folder".
	HowToPublish func(folder string) string
	// AskConsent asks the person, where the client can, before documents are sent to a
	// model on another machine.
	AskConsent bool
	// Translations starts translations where the program has turns for what users have a
	// model do; nil: the engine starts them.
	Translations Translations
	// HowToConsent says how the person gives that consent without the client.
	HowToConsent string
	Log          *slog.Logger // nil logs nothing
	Calls        int          // calls at once; 0 is 16. As many as 16 times that may wait
	Every        time.Duration
}

// Translations starts translations for users.
type Translations interface {
	// Start starts a translation, or finds the one with the same params that is at work or
	// waits for its turn.
	Start(ctx context.Context, user string, p engine.TranslateStartParams) (engine.TranslateStarted, error)
	// Stops is called before a job is stopped.
	Stops(workbench, job string)
}

// Server serves one workbench to any number of clients. New makes it, Close ends it.
type Server struct {
	opt    Options
	sdk    *mcp.Server
	places chan struct{} // a token for each call at work
	queue  chan struct{} // a token for each call at work or waiting
	calls  calls
	stop   func() // ends the notifications of the engine
	watch  *watcher

	mu     sync.Mutex // protects the fields below
	folder string     // the root that the client named, "" before it did
	id     string     // of the workbench of folder
}

// New makes a server.
func New(opt Options) (*Server, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Calls == 0 {
		opt.Calls = 16
	}
	if opt.Every == 0 {
		opt.Every = time.Second
	}
	if opt.HowToPublish == nil {
		opt.HowToPublish = func(string) string { return "atelier publish" }
	}
	s := &Server{opt: opt, id: opt.Workbench, places: make(chan struct{}, opt.Calls), queue: make(chan struct{}, 17*opt.Calls)}
	s.calls.sessions = map[mcp.Session]*sessionCalls{}
	s.watch = newWatcher(s)
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "atelier", Title: "Atelier", Version: engine.Version}, &mcp.ServerOptions{
		Instructions:            s.instructions(),
		Logger:                  quiet(opt.Log),
		PageSize:                pageSize,
		CompletionHandler:       s.complete,
		SubscribeHandler:        s.watch.subscribe,
		UnsubscribeHandler:      s.watch.unsubscribe,
		RootsListChangedHandler: s.rootsChanged,
		SetCacheable:            func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = private },
		Capabilities:            &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
	})
	s.sdk.AddReceivingMiddleware(s.bounded, s.shown)
	for _, add := range []func() error{s.addTools, s.addOwnTools, s.addApp, s.addResources, s.addPrompts} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	s.stop = opt.Engine.Subscribe(s.watch.notify)
	return s, nil
}

// Run serves one client until it ends the connection or ctx ends, which ends its calls. A
// client that does not read what is sent to it then is left after 10 seconds.
func (s *Server) Run(ctx context.Context, t mcp.Transport) (err error) {
	ended := make(chan error, 1)
	go func() { ended <- s.sdk.Run(context.WithValue(ctx, runKey{}, ctx), t) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(lastCalls):
			s.opt.Log.Warn("the client does not read: its session is left open")
		}
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Close ends what the server does beside calls.
func (s *Server) Close() {
	s.stop()
	s.watch.close()
}

func (s *Server) instructions() string {
	text := "Atelier reads and changes documents (xlsx, docx, pptx, pdf, text, tables) in a folder of the user. "
	if s.opt.ReadOnly {
		return text + "This server only reads. Paths are relative to the folder."
	}
	return text + "All changes go into a draft; the files of the user stay as they are until the draft is published. " +
		"Work like this: look at the files, change them with the tools, look at the result (render shows pages), call review, and call publish when the user wants to keep the changes; the user is asked. " +
		"undo takes the last change back, discard drops the draft. Paths are relative to the folder. " +
		"Atelier keeps all that it does not change byte for byte, so never rebuild a document that you can edit."
}

// quiet lowers what the SDK tells of each connection and message to debug.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(quietHandler{log.Handler()}) }

type quietHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h quietHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelInfo {
		r.Level = slog.LevelDebug
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h quietHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return quietHandler{h.Handler.WithAttrs(a)}
}

// WithGroup implements slog.Handler.
func (h quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{h.Handler.WithGroup(name)}
}

// nameOf returns how a client calls itself, for the person who reads the history.
func nameOf(i *mcp.Implementation) string {
	if i == nil {
		return "a program"
	}
	name := i.Title
	if name == "" {
		name = i.Name
	}
	return clean(fmt.Sprintf("%s %s", name, i.Version))
}
