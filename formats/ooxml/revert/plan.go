package revert

import (
	"context"
	"io"
	"slices"

	"atelier/formats"
)

const (
	// MaxChanges bounds the changes of a file that can be taken back one by one.
	MaxChanges = 5000
	// maxUnits bounds the units that are tried; more are joined with their neighbours.
	maxUnits = 200
	// maxTrials bounds the comparisons of one plan.
	maxTrials = 600
	// parallelTrials is how many of them run at once.
	parallelTrials = 2
)

// Plan says which changes of a file can be taken back, and with which others.
type Plan struct {
	Groups []Group
	// Rest are the ids of changes that can go back with the whole file only.
	Rest []string

	format        *formats.Format
	broken        map[string]int // references that lead nowhere on either side, by kind
	before, after formats.Source
	sides         *sides
	units         []unit
	base          []change
	trials        int
	exhaustive    bool // each unit is tried by itself

	lines   formats.LineChanges // nil when no lines came, went or moved
	own     map[string]int      // the line change that a change of a review tells
	aligned formats.Source      // before with all line changes made
	undone  map[string]*undone  // by the line changes
}

// Group is changes that go back together.
type Group struct {
	IDs []string
	// Needs are the places in Plan.Groups of those that have to go back with it, since
	// they need it: a field needs its bookmark.
	Needs []int
	units []int
	lines []int
	// follows says that the changes are gone when those of Needs are.
	follows bool
}

// NewPlan compares two contents of a format that has a Differ and finds the changes
// that can be taken back. Where all places that differ go back by themselves it takes
// some ten comparisons, else at most a few hundred; ctx bounds their time.
func NewPlan(ctx context.Context, f *formats.Format, before, after formats.Source) (*Plan, error) {
	return newPlan(ctx, &Plan{format: f, before: before, after: after, aligned: before})
}

// NewExhaustivePlan is NewPlan with a comparison for each place that differs, for tests.
func NewExhaustivePlan(ctx context.Context, f *formats.Format, before, after formats.Source) (*Plan, error) {
	return newPlan(ctx, &Plan{format: f, before: before, after: after, aligned: before, exhaustive: true})
}

func newPlan(ctx context.Context, p *Plan) (*Plan, error) {
	after := p.after
	d, err := p.diff(ctx, after)
	if err != nil {
		return nil, err
	}
	if p.base = changes(d); len(p.base) > MaxChanges {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has more than %d changes; take the whole file back", after.Name(), MaxChanges)
	}
	if err := p.countBroken(ctx); err != nil {
		return nil, err
	}
	if err := p.findLines(ctx, d); err != nil {
		return nil, err
	}
	if p.sides, err = openSides(ctx, p.aligned, after); err != nil {
		return nil, err
	}
	if p.units, err = p.sides.units(ctx); err != nil {
		return nil, err
	}
	p.units = coarse(p.joinBlocks(p.units))
	return p, p.group(ctx)
}

// coarse joins neighbouring units of a part when there are too many to try.
func coarse(units []unit) []unit {
	if len(units) <= maxUnits {
		return units
	}
	each := (len(units) + maxUnits - 1) / maxUnits
	var out []unit
	n := 0
	for _, u := range units {
		if k := len(out) - 1; k >= 0 && n < each && out[k].part == u.part && !u.whole && u.rel == nil && !out[k].whole && out[k].rel == nil {
			out[k].splices = append(slices.Clip(out[k].splices), u.splices...)
			n++
			continue
		}
		out, n = append(out, u), 1
	}
	return out
}

// group tries the units and joins those that belong together.
func (p *Plan) group(ctx context.Context) error {
	effects, err := p.effects(ctx)
	if err != nil {
		return err
	}
	owner := map[string]int{} // the group of a change
	for id := range p.own {
		owner[id] = -1
	}
	var groups []Group
	for i, e := range effects {
		if e.clean() && len(e.gone) > 0 {
			groups = append(groups, Group{IDs: e.gone, units: []int{i}})
		}
	}
	groups = joined(groups)
	for k, g := range groups {
		for _, id := range g.IDs {
			owner[id] = k
		}
	}
	p.Groups = groups
	if err := p.join(ctx, effects, owner); err != nil {
		return err
	}
	if err := p.groupLines(ctx, owner); err != nil {
		return err
	}
	for _, c := range p.base {
		if k, ok := owner[c.id]; !ok || k < 0 {
			p.Rest = append(p.Rest, c.id)
		}
	}
	return nil
}

// Missing lists the changes that have to go back with those of ids and are not among
// them, and those of ids that can go back with the whole file only. An unknown id is an
// error.
func (p *Plan) Missing(ids []string) (missing, stuck []string, err error) {
	known, want := map[string]bool{}, map[string]bool{}
	for _, c := range p.base {
		known[c.id] = true
	}
	for _, id := range ids {
		if !known[id] {
			return nil, nil, formats.Errorf(formats.CodeNotFound, "there is no change %s in %s any more; review the file again", id, p.after.Name())
		}
		want[id] = true
	}
	if len(want) == len(known) {
		return nil, nil, nil
	}
	for _, id := range p.Rest {
		if want[id] {
			stuck = append(stuck, id)
		}
	}
	for _, id := range p.closure(want) {
		if !slices.Contains(ids, id) {
			missing = append(missing, id)
		}
	}
	return missing, stuck, nil
}

// Requires returns the other changes that have to go back with one; ok is false when it
// can go back with the whole file only.
func (p *Plan) Requires(id string) (others []string, ok bool) {
	if slices.Contains(p.Rest, id) {
		return nil, false
	}
	return slices.DeleteFunc(p.closure(map[string]bool{id: true}), func(o string) bool { return o == id }), true
}

// closure returns all changes of the groups that want, and of those that they need.
func (p *Plan) closure(want map[string]bool) (ids []string) {
	seen := make([]bool, len(p.Groups))
	var visit func(k int)
	visit = func(k int) {
		if seen[k] {
			return
		}
		seen[k] = true
		ids = append(ids, p.Groups[k].IDs...)
		for _, n := range p.Groups[k].Needs {
			visit(n)
		}
	}
	for k, g := range p.Groups {
		if slices.ContainsFunc(g.IDs, func(id string) bool { return want[id] }) {
			visit(k)
		}
	}
	return ids
}

// Write writes after to dst with the changes as they are in before, and with the values
// calculated that depend on them. When all changes go back it writes
// the bytes of before. It returns how many values it calculated.
func (p *Plan) Write(ctx context.Context, dst io.Writer, ids []string, opt formats.ApplyOptions) (calculated int, err error) {
	missing, stuck, err := p.Missing(ids)
	if err != nil {
		return 0, err
	}
	if len(missing) > 0 || len(stuck) > 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "these changes cannot be taken back without others")
	}
	if len(ids) == len(p.base) {
		_, err := io.Copy(dst, io.NewSectionReader(p.before, 0, p.before.Size()))
		return 0, err
	}
	units, lines := p.of(ids)
	e, now, err := p.try(ctx, units, lines)
	if err != nil {
		return 0, err
	}
	if slices.Sort(e.gone); !e.clean() || !slices.Equal(e.gone, slices.Sorted(slices.Values(p.following(ids)))) {
		return 0, formats.Errorf(formats.CodeUnsupported, "these changes of %s cannot be taken back together", p.after.Name())
	}
	s, ok := p.format.Editor.(formats.Settler)
	switch {
	case !ok:
		_, err = io.Copy(dst, io.NewSectionReader(now, 0, now.Size()))
		return 0, err
	case len(lines) > 0:
		return p.settleLines(ctx, s, dst, units, lines, opt)
	}
	return s.Settle(ctx, p.after, now, dst, opt)
}

// of returns the units and the line changes that take changes back.
func (p *Plan) of(ids []string) (units, lines []int) {
	for _, g := range p.Groups {
		if slices.Contains(ids, g.IDs[0]) {
			units, lines = append(units, g.units...), append(lines, g.lines...)
		}
	}
	slices.Sort(units)
	slices.Sort(lines)
	return slices.Compact(units), slices.Compact(lines)
}
