package pptx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// seriesSchema is the order of the children of c:ser in every kind of chart
// (21.2.2.170 and on).
var seriesSchema = element.NewSchema("idx order tx spPr invertIfNegative pictureOptions marker explosion dPt dLbls trendline errBars cat xVal val yVal bubbleSize shape smooth bubble3D extLst")

// isNumericList reports whether a list of values holds numbers (21.2.2.123).
func isNumericList(n *node) bool {
	return n.Child(nsC, "numRef") != nil || n.Child(nsC, "numLit") != nil
}

// keptSeries returns a series of the chart with its new name and values; "" when
// nothing changes.
func (x *chartData) keptSeries(i int) string {
	p := x.list[i]
	e := element.Parse(x.o.t.Raw(p.old.n), "", seriesSchema)
	before := e.String()
	x.setData(e, i, p.old)
	if e.String() == before {
		return ""
	}
	return e.String()
}

// setData sets name, labels and values of a series where they or their cells
// change; like is the series that it is or is made from.
func (x *chartData) setData(e *element.Element, i int, like *chartSeries) {
	p, t := x.list[i], x.o.t
	prefix := strings.TrimSuffix(e.Prefix(), ":")
	set := func(local, xml string) { e.Set(local, chartPrefix(xml, prefix, "a")) }
	moved := x.moved || p.old == nil
	if moved || p.name != like.name {
		name := fmt.Sprintf(`<c:tx><c:strRef><c:f>%s</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>%s</c:v></c:pt></c:strCache></c:strRef></c:tx>`,
			xmlscan.Escape(x.block.ref(x.block.cols[i], x.block.first-1, 1)), xmlscan.Escape(p.name))
		if like.n.Child(nsC, "tx") != nil || p.name != "" {
			set("tx", name)
		}
	}
	cat, val := "cat", "val"
	if x.scatter() {
		cat, val = "xVal", "yVal"
	}
	if x.labels != nil && x.block.labels >= 0 {
		texts := make([]string, len(x.labels))
		for k, l := range x.labels {
			texts[k] = string(l)
		}
		set(cat, listXML(cat, x.block.ref(x.block.labels, x.block.first, x.n), x.numeric, t.formatCode(like.cat), texts))
	}
	values := p.values
	var texts []string
	switch {
	case values != nil:
		for _, v := range values {
			if v == nil {
				texts = append(texts, "")
			} else {
				texts = append(texts, strconv.FormatFloat(*v, 'g', -1, 64))
			}
		}
	case moved:
		texts = t.points(like.val, x.n)
	default:
		return
	}
	set(val, listXML(val, x.block.ref(x.block.cols[i], x.block.first, x.n), true, t.formatCode(like.val), texts))
}

// formatCode returns the number format of a list of values, "" when it has none.
func (t *tree) formatCode(n *node) string {
	for k := range n.All() {
		if k.Is(nsC, "formatCode") {
			return t.Text(k)
		}
	}
	return ""
}

// listXML returns a list of values with the cells that they come from
// (21.2.2.24, 21.2.2.214); "" is an empty cell.
func listXML(local, ref string, numeric bool, format string, texts []string) string {
	var sb strings.Builder
	kind := "str"
	if numeric {
		kind = "num"
	}
	fmt.Fprintf(&sb, `<c:%s><c:%sRef><c:f>%s</c:f><c:%[2]sCache>`, local, kind, xmlscan.Escape(ref))
	if numeric && format != "" {
		fmt.Fprintf(&sb, `<c:formatCode>%s</c:formatCode>`, xmlscan.Escape(format))
	}
	fmt.Fprintf(&sb, `<c:ptCount val="%d"/>`, len(texts))
	for i, s := range texts {
		if s != "" {
			fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, xmlscan.Escape(s))
		}
	}
	fmt.Fprintf(&sb, `</c:%sCache></c:%[1]sRef></c:%s>`, kind, local)
	return sb.String()
}

// newSeries returns series i of the list, which looks like another but for its
// colour: the accent of the theme that its number has in charts.
func (x *chartData) newSeries(i int, like *node) string {
	t := x.o.t
	number, order := 0, 0
	for _, s := range x.o.series {
		number = max(number, intOr(s.n.Child(nsC, "idx").Value("val"), 0))
		order = max(order, intOr(s.n.Child(nsC, "order").Value("val"), 0))
	}
	for _, p := range x.list[:i+1] {
		if p.old == nil {
			number, order = number+1, order+1
		}
	}
	e := element.Parse(t.Raw(like), "", seriesSchema)
	prefix := strings.TrimSuffix(e.Prefix(), ":")
	e.Drop("dPt", "trendline", "errBars", "extLst")
	e.Set("idx", chartPrefix(fmt.Sprintf(`<c:idx val="%d"/>`, number), prefix, "a"))
	e.Set("order", chartPrefix(fmt.Sprintf(`<c:order val="%d"/>`, order), prefix, "a"))
	for _, local := range []string{"spPr", "marker"} {
		if xml := e.Get(local); xml != "" {
			e.Set(local, otherAccent(xml, number))
		}
	}
	if labels := e.Get("dLbls"); labels != "" {
		l := element.Parse(labels, "", nil)
		l.Drop("dLbl", "extLst")
		e.Set("dLbls", l.String())
	}
	x.setData(e, i, t.seriesOf(like))
	return e.String()
}

var solidColor = regexp.MustCompile(`(<(?:\w+:)?solidFill>)<(\w+:)?(?:schemeClr val="accent\d"|srgbClr val="(\w{6})"/>)`)

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
