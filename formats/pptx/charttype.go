package pptx

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/chart"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// setChartTypeArgs are the members of set_chart_type.
type setChartTypeArgs struct {
	slideArgs
	tableArgs
	Type string `json:"type" usage:"type" jsonschema:"{ops}: bar, column, line, pie, area or doughnut, also stacked_bar, stacked_column, stacked_line, stacked_area"`
}

// changeableGroups are the groups of series whose kind can change.
var changeableGroups = []string{"barChart", "bar3DChart", "lineChart", "line3DChart", "areaChart", "area3DChart", "pieChart", "pie3DChart", "doughnutChart"}

var (
	labelPlace = regexp.MustCompile(`<(?:\w+:)?dLblPos\b[^>]*/>`)
	titleTurn  = regexp.MustCompile(`(<(?:\w+:)?bodyPr\b[^>]*?)\s+rot="[^"]*"`)
	titleBody  = regexp.MustCompile(`<(?:\w+:)?bodyPr\b`)
)

// typeChange is the change of a chart to another kind.
type typeChange struct {
	*chartElements
	group    *node
	from, to string // kinds, as add_chart names them
	stacked  bool
	lost     bool // settings that the new kind does not take
}

// setChartType shows the same series as another kind of chart; the colours of
// series, axes, titles and legend stay.
func (d *deckEdit) setChartType(ctx context.Context, c *call, a setChartTypeArgs) error {
	o, err := d.findChart(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	kind, stacked := strings.CutPrefix(strings.ToLower(strings.TrimSpace(a.Type)), "stacked_")
	switch {
	case !slices.Contains(chartKinds, kind), stacked && !slices.Contains(stackedKinds, kind):
		return formats.Errorf(formats.CodeInvalid, "type must be one of %s, or stacked_ with one of %s, not %s", strings.Join(chartKinds, ", "), strings.Join(stackedKinds, ", "), quote(a.Type))
	case len(o.groups) != 1:
		return formats.Errorf(formats.CodeUnsupported, "the chart combines %d kinds; the type of such a chart cannot be changed", len(o.groups))
	case !slices.Contains(changeableGroups, o.groups[0].Local) || len(o.series) == 0:
		return formats.Errorf(formats.CodeUnsupported, "the type of a %s chart cannot be changed", chartType(o.groups[0]))
	}
	x := typeChange{chartElements: &chartElements{o: o, prefix: o.t.Root.Prefix}, group: o.groups[0], from: chartType(o.groups[0]), to: kind, stacked: stacked}
	c.r.Hits = 1
	if x.from == kind && !strings.Contains(x.group.Local, "3D") && x.isStacked() == stacked {
		return nil
	}
	if kind == "pie" && len(o.series) > 1 {
		c.warn("a pie shows one series; only the first of %d is seen, use column or bar for all", len(o.series))
	}
	if round(x.from) && !round(kind) && hasSeriesLabels(o) {
		c.warn("the labels of the slices were removed; data_labels of set_chart_options sets others")
	}
	x.replace(x.group, x.groupXML())
	if x.lost {
		c.warn("settings of single points, trend lines and error bars were removed")
	}
	x.setAxes()
	for _, local := range []string{"view3D", "floor", "sideWall", "backWall"} {
		x.child(o.space(), chartSchema, local, "")
	}
	slices.SortStableFunc(x.splices, func(a, b xmlscan.Splice) int { return a.Start - b.Start })
	d.setTree(o.t, x.splices)
	return nil
}

// round reports whether a kind has slices and no axes.
func round(kind string) bool { return kind == "pie" || kind == "doughnut" }

func hasSeriesLabels(o *openChart) bool {
	return slices.ContainsFunc(o.series, func(s *chartSeries) bool { return s.n.Child(nsC, "dLbls") != nil })
}

func (x *typeChange) isStacked() bool {
	return x.group.Child(nsC, "grouping").Value("val") == "stacked"
}

// groupXML returns the group of series (21.2.2.16, 21.2.2.97, 21.2.2.3,
// 21.2.2.141, 21.2.2.50).
func (x *typeChange) groupXML() string {
	name := map[string]string{"column": "bar"}[x.to]
	if name == "" {
		name = x.to
	}
	name += "Chart"
	grouping := map[bool]string{false: "standard", true: "stacked"}[x.stacked]
	var sb strings.Builder
	f := func(format string, args ...any) { sb.WriteString(x.xml(fmt.Sprintf(format, args...))) }
	f(`<c:%s>`, name)
	switch x.to {
	case "bar", "column":
		if !x.stacked {
			grouping = "clustered"
		}
		f(`<c:barDir val="%s"/>`, map[string]string{"column": "col", "bar": "bar"}[x.to])
		fallthrough
	case "line", "area":
		f(`<c:grouping val="%s"/>`, grouping)
	}
	f(`<c:varyColors val="%s"/>`, map[bool]string{false: "0", true: "1"}[round(x.to)])
	for _, s := range x.o.series {
		sb.WriteString(x.series(s))
	}
	if l := x.group.Child(nsC, "dLbls"); l != nil && !round(x.from) {
		sb.WriteString(labelPlace.ReplaceAllString(string(x.o.t.Raw(l)), ""))
	}
	switch x.to {
	case "bar", "column":
		f(`<c:gapWidth val="80"/>`)
		if x.stacked {
			f(`<c:overlap val="100"/>`)
		}
	case "line":
		f(`<c:marker val="1"/>`)
	case "pie", "doughnut":
		f(`<c:firstSliceAng val="0"/>`)
		if x.to == "doughnut" {
			f(`<c:holeSize val="55"/>`)
		}
	}
	if !round(x.to) {
		first, second := x.axisIDs()
		f(`<c:axId val="%s"/><c:axId val="%s"/>`, first, second)
	}
	f(`</c:%s>`, name)
	return sb.String()
}

// axisIDs returns the ids of the label axis and the value axis.
func (x *typeChange) axisIDs() (first, second string) {
	if labels, values := x.axis(false), x.axis(true); labels != nil && values != nil {
		return xmlscan.EscapeAttr(labels.Child(nsC, "axId").Value("val")), xmlscan.EscapeAttr(values.Child(nsC, "axId").Value("val"))
	}
	return "500000001", "500000002" // those that package chart writes
}

// series returns a series for the new kind: what only the old kind has goes.
func (x *typeChange) series(s *chartSeries) string {
	e := element.Parse(x.o.t.Raw(s.n), "", seriesSchema)
	bars := func(kind string) bool { return kind == "bar" || kind == "column" }
	if !bars(x.from) || !bars(x.to) {
		x.lost = x.lost || e.Get("trendline")+e.Get("errBars") != "" || e.Get("dPt") != "" && !round(x.from)
		e.Drop("dPt", "trendline", "errBars", "invertIfNegative")
	}
	e.Drop("pictureOptions", "marker", "explosion", "shape", "smooth", "bubble3D", "extLst")
	if labels := e.Get("dLbls"); labels != "" {
		if e.Set("dLbls", labelPlace.ReplaceAllString(labels, "")); round(x.from) && !round(x.to) {
			e.Drop("dLbls")
		}
	}
	fill := solidFillOf(s.n.Child(nsC, "spPr"))
	line := solidFillOf(s.n.Child(nsC, "spPr").Child(nsA, "ln"))
	switch {
	case round(x.to):
		e.Drop("spPr") // each slice has a colour of its own
	case x.to == "line" && x.from != "line" && fill != nil:
		e.Set("spPr", x.xml(`<c:spPr><a:ln w="28575" cap="rnd">`)+string(x.o.t.Raw(fill))+x.xml(`<a:round/></a:ln></c:spPr>`))
	case x.from == "line" && x.to != "line" && line != nil:
		e.Set("spPr", x.xml(`<c:spPr>`)+string(x.o.t.Raw(line))+x.xml(`</c:spPr>`))
	}
	if bars(x.to) && e.Get("invertIfNegative") == "" {
		e.Set("invertIfNegative", x.xml(`<c:invertIfNegative val="0"/>`))
	}
	if x.to == "line" {
		e.Set("smooth", x.xml(`<c:smooth val="0"/>`)) // without it programs draw curves
	}
	return e.String()
}

func solidFillOf(n *node) *node { return n.Child(nsA, "solidFill") }

// setAxes removes the axes of a chart that becomes round, adds those of one that
// was, and turns those whose sides change.
func (x *typeChange) setAxes() {
	labels, values := x.axis(false), x.axis(true)
	if round(x.to) || labels == nil || values == nil {
		for n := range x.o.plotArea().Kids() {
			if n.Space == nsC && strings.HasSuffix(n.Local, "Ax") {
				x.replace(n, "")
			}
		}
	}
	switch {
	case round(x.to):
		return
	case labels == nil || values == nil:
		doc := chart.XML(chart.Spec{Kind: x.to, Slide: true})
		axes := doc[strings.Index(doc, "<c:catAx>") : strings.LastIndex(doc, "</c:valAx>")+len("</c:valAx>")]
		x.splices = append(x.splices, xmlscan.Splice{Start: x.group.After, End: x.group.After, New: []byte(x.xml(axes))})
		return
	}
	for n := range x.o.plotArea().Kids() {
		if n.Is(nsC, "serAx") {
			x.replace(n, "")
		}
	}
	x.turn(labels, false)
	x.turn(values, true)
}

// turn puts an axis on the side that it has in the new kind. The first label of
// bars is on top, as add_chart has it.
func (x *typeChange) turn(n *node, values bool) {
	e := element.Parse(x.o.t.Raw(n), "", axisSchema)
	if values {
		between := "between"
		if x.to == "area" {
			between = "midCat"
		}
		e.Set("crossBetween", x.xml(`<c:crossBetween val="`+between+`"/>`))
	}
	if (x.from == "bar") != (x.to == "bar") {
		vertical := values == (x.to != "bar")
		e.Set("axPos", x.xml(`<c:axPos val="`+map[bool]string{true: "l", false: "b"}[vertical]+`"/>`))
		if title := e.Get("title"); title != "" {
			title = titleTurn.ReplaceAllString(title, "${1}")
			if vertical {
				title = titleBody.ReplaceAllString(title, `${0} rot="-5400000"`)
			}
			e.Set("title", title)
		}
		orientation, crosses := "minMax", "autoZero"
		if x.to == "bar" {
			orientation, crosses = "maxMin", "max"
		}
		if values {
			e.Drop("crossesAt")
			e.Set("crosses", x.xml(`<c:crosses val="`+crosses+`"/>`))
		} else if s := n.Child(nsC, "scaling"); s != nil {
			scaling := element.Parse(x.o.t.Raw(s), "", scalingSchema)
			scaling.Set("orientation", x.xml(`<c:orientation val="`+orientation+`"/>`))
			e.Set("scaling", scaling.String())
		}
	}
	x.replace(n, e.String())
}
