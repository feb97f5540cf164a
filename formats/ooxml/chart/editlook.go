package chart

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/internal/lazyregexp"
)

var (
	hexColor    = lazyregexp.New(`^#?([0-9A-Fa-f]{6})$`)
	accentColor = lazyregexp.New(`^accent[1-6]$`)
)

// fillXML returns the fill of a colour; the error has CodeInvalid.
func fillXML(color string) (string, error) {
	s := strings.TrimSpace(color)
	if m := hexColor.FindStringSubmatch(s); m != nil {
		return `<a:solidFill><a:srgbClr val="` + strings.ToUpper(m[1]) + `"/></a:solidFill>`, nil
	}
	if accentColor.MatchString(strings.ToLower(s)) {
		return `<a:solidFill><a:schemeClr val="` + strings.ToLower(s) + `"/></a:solidFill>`, nil
	}
	return "", formats.Errorf(formats.CodeInvalid, "the colour %s is none; use RRGGBB, such as C00000, or accent1 to accent6", quoted(color))
}

// child parses a child element given as XML, or makes an empty one.
func (e *editor) child(xml, name string, schema *element.Schema) *element.Element {
	if xml == "" {
		xml = "<" + e.c + name + "></" + e.c + name + ">"
	}
	return element.Parse(xml, "", schema)
}

// setFill replaces the fill of a shape's properties or of a line.
func setFill(el *element.Element, fill string) {
	name := "solidFill"
	if strings.Contains(fill, "noFill") {
		name = "noFill"
	}
	el.Set(name, fill, slices.DeleteFunc(slices.Clone(fills), func(f string) bool { return f == name })...)
}

// lineOf parses the line of a shape's properties.
func (e *editor) lineOf(sp *element.Element) *element.Element {
	ln := sp.Get("ln")
	if ln == "" {
		ln = e.xml("<a:ln></a:ln>")
	}
	return element.Parse(ln, "", lineSchema)
}

// linear reports whether a kind draws its series as lines.
func (k Kind) linear() bool {
	return k.Name == "line" || k.Name == "scatter" || k.Name == "stock" || k.Name == "radar" && k.Style == ""
}

// setColor colours a series.
func (e *editor) setColor(s *plotSeries, color string) error {
	fill, err := fillXML(color)
	if err != nil {
		return err
	}
	fill = e.xml(fill)
	sp := e.child(e.get(s.n, "spPr"), "spPr", shapeSchema)
	k := s.group.kind
	if !k.linear() {
		setFill(sp, fill)
		e.set(s.n, seriesSchema, "spPr", sp.String())
		return nil
	}
	ln := e.lineOf(sp)
	if ln.Get("noFill") == "" {
		setFill(ln, fill)
		sp.Set("ln", ln.String())
		e.set(s.n, seriesSchema, "spPr", sp.String())
	}
	marker := e.get(s.n, "marker")
	if marker == "" && ln.Get("noFill") == "" {
		return nil
	}
	m := e.child(marker, "marker", markerSchema)
	if strings.Contains(m.Get("symbol"), `"none"`) {
		return nil
	}
	look := e.child(m.Get("spPr"), "spPr", shapeSchema)
	setFill(look, fill)
	edge := e.lineOf(look)
	setFill(edge, fill)
	look.Set("ln", edge.String())
	m.Set("spPr", look.String())
	e.set(s.n, seriesSchema, "marker", m.String())
	return nil
}

// setPoints colours single points of a series (21.2.2.52), counted from 0; "" gives
// one the colour of the series again.
func (e *editor) setPoints(s *plotSeries, colors map[int]string) error {
	if len(colors) == 0 {
		return nil
	}
	points := map[int]string{}
	var order []int
	for _, c := range element.Parse("<x>"+e.get(s.n, "dPt")+"</x>", "", nil).Children {
		idx, _ := strconv.Atoi(valueOf(element.Parse(c.XML, "", pointSchema).Get("idx")))
		if points[idx] == "" {
			order = append(order, idx)
		}
		points[idx] += c.XML
	}
	for _, idx := range slices.Sorted(maps.Keys(colors)) {
		fill := ""
		if colors[idx] != "" {
			f, err := fillXML(colors[idx])
			if err != nil {
				return err
			}
			fill = e.xml(f)
		}
		if points[idx] == "" && fill == "" {
			continue
		}
		if points[idx] == "" {
			order = append(order, idx)
		}
		points[idx] = e.pointXML(s, points[idx], idx, fill)
	}
	slices.Sort(order)
	var sb strings.Builder
	for _, idx := range order {
		sb.WriteString(points[idx])
	}
	e.set(s.n, seriesSchema, "dPt", sb.String())
	return nil
}

// pointXML returns a point with a fill; "" removes its own.
func (e *editor) pointXML(s *plotSeries, own string, idx int, fill string) string {
	k := s.group.kind
	if own == "" {
		more := ""
		if k.round() || k.bars() {
			more = `<c:bubble3D val="0"/>`
		}
		if k.bars() {
			more = `<c:invertIfNegative val="0"/>` + more
		}
		own = e.xml(fmt.Sprintf(`<c:dPt><c:idx val="%d"/>%s</c:dPt>`, idx, more))
	}
	p := element.Parse(own, "", pointSchema)
	sp := e.child(p.Get("spPr"), "spPr", shapeSchema)
	switch {
	case fill == "" && k.linear():
		p.Drop("marker", "spPr")
	case fill == "":
		sp.Drop(fills...)
		p.Set("spPr", sp.String())
	case k.linear():
		m := e.child(p.Get("marker"), "marker", markerSchema)
		if m.Get("symbol") == "" {
			m.Set("symbol", e.xml(`<c:symbol val="circle"/>`))
		}
		look := e.child(m.Get("spPr"), "spPr", shapeSchema)
		setFill(look, fill)
		m.Set("spPr", look.String())
		p.Set("marker", m.String())
	default:
		setFill(sp, fill)
		p.Set("spPr", sp.String())
	}
	return p.String()
}

// setWidth sets the width of the line of a series, in points; 0 is none.
func (e *editor) setWidth(s *plotSeries, width float64) error {
	if width < 0 || width > 1584 { // 20.1.10.35
		return formats.Errorf(formats.CodeInvalid, "line_width is %v points; it must be from 0 to 1584", width)
	}
	sp := e.child(e.get(s.n, "spPr"), "spPr", shapeSchema)
	ln := e.lineOf(sp)
	if width == 0 {
		setFill(ln, e.xml("<a:noFill/>"))
	} else {
		ln.SetAttr("w", strconv.Itoa(int(width*12700)))
		if ln.Get("noFill") != "" {
			ln.Drop("noFill")
			ln.Set("solidFill", e.accent(s))
		}
	}
	sp.Set("ln", ln.String())
	e.set(s.n, seriesSchema, "spPr", sp.String())
	return nil
}

// accent returns the colour that a series has by its number, or the one of its
// markers.
func (e *editor) accent(s *plotSeries) string {
	if m := e.get(s.n, "marker"); m != "" {
		look := element.Parse(m, "", markerSchema).Get("spPr")
		if f := element.Parse(look, "x", shapeSchema).Get("solidFill"); look != "" && f != "" {
			return f
		}
	}
	n, _ := strconv.Atoi(s.n.Child(Namespace, "idx").Value("val"))
	return e.xml(fmt.Sprintf(`<a:solidFill><a:schemeClr val="accent%d"/></a:solidFill>`, max(n, 0)%6+1))
}

var markerWords = []string{"none", "auto", "circle", "square", "diamond", "triangle", "x", "star", "plus", "dash", "dot"}

func checkMarkers(symbol string) error {
	if symbol != "" && !slices.Contains(markerWords, strings.ToLower(strings.TrimSpace(symbol))) {
		return formats.Errorf(formats.CodeInvalid, "markers must be one of %s, not %s", strings.Join(markerWords, ", "), quoted(symbol))
	}
	return nil
}

// setMarkers sets the symbol of the points of a series (21.2.2.106).
func (e *editor) setMarkers(s *plotSeries, symbol string) error {
	symbol = strings.ToLower(strings.TrimSpace(symbol))
	if err := checkMarkers(symbol); err != nil {
		return err
	}
	if !s.group.kind.linear() {
		e.warn(fmt.Sprintf("only lines have markers; the series %s is shown as %s", quoted(s.name), s.group.kind))
		return nil
	}
	if symbol == "auto" {
		e.set(s.n, seriesSchema, "marker", "")
		return nil
	}
	m := e.child(e.get(s.n, "marker"), "marker", markerSchema)
	m.Set("symbol", e.xml(`<c:symbol val="`+symbol+`"/>`))
	if symbol != "none" && m.Get("size") == "" {
		m.Set("size", e.xml(`<c:size val="6"/>`))
	}
	e.set(s.n, seriesSchema, "marker", m.String())
	return nil
}

// setSmooth draws a series as a curve or not (21.2.2.194).
func (e *editor) setSmooth(s *plotSeries, smooth bool) {
	if k := s.group.kind.Name; k != "line" && k != "scatter" && k != "stock" {
		e.warn(fmt.Sprintf("only lines can be smooth; the series %s is shown as %s", quoted(s.name), s.group.kind))
		return
	}
	e.set(s.n, seriesSchema, "smooth", e.xml(`<c:smooth val="`+boolValue(smooth)+`"/>`))
}

var trendTypes = map[string]string{"linear": "linear", "exponential": "exp", "logarithmic": "log", "polynomial": "poly", "power": "power", "moving_average": "movingAvg",
	"exp": "exp", "log": "log", "poly": "poly", "moving": "movingAvg"}

// setTrend gives a series a trend line instead of those that it has
// (21.2.2.211), or none.
func (e *editor) setTrend(s *plotSeries, l TrendLine) error {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(l.Type)), " ", "_")
	if word == "none" {
		e.set(s.n, seriesSchema, "trendline", "")
		return nil
	}
	typ := trendTypes[word]
	k := s.group.kind
	switch {
	case typ == "":
		return formats.Errorf(formats.CodeInvalid, "the type of a trend_line must be linear, exponential, logarithmic, polynomial, power, moving_average or none, not %s", quoted(l.Type))
	case k.Grouping != "" || s.group.depth || !k.bars() && k.Name != "line" && k.Name != "area" && !k.xy() && k.Name != "stock":
		return formats.Errorf(formats.CodeUnsupported, "the series %s is shown as %s, which takes no trend line", quoted(s.name), k)
	}
	look := ""
	old := element.Parse("<x>"+e.get(s.n, "trendline")+"</x>", "", nil)
	if len(old.Children) > 0 {
		look = element.Parse(old.Children[0].XML, "", nil).Get("spPr")
	}
	if look == "" {
		look = e.xml(`<c:spPr><a:ln w="19050" cap="rnd">`) + e.accent(s) + e.xml(`<a:prstDash val="sysDot"/></a:ln></c:spPr>`)
	}
	var sb strings.Builder
	sb.WriteString(e.xml("<c:trendline>"))
	if l.Name != "" {
		sb.WriteString(e.xml("<c:name>" + escaped(l.Name) + "</c:name>"))
	}
	sb.WriteString(look)
	sb.WriteString(e.xml(`<c:trendlineType val="` + typ + `"/>`))
	if err := e.trendNumbers(&sb, typ, l); err != nil {
		return err
	}
	fmt.Fprintf(&sb, e.xml(`<c:dispRSqr val="%s"/><c:dispEq val="%s"/>`), boolValue(bool(l.RSquared)), boolValue(bool(l.Equation)))
	if l.Equation || l.RSquared {
		sb.WriteString(e.xml(`<c:trendlineLbl><c:numFmt formatCode="General" sourceLinked="0"/></c:trendlineLbl>`))
	}
	sb.WriteString(e.xml("</c:trendline>"))
	e.set(s.n, seriesSchema, "trendline", sb.String())
	return nil
}

// trendNumbers writes order, period and how far a trend line goes.
func (e *editor) trendNumbers(sb *strings.Builder, typ string, l TrendLine) error {
	whole := func(local, name string, v *int, least, most, fallback int) error {
		n := fallback
		if v != nil {
			n = *v
		}
		if n < least || n > most {
			return formats.Errorf(formats.CodeInvalid, "%s of a trend_line is %d; it must be from %d to %d", name, n, least, most)
		}
		sb.WriteString(e.xml(fmt.Sprintf(`<c:%s val="%d"/>`, local, n)))
		return nil
	}
	switch {
	case typ == "poly":
		if err := whole("order", "order", l.Order.Ptr(), 2, 6, 2); err != nil {
			return err
		}
	case typ == "movingAvg":
		if err := whole("period", "period", l.Period.Ptr(), 2, 255, 2); err != nil {
			return err
		}
	}
	for _, v := range []struct {
		name string
		at   *float64
	}{{"forward", (*float64)(l.Forward)}, {"backward", (*float64)(l.Backward)}} {
		switch {
		case v.at == nil || *v.at == 0:
		case *v.at < 0 || *v.at > 1e6:
			return formats.Errorf(formats.CodeInvalid, "%s of a trend_line is %v; it must be from 0 to 1000000", v.name, *v.at)
		case typ == "movingAvg":
			e.warn("a moving average does not go beyond the points; forward and backward are not used")
		default:
			sb.WriteString(e.xml(`<c:` + v.name + ` val="` + number(*v.at) + `"/>`))
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
