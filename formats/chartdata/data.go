package chartdata

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
	"atelier/internal/textclip"
)

const (
	nsC = chart.Namespace
	nsA = "http://schemas.openxmlformats.org/drawingml/2006/main"
)

type node = tree.Node

// openChart is a chart whose data change.
type openChart struct {
	*Edit
	t      *tree.Tree // of the chart part
	part   string
	groups []*node
	series []*chartSeries
	rels   []opc.Relationship // of the chart part
}

// chartSeries is a c:ser (21.2.2.170) of an open chart.
type chartSeries struct {
	n        *node
	name     string
	cat, val *node // c:cat or c:xVal, c:val or c:yVal; nil where it has none
}

// open opens a chart part.
func (e *Edit) open(ctx context.Context, part string) (*openChart, error) {
	doc, err := e.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	o := &openChart{Edit: e, part: part}
	if o.t, err = tree.Parse(ctx, doc, nil); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", part, err)
	}
	if o.rels, err = e.Package.Rels(ctx, part); err != nil {
		return nil, err
	}
	if o.space() == nil || o.plotArea() == nil {
		return nil, formats.Errorf(formats.CodeUnsupported, "%w: its data cannot be changed here; delete it and use add_chart", chart.ErrExtended)
	}
	for g := range o.plotArea().Kids() {
		if g.Space != nsC || !strings.HasSuffix(g.Local, "Chart") {
			continue
		}
		o.groups = append(o.groups, g)
		for n := range g.Kids() {
			if n.Is(nsC, "ser") {
				o.series = append(o.series, seriesOf(o.t, n))
			}
		}
	}
	return o, nil
}

// space returns c:chart; nil of an extended chart.
func (o *openChart) space() *node {
	if !o.t.Root.Is(nsC, "chartSpace") {
		return nil
	}
	return o.t.Root.Child(nsC, "chart")
}

func (o *openChart) plotArea() *node { return o.space().Child(nsC, "plotArea") }

func seriesOf(t *tree.Tree, n *node) *chartSeries {
	s := &chartSeries{n: n, name: label(t, n.Child(nsC, "tx"))}
	for k := range n.Kids() {
		switch {
		case k.Is(nsC, "cat"), k.Is(nsC, "xVal"):
			s.cat = k
		case k.Is(nsC, "val"), k.Is(nsC, "yVal"):
			s.val = k
		}
	}
	return s
}

// plannedSeries is a series as it shall be.
type plannedSeries struct {
	old    *chartSeries // nil: a new one
	name   string
	values []*float64 // nil: as they are
}

// Set replaces labels, values and series of the chart in part and the cells of
// its workbook; the looks stay (21.2.2.24, 21.2.2.170). Without labels these stay,
// without series their values; a series without values keeps its own.
func (e *Edit) Set(ctx context.Context, part string, labels []string, series []Series) error {
	o, err := e.open(ctx, part)
	if err != nil {
		return err
	}
	if err := o.checkData(labels, series); err != nil {
		return err
	}
	list, err := o.plan(series)
	if err != nil {
		return err
	}
	data := newChartData(o, labels, list)
	if err := data.check(); err != nil {
		return err
	}
	if err := o.writeBook(ctx, data); err != nil {
		return err
	}
	doc, err := e.Package.ReadXML(ctx, part) // with the workbook it may have got
	if err != nil {
		return err
	}
	out, warnings, err := chart.Edit(ctx, doc, chart.Change{Data: data.series()})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		e.warn("%s", w)
	}
	if string(out) != string(doc) {
		e.Package.Set(part, out)
	}
	return nil
}

// checkData says what cannot be done with the chart or with what was given.
func (o *openChart) checkData(labels []string, series []Series) error {
	for _, g := range o.groups {
		if g.Local == "bubbleChart" {
			return formats.Errorf(formats.CodeUnsupported, "the data of a bubble chart cannot be replaced")
		}
	}
	switch {
	case len(o.series) == 0:
		return formats.Errorf(formats.CodeUnsupported, "the chart has no series whose looks new data could have: delete it and use add_chart")
	case len(labels) == 0 && len(series) == 0:
		return formats.Errorf(formats.CodeInvalid, `categories or series is required, such as "series":[{"name":"Sales","values":[3,5]}]`)
	case len(labels) > maxPoints:
		return formats.Errorf(formats.CodeTooLarge, "%d categories are too many; a chart shows at most %d", len(labels), maxPoints)
	case len(series) > maxSeries:
		return formats.Errorf(formats.CodeTooLarge, "%d series are too many; a chart shows at most %d", len(series), maxSeries)
	}
	return nil
}

// plan finds the series of the chart that the operation means: by name, then,
// for a name that the chart does not have, the next one that is left. Those of
// the chart that are left over are removed.
func (o *openChart) plan(series []Series) ([]plannedSeries, error) {
	if len(series) == 0 {
		var list []plannedSeries
		for _, s := range o.series {
			list = append(list, plannedSeries{old: s, name: s.name})
		}
		return list, nil
	}
	given := make(map[*chartSeries]*Series, len(series))
	taken := make([]bool, len(series))
	match := func(is func(s *chartSeries, g Series) bool) {
		for _, s := range o.series {
			for i := range series {
				if given[s] == nil && !taken[i] && is(s, series[i]) {
					given[s], taken[i] = &series[i], true
				}
			}
		}
	}
	match(func(s *chartSeries, g Series) bool { return oneLine(g.Name) == s.name })
	match(func(s *chartSeries, g Series) bool { return strings.EqualFold(oneLine(g.Name), s.name) })
	match(func(*chartSeries, Series) bool { return true })
	var list []plannedSeries
	for _, s := range o.series {
		g := given[s]
		if g == nil {
			o.warn("the series %s is not in the list and was removed", quote(s.name))
			continue
		}
		p := plannedSeries{old: s, name: s.name, values: numbers(g.Values)}
		if g.Name != "" && !strings.EqualFold(oneLine(g.Name), s.name) {
			p.name = g.Name
			o.warn("the series %s became %s and kept its looks", quote(s.name), quote(g.Name))
			if p.values == nil {
				return nil, formats.Errorf(formats.CodeInvalid, "the chart has no series %s; give its values", quote(g.Name))
			}
		}
		list = append(list, p)
	}
	for i, g := range series {
		if taken[i] {
			continue
		}
		if g.Values == nil {
			return nil, formats.Errorf(formats.CodeInvalid, "the chart has no series %s; give its values", quote(g.Name))
		}
		list = append(list, plannedSeries{name: seriesName(g, len(list)), values: numbers(g.Values)})
	}
	if g := o.groups[0]; len(o.groups) == 1 && g.Local == "pieChart" && len(list) > 1 {
		o.warn("a pie shows one series; only the first of %d is seen", len(list))
	}
	return list, nil
}

func numbers(list []*lenient.Float) []*float64 {
	if list == nil {
		return nil
	}
	out := make([]*float64, len(list))
	for i, v := range list {
		if v != nil {
			f := float64(*v)
			out[i] = &f
		}
	}
	return out
}

const nsR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// uri returns a namespace in the form that a part uses.
func uri(t *tree.Tree, ns string) string {
	if t.Strict() {
		return xmlscan.Strict(ns)
	}
	return ns
}

// label returns the text of a c:tx on one line: rich text, or the cached text of a
// cell.
func label(t *tree.Tree, tx *node) string {
	var words []string
	for k := range tx.All() {
		if k.Is(nsC, "v") || k.Is(nsA, "t") {
			words = append(words, t.Text(k))
		}
	}
	return oneLine(strings.Join(words, " "))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quote(s string) string { return `"` + textclip.Fit(s, 60) + `"` }

func intOr(s string, def int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return def
	}
	return n
}

// isNumericList reports whether a list of values holds numbers (21.2.2.123).
func isNumericList(n *node) bool {
	return n.Child(nsC, "numRef") != nil || n.Child(nsC, "numLit") != nil
}
