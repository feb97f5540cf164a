package approvals

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/workshop"
)

// setting is where a workbench keeps its rules and grants.
const setting = "approvals"

// Grant is what the person has allowed for good: it turns ask into allow, never
// deny.
type Grant struct {
	Tool   string `json:"tool"` // its name in the catalogue
	Path   string `json:"path"` // pattern
	Effect string `json:"effect,omitempty"`
	// Of is what the tool of another program was when it was allowed
	// (Outside.Hash): one that has changed since is asked about again.
	Of string    `json:"of,omitempty"`
	At time.Time `json:"granted_at,omitzero"`
}

func (g Grant) covers(tool string, u Use) bool {
	return g.Tool == tool && (g.Effect == "" || g.Effect == u.Effect) && fits(g.Path, u.Path, true)
}

// same reports whether two grants allow the same.
func (g Grant) same(o Grant) bool {
	return g.Tool == o.Tool && g.Effect == o.Effect && g.Of == o.Of && pattern(g.Path) == pattern(o.Path)
}

// State is what a workbench keeps.
type State struct {
	Rules   Policy  `json:"rules"`
	Granted []Grant `json:"granted"`
}

// Store is the approvals of a workbench. It is safe for concurrent use; a
// change counts from the next call of a run on.
type Store struct {
	wb     *workshop.Workbench
	config Policy // of the settings file; the workbench's own rules come first

	mu     sync.Mutex // protects the fields below
	loaded bool
	state  State
}

// NewStore returns the approvals of a workbench, and of a settings file.
func NewStore(wb *workshop.Workbench, config Policy) *Store { return &Store{wb: wb, config: config} }

// Config returns the rules of the settings file.
func (s *Store) Config() Policy { return s.config }

// State returns what the workbench keeps.
func (s *Store) State(ctx context.Context) (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return State{}, err
	}
	return State{slices.Clone(s.state.Rules), slices.Clone(s.state.Granted)}, nil
}

func (s *Store) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	text, err := s.wb.Setting(ctx, setting)
	if err != nil {
		return err
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &s.state); err != nil {
			return fmt.Errorf("the approvals of the workbench cannot be read: %w", err)
		}
	}
	s.loaded = true
	return nil
}

// Change replaces what the workbench keeps with what f makes of it. Rules that
// make no sense are an Invalid fault, and nothing changes.
func (s *Store) Change(ctx context.Context, f func(*State)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	next := State{slices.Clone(s.state.Rules), slices.Clone(s.state.Granted)}
	f(&next)
	if err := next.Rules.Check(); err != nil {
		return err
	}
	if err := checkGrants(next.Granted); err != nil {
		return err
	}
	b, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := s.wb.SetSetting(ctx, setting, string(b)); err != nil {
		return err
	}
	s.state = next
	return nil
}

func checkGrants(list []Grant) error {
	rules := make(Policy, len(list))
	for i, g := range list {
		if g.Tool == "" {
			return workshop.Faultf(workshop.Invalid, "grant %d: tool is required", i+1).OnField("granted")
		}
		rules[i] = Rule{Tool: g.Tool, Path: g.Path, Effect: g.Effect, Action: Allow}
	}
	if err := rules.Check(); err != nil {
		return workshop.AsFault(err).OnField("granted")
	}
	return nil
}

// grant keeps what is not kept yet.
func (s *Store) grant(ctx context.Context, list []Grant) error {
	return s.Change(ctx, func(st *State) {
		for _, g := range list {
			if g.Of != "" { // what the tool was before counts no more
				st.Granted = slices.DeleteFunc(st.Granted, func(o Grant) bool { return o.Tool == g.Tool && o.Of != "" && o.Of != g.Of })
			}
			if !slices.ContainsFunc(st.Granted, g.same) {
				st.Granted = append(st.Granted, g)
			}
		}
	})
}

// Unlocks returns whether the person allows to read a path that is kept from models,
// for a tool of these names, or for any when there are none: by the first rule
// that fits p and does not fit beside, so that it is about p and not about
// everything. A rule that asks counts, since the person is asked then; one that
// refuses and comes before does not let it through. A nil store allows nothing.
func (s *Store) Unlocks(ctx context.Context, tool ...string) (func(p, beside workshop.Path) bool, error) {
	if s == nil {
		return nil, nil
	}
	rules, _, err := s.policy(ctx)
	if err != nil {
		return nil, err
	}
	return func(p, beside workshop.Path) bool { return rules.unlocks(tool, p, beside) }, nil
}

// policy returns the rules that count now.
func (s *Store) policy(ctx context.Context) (Policy, []Grant, error) {
	st, err := s.State(ctx)
	return append(st.Rules, s.config...), st.Granted, err
}
