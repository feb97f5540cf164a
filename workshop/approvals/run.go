package approvals

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"atelier/workshop"
)

// Run is the approvals of one run: those of its workbench, and what the person
// allows for the rest of the run.
type Run struct {
	store   *Store
	now     func() time.Time
	allowed Policy // of tools of other programs

	mu      sync.Mutex // protects granted
	granted []Grant
}

// NewRun begins a run. A nil store allows everything.
func NewRun(s *Store, now func() time.Time) *Run { return &Run{store: s, now: now} }

// Answer is what the person says to a question.
type Answer struct {
	Choice string // Once, ForRun, Always or No
	Reason string // for No
}

// The choices of an Answer.
const (
	Once   = "once"
	ForRun = "run"
	Always = "always"
	No     = "no"
)

// Request is what the person is asked.
type Request struct {
	Tool   string  `json:"tool"`
	CallID string  `json:"call_id"`
	Uses   []Use   `json:"uses"`   // each file once; empty for a tool that concerns no file
	Always []Grant `json:"always"` // what would be allowed for good
	// Outside is there for the tool of another program.
	Outside *Outside `json:"outside,omitempty"`
}

// ErrNobody is Call.Ask's error when nobody can be asked.
var ErrNobody = errors.New("nobody is there to ask")

// Call is a call of a tool that is about to be made.
type Call struct {
	Tool  string   // its name in the catalogue
	Names []string // other names it goes by in rules
	ID    string
	// Outside is set for the tool of another program, nil for one of the catalogue.
	Outside *Outside
	// Ask puts a request to the person; nil, or an error that is ErrNobody:
	// nobody is there.
	Ask func(context.Context, Request) (Answer, error)
}

// Gate makes the gate of a call, nil when no rule concerns it.
func (r *Run) Gate(ctx context.Context, c Call) (*Gate, error) {
	if r == nil || r.store == nil && c.Outside == nil {
		return nil, nil
	}
	var policy Policy
	var granted []Grant
	if r.store != nil {
		var err error
		if policy, granted, err = r.store.policy(ctx); err != nil {
			return nil, err
		}
	}
	names := append([]string{c.Tool}, c.Names...)
	if c.Outside != nil {
		policy = policy.outside(c.Outside.ReadOnly, r.allowed)
	}
	if !policy.concerns(names) {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Gate{run: r, call: c, names: names, policy: policy, granted: append(granted, r.granted...), approved: map[Use]bool{}}, nil
}

// Concerns reports whether a call may have to be asked about or
// refused; also when the rules cannot be read.
func (r *Run) Concerns(ctx context.Context, c Call) bool {
	g, err := r.Gate(ctx, c)
	return g != nil || err != nil
}

// keep remembers what was allowed for more than one call.
func (r *Run) keep(ctx context.Context, choice string, list []Grant) error {
	switch choice {
	case ForRun:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.granted = append(r.granted, list...)
	case Always:
		if r.store == nil {
			return r.keep(ctx, ForRun, list)
		}
		kept := slices.Clone(list)
		for i := range kept {
			kept[i].At = r.now().UTC()
		}
		return r.store.grant(ctx, kept)
	}
	return nil
}

func forbidden(hint, format string, args ...any) *workshop.Fault {
	f := workshop.Faultf(workshop.Forbidden, format, args...)
	f.Hint = hint
	return f
}
