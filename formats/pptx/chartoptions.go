package pptx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// The order of the children of c:chart (21.2.2.27), of the axes (21.2.2.25,
// 21.2.2.226), of c:scaling (21.2.2.160), of c:legend (21.2.2.93), of c:dLbls
// (21.2.2.49) and of the groups of series.
var (
	chartSchema   = element.NewSchema("title autoTitleDeleted pivotFmts view3D floor sideWall backWall plotArea legend plotVisOnly dispBlanksAs showDLblsOverMax extLst")
	axisSchema    = element.NewSchema("axId scaling delete axPos majorGridlines minorGridlines title numFmt majorTickMark minorTickMark tickLblPos spPr txPr crossAx crosses crossesAt crossBetween auto lblOffset baseTimeUnit lblAlgn noMultiLvlLbl majorUnit minorUnit dispUnits extLst")
	scalingSchema = element.NewSchema("logBase orientation max min extLst")
	legendSchema  = element.NewSchema("legendPos legendEntry layout overlay spPr txPr extLst")
	labelsSchema  = element.NewSchema("dLbl delete numFmt spPr txPr dLblPos showLegendKey showVal showCatName showSerName showPercent showBubbleSize separator showLeaderLines leaderLines extLst")
	titleSchema   = element.NewSchema("tx layout overlay spPr txPr extLst")
)

// setChartOptionsArgs are the members of set_chart_options.
type setChartOptionsArgs struct {
	slideArgs
	tableArgs
	Title        *Lines         `json:"title" usage:"title?" jsonschema:"{ops}: above it"`
	XTitle       *string        `json:"x_title" usage:"x_title?" jsonschema:"{ops}: of the label axis"`
	YTitle       *string        `json:"y_title" usage:"y_title? (\"\" removes a title)" jsonschema:"{ops}: of the value axis"`
	YMin         *lenient.Float `json:"y_min" usage:"y_min?" jsonschema:"{ops}: where the value axis begins"`
	YMax         *lenient.Float `json:"y_max" usage:"y_max?" jsonschema:"{ops}: where it ends"`
	YAuto        lenient.Bool   `json:"y_auto" usage:"y_auto? (begin and end found again)" jsonschema:"{ops}: true: the value axis begins and ends where its values do"`
	NumberFormat string         `json:"number_format" usage:"number_format? (of value axis and labels)" jsonschema:"{ops}: such as 0.0%"`
	Legend       string         `json:"legend" usage:"legend? (none, bottom, top, left, right)" jsonschema:"{ops}: where it is"`
	DataLabels   string         `json:"data_labels" usage:"data_labels? (none, value, percent, category)" jsonschema:"{ops}: what they show"`
}

var (
	legendPlaces = map[string]string{"bottom": "b", "top": "t", "left": "l", "right": "r", "none": ""}
	labelShows   = map[string]string{"none": "", "value": "showVal", "percent": "showPercent", "category": "showCatName"}
)

// setChartOptions sets titles, scale, number format, legend and labels of a
// chart; all that it does not name stays.
func (d *deckEdit) setChartOptions(ctx context.Context, c *call, a setChartOptionsArgs) error {
	o, err := d.findChart(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	place, ok := legendPlaces[strings.ToLower(a.Legend)]
	if a.Legend != "" && !ok {
		return formats.Errorf(formats.CodeInvalid, "legend must be none, bottom, top, left or right, not %s", quote(a.Legend))
	}
	show, ok := labelShows[strings.ToLower(a.DataLabels)]
	if a.DataLabels != "" && !ok {
		return formats.Errorf(formats.CodeInvalid, "data_labels must be none, value, percent or category, not %s", quote(a.DataLabels))
	}
	if a.Title == nil && !a.axes() && a.NumberFormat == "" && a.Legend == "" && a.DataLabels == "" {
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give title, x_title, y_title, y_min, y_max, y_auto, number_format, legend or data_labels")
	}
	e := chartElements{o: o, prefix: o.t.Root.Prefix}
	if a.Title != nil {
		e.setTitle(newlines(string(*a.Title)))
	}
	if a.Legend != "" {
		e.setLegend(place)
	}
	if err := e.setAxes(c, a); err != nil {
		return err
	}
	if a.DataLabels != "" || a.NumberFormat != "" {
		e.setLabels(c, show, a)
	}
	c.r.Hits = 1
	slices.SortStableFunc(e.splices, func(a, b xmlscan.Splice) int { return a.Start - b.Start })
	d.setTree(o.t, e.splices)
	return nil
}

func (a setChartOptionsArgs) axes() bool {
	return a.XTitle != nil || a.YTitle != nil || a.YMin != nil || a.YMax != nil || bool(a.YAuto)
}

// chartElements collects the edits of a chart part.
type chartElements struct {
	o       *openChart
	prefix  string // of the chart's elements
	splices []xmlscan.Splice
}

// xml returns an element written with the prefixes c: and a:.
func (e *chartElements) xml(raw string) string {
	a, ok := e.o.space().PrefixOf(nsA)
	if !ok {
		// The prefix is declared where the text is.
		a = "a"
		raw = strings.ReplaceAll(raw, "<c:rich>", `<c:rich xmlns:a="`+e.o.t.uri(nsA)+`">`)
	}
	return chartPrefix(raw, e.prefix, a)
}

func (e *chartElements) replace(n *node, with string) {
	if with != string(e.o.t.Raw(n)) {
		e.splices = append(e.splices, xmlscan.Splice{Start: n.Start, End: n.After, New: []byte(with)})
	}
}

// child replaces, adds or ("") removes a child of n, of which nothing else is
// changed.
func (e *chartElements) child(n *node, schema *element.Schema, local, xml string) {
	old := n.Child(nsC, local)
	switch {
	case old != nil:
		e.replace(old, xml)
	case xml != "":
		at := n.Close
		for k := range n.Kids() {
			if r := schema.Rank(k.Local); r > schema.Rank(local) {
				at = k.Start
				break
			}
		}
		e.splices = append(e.splices, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	}
}

// titleXML returns a title with a text, with the looks and place of the old one.
func (e *chartElements) titleXML(old *node, text, turn string) string {
	if text == "" {
		return ""
	}
	var sb strings.Builder
	body, props, run := `<a:bodyPr`+turn+`/><a:lstStyle/>`, "", ""
	if rich := old.Child(nsC, "tx").Child(nsC, "rich"); rich != nil {
		body = ""
		for _, local := range []string{"bodyPr", "lstStyle"} {
			body += string(e.o.t.Raw(rich.Child(nsA, local)))
		}
		p := rich.Child(nsA, "p")
		props = string(e.o.t.Raw(p.Child(nsA, "pPr")))
		run = string(e.o.t.Raw(p.Child(nsA, "r").Child(nsA, "rPr")))
	}
	sb.WriteString(`<c:tx><c:rich>` + body)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&sb, `<a:p>%s<a:r>%s<a:t>%s</a:t></a:r></a:p>`, props, run, xmlscan.Escape(line))
	}
	sb.WriteString(`</c:rich></c:tx>`)
	if old == nil {
		return e.xml(`<c:title>` + sb.String() + `<c:overlay val="0"/></c:title>`)
	}
	out := element.Parse(e.o.t.Raw(old), "", titleSchema)
	out.Set("tx", e.xml(sb.String()))
	return out.String()
}

func (e *chartElements) setTitle(text string) {
	chart := e.o.space()
	e.child(chart, chartSchema, "title", e.titleXML(chart.Child(nsC, "title"), text, ""))
	gone := "0"
	if text == "" {
		gone = "1" // else a chart of one series shows the name of that
	}
	e.child(chart, chartSchema, "autoTitleDeleted", e.xml(`<c:autoTitleDeleted val="`+gone+`"/>`))
}

func (e *chartElements) setLegend(place string) {
	chart := e.o.space()
	old := chart.Child(nsC, "legend")
	switch {
	case place == "":
		e.child(chart, chartSchema, "legend", "")
	case old == nil:
		e.child(chart, chartSchema, "legend", e.xml(`<c:legend><c:legendPos val="`+place+`"/><c:overlay val="0"/></c:legend>`))
	default:
		l := element.Parse(e.o.t.Raw(old), "", legendSchema)
		if old.Child(nsC, "legendPos").Value("val") != place {
			l.Drop("layout") // a place that was set by hand
		}
		l.Set("legendPos", e.xml(`<c:legendPos val="`+place+`"/>`))
		e.child(chart, chartSchema, "legend", l.String())
	}
}

// axis returns the axis of the first series with the labels, or that with the
// values; nil where the chart has none.
func (e *chartElements) axis(values bool) *node {
	var ids []string
	if len(e.o.groups) > 0 {
		for k := range e.o.groups[0].Kids() {
			if k.Is(nsC, "axId") {
				ids = append(ids, k.Value("val"))
			}
		}
	}
	if len(ids) < 2 {
		return nil
	}
	var of [2]*node
	for n := range e.o.plotArea().Kids() {
		if n.Space != nsC || !strings.HasSuffix(n.Local, "Ax") {
			continue
		}
		if i := slices.Index(ids[:2], n.Child(nsC, "axId").Value("val")); i >= 0 {
			of[i] = n
		}
	}
	if of[0] != nil && of[1] != nil && of[0].Local == "valAx" && of[1].Local != "valAx" {
		of[0], of[1] = of[1], of[0] // some producers name the value axis first
	}
	if values {
		return of[1]
	}
	return of[0]
}

// setAxes sets titles, scale and number format of the axes.
func (e *chartElements) setAxes(c *call, a setChartOptionsArgs) error {
	if !a.axes() && a.NumberFormat == "" {
		return nil
	}
	x, y := e.axis(false), e.axis(true)
	if x == nil || y == nil {
		if a.axes() {
			return formats.Errorf(formats.CodeInvalid, "the chart has no axes, so x_title, y_title, y_min, y_max and y_auto do not apply")
		}
		return nil
	}
	for _, t := range []struct {
		axis  *node
		title *string
	}{{x, a.XTitle}, {y, a.YTitle}} {
		if t.title == nil {
			continue
		}
		turn := ""
		if p := t.axis.Child(nsC, "axPos").Value("val"); p == "l" || p == "r" {
			turn = ` rot="-5400000" vert="horz"`
		}
		if deleted := t.axis.Child(nsC, "delete"); deleted != nil && deleted.Value("val") != "0" && deleted.Value("val") != "false" && *t.title != "" {
			c.warn("the axis of the title %s is hidden in this chart; the title does not show", quote(*t.title))
		}
		e.child(t.axis, axisSchema, "title", e.titleXML(t.axis.Child(nsC, "title"), newlines(*t.title), turn))
	}
	if a.NumberFormat != "" {
		e.child(y, axisSchema, "numFmt", e.numberFormat(a.NumberFormat))
	}
	return e.setScale(y, a)
}

func (e *chartElements) numberFormat(code string) string {
	return e.xml(`<c:numFmt formatCode="` + xmlscan.EscapeAttr(code) + `" sourceLinked="0"/>`)
}

// setScale sets where the value axis begins and ends.
func (e *chartElements) setScale(y *node, a setChartOptionsArgs) error {
	if a.YMin == nil && a.YMax == nil && !bool(a.YAuto) {
		return nil
	}
	old := y.Child(nsC, "scaling")
	s := element.Parse(e.o.t.Raw(old), e.xml("<c:scaling/>"), scalingSchema)
	if old == nil {
		s = element.Parse(e.xml("<c:scaling></c:scaling>"), "", scalingSchema)
	}
	if a.YAuto {
		s.Drop("min", "max")
	}
	limits := map[string]float64{}
	for local, v := range map[string]*lenient.Float{"min": a.YMin, "max": a.YMax} {
		if v != nil {
			s.Set(local, e.xml(fmt.Sprintf(`<c:%s val="%s"/>`, local, strconv.FormatFloat(float64(*v), 'g', -1, 64))))
			limits[local] = float64(*v)
		} else if f, ok := finite(old.Child(nsC, local).Value("val")); ok && !bool(a.YAuto) {
			limits[local] = f
		}
	}
	low, hasLow := limits["min"]
	high, hasHigh := limits["max"]
	if hasLow && hasHigh && low >= high {
		return formats.Errorf(formats.CodeInvalid, "the value axis cannot begin at %v and end at %v", low, high)
	}
	e.child(y, axisSchema, "scaling", s.String())
	return nil
}

// setLabels sets what the labels of all series show, and their number format.
func (e *chartElements) setLabels(c *call, show string, a setChartOptionsArgs) {
	percent := false
	for _, g := range e.o.groups {
		percent = percent || strings.Contains(strings.ToLower(g.Local), "pie") || g.Local == "doughnutChart"
	}
	if show == "showPercent" && !percent {
		c.warn("only pie and doughnut charts show percentages in labels; in this chart the labels are empty or show values")
	}
	single := 0
	for _, s := range e.o.series {
		old := s.n.Child(nsC, "dLbls")
		group := s.n.Parent.Child(nsC, "dLbls")
		if s.n.Empty || old == nil && (a.DataLabels == "" || show == "" && group == nil) {
			continue
		}
		raw := e.o.t.Raw(old)
		if old == nil {
			raw = []byte(e.xml(`<c:dLbls><c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>`))
		}
		l := element.Parse(raw, "", labelsSchema)
		if a.DataLabels != "" {
			single += e.show(l, show)
		}
		if a.NumberFormat != "" && l.Get("delete") == "" {
			l.Set("numFmt", e.numberFormat(a.NumberFormat))
		}
		e.child(s.n, seriesSchema, "dLbls", l.String())
	}
	if single > 0 {
		c.warn("%s of one point lost what was set for it alone", formats.Count(single, "label", "labels"))
	}
}

// show makes labels show one thing; "" none. It returns how many points lose
// settings of their own.
func (e *chartElements) show(l *element.Element, what string) (single int) {
	before := len(l.Children)
	l.Drop("dLbl")
	single = before - len(l.Children)
	l.Drop("delete")
	for _, local := range []string{"showLegendKey", "showVal", "showCatName", "showSerName", "showPercent", "showBubbleSize"} {
		on := "0"
		if local == what {
			on = "1"
		}
		l.Set(local, e.xml(`<c:`+local+` val="`+on+`"/>`))
	}
	return single
}
