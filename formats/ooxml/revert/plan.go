package revert

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

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
}

// Group is changes that go back together.
type Group struct {
	IDs []string
	// Needs are the places in Plan.Groups of those that have to go back with it, since
	// they need it: a field needs its bookmark.
	Needs []int
	units []int
}

// NewPlan compares two contents of a format that has a Differ and finds the changes
// that can be taken back. It takes as many comparisons as there are places that differ,
// at most a few hundred; ctx bounds their time.
func NewPlan(ctx context.Context, f *formats.Format, before, after formats.Source) (*Plan, error) {
	p := &Plan{format: f, before: before, after: after}
	var err error
	if p.base, err = p.changes(ctx, after); err != nil {
		return nil, err
	}
	if err := p.countBroken(ctx); err != nil {
		return nil, err
	}
	if len(p.base) > MaxChanges {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has more than %d changes; take the whole file back", after.Name(), MaxChanges)
	}
	if p.sides, err = openSides(ctx, before, after); err != nil {
		return nil, err
	}
	if p.units, err = p.sides.units(ctx); err != nil {
		return nil, err
	}
	p.units = coarse(p.units)
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

// change is a change of a review: its id, and what it says without its place, which
// moves when other changes go back.
type change struct{ id, shape string }

// changes lists what a comparison of before with src tells.
func (p *Plan) changes(ctx context.Context, src formats.Source) ([]change, error) {
	d, err := p.format.Differ.Diff(ctx, p.before, src, formats.DiffOptions{MaxItems: MaxChanges + 1})
	if err != nil {
		return nil, err
	}
	d.Identify()
	var out []change
	for _, g := range d.Groups {
		for _, it := range g.Items {
			out = append(out, change{it.ID, "item\x00" + string(it.Change) + "\x00" + it.Old + "\x00" + it.New})
		}
	}
	for _, f := range d.Facts {
		if f.Follows() {
			continue
		}
		out = append(out, change{f.ID, f.Kind + "\x00" + string(f.Change) + "\x00" + f.Old + "\x00" + f.New})
	}
	return out, nil
}

// effect is what taking units back does to the changes.
type effect struct {
	gone   []string // ids of changes that are no longer there
	fresh  int      // changes that were not there
	failed bool     // the units cannot go back
}

func (e effect) clean() bool { return !e.failed && e.fresh == 0 }

// try takes units back and compares the result with before.
func (p *Plan) try(ctx context.Context, units []int) (effect, formats.Source, error) {
	list := make([]unit, len(units))
	for i, u := range units {
		list[i] = p.units[u]
	}
	ed, err := p.sides.revert(ctx, list)
	if err == nil {
		var src formats.Source
		if src, err = source(ctx, ed, p.after.Name()); err == nil {
			var now []change
			if now, err = p.changes(ctx, src); err == nil {
				e := compareChanges(p.base, now)
				if e.fresh == 0 {
					e.failed, err = p.breaks(ctx, src)
				}
				if err == nil {
					return e, src, nil
				}
			}
		}
	}
	if ctx.Err() != nil {
		return effect{}, nil, ctx.Err()
	}
	return effect{failed: true}, nil, nil
}

// referring are the kinds of findings of an audit that say that something refers to
// what is not there.
var referring = []string{"broken_reference", "broken_link"}

func (p *Plan) findings(ctx context.Context, src formats.Source) (map[string]int, error) {
	out, err := broken(ctx, src)
	if err != nil || p.format.Auditor == nil {
		return out, err
	}
	kinds := slices.DeleteFunc(p.format.Auditor.AuditKinds(), func(k string) bool { return !slices.Contains(referring, k) })
	if len(kinds) == 0 {
		return out, nil
	}
	a, err := p.format.Auditor.Audit(ctx, src, formats.AuditOptions{Kinds: kinds})
	if err != nil {
		return nil, err
	}
	maps.Copy(out, a.Counts)
	return out, nil
}

// countBroken counts the references that lead nowhere before and after.
func (p *Plan) countBroken(ctx context.Context) error {
	a, err := p.findings(ctx, p.before)
	if err != nil {
		return err
	}
	if p.broken, err = p.findings(ctx, p.after); err != nil {
		return err
	}
	for kind, n := range a {
		if p.broken == nil {
			p.broken = map[string]int{}
		}
		p.broken[kind] = max(p.broken[kind], n)
	}
	return nil
}

// breaks reports whether src has more references that lead nowhere.
func (p *Plan) breaks(ctx context.Context, src formats.Source) (bool, error) {
	now, err := p.findings(ctx, src)
	for kind, n := range now {
		if n > p.broken[kind] {
			return true, err
		}
	}
	return false, err
}

// compareChanges says which changes of base are gone in now, first by their ids, then
// by what they say.
func compareChanges(base, now []change) effect {
	have := map[string]int{}
	for _, c := range now {
		have[c.id]++
	}
	var left []change
	for _, c := range base {
		if have[c.id] > 0 {
			have[c.id]--
		} else {
			left = append(left, c)
		}
	}
	shapes := map[string]int{}
	for _, c := range now {
		if have[c.id] > 0 {
			have[c.id]--
			shapes[c.shape]++
		}
	}
	var e effect
	for _, c := range left {
		if shapes[c.shape] > 0 {
			shapes[c.shape]--
		} else {
			e.gone = append(e.gone, c.id)
		}
	}
	for _, n := range shapes {
		e.fresh += n
	}
	return e
}

// group tries the units and joins those that belong together.
func (p *Plan) group(ctx context.Context) error {
	effects := make([]effect, len(p.units))
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelTrials)
	for i := range p.units {
		g.Go(func() error {
			e, _, err := p.try(gctx, []int{i})
			mu.Lock()
			defer mu.Unlock()
			effects[i] = e
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.trials = len(p.units)
	owner := map[string]int{} // the group of a change
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
	for _, c := range p.base {
		if _, ok := owner[c.id]; !ok {
			p.Rest = append(p.Rest, c.id)
		}
	}
	return nil
}

// joined joins groups that share a change.
func joined(groups []Group) []Group {
	var out []Group
	for _, g := range groups {
		var others []Group
		for _, o := range out {
			if slices.ContainsFunc(o.IDs, func(id string) bool { return slices.Contains(g.IDs, id) }) {
				g.units = append(g.units, o.units...)
				for _, id := range o.IDs {
					if !slices.Contains(g.IDs, id) {
						g.IDs = append(g.IDs, id)
					}
				}
			} else {
				others = append(others, o)
			}
		}
		out = append(others, g)
	}
	return out
}

// join finds groups for the changes that no unit alone takes back: units that share
// changes, then those of a part, then all. Where these do not go back alone they may
// with others: with units that change nothing that is told, such as the mark of a
// footnote, and with groups that need them.
func (p *Plan) join(ctx context.Context, effects []effect, owner map[string]int) error {
	var left []Group
	clean := len(p.Groups)
	pool := slices.Clone(p.Groups) // what may go back with them
	for i, e := range effects {
		e.gone = slices.DeleteFunc(slices.Clone(e.gone), func(id string) bool { _, ok := owner[id]; return ok })
		switch {
		case len(e.gone) == 0:
			pool = append(pool, Group{units: []int{i}})
		case !e.clean():
			left = append(left, Group{IDs: e.gone, units: []int{i}})
		}
	}
	for n, step := range []func([]Group) []Group{joined, p.byPart, all} {
		left = step(left)
		var rest []Group
		for _, g := range left {
			e, err := p.tryMore(ctx, g.units)
			if err != nil {
				return err
			}
			var with []int
			for _, most := range []int{clean, len(pool)} {
				if e.fits(pick(pool, with)) || n > 0 {
					break
				}
				if with, e, err = p.fewest(ctx, g.units, pool[:most]); err != nil {
					return err
				}
			}
			if !e.fits(pick(pool, with)) {
				rest = append(rest, g)
				continue
			}
			made := Group{units: g.units}
			for _, k := range with {
				if k >= clean {
					made.units = append(made.units, pool[k].units...)
				}
			}
			for _, id := range e.gone {
				if k, ok := owner[id]; !ok {
					made.IDs, owner[id] = append(made.IDs, id), len(p.Groups)
				} else if k != len(p.Groups) && !slices.Contains(made.Needs, k) {
					made.Needs = append(made.Needs, k)
				}
			}
			if made.IDs == nil {
				rest = append(rest, g)
				continue
			}
			p.Groups = append(p.Groups, made)
		}
		left = rest
	}
	return nil
}

// pick returns some groups of a list.
func pick(list []Group, which []int) (out []Group) {
	for _, k := range which {
		out = append(out, list[k])
	}
	return out
}

// fits reports whether an effect shows no change that was not there, and takes more
// back than the groups that went back too.
func (e effect) fits(others []Group) bool {
	n := 0
	for _, g := range others {
		n += len(g.IDs)
	}
	return e.clean() && len(e.gone) > n
}

// tryMore is try while there are trials left.
func (p *Plan) tryMore(ctx context.Context, units []int) (effect, error) {
	if p.trials++; p.trials > maxTrials {
		return effect{failed: true}, nil
	}
	list := slices.Clone(units)
	slices.Sort(list)
	e, _, err := p.try(ctx, slices.Compact(list))
	return e, err
}

// fewest looks for the fewest members of a pool with which units go back.
func (p *Plan) fewest(ctx context.Context, units []int, pool []Group) ([]int, effect, error) {
	try := func(with []int) (effect, error) {
		list := slices.Clone(units)
		for _, k := range with {
			list = append(list, pool[k].units...)
		}
		return p.tryMore(ctx, list)
	}
	keep := make([]int, len(pool))
	for i := range pool {
		keep[i] = i
	}
	best, err := try(keep)
	if err != nil || !best.fits(pick(pool, keep)) {
		return nil, effect{failed: true}, err
	}
	for size := (len(keep) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(keep); {
			less := slices.Delete(slices.Clone(keep), at, min(at+size, len(keep)))
			e, err := try(less)
			if err != nil {
				return nil, effect{}, err
			}
			if e.fits(pick(pool, less)) {
				keep, best = less, e
			} else {
				at += size
			}
		}
	}
	return keep, best, nil
}

// byPart joins groups in the same part.
func (p *Plan) byPart(groups []Group) []Group {
	at := map[string]int{}
	var out []Group
	for _, g := range groups {
		part := p.units[g.units[0]].part
		if k, ok := at[part]; ok {
			out[k].units = append(out[k].units, g.units...)
			out[k].IDs = append(out[k].IDs, g.IDs...)
			continue
		}
		at[part] = len(out)
		out = append(out, g)
	}
	return out
}

// all joins all groups.
func all(groups []Group) []Group {
	if len(groups) < 2 {
		return groups
	}
	one := Group{}
	for _, g := range groups {
		one.units, one.IDs = append(one.units, g.units...), append(one.IDs, g.IDs...)
	}
	return []Group{one}
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
	now, err := p.without(ctx, ids)
	if err != nil {
		return 0, err
	}
	if s, ok := p.format.Editor.(formats.Settler); ok {
		return s.Settle(ctx, p.after, now, dst, opt)
	}
	_, err = io.Copy(dst, io.NewSectionReader(now, 0, now.Size()))
	return 0, err
}

// without returns after with the changes taken back and no other.
func (p *Plan) without(ctx context.Context, ids []string) (formats.Source, error) {
	var units []int
	for _, g := range p.Groups {
		if slices.Contains(ids, g.IDs[0]) {
			units = append(units, g.units...)
		}
	}
	slices.Sort(units)
	e, now, err := p.try(ctx, slices.Compact(units))
	if err != nil {
		return nil, err
	}
	if slices.Sort(e.gone); !e.clean() || !slices.Equal(e.gone, slices.Sorted(slices.Values(ids))) {
		return nil, formats.Errorf(formats.CodeUnsupported, "these changes of %s cannot be taken back together", p.after.Name())
	}
	return now, nil
}
