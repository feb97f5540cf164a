package revert

import (
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
)

// change is a change of a review: its id, where it is, and what it says without its
// place, which moves when other changes go back.
type change struct{ id, shape, sheet, at string }

// diff compares before with src.
func (p *Plan) diff(ctx context.Context, src formats.Source) (*formats.Diff, error) {
	d, err := p.format.Differ.Diff(ctx, p.before, src, formats.DiffOptions{MaxItems: MaxChanges + 1})
	if err == nil {
		d.Identify()
	}
	return d, err
}

// changes lists what a comparison tells.
func changes(d *formats.Diff) (out []change) {
	for _, g := range d.Groups {
		for _, it := range g.Items {
			out = append(out, change{it.ID, "item\x00" + string(it.Change) + "\x00" + it.Old + "\x00" + it.New, g.Name, it.At})
		}
	}
	for _, f := range d.Facts {
		if f.Follows() {
			continue
		}
		sheet, at := "", f.At
		if i := strings.LastIndexByte(at, '!'); i >= 0 {
			sheet, at = at[:i], at[i+1:]
		}
		out = append(out, change{f.ID, f.Kind + "\x00" + string(f.Change) + "\x00" + f.Old + "\x00" + f.New, sheet, at})
	}
	return out
}

// effect is what taking units back does to the changes.
type effect struct {
	gone   []string // ids of changes that are no longer there
	torn   []string // those of gone that line changes took along
	shared []string // changes that are still there and say something else
	fresh  int      // changes that were not there
	failed bool     // the units cannot go back
}

func (e effect) clean() bool { return !e.failed && e.fresh == 0 }

// try takes units and line changes back and compares the result with before.
func (p *Plan) try(ctx context.Context, units, lines []int) (effect, formats.Source, error) {
	src, err := p.result(ctx, units, lines)
	if err == nil {
		var d *formats.Diff
		if d, err = p.diff(ctx, src); err == nil {
			e := p.effect(changes(d), lines)
			if e.clean() {
				e.failed, err = p.breaks(ctx, src)
			}
			if err == nil {
				return e, src, nil
			}
		}
	}
	if ctx.Err() != nil {
		return effect{}, nil, ctx.Err()
	}
	return effect{failed: true}, nil, nil
}

// result is after with units and line changes taken back.
func (p *Plan) result(ctx context.Context, units, lines []int) (formats.Source, error) {
	src := p.after
	if len(units) > 0 {
		list := make([]unit, len(units))
		for i, u := range units {
			list[i] = p.units[u]
		}
		ed, err := p.sides.revert(ctx, list)
		if err != nil {
			return nil, err
		}
		if src, err = source(ctx, ed, p.after.Name()); err != nil {
			return nil, err
		}
	}
	if len(lines) > 0 {
		_, now, err := p.undoLines(ctx, src, lines, formats.ApplyOptions{})
		return now, err
	}
	return src, nil
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

// effect says what became of the changes when some units and line changes went back.
func (p *Plan) effect(now []change, lines []int) effect {
	if len(lines) > 0 {
		return p.compareLines(now, lines)
	}
	e := compareChanges(p.base, now)
	for _, id := range e.gone {
		if _, ok := p.own[id]; ok { // it says what only a line change can take back
			e.failed = true
		}
	}
	return e
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
