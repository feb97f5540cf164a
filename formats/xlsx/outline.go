package xlsx

import (
	"maps"
	"slices"
	"sort"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// maxOutline is the deepest level of a group (18.3.1.73).
const maxOutline = 7

// outlineLine is what a row or column says of groups.
type outlineLine struct {
	level     int
	hidden    bool
	collapsed bool // the group beside it, of which it is the summary, is collapsed
}

// outline is the groups of the rows or columns of a sheet.
type outline struct {
	cols  bool
	above bool                // summaries are before their groups
	lines map[int]outlineLine // those that say something
	was   map[int]outlineLine // as the file has them
	dirty map[int]bool        // those that an operation changed
	hides map[int]bool        // those of them that it hides or shows
}

// remember takes what was read as the state before the operation.
func (o *outline) remember() { o.was = maps.Clone(o.lines) }

// changed are the lines that the operation changed, as they are now.
func (o *outline) changed() map[int]outlineLine {
	out := map[int]outlineLine{}
	for i := range o.dirty {
		out[i] = o.lines[i]
	}
	return out
}

func (o *outline) set(i int, l outlineLine) {
	if l != o.lines[i] {
		o.lines[i], o.dirty[i] = l, true
	}
}

// deepest is the highest level.
func (o *outline) deepest() int {
	n := 0
	for _, l := range o.lines {
		n = max(n, l.level)
	}
	return n
}

// summary is the line that stands for a group; 0 when the sheet ends there.
func (o *outline) summary(r lineRun) int {
	if o.above {
		return r.from - 1
	}
	if r.to >= lastLine(o.cols) {
		return 0
	}
	return r.to + 1
}

func (o *outline) collapsed(r lineRun) bool {
	s := o.summary(r)
	return s > 0 && o.lines[s].collapsed
}

// outlineGroup is a group of a level: lines side by side, none of them of a lower
// one.
type outlineGroup struct {
	lineRun
	level int
}

// groupsAt are the groups of a level, in order.
func (o *outline) groupsAt(level int) []outlineGroup {
	var out []outlineGroup
	for _, i := range slices.Sorted(maps.Keys(o.lines)) {
		switch n := len(out) - 1; {
		case o.lines[i].level < level:
		case n >= 0 && out[n].to == i-1:
			out[n].to = i
		default:
			out = append(out, outlineGroup{lineRun{i, i}, level})
		}
	}
	return out
}

// groupsIn are the groups that the lines of runs belong to: of each run those of
// the lowest level in it.
func (o *outline) groupsIn(runs []lineRun) []outlineGroup {
	var out []outlineGroup
	levels, seen := map[int][]outlineGroup{}, map[outlineGroup]bool{}
	for _, r := range runs {
		level := 0
		for i := r.from; i <= r.to; i++ {
			if l := o.lines[i].level; l > 0 && (level == 0 || l < level) {
				level = l
			}
		}
		if level == 0 {
			continue
		}
		if levels[level] == nil {
			levels[level] = o.groupsAt(level)
		}
		groups := levels[level]
		for k := sort.Search(len(groups), func(k int) bool { return groups[k].to >= r.from }); k < len(groups) && groups[k].from <= r.to; k++ {
			if !seen[groups[k]] {
				seen[groups[k]] = true
				out = append(out, groups[k])
			}
		}
	}
	return out
}

// group puts lines one level deeper.
func (o *outline) group(runs []lineRun) error {
	for _, r := range runs {
		for i := r.from; i <= r.to; i++ {
			l := o.lines[i]
			if l.level++; l.level > maxOutline {
				return formats.Errorf(formats.CodeInvalid, "%s is in %d groups, one inside the other, and there can be no more", runName(o.cols, i, i), maxOutline)
			}
			o.set(i, l)
		}
	}
	return nil
}

// ungroup takes lines out of the innermost group that they are in. A group that
// was collapsed is shown first, since nothing would say afterwards why its lines
// are hidden; expanded counts these.
func (o *outline) ungroup(runs []lineRun) (expanded int) {
	named := map[int]bool{}
	for _, r := range runs {
		for i := r.from; i <= r.to; i++ {
			named[i] = o.lines[i].level > 0
		}
	}
	for level := 1; level <= maxOutline; level++ {
		for _, g := range o.groupsAt(level) {
			leaves := false
			for i := g.from; i <= g.to && !leaves; i++ {
				leaves = named[i] && o.lines[i].level == level
			}
			if leaves && o.collapsed(g.lineRun) {
				o.expand(g)
				expanded++
			}
		}
	}
	for i, in := range named {
		if l := o.lines[i]; in {
			l.level--
			o.set(i, l)
		}
	}
	return expanded
}

// collapse hides the lines of a group.
func (o *outline) collapse(g outlineGroup) {
	for i := g.from; i <= g.to; i++ {
		l := o.lines[i]
		l.hidden = true
		o.set(i, l)
	}
	o.mark(g, true)
}

// expand shows the lines of a group, but for those of collapsed groups inside it.
func (o *outline) expand(g outlineGroup) {
	o.mark(g, false)
	for i := g.from; i <= g.to; i++ {
		if l := o.lines[i]; l.level == g.level {
			l.hidden = false
			o.set(i, l)
			continue
		}
		in := outlineGroup{lineRun{i, i}, g.level + 1}
		for in.to < g.to && o.lines[in.to+1].level > g.level {
			in.to++
		}
		if !o.collapsed(in.lineRun) {
			o.expand(in)
		}
		i = in.to
	}
}

func (o *outline) mark(g outlineGroup, collapsed bool) {
	if s := o.summary(g.lineRun); s > 0 {
		l := o.lines[s]
		l.collapsed = collapsed
		o.set(s, l)
	}
}

func lastLine(cols bool) int { return cellref.Shift{Cols: cols}.Limit() }
