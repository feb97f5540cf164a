package chart

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// NewSeries is a series that a chart shall have.
type NewSeries struct {
	Old    int  // the series, counted from 0 in the order of the file, that it is; -1: a new one
	Keep   bool // of an old one: the data stay as they are
	Series      // Name and NameRef both empty: the name stays; no Categories: those stay
}

// setData gives the chart other series. Those that there are keep their looks
// and their order; a new one comes last and looks like the last one, in another
// colour. Series that the list does not name are removed.
func (e *editor) setData(list []NewSeries) error {
	all := e.allSeries()
	if len(all) == 0 {
		return formats.Errorf(formats.CodeUnsupported, "the chart has no series whose looks new data could have: delete it and use add_chart")
	}
	if e.groups[len(e.groups)-1].kind.Name == "bubble" && slices.ContainsFunc(list, func(n NewSeries) bool { return !n.Keep && n.Sizes == nil }) {
		return formats.Errorf(formats.CodeInvalid, "each series of a bubble chart needs sizes")
	}
	kept := map[int]bool{}
	last := all[len(all)-1]
	number, order := 0, 0
	for _, s := range all {
		number = max(number, intOf(s.n.Child(Namespace, "idx")))
		order = max(order, intOf(s.n.Child(Namespace, "order")))
	}
	for _, n := range list {
		if n.Old < 0 || n.Old >= len(all) {
			number, order = number+1, order+1
			xml := e.newSeries(last, n, number, order)
			e.splices = append(e.splices, xmlscan.Splice{Start: last.n.After, End: last.n.After, New: []byte(xml)})
			continue
		}
		kept[n.Old] = true
		if n.Keep {
			continue
		}
		s := all[n.Old]
		e.handWritten(s)
		for local, xml := range e.dataOf(s, n.Series) {
			e.set(s.n, seriesSchema, local, xml)
		}
	}
	for i, s := range all {
		if !kept[i] {
			e.splices = append(e.splices, xmlscan.Splice{Start: s.n.Start, End: s.n.After})
		}
	}
	if err := e.flush(); err != nil {
		return err
	}
	return e.dropEmptyGroups()
}

// handWritten tells of labels with a text of their own, which new values do not
// change (21.2.2.47).
func (e *editor) handWritten(s *plotSeries) {
	n := 0
	for k := range s.n.Child(Namespace, "dLbls").Kids() {
		if k.Is(Namespace, "dLbl") && k.Child(Namespace, "tx") != nil {
			n++
		}
	}
	if n > 0 {
		e.warn(fmt.Sprintf("%s of the series %s written by hand and not changed", formats.Count(n, "data label is", "data labels are"), quoted(s.name)))
	}
}

func intOf(n *node) int {
	v, err := strconv.Atoi(n.Value("val"))
	if err != nil {
		return 0
	}
	return max(0, min(v, 1<<20))
}

// dataOf returns the children of a series that hold its data.
func (e *editor) dataOf(s *plotSeries, d Series) map[string]string {
	out := map[string]string{}
	wrap := func(local string, data Data, old *node) {
		w := &writer{spec: &Spec{}}
		if data.Format == "" {
			data.Format = e.formatCode(old)
		}
		w.data(data)
		out[local] = e.xml("<c:" + local + ">" + w.String() + "</c:" + local + ">")
	}
	switch {
	case d.NameRef != nil:
		wrap("tx", *d.NameRef, nil)
	case d.Name != "":
		out["tx"] = e.xml("<c:tx><c:v>" + escaped(d.Name) + "</c:v></c:tx>")
	}
	cat, val := "cat", "val"
	if s.group.kind.xy() || s.n.Child(Namespace, "xVal") != nil || s.n.Child(Namespace, "yVal") != nil {
		cat, val = "xVal", "yVal"
	}
	if d.Categories != nil {
		if cat == "xVal" && !d.Categories.Numeric && len(d.Categories.Points) > 0 {
			e.warn("not all x values are numbers, so the points are at 1, 2, 3 and so on; line and column charts show texts as labels")
		}
		wrap(cat, *d.Categories, s.n.Child(Namespace, cat))
	}
	wrap(val, d.Values, s.n.Child(Namespace, val))
	if d.Sizes != nil && s.group.kind.Name == "bubble" {
		wrap("bubbleSize", *d.Sizes, s.n.Child(Namespace, "bubbleSize"))
	}
	return out
}

// formatCode returns the number format of a list of values, "" when it has none.
func (e *editor) formatCode(n *node) string {
	for k := range n.All() {
		if k.Is(Namespace, "formatCode") {
			return e.t.Text(k)
		}
	}
	return ""
}

// newSeries returns a series that looks like another but for its colour: the
// accent of the theme that its number has in charts.
func (e *editor) newSeries(like *plotSeries, n NewSeries, number, order int) string {
	el := element.Parse(e.t.Raw(like.n), "", seriesSchema)
	el.Drop("dPt", "trendline", "errBars", "extLst", "tx")
	el.Set("idx", e.xml(fmt.Sprintf(`<c:idx val="%d"/>`, number)))
	el.Set("order", e.xml(fmt.Sprintf(`<c:order val="%d"/>`, order)))
	for _, local := range []string{"spPr", "marker"} {
		if xml := el.Get(local); xml != "" {
			el.Set(local, otherAccent(xml, number))
		}
	}
	if labels := el.Get("dLbls"); labels != "" {
		l := element.Parse(labels, "", nil)
		l.Drop("dLbl", "extLst")
		el.Set("dLbls", l.String())
	}
	for local, xml := range e.dataOf(like, n.Series) {
		el.Set(local, xml)
	}
	return el.String()
}

var solidColor = lazyregexp.New(`(<(?:\w+:)?solidFill>)<(\w+:)?(?:schemeClr val="accent\d"|srgbClr val="(\w{6})"/>)`)

// otherAccent returns looks with the accent colour of series number n instead of
// the colours that series have; white, black and those of texts and grounds stay.
func otherAccent(xml string, n int) string {
	return solidColor.ReplaceAllStringFunc(xml, func(s string) string {
		m := solidColor.FindStringSubmatch(s)
		if strings.EqualFold(m[3], "FFFFFF") || m[3] == "000000" {
			return s
		}
		out := fmt.Sprintf(`%s<%sschemeClr val="accent%d"`, m[1], m[2], n%6+1)
		if m[3] != "" {
			out += "/>"
		}
		return out
	})
}

// dropEmptyGroups removes groups that lost all series, and axes that no group
// uses any more.
func (e *editor) dropEmptyGroups() error {
	used, left := map[string]bool{}, 0
	for _, g := range e.groups {
		if len(g.series) > 0 {
			left++
			for _, id := range g.axes {
				used[id] = true
			}
		}
	}
	if left == 0 || left == len(e.groups) {
		return nil
	}
	for n := range e.plot.Kids() {
		gone := n.Space == Namespace && strings.HasSuffix(n.Local, "Ax") && !used[n.Child(Namespace, "axId").Value("val")]
		for _, g := range e.groups {
			gone = gone || g.n == n && len(g.series) == 0
		}
		if gone {
			e.splices = append(e.splices, xmlscan.Splice{Start: n.Start, End: n.After})
		}
	}
	return e.flush()
}

// SeriesNames returns the names of the series of a chart in the order of the
// file, "" for one without. The errors are those of Edit.
func SeriesNames(ctx context.Context, part []byte) ([]string, error) {
	e, err := openEditor(ctx, part)
	if err != nil {
		return nil, typed(err)
	}
	var out []string
	for _, s := range e.allSeries() {
		out = append(out, s.name)
	}
	return out, nil
}
