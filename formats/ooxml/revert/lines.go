package revert

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// undone is the state of before with which a content is compared in which some line
// changes are undone.
type undone struct {
	before formats.Source // with the other line changes made
	lost   map[string]bool
}

// findLines finds the lines that came, went or moved, and makes before have those of
// after. Where it cannot, the plan goes without.
func (p *Plan) findLines(ctx context.Context, d *formats.Diff) error {
	ed, ok := p.format.Editor.(formats.LineEditor)
	if !ok || !tellsLines(d) {
		return nil
	}
	lines, err := ed.LinesChanged(ctx, p.before, p.after)
	if err != nil || lines == nil {
		return err
	}
	if lines.Len() > 0 {
		aligned, err := lines.Align(ctx, p.after, nil)
		if err != nil {
			return ctx.Err()
		}
		p.aligned = aligned
	}
	p.lines, p.own, p.undone = lines, map[string]int{}, map[string]*undone{}
	for k := range lines.Len() {
		for _, g := range d.Groups {
			for _, it := range g.Items {
				if lines.OwnsItem(k, g.Name, it) {
					p.own[it.ID] = k
				}
			}
		}
		for _, f := range d.Facts {
			if lines.Owns(k, f) {
				p.own[f.ID] = k
			}
		}
	}
	return nil
}

// tellsLines reports whether a review tells of lines that came, went or moved.
func tellsLines(d *formats.Diff) bool {
	for _, g := range d.Groups {
		if slices.ContainsFunc(g.Items, func(it formats.DiffItem) bool { return it.Change == formats.Moved }) {
			return true
		}
	}
	return slices.ContainsFunc(d.Facts, func(f formats.Fact) bool { return f.Kind == formats.FactRows || f.Kind == formats.FactColumns })
}

// joinBlocks joins the units in rows that changed places among each other.
func (p *Plan) joinBlocks(units []unit) []unit {
	if p.lines == nil || len(p.lines.Blocks()) == 0 {
		return units
	}
	first := map[int]int{} // by block
	var out []unit
	for _, u := range units {
		b := slices.IndexFunc(p.lines.Blocks(), func(b formats.LineBlock) bool { return b.Part == u.part && u.row >= b.From && u.row <= b.To })
		if b < 0 || u.row == 0 {
			out = append(out, u)
			continue
		}
		if k, ok := first[b]; ok {
			out[k].splices = append(slices.Clip(out[k].splices), u.splices...)
			continue
		}
		first[b] = len(out)
		out = append(out, u)
	}
	return out
}

// undoLines takes line changes of src back, which has the lines of after, and puts what
// went with them back: the contents of lines that went, and what referred to these. bare
// is the result before that.
func (p *Plan) undoLines(ctx context.Context, src formats.Source, lines []int, opt formats.ApplyOptions) (bare, now formats.Source, err error) {
	u, err := p.withoutLines(ctx, lines)
	if err != nil {
		return nil, nil, err
	}
	if bare, err = p.lines.Undo(ctx, src, lines, opt); err != nil {
		return nil, nil, err
	}
	if now, err = p.lines.Fill(ctx, bare, u.before, lines); err != nil {
		return nil, nil, err
	}
	s, err := openSides(ctx, u.before, now)
	if err != nil {
		return nil, nil, err
	}
	units, err := s.units(ctx)
	if err != nil {
		return nil, nil, err
	}
	units = slices.DeleteFunc(units, func(o unit) bool { return !u.lost[o.key] })
	if len(units) == 0 {
		return bare, now, nil
	}
	ed, err := s.revert(ctx, units)
	if err != nil {
		return nil, nil, err
	}
	now, err = source(ctx, ed, p.after.Name())
	return bare, now, err
}

// withoutLines finds what is lost by making line changes in before and undoing them.
func (p *Plan) withoutLines(ctx context.Context, lines []int) (*undone, error) {
	key := fmt.Sprint(lines)
	if u := p.undone[key]; u != nil {
		return u, nil
	}
	back, err := p.lines.Undo(ctx, p.aligned, lines, formats.ApplyOptions{})
	if err != nil {
		return nil, err
	}
	u := &undone{lost: map[string]bool{}}
	if u.before, err = p.lines.Align(ctx, back, lines); err != nil {
		return nil, err
	}
	if back, err = p.lines.Fill(ctx, back, u.before, lines); err != nil {
		return nil, err
	}
	s, err := openSides(ctx, u.before, back)
	if err != nil {
		return nil, err
	}
	units, err := s.units(ctx)
	for _, o := range units {
		u.lost[o.key] = true
	}
	p.undone[key] = u
	return u, err
}

// settleLines is the end of Write when line changes went back: the values are calculated
// where the lines are those of after, then where they are those of the result.
func (p *Plan) settleLines(ctx context.Context, s formats.Settler, dst io.Writer, units, lines []int, opt formats.ApplyOptions) (int, error) {
	src, err := p.result(ctx, units, nil)
	if err != nil {
		return 0, err
	}
	n := 0
	if len(units) > 0 {
		var out bytes.Buffer
		if n, err = s.Settle(ctx, p.after, src, &out, opt); err != nil {
			return 0, err
		}
		src = formats.FromBytes(p.after.Name(), out.Bytes())
	}
	opt.Calculate = true
	bare, now, err := p.undoLines(ctx, src, lines, opt)
	if err != nil {
		return 0, err
	}
	more, err := s.Settle(ctx, bare, now, dst, opt)
	return n + more, err
}

// groupLines makes a group of each line change that can go back, with the groups that
// have to go with it: a formula that reads the cells of an inserted row goes with it.
func (p *Plan) groupLines(ctx context.Context, owner map[string]int) error {
	if p.lines == nil {
		return nil
	}
	shared := map[string][]int{} // by change: the line changes that have a part in it
	for k := range p.lines.Len() {
		e, _, err := p.try(ctx, nil, []int{k})
		if err != nil {
			return err
		}
		if p.trials++; !e.clean() {
			var units []int
			for _, id := range e.torn {
				if g, ok := owner[id]; ok && g >= 0 {
					units = append(units, p.Groups[g].units...)
				}
			}
			slices.Sort(units)
			if len(units) == 0 {
				continue
			}
			if e, _, err = p.try(ctx, slices.Compact(units), []int{k}); err != nil {
				return err
			}
			p.trials++
		}
		if !e.clean() {
			continue
		}
		made := Group{lines: []int{k}}
		for _, id := range e.gone {
			switch g, ok := owner[id]; {
			case !ok || g < 0:
				made.IDs = append(made.IDs, id)
			case !slices.Contains(made.Needs, g):
				made.Needs = append(made.Needs, g)
			}
		}
		if made.IDs == nil {
			continue
		}
		for _, id := range made.IDs {
			owner[id] = len(p.Groups)
		}
		for _, id := range e.shared {
			shared[id] = append(shared[id], k)
		}
		p.Groups = append(p.Groups, made)
	}
	return p.groupShared(ctx, owner, shared)
}

// groupShared makes groups of the changes that several line changes make together, such
// as that a table has other columns.
func (p *Plan) groupShared(ctx context.Context, owner map[string]int, shared map[string][]int) error {
	for _, c := range p.base {
		lines := shared[c.id]
		if _, known := owner[c.id]; known || len(lines) < 2 {
			continue
		}
		e, _, err := p.try(ctx, nil, lines)
		if err != nil {
			return err
		}
		if p.trials++; !e.clean() || !slices.Contains(e.gone, c.id) {
			continue
		}
		made := Group{IDs: []string{c.id}, follows: true}
		for k, g := range p.Groups {
			if len(g.lines) > 0 && slices.Contains(lines, g.lines[0]) {
				made.Needs = append(made.Needs, k)
			}
		}
		owner[c.id] = len(p.Groups)
		p.Groups = append(p.Groups, made)
	}
	return nil
}

// following adds the changes that are gone when all that they follow from is.
func (p *Plan) following(ids []string) []string {
	out := slices.Clone(ids)
	for _, g := range p.Groups {
		if g.follows && !slices.Contains(ids, g.IDs[0]) && !slices.ContainsFunc(g.Needs, func(k int) bool { return !slices.Contains(ids, p.Groups[k].IDs[0]) }) {
			out = append(out, g.IDs...)
		}
	}
	return out
}

// addresses are references to cells, rows and columns in formulas and facts, which
// change when lines come back.
var addresses = lazyregexp.New(`\$?[A-Z]{1,3}\$?[0-9]+|\$?[0-9]+:\$?[0-9]+|\$?\b[A-Z]{1,3}:\$?[A-Z]{1,3}\b|\brow [0-9]+|\bcolumn [A-Z]{1,3}\b|…`)

func withoutAddresses(shape string) string {
	return addresses.ReplaceAllStringFunc(shape, func(s string) string {
		if s == "…" { // which of several formulas is the first one
			return ""
		}
		return "@"
	})
}

// compareLines is compareChanges where line changes went back: changes are paired by
// their ids, then by what they say and their places, then by what they say. Blocks of
// alike formulas are divided by a row that comes back, and joined when one goes.
func (p *Plan) compareLines(now []change, lines []int) effect {
	var e effect
	have := map[string]int{}
	for _, c := range now {
		have[c.id]++
	}
	var left, fresh []change
	for _, c := range p.base {
		k, own := p.own[c.id]
		switch {
		case own && slices.Contains(lines, k):
			e.gone = append(e.gone, c.id)
		case have[c.id] > 0:
			have[c.id]--
		default:
			left = append(left, c)
		}
	}
	gone := slices.Clone(e.gone)
	for _, c := range now {
		switch {
		case slices.Contains(gone, c.id) && have[c.id] > 0 && p.sameLine(c, lines):
			e.fresh++ // it is still there
		case have[c.id] > 0:
			have[c.id]--
			fresh = append(fresh, c)
		}
	}
	pair := func(name func(c change, now bool) string) {
		names := map[string]int{}
		for _, c := range fresh {
			names[name(c, true)]++
		}
		left = slices.DeleteFunc(left, func(c change) bool {
			n := name(c, false)
			names[n]--
			return names[n] >= 0
		})
		paired := map[string]int{}
		for _, c := range fresh {
			paired[name(c, true)]++
		}
		fresh = slices.DeleteFunc(fresh, func(c change) bool {
			n := name(c, true)
			if paired[n] > max(names[n], 0) {
				paired[n]--
				return true
			}
			return false
		})
	}
	pair(func(c change, now bool) string {
		at := c.at
		if now {
			at = p.lines.Place(lines, c.sheet, at)
		}
		return withoutAddresses(c.shape) + "\x00" + strings.ToLower(c.sheet) + "\x00" + at
	})
	pair(func(c change, _ bool) string { return withoutAddresses(c.shape) })
	was := slices.Clone(left)
	pair(func(c change, now bool) string { // an object of which two line changes changed something
		at, kind, item := c.at, shapeKind(c.shape), strings.HasPrefix(c.shape, "item\x00")
		if now {
			at = p.lines.Place(lines, c.sheet, at)
		}
		return fmt.Sprint(kind, "\x00", strings.ToLower(c.sheet), "\x00", at, item && now)
	})
	for _, c := range was {
		if !slices.Contains(left, c) {
			e.shared = append(e.shared, c.id)
		}
	}
	told := map[string]bool{}
	for _, c := range now {
		if strings.Contains(c.at, ":") || strings.Contains(c.shape, "=") {
			told[withoutAddresses(c.shape)] = true
		}
	}
	known := map[string]bool{}
	for _, c := range p.base {
		known[withoutAddresses(c.shape)] = true
	}
	for _, c := range left {
		if !told[withoutAddresses(c.shape)] {
			e.gone, e.torn = append(e.gone, c.id), append(e.torn, c.id)
		}
	}
	for _, c := range fresh {
		if !known[withoutAddresses(c.shape)] {
			e.fresh++
		}
	}
	return e
}

// shapeKind is the kind and the change of a shape.
func shapeKind(shape string) string {
	parts := strings.SplitN(shape, "\x00", 3)
	return parts[0] + " " + parts[1]
}

// sameLine reports whether a change is at the place that it had.
func (p *Plan) sameLine(c change, lines []int) bool {
	return p.lines.Place(lines, c.sheet, c.at) == c.at
}
