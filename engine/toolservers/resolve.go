package toolservers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/workshop"
)

// resolved is a server of a scope, ready to be connected to where state is "".
type resolved struct {
	configured
	source string
	path   string // of the file
	folder string // of the scope
	kind   string
	filled Entry // with its variables
	state  State // Off, Invalid, Hidden, NeedsApproval, Changed or Declined; "" may be used
	why    string
	key    string // of its connection
}

// resolve returns the servers of a scope, those of the data folder first.
func (p *Pool) resolve(s Scope) ([]resolved, []Problem) {
	own := p.configs.read(p.userConfig())
	problems := slices.Clone(own.problems)
	var out []resolved
	for _, c := range own.entries {
		out = append(out, p.settle(resolved{configured: c, source: FromUser, path: p.userConfig(), folder: s.Folder}, nil))
	}
	if s.Folder == "" || s.Restricted {
		return out, problems
	}
	of := p.configs.read(folderConfig(s.Folder))
	problems = append(problems, of.problems...)
	if len(of.entries) == 0 {
		return out, problems
	}
	decided, err := p.decided.all()
	if err != nil {
		problems = append(problems, Problem{p.decided.path(), 0, err.Error()})
	}
	for _, c := range of.entries {
		r := resolved{configured: c, source: FromFolder, path: folderConfig(s.Folder), folder: s.Folder}
		if slices.ContainsFunc(own.entries, func(o configured) bool { return o.name == c.name }) {
			r.state, r.why = Hidden, "you have a server of that name in "+p.userConfig()+", which counts"
		}
		out = append(out, p.settle(r, decided))
	}
	return out, problems
}

// settle finds out whether a server may be used, and fills in its variables.
func (p *Pool) settle(r resolved, decided []decision) resolved {
	invalid := func(err error) resolved {
		r.state, r.why = Invalid, err.Error()
		return r
	}
	if r.err != nil {
		return invalid(r.err)
	}
	var err error
	if r.kind, err = r.entry.kind(); err != nil {
		return invalid(err)
	}
	if r.state != "" {
		return r
	}
	if r.source == FromFolder {
		d, ok := find(decided, decision{Folder: decidedFor(r.folder), Server: r.name})
		switch {
		case !ok:
			r.state, r.why = NeedsApproval, "it came with the folder and nobody approved it"
		case d.Hash != r.hash:
			r.state, r.why = Changed, "its entry was changed after it was approved"
		case !d.Approved:
			r.state, r.why = Declined, "it was declined"
		}
		if r.state != "" {
			return r
		}
	}
	if r.entry.Disabled {
		r.state, r.why = Off, "it is switched off"
		return r
	}
	f := filler{getenv: p.opt.Getenv, folder: r.folder, source: r.source}
	if r.filled, err = f.fill(r.entry); err != nil {
		return invalid(err)
	}
	if err := r.filled.check(r.kind); err != nil {
		return invalid(err)
	}
	r.key = r.name
	if r.source == FromFolder || f.local || r.entry.Roots {
		r.key = r.folder + "\x00" + r.name
	}
	return r
}

// decidedFor returns the folder as decisions name it: however it was reached.
func decidedFor(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}

// lookUp returns a server that may be used.
func (p *Pool) lookUp(s Scope, name string) (resolved, error) {
	list, _ := p.resolve(s)
	i := slices.IndexFunc(list, func(r resolved) bool { return r.name == name && r.state != Hidden })
	if i < 0 {
		return resolved{}, &Error{Server: clip(name, maxName), Kind: Unknown, What: "there is no server of that name", Do: knownNames(list)}
	}
	return list[i], list[i].unusable()
}

func knownNames(list []resolved) string {
	var names []string
	for _, r := range list {
		if r.state == "" {
			names = append(names, r.name)
		}
	}
	if len(names) == 0 {
		return "no server is set up; add one with 'atelier mcp add'"
	}
	return "there is " + clip(strings.Join(names, ", "), 300)
}

// unusable returns why a server cannot be used, nil where it can.
func (r *resolved) unusable() error {
	if r.state == "" {
		return nil
	}
	e := &Error{Server: r.name, Kind: NotAllowed, What: r.why}
	switch r.state {
	case NeedsApproval, Changed:
		e.Do = "look at it and approve it with 'atelier mcp approve'"
	case Declined:
		e.Do = "'atelier mcp approve' changes that"
	case Off:
		e.Do = "switch it on with 'atelier mcp enable " + r.name + "'"
		if r.source == FromFolder {
			e.Do = "its entry in " + r.path + " has \"disabled\""
		}
	case Invalid:
		e.Do = "correct its entry in " + r.path
	}
	return e
}

// List returns the servers of a scope without starting any.
func (p *Pool) List(ctx context.Context, s Scope) (Listing, error) {
	list, problems := p.resolve(s)
	out := Listing{Problems: problems}
	for _, r := range list {
		out.Servers = append(out.Servers, p.server(r))
	}
	slices.SortStableFunc(out.Servers, func(a, b Server) int {
		return cmp.Or(-cmp.Compare(a.Source, b.Source), cmp.Compare(a.Name, b.Name))
	})
	return out, ctx.Err()
}

// server says how a server is now.
func (p *Pool) server(r resolved) Server {
	e := r.entry
	out := Server{Name: line(r.name, 200), Source: r.source, State: r.state, Why: line(r.why, 500), Hash: r.hash, Kind: r.kind, Cwd: e.Cwd,
		Env: slices.Sorted(maps.Keys(e.Env)), Headers: slices.Sorted(maps.Keys(e.Headers)), Roots: e.Roots, Timeout: p.timeoutOf(r), Notes: r.notes}
	if e.Command != "" {
		out.Command = shownCommand(e, r.source)
	}
	out.URL = plainURL(e.URL)
	if r.source == FromFolder {
		out.Entry = r.raw
	}
	if r.state != "" {
		return out
	}
	out.SignedIn = p.signedIn(r)
	p.connection(r).describe(&out)
	return out
}

// shownCommand returns a command as it is listed. Arguments that their names call secret
// are left out of the person's own; of an entry that came with a folder, the person sees
// all.
func shownCommand(e Entry, source string) []string {
	out := append([]string{e.Command}, e.Args...)
	if source != FromUser {
		return out
	}
	for i := 1; i < len(out); i++ {
		name, value, ok := strings.Cut(out[i], "=")
		switch {
		case ok && secretName(name) && !strings.HasPrefix(value, "${"):
			out[i] = name + "=•••"
		case i > 1 && strings.HasPrefix(out[i-1], "-") && !strings.Contains(out[i-1], "=") && secretName(out[i-1]) && !strings.HasPrefix(out[i], "${") && !strings.HasPrefix(out[i], "-"):
			out[i] = "•••"
		}
	}
	return out
}

// plainURL returns an address without what may be secret in it.
func plainURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil {
		return "(not an address)"
	}
	u.User, u.Fragment = nil, ""
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return u.String()
}

func (p *Pool) timeoutOf(r resolved) time.Duration {
	if t := time.Duration(r.entry.Timeout); t > 0 {
		return t
	}
	return p.opt.Timeout
}

// Configured reports whether a scope has a server that may be used, without starting any.
// It is cheap: files are read again only when they changed.
func (p *Pool) Configured(s Scope) bool {
	list, _ := p.resolve(s)
	return slices.ContainsFunc(list, func(r resolved) bool { return r.state == "" })
}

// Set adds a server to mcp.json of the data folder or replaces it; members of the entry
// that are not known stay. The server ends if it runs.
func (p *Pool) Set(ctx context.Context, name string, e Entry) error {
	if err := checkName(name); err != nil {
		return workshop.Faultf(workshop.Invalid, "%w", err).OnField("name")
	}
	kind, err := e.kind()
	if err == nil && !strings.Contains(e.URL, "${") {
		err = e.check(kind)
	}
	if err != nil {
		return workshop.Faultf(workshop.Invalid, "server %s: %w", name, err)
	}
	err = p.change(func(servers object) (object, error) {
		raw, err := merged(servers.get(name), e)
		if err == nil && servers.get(name) == nil && len(servers) >= MaxServers {
			err = workshop.Faultf(workshop.Invalid, "there are %d servers already; remove one", MaxServers)
		}
		return servers.with(name, raw), err
	})
	p.drop(name)
	return err
}

// Enable switches a server of the data folder on or off.
func (p *Pool) Enable(ctx context.Context, name string, on bool) error {
	err := p.change(func(servers object) (object, error) {
		entry, err := parseObject(servers.get(name))
		if err != nil {
			return nil, p.notOwn(name)
		}
		entry = entry.without("disabled")
		if !on {
			entry = entry.with("disabled", []byte("true"))
		}
		raw, err := entry.MarshalJSON()
		return servers.with(name, raw), err
	})
	p.drop(name)
	return err
}

// Remove removes a server from mcp.json of the data folder, with its tokens.
func (p *Pool) Remove(ctx context.Context, name string) error {
	list, _ := p.resolve(Scope{})
	err := p.change(func(servers object) (object, error) {
		if servers.get(name) == nil {
			return nil, p.notOwn(name)
		}
		return servers.without(name), nil
	})
	p.drop(name)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.name == name && r.kind == kindHTTP {
			err = errors.Join(err, p.forgetTokens(r))
		}
	}
	return errors.Join(err, p.decided.forget(func(d decision) bool { return d.Folder == "" && d.Server == name }))
}

func (p *Pool) notOwn(name string) error {
	return workshop.Faultf(workshop.NotFound, "there is no server %q in %s; 'atelier mcp list' names those there are", clip(name, maxName), p.userConfig())
}

// Decide approves or declines the entry of a folder's server whose hash the person was
// shown, or forgets the decision; decision is approve, decline or forget.
func (p *Pool) Decide(ctx context.Context, s Scope, name, what, hash string) error {
	list, _ := p.resolve(s)
	i := slices.IndexFunc(list, func(r resolved) bool { return r.name == name && r.source == FromFolder })
	d := decision{Folder: decidedFor(s.Folder), Server: name, Hash: hash, Approved: what == "approve", At: p.opt.Now()}
	switch {
	case what == "forget":
		defer p.drop(name)
		return p.decided.forget(d.about)
	case i < 0:
		return workshop.Faultf(workshop.NotFound, "there is no server %q in %s", clip(name, maxName), folderConfig(s.Folder)).OnField("name")
	case what != "approve" && what != "decline":
		return workshop.Faultf(workshop.Invalid, "the decision must be approve, decline or forget").OnField("decision")
	case list[i].hash != hash:
		return workshop.Faultf(workshop.Conflict, "the entry of %s is not the one that was shown: a decision is about what the person saw; list the servers again", name).OnField("hash")
	}
	defer p.drop(name)
	return p.decided.keep(d)
}

// ApproveTool keeps that the person approved a tool as it is, so that a later change is
// told (Tool.Approval).
func (p *Pool) ApproveTool(ctx context.Context, s Scope, server, tool, hash string) error {
	r, err := p.lookUp(s, server)
	if err != nil {
		return err
	}
	return p.decided.keep(decision{Folder: r.decidedIn(), Server: server, Tool: tool, Hash: hash, Approved: true, At: p.opt.Now()})
}

// decidedIn returns the folder of decisions about tools of a server.
func (r *resolved) decidedIn() string {
	if r.source == FromUser {
		return ""
	}
	return decidedFor(r.folder)
}

// workFolder returns the current folder of a program.
func (r *resolved) workFolder() (string, error) {
	dir := r.filled.Cwd
	base := r.folder
	if r.source == FromUser {
		home, err := os.UserHomeDir()
		if err != nil {
			home = os.TempDir()
		}
		base = home
	}
	switch {
	case dir == "":
		dir = base
	case !filepath.IsAbs(dir):
		dir = filepath.Join(base, dir)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fmt.Errorf("its folder %s does not exist", dir)
	}
	return dir, nil
}
