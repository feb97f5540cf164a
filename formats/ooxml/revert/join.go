package revert

import (
	"context"
	"slices"
)

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
	e, _, err := p.try(ctx, slices.Compact(list), nil)
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
