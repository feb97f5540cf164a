package translate

import (
	"context"

	"atelier/formats"
)

// Given is what people gave for a document in a language.
type Given struct {
	Targets map[string]GivenTarget // by segment id
	Flags   []Flag                 // what of it can't be used, and why
}

// GivenTarget is a person's translation, or a machine's that a person left.
type GivenTarget struct {
	Target    string
	Confirmed bool // a person has said that it is right
}

// given asks Options.Given. What a person left as the job had made it, and
// didn't confirm, is still the machine's.
func (r *runner) given(ctx context.Context, t task, src formats.Source) (map[string]Unit, []Flag, error) {
	if r.opt.Given == nil {
		return nil, nil, nil
	}
	g, err := r.opt.Given(ctx, t.doc, src, t.to)
	if err != nil || len(g.Targets) == 0 {
		return nil, g.Flags, err
	}
	before, err := r.before(ctx, r.recordName(t.output))
	if err != nil {
		return nil, nil, err
	}
	units := make(map[string]Unit, len(g.Targets))
	for id, target := range g.Targets {
		u := Unit{Target: target.Target, Origin: FromPerson}
		if old, ok := before[id]; ok && !target.Confirmed && old.Target == target.Target {
			u.Origin = old.Origin
		}
		units[id] = u
	}
	return units, g.Flags, nil
}

// kept are translations of an earlier run that this one must not lose when it
// makes the document anew: a person's, and beside them those by the same recipe.
func (r *runner) kept(ctx context.Context, now Record) (map[string]Unit, error) {
	if r.ledger == nil {
		return nil, nil
	}
	done, err := r.ledger.record(ctx, now.Output)
	if err != nil || done == nil || done.SourceHash != now.SourceHash || done.Language != now.Language {
		return nil, err
	}
	before, err := r.before(ctx, now.Output)
	if err != nil {
		return nil, err
	}
	units := map[string]Unit{}
	persons := 0
	for id, row := range before {
		if row.State != StateTranslated {
			continue
		}
		if row.Origin == FromPerson {
			persons++
		} else if r.opt.Force || done.Recipe != now.Recipe {
			continue
		}
		units[id] = Unit{Target: row.Target, Origin: row.Origin}
	}
	if persons == 0 {
		return nil, nil // texts are looked up one by one
	}
	return units, nil
}

// before are the segments of an output as the ledger has them, by id.
func (r *runner) before(ctx context.Context, output string) (map[string]Row, error) {
	if r.ledger == nil {
		return nil, nil
	}
	done, err := r.ledger.record(ctx, output)
	if err != nil || done == nil {
		return nil, err
	}
	rows := map[string]Row{}
	for row, err := range r.ledger.Rows(ctx, *done) {
		if err != nil {
			return nil, err
		}
		rows[row.ID] = row
	}
	return rows, nil
}
