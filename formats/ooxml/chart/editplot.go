package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// slot is where a series is shown: as what, and on which axes.
type slot struct {
	kind   Kind
	second bool
	as     *plotGroup // of a group that stays what it is because no kind describes it
}

// target is a group of series as it will be.
type target struct {
	slot
	base   *plotGroup // the group that it is now; nil: a new one
	series []*plotSeries
}

func (e *editor) slotOf(g *plotGroup) slot {
	s := slot{kind: g.kind, second: len(g.axes) > 0 && !sameAxes(g, e.groups[0])}
	if g.fixed || g.depth {
		s.as = g
	}
	return s
}

// findSeries finds a series by its name, else by its number from 1.
func (e *editor) findSeries(ref string) (*plotSeries, error) {
	all := e.allSeries()
	ref = oneLine(ref)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []*plotSeries
		for _, s := range all {
			if s.name != "" && same(s.name, ref) {
				found = append(found, s)
			}
		}
		if len(found) > 1 {
			return nil, formats.Errorf(formats.CodeInvalid, "%d series are called %s; name one by its number, from 1 to %d", len(found), quoted(ref), len(all))
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(all) {
		return all[n-1], nil
	}
	var names []string
	for _, s := range all[:min(len(all), 20)] {
		names = append(names, quoted(s.name))
	}
	return nil, formats.Errorf(formats.CodeNotFound, "the chart has no series %s; it has %s", quoted(ref), strings.Join(names, ", "))
}

// setTypes shows all series as another kind, and single ones as another kind or
// on other axes.
func (e *editor) setTypes(typ string, single []SeriesOptions) error {
	if len(e.groups) == 0 {
		return nil
	}
	want := map[*plotSeries]slot{}
	changed := false
	for _, s := range e.allSeries() {
		want[s] = e.slotOf(s.group)
	}
	if typ != "" {
		k, err := ParseKind(typ)
		if err != nil {
			return err
		}
		if err := e.mayBecome(k); err != nil {
			return err
		}
		for s, w := range want {
			if w != (slot{kind: k}) {
				want[s], changed = slot{kind: k}, true
			}
		}
	}
	for _, o := range single {
		moved, err := e.wantSingle(want, o)
		if err != nil {
			return err
		}
		changed = changed || moved
	}
	if !changed {
		return nil
	}
	return e.regroup(want, typ != "")
}

// wantSingle notes what one series shall become.
func (e *editor) wantSingle(want map[*plotSeries]slot, o SeriesOptions) (changed bool, err error) {
	s, err := e.findSeries(string(o.Series))
	if err != nil || o.Type == "" && o.Axis == "" {
		return false, err
	}
	w := want[s]
	if o.Type != "" {
		k, err := ParseKind(o.Type)
		if err != nil {
			return false, err
		}
		w.kind, w.as = k, nil
	}
	switch strings.ToLower(strings.TrimSpace(o.Axis)) {
	case "":
	case "primary", "first", "y":
		w.second = false
	case "secondary", "second", "y2":
		w.second = true
	default:
		return false, formats.Errorf(formats.CodeInvalid, "axis of the series %s must be primary or secondary, not %s", quoted(s.name), quoted(o.Axis))
	}
	changed = w != want[s]
	want[s] = w
	return changed, nil
}

// mayBecome refuses a kind that the chart has no data for.
func (e *editor) mayBecome(k Kind) error {
	all := e.allSeries()
	for _, g := range e.groups {
		if g.fixed {
			return formats.Errorf(formats.CodeUnsupported, "the type of a %s chart cannot be changed", strings.TrimSuffix(g.n.Local, "Chart"))
		}
	}
	switch {
	case k.Name == "stock" && (len(all) < 3 || len(all) > 4):
		return formats.Errorf(formats.CodeInvalid, "a stock chart shows high, low and close, in this order, with open before them: three or four series, not %d", len(all))
	case k.Name == "bubble" && slices.ContainsFunc(all, func(s *plotSeries) bool { return s.n.Child(Namespace, "bubbleSize") == nil }):
		return formats.Errorf(formats.CodeInvalid, "a bubble chart needs the sizes of its bubbles; make it with add_chart")
	case k.Name == "pie" && len(all) > 1:
		e.warn(fmt.Sprintf("a pie shows one series; only the first of %d is seen, use column or bar for all", len(all)))
	}
	return nil
}

// combinable reports whether kinds can be in one chart.
func combinable(kinds []Kind) bool {
	for _, family := range [][]string{{"column", "line", "area"}, {"bar"}, {"scatter"}} {
		if !slices.ContainsFunc(kinds, func(k Kind) bool { return !slices.Contains(family, k.Name) }) {
			return true
		}
	}
	return false
}

// regroup puts the series into the groups that are wanted.
func (e *editor) regroup(want map[*plotSeries]slot, whole bool) error {
	var list []*target
	for _, g := range e.groups {
		if len(g.series) > 0 {
			list = append(list, &target{slot: e.slotOf(g), base: g})
		}
	}
	place := func(w slot) *target {
		for _, t := range list {
			if t.slot == w {
				return t
			}
		}
		t := &target{slot: w}
		list = append(list, t)
		return t
	}
	for _, s := range e.allSeries() {
		t := place(want[s])
		t.series = append(t.series, s)
	}
	list = slices.DeleteFunc(list, func(t *target) bool { return len(t.series) == 0 })
	var kinds []Kind
	primary := false
	for _, t := range list {
		kinds, primary = append(kinds, t.kind), primary || !t.second
		if len(list) > 1 && t.as != nil {
			return formats.Errorf(formats.CodeUnsupported, "a 3-D %s chart cannot be combined with other kinds; set type for the whole chart first", t.kind.Name)
		}
		if t.second && t.kind.round() {
			return formats.Errorf(formats.CodeInvalid, "a %s has no axes, so none of its series can be on the secondary axis", t.kind)
		}
	}
	if len(list) > 1 && !combinable(kinds) {
		return formats.Errorf(formats.CodeUnsupported, "%s and %s cannot be in one chart; column, line and area can", kinds[0], kinds[len(kinds)-1])
	}
	if !primary {
		return formats.Errorf(formats.CodeInvalid, "at least one series must stay on the primary axis")
	}
	if len(e.groups) > 1 && len(list) == 1 && whole {
		e.warn(fmt.Sprintf("the chart combined %d kinds; all series are now shown as %s on the primary axis", len(e.groups), list[0].kind))
	}
	return e.writeGroups(list)
}

// writeGroups replaces the groups by targets, with the axes that they need.
func (e *editor) writeGroups(list []*target) error {
	first := e.groups[0]
	from := first.kind
	ids := e.axisIDs()
	kept := map[*plotGroup]bool{}
	added := ""
	for _, t := range list {
		if t.base != nil {
			kept[t.base] = true
			if slices.Equal(t.series, t.base.series) {
				continue
			}
			g := t.base
			head := string(e.t.Doc[g.n.Start:g.series[0].n.Start])
			tail := string(e.t.Doc[g.series[len(g.series)-1].n.After:g.n.After])
			e.splices = append(e.splices, xmlscan.Splice{Start: g.n.Start, End: g.n.After, New: []byte(head + e.converted(t) + tail)})
			continue
		}
		added += e.newGroup(t, ids)
	}
	for _, g := range e.groups {
		if !kept[g] {
			e.splices = append(e.splices, xmlscan.Splice{Start: g.n.Start, End: g.n.After})
		}
	}
	last := e.groups[len(e.groups)-1].n.After
	e.splices = append(e.splices, xmlscan.Splice{Start: last, End: last, New: []byte(added)})
	e.writeAxes(list, from, ids, last)
	if e.lost {
		e.warn("settings of single points, trend lines and error bars were removed")
	}
	if e.lostSlices {
		e.warn("the labels of the slices were removed; data_labels sets others")
	}
	if !slices.ContainsFunc(list, func(t *target) bool { return t.as != nil && t.as.depth }) {
		for _, local := range []string{"view3D", "floor", "sideWall", "backWall"} {
			e.set(e.space, chartSchema, local, "")
		}
	}
	return e.flush()
}

// axisIDs returns the ids of the primary and of the secondary axes, each that of
// labels first.
func (e *editor) axisIDs() (ids [2][2]string) {
	ids = [2][2]string{{strconv.Itoa(catAxis), strconv.Itoa(valAxis)}, {strconv.Itoa(catAxis + 2), strconv.Itoa(valAxis + 2)}}
	for i, g := range []*plotGroup{e.groups[0], e.secondary()} {
		if labels, values := e.axisPair(g); labels != nil {
			ids[i] = [2]string{labels.Child(Namespace, "axId").Value("val"), values.Child(Namespace, "axId").Value("val")}
		}
	}
	for i := range ids[1] {
		for ids[1][i] == ids[0][0] || ids[1][i] == ids[0][1] {
			ids[1][i] += "1"
		}
	}
	return ids
}

// converted returns the series of a target as they are in it.
func (e *editor) converted(t *target) string {
	var sb strings.Builder
	for _, s := range t.series {
		if s.group.kind == t.kind && (t.as != nil || !s.group.depth) {
			sb.Write(e.t.Raw(s.n))
			continue
		}
		sb.WriteString(e.convert(s, t.kind))
	}
	return sb.String()
}

// newGroup returns a group of series (21.2.2.16, 21.2.2.97, 21.2.2.3, 21.2.2.141,
// 21.2.2.50, 21.2.2.161, 21.2.2.20, 21.2.2.153, 21.2.2.198).
func (e *editor) newGroup(t *target, ids [2][2]string) string {
	k, old := t.kind, t.series[0].group
	var sb strings.Builder
	f := func(format string, args ...any) { sb.WriteString(e.xml(fmt.Sprintf(format, args...))) }
	f("<c:%s>", k.element())
	sb.WriteString(e.xml(k.groupHead()))
	sb.WriteString(e.converted(t))
	if l := old.n.Child(Namespace, "dLbls"); l != nil && old.kind.round() == k.round() {
		sb.WriteString(labelPlace.ReplaceAllString(string(e.t.Raw(l)), ""))
	}
	tail := k.groupTail()
	if k.bars() && old.kind.bars() {
		if gap := e.raw(old.n, "gapWidth"); gap != "" {
			tail = strings.Replace(tail, `<c:gapWidth val="80"/>`, "", 1)
			sb.WriteString(gap)
		}
	}
	sb.WriteString(e.xml(tail))
	if !k.round() {
		pair := ids[0]
		if t.second {
			pair = ids[1]
		}
		f(`<c:axId val="%s"/><c:axId val="%s"/>`, xmlscan.EscapeAttr(pair[0]), xmlscan.EscapeAttr(pair[1]))
	}
	f("</c:%s>", k.element())
	return sb.String()
}
