package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"atelier/engine/consent"
	"atelier/engine/egress"
	"atelier/engine/toolservers"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/servertools"
)

// serversWait is for servers to start, before a run continues without them.
var serversWait = 10 * time.Second

const (
	serversAgain = 300 * time.Millisecond // for servers to say what they have by now
	serverMost   = 10 * time.Minute       // of a call, whatever the entry says
)

// openServers makes the connections to other servers' tools; none starts yet.
func (e *Engine) openServers() {
	e.servers = toolservers.New(toolservers.Options{Home: e.home.Dir(), Transport: e.egress.client.Transport, Keys: e.opt.Keys, Version: Version,
		Log: e.log, Now: e.opt.Now, Changed: func(server string) {
			if e.opt.Ceiling {
				return // users of a server are not told what it is made of
			}
			e.hub.Emit(Notification{Method: "ToolServersChanged", Params: ToolServersChanged{Name: server}})
		}})
}

// serverScope returns whose servers work in a workbench has. Where callers must not
// start programs, the folder's own do not count.
func (e *Engine) serverScope(wb *openWorkbench) toolservers.Scope {
	s := toolservers.Scope{Restricted: e.opt.Ceiling}
	if wb != nil {
		s.Workbench, s.Folder = wb.ID(), wb.Root()
	}
	return s
}

// serversOf returns the servers of a run, nil when it has none: then nothing starts, and
// requests are as if there were none anywhere.
func (e *Engine) serversOf(wb *openWorkbench) agent.Servers {
	scope := e.serverScope(wb)
	if !e.servers.Configured(scope) {
		return nil
	}
	return &runServers{e: e, wb: wb, scope: scope}
}

// runServers implements agent.Servers for one run.
type runServers struct {
	e     *Engine
	wb    *openWorkbench
	scope toolservers.Scope
	// reading leaves out tools that may change something.
	reading bool

	mu      sync.Mutex                    // protects the fields below
	version string                        // of the tools that info is of
	info    map[string]toolservers.Server // by name
	last    []servertools.Tool            // as Tools gave them; nil before it did
}

// Tools implements agent.Servers.
func (s *runServers) Tools(ctx context.Context) (list []servertools.Tool, problems []servertools.Problem, err error) {
	s.mu.Lock()
	had, wait := s.last, serversWait
	s.mu.Unlock()
	if had != nil {
		wait = serversAgain
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	set, err := s.e.servers.Tools(limited, s.scope)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.readInfo(ctx, set.Version); err != nil {
		return nil, nil, err
	}
	for _, t := range set.Tools {
		if s.reading && !t.ReadOnly {
			continue
		}
		list = append(list, servertools.Tool{Name: t.Name, Server: t.Server, Own: t.Tool, Title: t.Title, Description: t.Description, Schema: t.Schema,
			ReadOnly: t.ReadOnly, Destructive: t.Destructive, Hash: t.Hash, Timeout: min(t.Timeout, serverMost)})
	}
	for _, f := range set.Failed {
		switch f.State {
		case toolservers.Off, toolservers.Declined, toolservers.Hidden:
			continue // the person wants it so
		case toolservers.Starting:
			if kept := toolsOf(had, f.Server); len(kept) > 0 { // it only takes its time to say what it has
				list = append(list, kept...)
				continue
			}
		}
		problems = append(problems, servertools.Problem{Server: f.Server, State: string(f.State), Reason: textclip.HeadBytes(f.Why, 1000)})
	}
	s.mu.Lock()
	s.last = append([]servertools.Tool{}, list...)
	s.mu.Unlock()
	s.wb.mu.Lock()
	s.wb.others = s.last
	s.wb.mu.Unlock()
	return list, problems, nil
}

// knownTools returns the tools of other programs that the last run had.
func (wb *openWorkbench) knownTools() []servertools.Tool {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	return wb.others
}

// metServers are the tools of a run before, for an estimate that starts no program.
type metServers struct {
	agent.Servers
	list []servertools.Tool
}

// Tools implements agent.Servers.
func (s metServers) Tools(context.Context) ([]servertools.Tool, []servertools.Problem, error) {
	return s.list, nil, nil
}

func toolsOf(list []servertools.Tool, server string) (out []servertools.Tool) {
	for _, t := range list {
		if t.Server == server {
			out = append(out, t)
		}
	}
	return out
}

// readInfo reads what the configuration says of the servers when their tools changed.
func (s *runServers) readInfo(ctx context.Context, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.info != nil && s.version == version {
		return nil
	}
	l, err := s.e.servers.List(ctx, s.scope)
	if err != nil {
		return err
	}
	s.info, s.version = map[string]toolservers.Server{}, version
	for _, sv := range l.Servers {
		if _, ok := s.info[sv.Name]; !ok || sv.State != toolservers.Hidden {
			s.info[sv.Name] = sv
		}
	}
	return nil
}

func (s *runServers) server(name string) toolservers.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	sv := s.info[name]
	sv.Name = cmp.Or(sv.Name, name)
	return sv
}

// Describe implements agent.Servers.
func (s *runServers) Describe(server string) string { return describeServer(s.server(server)) }

// describeServer says in a few words what a server is and where.
func describeServer(sv toolservers.Server) string {
	if sv.Kind == "http" {
		return "at " + sv.URL
	}
	return "the program " + textclip.HeadBytes(strings.Join(sv.Command, " "), 120) + " on this machine"
}

// recipientOf returns a server as the recipient of what models send.
func recipientOf(sv toolservers.Server) consent.ToolServer {
	to := consent.ToolServer{Name: sv.Name, Identity: "stdio:" + sv.Hash, Host: hostOf(sv)}
	if sv.Kind == "http" {
		if u, err := url.Parse(sv.URL); err == nil {
			to.Identity = egress.OriginOf(u)
		}
	}
	return to
}

// hostOf returns what the log has as the host of a server.
func hostOf(sv toolservers.Server) string {
	if sv.Kind == "http" {
		if u, err := url.Parse(sv.URL); err == nil {
			return u.Host
		}
	}
	if len(sv.Command) == 0 {
		return "program " + sv.Name
	}
	return "program " + path.Base(filepath.ToSlash(sv.Command[0]))
}

// Missing implements agent.Servers.
func (s *runServers) Missing(ctx context.Context, server string) (bool, error) {
	c, err := s.e.consents.ForServer(ctx, s.wb.ID(), recipientOf(s.server(server)), nil)
	if err != nil {
		return false, err
	}
	return c.ServerMissing()
}

// Grant implements agent.Servers.
func (s *runServers) Grant(ctx context.Context, server string, files []string, persist bool) error {
	c, err := s.e.consents.ForServer(ctx, s.wb.ID(), recipientOf(s.server(server)), files)
	if err != nil {
		return err
	}
	if persist {
		return s.e.consents.Grant(ctx, c, true)
	}
	return s.e.consents.LogGranted(c)
}

// Lasting implements agent.Servers.
func (s *runServers) Lasting() bool { return !s.e.opt.Ceiling }

// maxCallFiles is how many files the row of a call names.
const maxCallFiles = 200

// Call implements agent.Servers. The call has its row in the log before anything is
// sent; without it nothing is.
func (s *runServers) Call(ctx context.Context, t servertools.Tool, args json.RawMessage, files []string) (servertools.Result, error) {
	sv := s.server(t.Server)
	c, err := s.e.consents.ForServer(ctx, s.wb.ID(), recipientOf(sv), files)
	if err != nil {
		return servertools.Result{}, err
	}
	if err := s.e.consents.LogServer(c); err != nil {
		return servertools.Result{}, err
	}
	log, err := s.e.egress.logs.Get(s.wb.ID())
	if err != nil {
		return servertools.Result{}, err
	}
	row := egress.Event{At: s.e.opt.Now(), Kind: egress.KindTool, Provider: t.Server, Model: t.Name, Host: hostOf(sv), ScopeHash: c.Scope.Hash,
		Files: files[:min(len(files), maxCallFiles)], FileCount: len(files), BytesOut: int64(len(args))}
	if row.ID, err = log.Begin(row); err != nil {
		return servertools.Result{}, err
	}
	start := time.Now()
	ctx = egress.With(ctx, egress.Purpose{Kind: egress.KindTool, Workbench: s.wb.ID(), Provider: t.Server, Model: t.Name, Files: row.Files, FileCount: row.FileCount})
	res, err := s.e.servers.Call(ctx, s.scope, toolservers.Call{Server: t.Server, Tool: t.Own, Arguments: args, Hash: t.Hash})
	row.Elapsed, row.Error = time.Since(start), callEnding(ctx, res, err)
	if res != nil {
		row.BytesIn = int64(res.BytesIn)
	}
	if lerr := log.End(row); lerr != nil {
		s.e.log.Warn("the end of a call is not in the egress log", "workbench", s.wb.ID(), "tool", t.Name, "err", lerr)
	}
	if err != nil {
		return servertools.Result{}, callError(err)
	}
	return resultOf(res), nil
}

// callEnding names in the log how a call ended, "" when all went well.
func callEnding(ctx context.Context, res *toolservers.Result, err error) string {
	var e *toolservers.Error
	switch {
	case err == nil && res.IsError:
		return "the tool failed"
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return "canceled"
	case errors.As(err, &e):
		return strings.ReplaceAll(string(e.Kind), "_", " ")
	}
	return "failed"
}

// callError words an error for the model: whether the call may have been done, and that
// a person has to act where one has to.
func callError(err error) error {
	var e *toolservers.Error
	if !errors.As(err, &e) {
		return err
	}
	f := *workshop.AsFault(err)
	switch {
	case e.Unsure():
		f.Message += "; the call may have been done all the same: check before you repeat it"
	case e.Kind == toolservers.ToolChanged:
		f.Hint = "its new description comes with the next request; read it before you call the tool again"
	case e.Kind == toolservers.SignIn:
		f.Hint = "do without it and tell the user to sign in"
	}
	return &f
}

// resultOf returns a result in the form of the agent. Structured content is told where
// the text does not have it.
func resultOf(res *toolservers.Result) servertools.Result {
	out := servertools.Result{Text: res.Text, Failed: res.IsError, Notes: res.Cut}
	if len(res.Structured) > 0 && !json.Valid([]byte(strings.TrimSpace(res.Text))) {
		out.Text = strings.TrimPrefix(res.Text+"\n"+string(res.Structured), "\n")
	}
	for _, im := range res.Images {
		out.Images = append(out.Images, servertools.Image{MIME: im.MIME, Data: im.Data})
	}
	if out.Text == "" && len(out.Images) == 0 {
		out.Text = fmt.Sprintf("(%d bytes without text)", res.BytesIn)
		if res.BytesIn == 0 {
			out.Text = "(no content)"
		}
	}
	return out
}
