package translate

import (
	"context"
	"sync"

	"atelier/workshop/translate/check"
)

// TextKey names a text to translate: equal text under another limit is another.
type TextKey = key

// Made names how texts are translated: into a language by a recipe (see Options.Recipe).
type Made struct{ Language, Recipe string }

// SharedUnit is a unit as several processes share it.
type SharedUnit struct {
	Target string          `json:"t,omitempty"`
	State  State           `json:"s"`
	Origin Origin          `json:"o"`
	Flags  []check.Finding `json:"f,omitempty"`
	Job    string          `json:"j"` // that made it
}

// Shared keeps the texts that the processes of a cluster translate, so that each is
// asked for once in all of them. A claim ends with Put or Release, or when the process
// that has it has died. Implementations are safe for concurrent use.
type Shared interface {
	// Job names the job that this process works for; all processes of a job have the same.
	Job() string
	// Look returns the units that there are. It may miss one that was put a moment ago.
	Look(ctx context.Context, made Made, keys []TextKey) (map[TextKey]SharedUnit, error)
	// Claim takes the texts that no process has claimed and that have no unit, or one for
	// which again is true. The others are translated or will be: see Wait.
	Claim(ctx context.Context, made Made, keys []TextKey, again func(SharedUnit) bool) (mine, others []TextKey, err error)
	// Wait returns when no other process has a claim on any of the texts.
	Wait(ctx context.Context, made Made, keys []TextKey) error
	// Put ends claims with units. What it returns are the units of those whose claim
	// another process took over and ended first, which count.
	Put(ctx context.Context, made Made, units map[TextKey]SharedUnit) (instead map[TextKey]SharedUnit, err error)
	// Release ends claims without a unit.
	Release(ctx context.Context, made Made, keys []TextKey) error
}

// textStore is where a job looks up texts, claims those that it asks for and records what it
// got: its ledger, with what other processes share.
type textStore struct {
	ledger *Ledger
	shared Shared // nil: one process
	force  bool

	mu      sync.Mutex
	flights map[flight]*asking
}

// asking are the texts of one claim; done is closed when all are released.
type asking struct {
	left int
	done chan struct{}
}

// flight names a text that a document's worker is asking for, so that no other does.
type flight struct {
	to string
	key
}

// wait waits for what other workers ask for.
type wait func(ctx context.Context) error

// usable reports whether a unit fills a text of this run: one of this run does, and an
// earlier one that is translated.
func usable(u Unit, run int64, force bool) bool {
	return u.run == run || u.State == StateTranslated && (!force || u.Origin == FromPerson)
}

// units looks texts up. What another process has made is put into the ledger.
func (t *textStore) units(ctx context.Context, m Made, keys []key) (map[key]Unit, error) {
	found, err := t.ledger.units(ctx, m.Language, m.Recipe, keys)
	if err != nil || t.shared == nil || len(keys) == 0 {
		return found, err
	}
	var rest []key
	for _, k := range keys {
		if u, ok := found[k]; !ok || !usable(u, t.ledger.run, t.force) {
			rest = append(rest, k)
		}
	}
	if len(rest) == 0 {
		return found, nil
	}
	others, err := t.shared.Look(ctx, m, rest)
	if err != nil {
		return nil, err
	}
	return found, t.take(ctx, m, rest, others, found)
}

// unitsHere looks texts up in the ledger only.
func (t *textStore) unitsHere(ctx context.Context, m Made, keys []key) (map[key]Unit, error) {
	return t.ledger.units(ctx, m.Language, m.Recipe, keys)
}

// take puts the units of other processes into the ledger and into found.
func (t *textStore) take(ctx context.Context, m Made, order []key, others map[key]SharedUnit, found map[key]Unit) error {
	now := map[key]Unit{}
	var inNow []key
	for _, k := range order {
		s, ok := others[k]
		if !ok {
			continue
		}
		u := t.unitOf(s)
		found[k] = u
		if u.run == t.ledger.run { // an earlier one keeps its place in the order of runs
			now[k] = u
			inNow = append(inNow, k)
		}
	}
	return t.ledger.put(ctx, m.Language, m.Recipe, inNow, now)
}

func (t *textStore) unitOf(s SharedUnit) Unit {
	u := Unit{Target: s.Target, State: s.State, Origin: s.Origin, Flags: s.Flags}
	if s.Job == t.shared.Job() {
		u.run = t.ledger.run
	}
	return u
}

// claimShared claims texts that claimHere took among all processes. Those that another
// process asks for are let go of; it returns what to wait for.
func (t *textStore) claimShared(ctx context.Context, m Made, keys []key) (mine []key, others []wait, err error) {
	if t.shared == nil || len(keys) == 0 {
		return keys, nil, nil
	}
	mine, not, err := t.shared.Claim(ctx, m, keys, func(s SharedUnit) bool { return !usable(t.unitOf(s), t.ledger.run, t.force) })
	if err != nil {
		t.releaseHere(m, keys)
		return nil, nil, err
	}
	t.releaseHere(m, not)
	if len(not) > 0 {
		others = []wait{func(ctx context.Context) error { return t.shared.Wait(ctx, m, not) }}
	}
	return mine, others, nil
}

// claimHere takes the texts that no other document of this process is asking for; of the
// others it returns what to wait for. A document never waits for those while it has any.
func (t *textStore) claimHere(m Made, keys []key) (mine []key, others []wait) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := &asking{done: make(chan struct{})}
	var last *asking
	for _, k := range keys {
		f := flight{m.Language, k}
		of, taken := t.flights[f]
		if !taken {
			t.flights[f] = a
			mine = append(mine, k)
			continue
		}
		if of == last {
			continue // it is waited for
		}
		last = of
		others = append(others, func(ctx context.Context) error {
			select {
			case <-of.done:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}
	a.left = len(mine)
	return mine, others
}

// release ends claims, whether or not the texts have got a unit.
func (t *textStore) release(ctx context.Context, m Made, mine []key) error {
	defer t.releaseHere(m, mine)
	if t.shared == nil {
		return nil
	}
	return t.shared.Release(ctx, m, mine)
}

// releaseHere ends claims within this process. Who waits for one waits for all that were
// claimed with it.
func (t *textStore) releaseHere(m Made, mine []key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range mine {
		f := flight{m.Language, k}
		a := t.flights[f]
		delete(t.flights, f)
		if a.left--; a.left == 0 {
			close(a.done)
		}
	}
}

// put records what was got. Units that another process put first replace those of units;
// replaced reports whether there are any.
func (t *textStore) put(ctx context.Context, m Made, order []key, units map[key]Unit) (replaced bool, err error) {
	if t.shared != nil {
		made := map[key]SharedUnit{}
		for k, u := range units {
			if u.Origin == FromMachine {
				made[k] = SharedUnit{Target: u.Target, State: u.State, Origin: u.Origin, Flags: u.Flags, Job: t.shared.Job()}
			}
		}
		if len(made) > 0 {
			instead, err := t.shared.Put(ctx, m, made)
			if err != nil {
				return false, err
			}
			for k, s := range instead {
				replaced = true
				u := t.unitOf(s)
				u.run = t.ledger.run
				units[k] = u
			}
		}
	}
	return replaced, t.ledger.put(ctx, m.Language, m.Recipe, order, units)
}
