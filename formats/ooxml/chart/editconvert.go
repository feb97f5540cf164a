package chart

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

var (
	labelPlace = lazyregexp.New(`<(?:\w+:)?dLblPos\b[^>]*/>`)
	titleTurn  = lazyregexp.New(`(<(?:\w+:)?bodyPr\b[^>]*?)\s+rot="[^"]*"`)
	titleBody  = lazyregexp.New(`<(?:\w+:)?bodyPr\b`)
)

// convert returns a series for another kind: what only the old kind has goes.
func (e *editor) convert(s *plotSeries, to Kind) string {
	from := s.group.kind
	el := element.Parse(e.t.Raw(s.n), "", seriesSchema)
	trends := from.takesTrends() && to.takesTrends()
	if !trends {
		e.lost = e.lost || el.Get("trendline")+el.Get("errBars") != ""
		el.Drop("trendline", "errBars")
	}
	if from.bars() != to.bars() || from.round() || to.round() {
		e.lost = e.lost || el.Get("dPt") != "" && !from.round()
		el.Drop("dPt")
	}
	if !to.bars() {
		el.Drop("invertIfNegative")
	}
	el.Drop("pictureOptions", "explosion", "shape", "bubble3D", "extLst")
	if !to.linear() {
		el.Drop("marker", "smooth")
	}
	if labels := el.Get("dLbls"); labels != "" {
		if el.Set("dLbls", labelPlace.ReplaceAllString(labels, "")); from.round() && !to.round() {
			el.Drop("dLbls")
			e.lostSlices = true
		}
	}
	e.convertLook(el, s, to)
	if to.bars() && el.Get("invertIfNegative") == "" {
		el.Set("invertIfNegative", e.xml(`<c:invertIfNegative val="0"/>`))
	}
	if to.Name == "line" || to.Name == "scatter" || to.Name == "stock" {
		el.Set("smooth", e.xml(`<c:smooth val="`+boolValue(to.Style == "smooth")+`"/>`)) // without it programs draw curves
	}
	if from.xy() != to.xy() {
		names := [][2]string{{"cat", "xVal"}, {"val", "yVal"}}
		for _, p := range names {
			old, now := p[0], p[1]
			if !to.xy() {
				old, now = now, old
			}
			if xml := el.Get(old); xml != "" {
				el.Drop(old)
				el.Set(now, e.renamed(xml, old, now))
			}
		}
		if to.xy() && strings.Contains(el.Get("xVal"), "strRef") {
			e.warn("the categories are texts, so the points stand at 1, 2, 3 and so on")
		}
	}
	if to.Name != "bubble" {
		el.Drop("bubbleSize")
	}
	return el.String()
}

// renamed returns an element with another name.
func (e *editor) renamed(xml, old, now string) string {
	i := strings.Index(xml, old)
	j := strings.LastIndex(xml, old)
	if i < 0 || i == j {
		return strings.Replace(xml, old, now, 1)
	}
	return xml[:i] + now + xml[i+len(old):j] + now + xml[j+len(old):]
}

// takesTrends reports whether the series of a kind may have trend lines and
// error bars.
func (k Kind) takesTrends() bool {
	return k.Grouping == "" && (k.bars() || k.Name == "line" || k.Name == "area" || k.xy())
}

// convertLook gives a series its colour where the new kind has it.
func (e *editor) convertLook(el *element.Element, s *plotSeries, to Kind) {
	from := s.group.kind
	sp := s.n.Child(Namespace, "spPr")
	fill, line := sp.Child(nsA, "solidFill"), sp.Child(nsA, "ln").Child(nsA, "solidFill")
	switch {
	case to.round():
		el.Drop("spPr") // each slice has a colour of its own
	case to.Name == "stock":
		el.Set("spPr", e.xml(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr>`))
	case to.linear() && !from.linear():
		color := string(e.t.Raw(fill))
		if color == "" {
			color = e.accent(s)
		}
		if to.Name == "scatter" && to.Style == "" {
			el.Set("spPr", e.xml(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr>`))
			el.Set("marker", e.xml(`<c:marker><c:symbol val="circle"/><c:size val="5"/><c:spPr>`)+color+e.xml(`</c:spPr></c:marker>`))
		} else {
			el.Set("spPr", e.xml(`<c:spPr><a:ln w="28575" cap="rnd">`)+color+e.xml(`<a:round/></a:ln></c:spPr>`))
		}
	case from.linear() && !to.linear():
		color := string(e.t.Raw(line))
		if color == "" {
			color = e.accent(s)
		}
		el.Set("spPr", e.xml(`<c:spPr>`)+color+e.xml(`</c:spPr>`))
	case to.Name == "scatter" && to.Style == "" || from.Name == "scatter" && from.Style == "":
		el.Set("spPr", e.scatterLine(s, to))
	}
}

// scatterLine returns the look of a series whose points become joined, or are no
// longer.
func (e *editor) scatterLine(s *plotSeries, to Kind) string {
	look := e.child(string(e.t.Raw(s.n.Child(Namespace, "spPr"))), "spPr", shapeSchema)
	ln := e.lineOf(look)
	if to.Name == "scatter" && to.Style == "" {
		setFill(ln, e.xml("<a:noFill/>"))
	} else if ln.Get("noFill") != "" {
		setFill(ln, e.accent(s))
	}
	look.Set("ln", ln.String())
	return look.String()
}

// writeAxes removes the axes that no target needs, adds those that are missing,
// and turns those whose sides change.
func (e *editor) writeAxes(list []*target, from Kind, ids [2][2]string, at int) {
	to := list[0].kind
	for _, t := range list {
		if !t.second {
			to = t.kind
			break
		}
	}
	labels, values := e.axisPair(e.groups[0])
	labels2, values2 := e.axisPair(e.secondary())
	second := slices.ContainsFunc(list, func(t *target) bool { return t.second })
	add := func(xml string) {
		e.splices = append(e.splices, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	}
	drop := func(n *node) {
		e.splices = append(e.splices, xmlscan.Splice{Start: n.Start, End: n.After})
	}
	keep := map[*node]bool{}
	switch {
	case to.round():
	case labels == nil:
		defer add(e.xml(axesXML(to, e.slide)))
	default:
		keep[labels], keep[values] = true, true
	}
	if second && values2 != nil {
		keep[labels2], keep[values2] = true, true
	}
	for n := range e.plot.Kids() {
		if n.Space == Namespace && strings.HasSuffix(n.Local, "Ax") && !keep[n] {
			drop(n)
		}
	}
	if labels != nil && !to.round() {
		bars := slices.ContainsFunc(list, func(t *target) bool { return t.kind.bars() || t.kind.Name == "line" })
		e.turn(labels, from, to, false, bars)
		e.turn(values, from, to, true, bars)
	}
	if second && values2 == nil {
		for n := range e.plot.Kids() {
			if n.Space == Namespace && strings.HasSuffix(n.Local, "Ax") {
				at = n.After // programs take the first axes for the primary ones
			}
		}
		defer add(e.secondAxes(labels, values, to, ids))
	}
}

// axesXML returns the axes that a new chart of a kind has.
func axesXML(k Kind, slide bool) string {
	c := &writer{spec: &Spec{Kind: k.Name, Slide: slide}}
	c.axes()
	return c.String()
}

// secondAxes returns the axes of series that have other units: labels that are
// not shown, and values on the other side.
func (e *editor) secondAxes(labels, values *node, k Kind, ids [2][2]string) string {
	name, pos, side, more, between := "catAx", "b", "r", `<c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/>`, "between"
	if k.Name == "bar" {
		pos, side = "l", "t"
	}
	if k.xy() {
		name, more, between = "valAx", `<c:crossBetween val="midCat"/>`, "midCat"
	}
	orientation := labels.Child(Namespace, "scaling").Child(Namespace, "orientation").Value("val")
	if orientation == "" {
		orientation = "minMax"
	}
	if v := values.Child(Namespace, "crossBetween").Value("val"); v != "" && labels.Local != "valAx" {
		between = v
	}
	ids = [2][2]string{ids[0], {xmlscan.EscapeAttr(ids[1][0]), xmlscan.EscapeAttr(ids[1][1])}}
	text := ""
	if values != nil {
		text = string(e.t.Raw(values.Child(Namespace, "txPr")))
	}
	return e.xml(fmt.Sprintf(`<c:%s><c:axId val="%s"/><c:scaling><c:orientation val="%s"/></c:scaling><c:delete val="1"/><c:axPos val="%s"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="%s"/><c:crosses val="autoZero"/>%s</c:%s>`, name, ids[1][0], orientation, pos, ids[1][1], more, name)) +
		e.xml(fmt.Sprintf(`<c:valAx><c:axId val="%s"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/><c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>`, ids[1][1], side)) + text +
		e.xml(fmt.Sprintf(`<c:crossAx val="%s"/><c:crosses val="max"/><c:crossBetween val="%s"/></c:valAx>`, ids[1][0], between))
}

// turn gives an axis the form and the side that it has in the new kind. The first label of
// bars is on top.
func (e *editor) turn(n *node, from, to Kind, values, bars bool) {
	el := element.Parse(e.t.Raw(n), "", axisSchema)
	before := el.String()
	if values || to.xy() {
		between := "between"
		if to.xy() || to.Name == "area" && !bars {
			between = "midCat"
		}
		if old := el.Get("crossBetween"); from.Name != to.Name || old == "" || bars {
			el.Set("crossBetween", e.xml(`<c:crossBetween val="`+between+`"/>`))
		}
	}
	if values && (from.Grouping == "percent") != (to.Grouping == "percent") {
		e.percentFormat(el, to.Grouping == "percent")
	}
	if (from.Name == "bar") != (to.Name == "bar") {
		e.turnSide(el, n, to, values)
	}
	xml := el.String()
	if !values && (n.Local == "valAx") != to.xy() {
		xml = e.otherAxis(el, n, to.xy())
	}
	if xml != before {
		e.splices = append(e.splices, xmlscan.Splice{Start: n.Start, End: n.After, New: []byte(xml)})
	}
}

// percentFormat gives an axis of shares the format 0%, and one that no longer
// is such an axis that of its values; a format that somebody chose stays.
func (e *editor) percentFormat(el *element.Element, percent bool) {
	linked := strings.Contains(el.Get("numFmt"), `sourceLinked="1"`) || el.Get("numFmt") == ""
	switch {
	case percent && linked:
		el.Set("numFmt", e.numberFormat("0%"))
	case !percent && strings.Contains(el.Get("numFmt"), `formatCode="0%"`):
		el.Set("numFmt", e.xml(`<c:numFmt formatCode="General" sourceLinked="1"/>`))
	}
}

// otherAxis makes an axis of labels one of values, or the reverse.
func (e *editor) otherAxis(el *element.Element, n *node, values bool) string {
	name := "catAx"
	if values {
		name = "valAx"
		el.Drop("auto", "lblAlgn", "lblOffset", "baseTimeUnit", "tickLblSkip", "tickMarkSkip", "noMultiLvlLbl", "majorUnit", "majorTimeUnit", "minorUnit", "minorTimeUnit", "extLst")
	} else {
		el.Drop("crossBetween", "majorUnit", "minorUnit", "dispUnits", "extLst")
		if s := el.Get("scaling"); s != "" {
			scaling := element.Parse(s, "", scalingSchema)
			scaling.Drop("min", "max", "logBase")
			el.Set("scaling", scaling.String())
		}
	}
	return e.renamed(el.String(), n.Local, name)
}

// turnSide puts an axis on the side that it has among columns or among bars.
func (e *editor) turnSide(el *element.Element, n *node, to Kind, values bool) {
	vertical := values == (to.Name != "bar")
	el.Set("axPos", e.xml(`<c:axPos val="`+map[bool]string{true: "l", false: "b"}[vertical]+`"/>`))
	if title := el.Get("title"); title != "" {
		title = titleTurn.ReplaceAllString(title, "${1}")
		if vertical {
			title = titleBody.ReplaceAllString(title, `${0} rot="-5400000"`)
		}
		el.Set("title", title)
	}
	orientation, crosses := "minMax", "autoZero"
	if to.Name == "bar" {
		orientation, crosses = "maxMin", "max"
	}
	if values {
		el.Drop("crossesAt")
		el.Set("crosses", e.xml(`<c:crosses val="`+crosses+`"/>`))
	} else if s := n.Child(Namespace, "scaling"); s != nil {
		scaling := element.Parse(e.t.Raw(s), "", scalingSchema)
		scaling.Set("orientation", e.xml(`<c:orientation val="`+orientation+`"/>`))
		el.Set("scaling", scaling.String())
	}
}
