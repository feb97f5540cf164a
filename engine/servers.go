package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"atelier/engine/consent"
	"atelier/engine/toolservers"
)

// ToolServer is a program whose tools models may call, as it is now. It has no secret:
// values of variables and headers are left out.
type ToolServer struct {
	Name     string   `json:"name"`
	Source   string   `json:"source"` // user or folder
	State    string   `json:"state"`  // off, invalid, hidden, needs_approval, changed, declined, idle, starting, ready, needs_sign_in or failed
	Why      string   `json:"why,omitempty"`
	RetryAt  string   `json:"retry_at,omitempty"` // of failed
	Hash     string   `json:"hash"`               // of the entry, for ToolServersDecide
	Kind     string   `json:"kind"`               // stdio or http
	Command  []string `json:"command,omitempty"`  // of a stdio server, with its arguments
	Cwd      string   `json:"cwd,omitempty"`
	URL      string   `json:"url,omitempty"` // of an http server
	Env      []string `json:"env"`           // names only
	Headers  []string `json:"headers"`       // names only
	Roots    bool     `json:"roots"`         // it is told the folder
	Timeout  float64  `json:"timeout"`       // of a call, in seconds
	SignedIn bool     `json:"signed_in"`
	Title    string   `json:"title,omitempty"`    // as it calls itself, once connected
	Version  string   `json:"version,omitempty"`  // as it calls itself, once connected
	Protocol string   `json:"protocol,omitempty"` // revision, once connected
	Restarts int      `json:"restarts"`
	Notes    []string `json:"notes"`
	// Entry is a folder's entry as its file has it, JSON: who decides about it has to
	// see all of it.
	Entry string `json:"entry,omitempty"`
	// Allowed: what models send it may go there without asking, from the workbench
	// that was named.
	Allowed bool `json:"allowed"`
}

// ToolServerProblem is a part of the configuration that does not count.
type ToolServerProblem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // left out where it concerns the whole file
	What string `json:"what"`
}

// ToolServersResult is the result of ToolServersList.
type ToolServersResult struct {
	Servers  []ToolServer        `json:"servers"`
	Problems []ToolServerProblem `json:"problems"`
}

// ToolServerTool is a tool of a server.
type ToolServerTool struct {
	Name        string   `json:"name"` // as models call it: SERVER__TOOL
	Tool        string   `json:"tool"` // as the server calls it
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Schema      any      `json:"input_schema"`
	ReadOnly    bool     `json:"read_only"`   // the server says that it changes nothing
	Destructive bool     `json:"destructive"` // the server does not say that it deletes and replaces nothing
	Idempotent  bool     `json:"idempotent"`  // the server says that calling it again changes nothing more
	OpenWorld   bool     `json:"open_world"`  // the server does not say that it stays with what it knows
	Notes       []string `json:"notes"`
}

// ToolServerTested is the result of ToolServersTest.
type ToolServerTested struct {
	Server ToolServer       `json:"server"`
	Tools  []ToolServerTool `json:"tools"`
}

// ToolServersParams are the params of ToolServersList.
type ToolServersParams struct {
	WorkbenchID string `json:"workbench_id,omitempty"`
}

// ToolServerParams name a server.
type ToolServerParams struct {
	WorkbenchID string `json:"workbench_id,omitempty"` // default: only servers of the data folder
	Name        string `json:"name"`
}

// ToolServerSetParams are the params of ToolServersSet.
type ToolServerSetParams struct {
	Name  string            `json:"name"`
	Entry toolservers.Entry `json:"entry"`
}

// ToolServerEnableParams are the params of ToolServersEnable.
type ToolServerEnableParams struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// ToolServerDecideParams are the params of ToolServersDecide.
type ToolServerDecideParams struct {
	WorkbenchID string `json:"workbench_id"`
	Name        string `json:"name"`
	Decision    string `json:"decision"`       // approve, decline or forget
	Hash        string `json:"hash,omitempty"` // as ToolServersList gave it, of what the user was shown; not for forget
}

// ToolServerAllowParams are the params of ToolServersAllow.
type ToolServerAllowParams struct {
	WorkbenchID string `json:"workbench_id"`
	Name        string `json:"name"`
	Allowed     bool   `json:"allowed"`
}

// ToolServersChanged says that the state of a server changed, or its tools.
type ToolServersChanged struct {
	Name string `json:"name"`
}

// ToolServerSignIn says where the person signs in to a server.
type ToolServerSignIn struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

func serverMethods() []*Method {
	return []*Method{
		method("ToolServersList", "The programs whose tools models may call, of the user and of the workbench's folder; none is started.", (*Engine).serversList),
		method("ToolServersSet", "Adds a program whose tools models may call, or replaces the entry of that name; of the user, for all workbenches.", (*Engine).serversSet),
		method("ToolServersEnable", "Switches a program of the user's on or off.", (*Engine).serversEnable),
		method("ToolServersRemove", "Removes a program of the user's, with its sign-in.", (*Engine).serversRemove),
		method("ToolServersTest", "Starts a program or connects to it, and lists its tools.", (*Engine).serversTest),
		method("ToolServersDecide", "Approves or declines an entry that came with the folder, or forgets what was decided; only an approved one is started.", (*Engine).serversDecide),
		method("ToolServersAllow", "Lets what models send to a program go there without asking, from runs in the workbench, or has them ask again.", (*Engine).serversAllow),
		method("ToolServersSignIn", "Signs in to a program; returns when the person has done so in a browser, at the address that ToolServersSignInAddress gives.", (*Engine).serversSignIn),
		method("ToolServersSignOut", "Forgets the sign-in to a program.", (*Engine).serversSignOut),
	}
}

// signInTime is how long a person may take to sign in.
const signInTime = 10 * time.Minute

// scopeNamed returns the scope of a workbench, or of the user where none is named; done
// must be called.
func (e *Engine) scopeNamed(ctx context.Context, id string) (toolservers.Scope, func(), error) {
	if id == "" {
		return e.serverScope(nil), func() {}, nil
	}
	wb, done, err := e.reader(ctx, id)
	if err != nil {
		return toolservers.Scope{}, nil, err
	}
	return e.serverScope(wb), done, nil
}

func (e *Engine) serversList(ctx context.Context, p ToolServersParams) (ToolServersResult, error) {
	scope, done, err := e.scopeNamed(ctx, p.WorkbenchID)
	if err != nil {
		return ToolServersResult{}, err
	}
	defer done()
	l, err := e.servers.List(ctx, scope)
	if err != nil {
		return ToolServersResult{}, err
	}
	r := ToolServersResult{Servers: []ToolServer{}, Problems: []ToolServerProblem{}}
	for _, sv := range l.Servers {
		one, err := e.serverInfo(ctx, p.WorkbenchID, sv)
		if err != nil {
			return ToolServersResult{}, err
		}
		r.Servers = append(r.Servers, one)
	}
	for _, pr := range l.Problems {
		r.Problems = append(r.Problems, ToolServerProblem(pr))
	}
	return r, nil
}

// serverInfo returns a server for clients.
func (e *Engine) serverInfo(ctx context.Context, workbench string, sv toolservers.Server) (ToolServer, error) {
	out := ToolServer{Name: sv.Name, Source: sv.Source, State: string(sv.State), Why: sv.Why, Hash: sv.Hash, Kind: sv.Kind, Command: sv.Command, Cwd: sv.Cwd, URL: sv.URL,
		Env: orEmpty(sv.Env), Headers: orEmpty(sv.Headers), Roots: sv.Roots, Timeout: sv.Timeout.Seconds(), SignedIn: sv.SignedIn,
		Title: sv.Title, Version: sv.Version, Protocol: sv.Protocol, Restarts: sv.Restarts, Notes: orEmpty(sv.Notes), Entry: string(sv.Entry)}
	if !sv.RetryAt.IsZero() {
		out.RetryAt = rfc3339(sv.RetryAt)
	}
	if workbench == "" {
		return out, nil
	}
	c, err := e.consents.ForServer(ctx, workbench, recipientOf(sv), nil)
	if err != nil {
		return out, err
	}
	ask, refused := c.ServerMissing()
	out.Allowed = !ask && refused == nil
	return out, nil
}

func (e *Engine) serversSet(ctx context.Context, p ToolServerSetParams) (Empty, error) {
	return Empty{}, e.servers.Set(ctx, p.Name, p.Entry)
}

func (e *Engine) serversEnable(ctx context.Context, p ToolServerEnableParams) (Empty, error) {
	return Empty{}, e.servers.Enable(ctx, p.Name, p.Enabled)
}

func (e *Engine) serversRemove(ctx context.Context, p ToolServerParams) (Empty, error) {
	return Empty{}, e.servers.Remove(ctx, p.Name)
}

func (e *Engine) serversTest(ctx context.Context, p ToolServerParams) (ToolServerTested, error) {
	scope, done, err := e.scopeNamed(ctx, p.WorkbenchID)
	if err != nil {
		return ToolServerTested{}, err
	}
	defer done()
	sv, tools, err := e.servers.Test(ctx, scope, p.Name)
	if err != nil {
		return ToolServerTested{}, err
	}
	r := ToolServerTested{Tools: []ToolServerTool{}}
	if r.Server, err = e.serverInfo(ctx, p.WorkbenchID, sv); err != nil {
		return ToolServerTested{}, err
	}
	for _, t := range tools {
		r.Tools = append(r.Tools, ToolServerTool{Name: t.Name, Tool: t.Tool, Title: t.Title, Description: t.Description, Schema: t.Schema,
			ReadOnly: t.ReadOnly, Destructive: t.Destructive, Idempotent: t.Idempotent, OpenWorld: t.OpenWorld, Notes: orEmpty(t.Notes)})
	}
	return r, nil
}

func (e *Engine) serversDecide(ctx context.Context, p ToolServerDecideParams) (Empty, error) {
	if e.opt.Ceiling {
		return Empty{}, &ErrorInfo{ErrorCode: CodeEgressBlocked, Detail: "programs that a folder names are not started on a server", Hint: "who runs the server adds programs to mcp.json of its data folder"}
	}
	scope, done, err := e.scopeNamed(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	defer done()
	if scope.Folder == "" {
		return Empty{}, validation("workbench_id is required")
	}
	return Empty{}, e.servers.Decide(ctx, scope, p.Name, p.Decision, p.Hash)
}

func (e *Engine) serversAllow(ctx context.Context, p ToolServerAllowParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	if !p.Allowed {
		_, err := e.consents.Revoke(ctx, wb.ID(), consent.Party{Provider: consent.ProviderTools, Model: p.Name})
		return Empty{}, err
	}
	l, err := e.servers.List(ctx, e.serverScope(wb))
	if err != nil {
		return Empty{}, err
	}
	i := slices.IndexFunc(l.Servers, func(s toolservers.Server) bool { return s.Name == p.Name && s.State != toolservers.Hidden })
	if i < 0 {
		return Empty{}, validation(fmt.Sprintf("there is no server %q; ToolServersList names those there are", p.Name))
	}
	c, err := e.consents.ForServer(ctx, wb.ID(), recipientOf(l.Servers[i]), nil)
	if err != nil {
		return Empty{}, err
	}
	if ask, err := c.ServerMissing(); err != nil || !ask {
		return Empty{}, err
	}
	return Empty{}, e.consents.Grant(ctx, c, true)
}

func (e *Engine) serversSignIn(ctx context.Context, p ToolServerParams) (Empty, error) {
	scope, done, err := e.scopeNamed(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	return Empty{}, e.servers.SignIn(ctx, scope, p.Name, func(address string) {
		e.hub.Emit(Notification{Method: "ToolServersSignInAddress", Params: ToolServerSignIn{p.Name, address}})
	})
}

func (e *Engine) serversSignOut(ctx context.Context, p ToolServerParams) (Empty, error) {
	scope, done, err := e.scopeNamed(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	defer done()
	return Empty{}, e.servers.SignOut(ctx, scope, p.Name)
}

// tellNotUndone is notUndone, and tells the person of this process.
func (e *Engine) tellNotUndone(calls map[string]int) []string {
	notes := notUndone(calls)
	for _, n := range notes {
		if e.opt.Told != nil {
			e.opt.Told(n)
		}
	}
	return notes
}

// notUndone says of calls of other programs' tools that an undo does not take them back.
func notUndone(calls map[string]int) (notes []string) {
	const most = 10
	for i, name := range slices.Sorted(maps.Keys(calls)) {
		if i == most {
			return append(notes, fmt.Sprintf("%d more tools of other programs were called; that is not undone", len(calls)-most))
		}
		times := ""
		if calls[name] > 1 {
			times = fmt.Sprintf(" %d times", calls[name])
		}
		notes = append(notes, fmt.Sprintf("%s was called%s; that is not undone", name, times))
	}
	return notes
}
