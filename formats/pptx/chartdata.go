package pptx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/internal/lenient"
)

// setChartDataArgs are the members of set_chart_data.
type setChartDataArgs struct {
	slideArgs
	tableArgs
	Categories []Cell   `json:"categories" usage:"categories?" jsonschema:"{ops}: the labels"`
	Series     []Series `json:"series" usage:"series? (all that the chart shall have; without values one keeps its own)" jsonschema:"{ops}: what it shows"`
}

// openChart is a chart of a slide that an operation changes.
type openChart struct {
	t      *tree // of the chart part
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

// findChart opens the chart that an operation names; the only one of a slide
// need not be named.
func (d *deckEdit) findChart(ctx context.Context, c *call, a tableArgs) (*openChart, error) {
	slide, err := d.tree(ctx, c.part)
	if err != nil {
		return nil, err
	}
	f, err := c.findShape(slide, shapeArgs(a), kindChart)
	if err != nil {
		return nil, err
	}
	if f.chart == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "the shape %s is no chart but a %s", quote(f.name()), f.kind())
	}
	rels, err := d.Rels(ctx, c.part)
	if err != nil {
		return nil, err
	}
	part := relTarget(rels, f.chart)
	if part == "" || !d.Has(part) {
		return nil, formats.Errorf(formats.CodeCorrupt, "the chart %s is missing from the file", quote(f.name()))
	}
	o := &openChart{}
	if o.t, err = d.tree(ctx, part); err != nil {
		return nil, err
	}
	if o.rels, err = d.Rels(ctx, part); err != nil {
		return nil, err
	}
	if o.space() == nil || o.plotArea() == nil {
		return nil, formats.Errorf(formats.CodeUnsupported, "the chart %s is of a kind that cannot be changed here (such as a waterfall, treemap or histogram): delete it and use add_chart", quote(f.name()))
	}
	for g := range o.plotArea().Kids() {
		if g.Space != nsC || !strings.HasSuffix(g.Local, "Chart") {
			continue
		}
		o.groups = append(o.groups, g)
		for n := range g.Kids() {
			if n.Is(nsC, "ser") {
				o.series = append(o.series, o.t.seriesOf(n))
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

func (t *tree) seriesOf(n *node) *chartSeries {
	s := &chartSeries{n: n, name: t.chartLabel(n.Child(nsC, "tx"))}
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

// setChartData replaces labels, values and series of a chart and the cells of
// its workbook; the looks stay (21.2.2.24, 21.2.2.170).
func (d *deckEdit) setChartData(ctx context.Context, c *call, a setChartDataArgs) error {
	o, err := d.findChart(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	if err := o.checkData(a); err != nil {
		return err
	}
	list, err := o.plan(c, a)
	if err != nil {
		return err
	}
	data := newChartData(o, a.Categories, list)
	if err := data.check(); err != nil {
		return err
	}
	if err := d.writeChartBook(ctx, c, o, data); err != nil {
		return err
	}
	o.sayOfLabels(c, list)
	if t, err := d.tree(ctx, o.t.part); err != nil { // with the workbook it may have got
		return err
	} else if len(t.Doc) != len(o.t.Doc) {
		if o, err = d.findChart(ctx, c, a.tableArgs); err != nil {
			return err
		}
		data.reopened(o)
	}
	c.r.Hits = 1
	d.setTree(o.t, data.splices(o))
	return nil
}

// checkData says what cannot be done with the chart or with what was given.
func (o *openChart) checkData(a setChartDataArgs) error {
	for _, g := range o.groups {
		if g.Local == "bubbleChart" {
			return formats.Errorf(formats.CodeUnsupported, "the data of a bubble chart cannot be replaced")
		}
	}
	switch {
	case len(o.series) == 0:
		return formats.Errorf(formats.CodeUnsupported, "the chart has no series whose looks new data could have: delete it and use add_chart")
	case len(a.Categories) == 0 && len(a.Series) == 0:
		return formats.Errorf(formats.CodeInvalid, `categories or series is required, such as "series":[{"name":"Sales","values":[3,5]}]`)
	case len(a.Categories) > maxChartPoints:
		return formats.Errorf(formats.CodeTooLarge, "%d categories are too many; a chart shows at most %d", len(a.Categories), maxChartPoints)
	case len(a.Series) > maxChartSeries:
		return formats.Errorf(formats.CodeTooLarge, "%d series are too many; a chart shows at most %d", len(a.Series), maxChartSeries)
	}
	return nil
}

// plan finds the series of the chart that the operation means: by name, then,
// for a name that the chart does not have, the next one that is left. Those of
// the chart that are left over are removed.
func (o *openChart) plan(c *call, a setChartDataArgs) ([]plannedSeries, error) {
	if len(a.Series) == 0 {
		var list []plannedSeries
		for _, s := range o.series {
			list = append(list, plannedSeries{old: s, name: s.name})
		}
		return list, nil
	}
	given := make(map[*chartSeries]*Series, len(a.Series))
	taken := make([]bool, len(a.Series))
	match := func(is func(s *chartSeries, g Series) bool) {
		for _, s := range o.series {
			for i := range a.Series {
				if given[s] == nil && !taken[i] && is(s, a.Series[i]) {
					given[s], taken[i] = &a.Series[i], true
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
			c.warn("the series %s is not in the list and was removed", quote(s.name))
			continue
		}
		p := plannedSeries{old: s, name: s.name, values: numbers(g.Values)}
		if g.Name != "" && !strings.EqualFold(oneLine(g.Name), s.name) {
			p.name = g.Name
			c.warn("the series %s became %s and kept its looks", quote(s.name), quote(g.Name))
			if p.values == nil {
				return nil, formats.Errorf(formats.CodeInvalid, "the chart has no series %s; give its values", quote(g.Name))
			}
		}
		list = append(list, p)
	}
	for i, g := range a.Series {
		if taken[i] {
			continue
		}
		if g.Values == nil {
			return nil, formats.Errorf(formats.CodeInvalid, "the chart has no series %s; give its values", quote(g.Name))
		}
		list = append(list, plannedSeries{name: seriesName(g, len(list)), values: numbers(g.Values)})
	}
	if g := o.groups[0]; len(o.groups) == 1 && g.Local == "pieChart" && len(list) > 1 {
		c.warn("a pie shows one series; only the first of %d is seen", len(list))
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

// sayOfLabels tells of labels with a text of their own, which new values do not
// change (21.2.2.47).
func (o *openChart) sayOfLabels(c *call, list []plannedSeries) {
	for _, p := range list {
		if p.old == nil || p.values == nil {
			continue
		}
		n := 0
		for k := range p.old.n.Child(nsC, "dLbls").Kids() {
			if k.Is(nsC, "dLbl") && k.Child(nsC, "tx") != nil {
				n++
			}
		}
		if n > 0 {
			c.warn("%s of the series %s written by hand and not changed", formats.Count(n, "data label is", "data labels are"), quote(p.name))
		}
	}
}
