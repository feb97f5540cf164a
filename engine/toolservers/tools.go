package toolservers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	listEvery = time.Second     // tools are not asked for more often when a server says that they changed
	listAge   = 5 * time.Minute // nor seldomer when it says nothing
	maxPages  = 100             // of a list
	maxTool   = 128             // bytes of a tool's name
	maxNotes  = 20              // of a server
	maxTitle  = 200             // bytes
)

// toolCache is what a server said of its tools.
type toolCache struct {
	tools []Tool // without Name and Approval
	notes []string
	at    time.Time
	stale bool // the server said that they changed
}

// stale notes that the tools of a server changed.
func (x *session) stale() {
	x.mu.Lock()
	x.cache.stale = true
	x.mu.Unlock()
	x.say()
}

// list returns the tools of a server; with fresh, as they are now.
func (x *session) list(ctx context.Context, fresh bool) ([]Tool, []string, error) {
	select {
	case x.listing <- struct{}{}:
		defer func() { <-x.listing }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	x.mu.Lock()
	c := x.cache
	x.mu.Unlock()
	age := time.Since(c.at)
	if fresh && c.stale && age < listEvery {
		t := time.NewTimer(listEvery - age)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		age = listEvery
	}
	if !c.at.IsZero() && age < listAge && (!c.stale || age < listEvery) {
		return c.tools, c.notes, nil
	}
	x.mu.Lock()
	x.cache.stale, x.left = false, nil // what changes from here on makes it stale again
	x.mu.Unlock()
	tools, notes, err := x.ask(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.cache.stale = true
		return nil, nil, err
	}
	notes = append(notes, x.left...)
	if len(notes) > maxNotes {
		notes = append(notes[:maxNotes], fmt.Sprintf("and %d more", len(notes)-maxNotes))
	}
	x.cache.tools, x.cache.notes, x.cache.at = tools, notes, time.Now()
	return tools, notes, nil
}

// ask asks a server for all pages of its tools.
func (x *session) ask(ctx context.Context) (tools []Tool, notes []string, err error) {
	if i := x.sdk.InitializeResult(); i == nil || i.Capabilities == nil || i.Capabilities.Tools == nil {
		return nil, []string{"it has no tools"}, nil
	}
	cursors, seen := map[string]bool{}, map[string]bool{}
	cursor, size := "", 0
	for page := 0; ; page++ {
		res, err := x.sdk.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, nil, err
		}
		b, err := json.Marshal(res)
		if err != nil {
			return nil, nil, err
		}
		if size += len(b); size > MaxListing {
			return tools, append(notes, fmt.Sprintf("its list of tools has more than %d MiB; what came first counts", MaxListing>>20)), nil
		}
		for _, t := range res.Tools {
			if len(tools) >= MaxTools {
				return tools, append(notes, fmt.Sprintf("it has more than %d tools; the others are left out", MaxTools)), nil
			}
			one, err := toolOf(x.name, t)
			switch {
			case err != nil:
				notes = append(notes, fmt.Sprintf("tool %q is left out: %v", line(t.Name, 60), err))
			case seen[one.Tool]:
				notes = append(notes, fmt.Sprintf("tool %q is listed twice; the second is left out", one.Tool))
			default:
				seen[one.Tool] = true
				tools = append(tools, one)
			}
		}
		cursor = res.NextCursor
		switch {
		case cursor == "":
			return tools, notes, nil
		case cursors[cursor], page+1 >= maxPages:
			return tools, append(notes, "its list of tools does not end; what came first counts"), nil
		}
		cursors[cursor] = true
	}
}

// toolOf takes a tool of a server within bounds.
func toolOf(server string, t *mcp.Tool) (Tool, error) {
	out := Tool{Server: server, Tool: t.Name, Destructive: true, OpenWorld: true}
	if shown, cut := clean(t.Name); cut || shown == "" || len(t.Name) > maxTool || strings.ContainsAny(t.Name, "\n\t") {
		return out, fmt.Errorf("its name is empty, has more than %d bytes, or characters that cannot be seen", maxTool)
	}
	out.Title = line(t.Title, maxTitle)
	if a := t.Annotations; a != nil {
		out.ReadOnly, out.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		if a.DestructiveHint != nil {
			out.Destructive = *a.DestructiveHint
		}
		if a.OpenWorldHint != nil {
			out.OpenWorld = *a.OpenWorldHint
		}
		if out.Title == "" {
			out.Title = line(a.Title, maxTitle)
		}
	}
	if out.ReadOnly {
		out.Destructive = false
	}
	text, hidden := clean(t.Description)
	text = strings.TrimSpace(text)
	if len(text) > MaxDescription {
		out.Notes = append(out.Notes, fmt.Sprintf("its description has %d bytes; the first %d count", len(text), MaxDescription))
		text = clip(text, MaxDescription-len("…"))
	}
	out.Description = text
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return out, errors.New("its schema is not JSON")
	}
	var note string
	var hiddenToo bool
	if out.Schema, note, hiddenToo, err = schemaOf(raw); err != nil {
		return out, err
	}
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	if hidden || hiddenToo {
		out.Notes = append(out.Notes, "characters that cannot be seen were taken out of what it says of itself")
	}
	b, err := json.Marshal([]any{t.Name, t.Title, t.Description, json.RawMessage(raw), t.Annotations})
	if err != nil {
		return out, err
	}
	out.Hash = hashOf(b)
	return out, nil
}

// anyObject is the schema of a tool whose own cannot be taken.
var anyObject = json.RawMessage(`{"type":"object"}`)

// schemaOf takes the schema of arguments within bounds.
func schemaOf(raw []byte) (out json.RawMessage, note string, hidden bool, err error) {
	if string(raw) == "null" {
		return anyObject, "it has no schema of its arguments", false, nil
	}
	if len(raw) > MaxSchema {
		return anyObject, fmt.Sprintf("its schema has %d KiB, which is more than %d KiB, and is left out", len(raw)>>10, MaxSchema>>10), false, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, "", false, errors.New("its schema is not JSON")
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, "", false, errors.New("its schema is not an object")
	}
	if m["type"] == nil {
		m["type"] = "object"
	}
	if m["type"] != "object" {
		return nil, "", false, errors.New(`its schema has not the type "object"`)
	}
	if !cleanValue(v, 1, &hidden) {
		return anyObject, fmt.Sprintf("its schema is nested deeper than %d, and is left out", MaxSchemaDepth), hidden, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, "", false, err
	}
	return bytes.TrimSpace(b.Bytes()), "", hidden, nil
}

// cleanValue takes characters that cannot be seen out of the texts of a JSON value;
// false: it is nested too deep.
func cleanValue(v any, depth int, hidden *bool) bool {
	if depth > MaxSchemaDepth {
		return false
	}
	cleaned := func(v any) (any, bool) {
		if s, ok := v.(string); ok {
			s, cut := clean(s)
			*hidden = *hidden || cut
			return s, true
		}
		return v, cleanValue(v, depth+1, hidden)
	}
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			c, ok := cleaned(one)
			if !ok {
				return false
			}
			v[k] = c
		}
	case []any:
		for i, one := range v {
			c, ok := cleaned(one)
			if !ok {
				return false
			}
			v[i] = c
		}
	}
	return true
}

// toolsOf returns the tools of one server, which have no names for the model yet; the
// server is started if it is not running.
func (p *Pool) toolsOf(ctx context.Context, s Scope, r *resolved, again bool) ([]Tool, []string, error) {
	c := p.connection(*r)
	x, err := c.acquire(ctx, s, r, again)
	if err != nil {
		return nil, nil, err
	}
	defer c.release(x)
	asking, cancel := context.WithTimeoutCause(withCaller(ctx, caller{workbench: s.Workbench}), p.opt.StartTime, errLate)
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	tools, notes, err := x.list(asking, again)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, x.failure(asking, r, err, "listing its tools")
	}
	return p.approved(tools, r), notes, nil
}

// approved says of each tool whether it is as a person approved it.
func (p *Pool) approved(tools []Tool, r *resolved) []Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Timeout = p.timeoutOf(*r)
	}
	list, err := p.decided.all()
	if err != nil {
		return tools // nothing is approved
	}
	kept := map[string]string{}
	for _, d := range list {
		if d.Folder == r.decidedIn() && d.Server == r.name && d.Tool != "" {
			kept[d.Tool] = d.Hash
		}
	}
	for i := range tools {
		t := &tools[i]
		switch h, ok := kept[t.Tool]; {
		case !ok:
		case h == t.Hash:
			t.Approval = ApprovedSame
		default:
			t.Approval = ApprovedChanged
			t.Notes = append(slices.Clone(t.Notes), "it says something else of itself than when it was approved")
		}
	}
	return tools
}

// atOnce bounds how many servers start at once.
const atOnce = 8

// Tools returns the tools of all servers of a scope, starting those that are not running,
// all at once. A server that fails is in Toolset.Failed. When the deadline of ctx passes,
// what is there is the result, and servers that are still starting are in Toolset.Failed with
// the state Starting. The error is that of a canceled ctx.
func (p *Pool) Tools(ctx context.Context, s Scope) (Toolset, error) {
	list, problems := p.resolve(s)
	var out Toolset
	for _, pr := range problems {
		out.Notes = append(out.Notes, fmt.Sprintf("%s %s", pr.File, pr.What))
	}
	type answer struct {
		tools []Tool
		notes []string
		err   error
	}
	answers := make([]answer, len(list))
	places := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i := range list {
		r := &list[i]
		if r.state != "" {
			answers[i].err = r.unusable()
			continue
		}
		wait.Go(func() {
			select {
			case places <- struct{}{}:
				defer func() { <-places }()
			case <-ctx.Done():
				answers[i].err = ctx.Err()
				return
			}
			a := &answers[i]
			a.tools, a.notes, a.err = p.toolsOf(ctx, s, r, false)
		})
	}
	wait.Wait()
	if errors.Is(ctx.Err(), context.Canceled) {
		return Toolset{}, ctx.Err()
	}
	var all []Tool
	for i, a := range answers {
		r := &list[i]
		if a.err != nil {
			if r.state != Off && r.state != Hidden {
				out.Failed = append(out.Failed, failureOf(r, a.err))
			}
			continue
		}
		for _, n := range a.notes {
			out.Notes = append(out.Notes, "server "+r.name+": "+n)
		}
		all = append(all, a.tools...)
	}
	slices.SortStableFunc(all, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	var more []string
	out.Tools, more = named(all)
	out.Notes = append(out.Notes, more...)
	slices.SortFunc(out.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(out.Failed, func(a, b Failure) int { return cmp.Compare(a.Server, b.Server) })
	out.Version = versionOf(out.Tools)
	return out, nil
}

func failureOf(r *resolved, err error) Failure {
	f := Failure{Server: line(r.name, 200), State: r.state, Why: err.Error(), Err: err}
	var e *Error
	switch {
	case f.State != "":
	case errors.As(err, &e) && e.Kind == SignIn:
		f.State = NeedsSignIn
	case e == nil:
		f.State, f.Why = Starting, "it is still starting"
	default:
		f.State = Failed
	}
	return f
}

func versionOf(tools []Tool) string {
	var b bytes.Buffer
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Hash)
	}
	quoted, err := json.Marshal(b.String())
	if err != nil {
		return ""
	}
	return hashOf(quoted)
}
