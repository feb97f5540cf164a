package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"atelier/workshop"
)

// Gate is what one call passes. What a tool reads is asked about when the call
// has ended, in one question and before the model is told; what it changes,
// and what it read until then, before it is changed. What a rule denies is refused at once. It is safe for
// concurrent use.
type Gate struct {
	run     *Run
	call    Call
	names   []string
	policy  Policy
	granted []Grant

	mu       sync.Mutex // protects the fields below, and asks one thing at a time
	pending  []Use      // read, and to be asked about
	approved map[Use]bool
	asked    bool // something was decided about the call
	refusal  *workshop.Fault
}

const (
	hintDeny   = "do without it and say so in your answer; do not look for another way to it"
	hintNobody = "do what you can without it and say in your answer what is left for the user to do or to allow"
	hintNo     = "do not repeat the call; go on in another way or ask what to do instead"
)

// Begin refuses a call that is denied whatever it does, before it does anything.
// A tool that concerns people rather than files (interacts) is asked about.
func (g *Gate) Begin(ctx context.Context, interacts bool) error {
	r, ok := g.policy.certain(g.names)
	switch {
	case !ok:
		return nil
	case r.Action == Deny:
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.deny(nil)
	case interacts:
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.whole(ctx, r, ok)
	}
	return nil
}

// Whole asks about what a tool does beyond files, such as a request to a server,
// unless the call was asked about already. Exceptions for files do not count.
func (g *Gate) Whole(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, ok := g.policy.beyond(g.names)
	if ok && r.Action == Deny && g.refusal == nil {
		return g.deny(nil)
	}
	return g.whole(ctx, r, ok)
}

// whole asks about the call as such if r says so. g.mu is held.
func (g *Gate) whole(ctx context.Context, r Rule, ok bool) error {
	if !ok || r.Action != Ask || g.refusal != nil || g.asked {
		return g.fault()
	}
	grant := Grant{Tool: g.call.Tool, Path: anyPath, Of: g.call.Outside.hash()}
	if slices.ContainsFunc(g.granted, grant.same) {
		return nil
	}
	return g.ask(ctx, nil, []Grant{grant})
}

// Read checks a file whose content the tool is about to get.
func (g *Gate) Read(p workshop.Path) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := Use{Read, p}
	switch g.decide(u) {
	case Deny:
		return g.deny([]Use{u})
	case Ask:
		if !slices.Contains(g.pending, u) {
			g.pending = append(g.pending, u)
		}
	}
	return nil
}

// Change checks what the tool is about to do to files. It waits for the person if
// a rule says so.
func (g *Gate) Change(ctx context.Context, uses ...Use) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal != nil {
		return g.refusal
	}
	open := slices.Clone(g.pending) // what is read may be written elsewhere
	for _, u := range uses {
		switch g.decide(u) {
		case Deny:
			return g.deny([]Use{u})
		case Ask:
			open = append(open, u)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return g.about(ctx, open)
}

// Done ends the call, before its result goes anywhere. An error replaces the
// result.
func (g *Gate) Done(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.refusal != nil:
		return g.refusal
	case len(g.pending) > 0:
		return g.about(ctx, g.pending)
	}
	r, ok := g.policy.certain(g.names)
	return g.whole(ctx, r, ok)
}

// fault returns the refusal as an error that is nil when there is none. g.mu is held.
func (g *Gate) fault() error {
	if g.refusal == nil {
		return nil
	}
	return g.refusal
}

func (g *Gate) decide(u Use) string {
	r, ok := g.policy.find(g.names, u)
	if ok {
		g.asked = g.asked || r.Action == Ask
	}
	switch {
	case !ok:
		return Allow
	case r.Action != Ask:
		return r.Action
	case g.approved[u], slices.ContainsFunc(g.granted, func(gr Grant) bool { return gr.covers(g.call.Tool, u) }):
		return Allow
	}
	return Ask
}

func (g *Gate) deny(uses []Use) error {
	f := forbidden(hintDeny, "not allowed: the user's rules refuse %s", describe(g.call.Tool, uses))
	if len(uses) == 0 || uses[0].Effect != Read { // a search goes on with the other files
		g.refusal = f
	}
	return f
}

// about asks about uses; each file stands in the question once.
func (g *Gate) about(ctx context.Context, uses []Use) error {
	var grants []Grant
	for _, u := range uses {
		r, _ := g.policy.find(g.names, u)
		gr := Grant{Tool: g.call.Tool, Path: pattern(r.Path), Effect: r.Effect}
		if !slices.ContainsFunc(grants, gr.same) {
			grants = append(grants, gr)
		}
	}
	if err := g.ask(ctx, uses, grants); err != nil {
		return err
	}
	for _, u := range uses {
		g.approved[u] = true
	}
	g.pending = nil
	return nil
}

func (g *Gate) ask(ctx context.Context, uses []Use, grants []Grant) error {
	g.asked = true
	what := describe(g.call.Tool, uses)
	a, err := Answer{}, ErrNobody
	if g.call.Ask != nil {
		a, err = g.call.Ask(ctx, Request{Tool: g.call.Tool, CallID: g.call.ID, Uses: once(uses), Always: grants, Outside: g.asOutside()})
	}
	if errors.Is(err, ErrNobody) {
		g.refusal = forbidden(hintNobody, "the user has to approve %s, and nobody is there to ask", what)
		return g.refusal
	}
	if err != nil {
		g.refusal = forbidden("", "%s was not approved: %s", what, err)
		return err
	}
	if a.Choice != Once && a.Choice != ForRun && a.Choice != Always {
		why := ""
		if r := strings.TrimSpace(a.Reason); r != "" {
			why = ": " + r
		}
		g.refusal = forbidden(hintNo, "the user refused %s%s", what, why)
		return g.refusal
	}
	g.granted = append(g.granted, grants...)
	if a.Choice == Once {
		g.granted = g.granted[:len(g.granted)-len(grants)]
	}
	return g.run.keep(ctx, a.Choice, grants)
}

// once leaves out what is read of files that are changed as well.
func once(uses []Use) []Use {
	out := []Use{}
	for _, u := range uses {
		if u.Effect == Read && slices.ContainsFunc(uses, func(o Use) bool { return o.Path == u.Path && o.Effect != Read }) {
			continue
		}
		out = append(out, u)
	}
	return out
}

// Describe says what a call does: "write_text_file (write a.txt, read b.txt)".
func (r Request) Describe() string { return describe(r.Tool, r.Uses) }

// String says what a grant allows: "write_text_file on reports/**".
func (g Grant) String() string {
	if g.Of != "" {
		return g.Tool
	}
	s := g.Tool + " on " + pattern(g.Path)
	if g.Effect != "" {
		s += " (" + g.Effect + ")"
	}
	return s
}

// showUses is how many files a text names.
const showUses = 20

func describe(tool string, uses []Use) string {
	uses = once(uses)
	if len(uses) == 0 {
		return tool
	}
	var parts []string
	for i, u := range uses {
		if i == showUses {
			parts = append(parts, fmt.Sprintf("and %d more", len(uses)-i))
			break
		}
		name := string(u.Path)
		switch {
		case name == "":
			name = "."
		case strings.ContainsAny(name, `,()"`) || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }):
			name = strconv.Quote(name) // it could be taken for more than a name
		}
		parts = append(parts, u.Effect+" "+name)
	}
	return tool + " (" + strings.Join(parts, ", ") + ")"
}
