package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"atelier/engine"
	"atelier/ipc/local"
	"atelier/workshop"
	pages "atelier/workshop/web"
)

// environment is where settings look up variables.
type environment struct {
	of    map[string]string // of another process; nil: this one's
	asked map[string]string // what was looked up in this one
}

func (e *environment) get(name string) string {
	if e.of != nil {
		return e.of[name]
	}
	value := os.Getenv(name)
	if value != "" {
		if e.asked == nil {
			e.asked = map[string]string{}
		}
		e.asked[name] = value
	}
	return value
}

// callerSettings are the settings of a command, for the process that has its folder
// open. Both read the same config.json.
type callerSettings struct {
	Model       string            `json:"model"`
	BaseURL     string            `json:"base_url"`
	API         string            `json:"api"`
	AllowEgress bool              `json:"allow_egress"`
	MaxTurns    int               `json:"max_turns"`
	MaxCalls    int               `json:"max_calls"`
	ToolTimeout time.Duration     `json:"tool_timeout"` // in nanoseconds
	Environment map[string]string `json:"environment"`  // what settings look up
	Passwords   []string          `json:"passwords"`
	Web         bool              `json:"web"`
	Record      string            `json:"record"` // absolute; "": the run is not recorded
	Dir         string            `json:"dir"`    // the current folder
}

// recordedMethod tells a command the end of a recording.
const recordedMethod = "command/recorded"

// recordedRun are its params.
type recordedRun struct {
	Differs []string `json:"differs,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// dial connects a command to the process that has its folder open.
func (s *settings) dial(ctx context.Context, opt *engine.Options, who workshop.Holder, workbench string, notify func(string, json.RawMessage)) (engine.HolderConn, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	c := callerSettings{Model: s.model, BaseURL: s.baseURL, API: s.api, AllowEgress: s.allowEgress, MaxTurns: s.maxTurns, MaxCalls: s.maxCalls, ToolTimeout: s.toolTimeout,
		Environment: s.env.asked, Passwords: opt.Passwords, Web: opt.Fetch != nil, Dir: dir}
	if s.recording != nil {
		if c.Record, err = filepath.Abs(s.recording.name("", "")); err != nil {
			return nil, err
		}
	}
	sent, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return local.Dial(ctx, who.Address, local.Hello{Version: programVersion(), Workbench: workbench, Settings: sent}, func(method string, params json.RawMessage) {
		if method == recordedMethod {
			s.recording.heard(params)
			return
		}
		notify(method, params)
	})
}

// heard takes the end of a recording that another process made.
func (r *recorder) heard(params json.RawMessage) {
	var p recordedRun
	if r == nil || json.Unmarshal(params, &p) != nil {
		return
	}
	path := r.name("", "")
	if p.Error == "" {
		if r.told != nil {
			r.told(path, p.Differs)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = errors.Join(r.errs, fmt.Errorf("the recording %s cannot be written: %s", path, p.Error))
}

// commandServer does the commands of other processes on the folders that this one
// has open.
type commandServer struct {
	home     string
	listener *local.Listener
	log      *slog.Logger
}

// listen begins to take commands; the engine of o tells them where. Without a socket
// they are told that the folder is in use, as before.
func (c *commandServer) listen(o *engine.Options) {
	o.Dial = nil // this process is the one to ask
	c.home, c.log = o.Home, o.Log
	programVersion() // the file of the program may be replaced later
	l, err := local.Listen(o.Home)
	switch {
	case errors.Is(err, local.ErrUnsupported):
		return
	case err != nil:
		c.log.Warn("commands on the folders that this process has open cannot be taken", "err", err)
		return
	}
	c.listener, o.Address = l, l.Address()
}

// serve takes commands until stop is called, or ctx is done, and then lets their calls
// end as those of other clients.
func (c *commandServer) serve(ctx context.Context, e *engine.Engine, drain time.Duration, hurry <-chan struct{}) (stop func()) {
	if c.listener == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	srv := local.New(c.listener, local.Options{Log: c.log, Version: programVersion(), Drain: drain, Hurry: hurry,
		Admit: func(ctx context.Context, hello local.Hello, tell func(string, any)) (local.Session, error) {
			return c.admit(ctx, e, hello, tell)
		}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Serve(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// admit makes the session of a command.
func (c *commandServer) admit(ctx context.Context, e *engine.Engine, hello local.Hello, tell func(string, any)) (session local.Session, err error) {
	var caller callerSettings
	if err := json.Unmarshal(hello.Settings, &caller); err != nil {
		return session, fmt.Errorf("its settings: %w", err)
	}
	opt, err := c.options(caller, tell)
	if err != nil {
		return session, err
	}
	its, err := e.As(opt)
	if err != nil {
		return session, err
	}
	if err := e.Open(ctx, hello.Workbench); err != nil {
		return session, err
	}
	commands := its.Commands(engine.CommandHost{Tell: tell, Param: flagOf, WriteFile: writeNamed})
	return local.Session{Methods: commands, Subscribe: commands.Subscribe}, nil
}

// options are the settings of a command's engine.
func (c *commandServer) options(caller callerSettings, tell func(string, any)) (engine.Options, error) {
	s := &settings{home: c.home, model: caller.Model, baseURL: caller.BaseURL, api: caller.API, allowEgress: caller.AllowEgress, maxTurns: caller.MaxTurns,
		maxCalls: caller.MaxCalls, toolTimeout: caller.ToolTimeout, env: environment{of: caller.Environment}}
	if s.env.of == nil {
		s.env.of = map[string]string{}
	}
	if err := s.resolve(); err != nil {
		return engine.Options{}, err
	}
	opt, err := s.options()
	if err != nil {
		return opt, err
	}
	opt.Log, opt.Passwords = c.log, caller.Passwords
	if caller.Web {
		opt.Fetch, opt.FetchFreely = pages.NewHTTP(fetchOptions), true
	}
	if caller.Record != "" {
		rec := recordTo(caller.Record)
		rec.home, rec.dir = c.home, caller.Dir
		rec.report = func(_ string, differs []string, err error) {
			r := recordedRun{Differs: differs}
			if err != nil {
				r.Error = err.Error()
			}
			tell(recordedMethod, r)
		}
		opt.Record = rec.begin
	}
	return opt, nil
}

// programVersion names this build of the program: a command and the process that does
// it must be the same. Builds of changed sources all have the same version, so the
// file of the program counts too.
var programVersion = sync.OnceValue(func() string {
	parts := []string{engine.Version}
	clean := false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				parts = append(parts, s.Value[:min(len(s.Value), 12)])
				clean = true
			case "vcs.modified":
				clean = clean && s.Value == "false"
			}
		}
	}
	if file, err := os.Executable(); err == nil && !clean {
		if st, err := os.Stat(file); err == nil {
			parts = append(parts, fmt.Sprintf("%x.%x", st.Size(), st.ModTime().UnixNano()))
		}
	}
	return strings.Join(parts, "-")
})
