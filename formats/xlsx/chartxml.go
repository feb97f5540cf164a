package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/xmlscan"
)

// chartWriter writes a chart part (21.2.2.29) in the order its schema asks for.
type chartWriter struct {
	strings.Builder
	w    *sheetWork
	ctx  context.Context
	spec *chartSpec
	err  error
}

func (c *chartWriter) f(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// The look: muted grey for text, lines and grids, the theme's accents for
// series.
const (
	chartText = `<a:solidFill><a:srgbClr val="595959"/></a:solidFill>`
	chartLine = `<c:spPr><a:noFill/><a:ln w="9525" cap="flat"><a:solidFill><a:srgbClr val="%s"/></a:solidFill><a:round/></a:ln></c:spPr>`
)

// The axes' ids; any two numbers will do.
const catAxis, valAxis = 500000001, 500000002

func (w *sheetWork) chartXML(ctx context.Context, spec *chartSpec) (string, error) {
	c := &chartWriter{w: w, ctx: ctx, spec: spec}
	c.f(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<c:chartSpace xmlns:c="%s" xmlns:a="%s" xmlns:r="%s"><c:date1904 val="%s"/><c:roundedCorners val="0"/><c:chart>`, w.f.ns(nsChart), w.f.ns(nsDraw), w.f.ns(nsRel), flagText(w.f.wb.date1904))
	if spec.title != "" {
		c.title(spec.title, 1400, "")
	}
	c.f(`<c:autoTitleDeleted val="%s"/><c:plotArea><c:layout/>`, flagText(spec.title == ""))
	c.plot()
	c.f(`<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr></c:plotArea>`)
	if len(spec.series) > 1 || spec.round() {
		c.f(`<c:legend><c:legendPos val="b"/><c:overlay val="0"/>%s</c:legend>`, textProps(900, false))
	}
	c.f(`<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr>%s</c:chartSpace>`, textProps(1000, false))
	return c.String(), c.err
}

// round reports whether the chart has no axes.
func (s *chartSpec) round() bool { return s.kind == "pie" || s.kind == "doughnut" }

// textProps are the properties of text that is not written here.
func textProps(size int, bold bool) string {
	return fmt.Sprintf(`<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="%d" b="%s">%s</a:defRPr></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>`, size, flagText(bold), chartText)
}

func (c *chartWriter) title(text string, size int, rotation string) {
	c.f(`<c:title><c:tx><c:rich><a:bodyPr%s/><a:lstStyle/>`, rotation)
	for _, line := range strings.Split(text, "\n") {
		c.f(`<a:p><a:pPr><a:defRPr sz="%[1]d" b="0">%[2]s</a:defRPr></a:pPr><a:r><a:rPr lang="en-US" sz="%[1]d" b="0">%[2]s</a:rPr><a:t>%[3]s</a:t></a:r></a:p>`, size, chartText, xmlscan.Escape(line))
	}
	c.f(`</c:rich></c:tx><c:overlay val="0"/></c:title>`)
}

func (c *chartWriter) plot() {
	grouping := map[bool]string{false: "standard", true: "stacked"}[c.spec.stacked]
	switch kind := c.spec.kind; kind {
	case "column", "bar":
		dir := map[string]string{"column": "col", "bar": "bar"}[kind]
		overlap := ""
		if grouping = "clustered"; c.spec.stacked {
			grouping, overlap = "stacked", `<c:overlap val="100"/>`
		}
		c.f(`<c:barChart><c:barDir val="%s"/><c:grouping val="%s"/><c:varyColors val="0"/>`, dir, grouping)
		c.allSeries()
		c.f(`<c:gapWidth val="80"/>%s<c:axId val="%d"/><c:axId val="%d"/></c:barChart>`, overlap, catAxis, valAxis)
	case "line":
		c.f(`<c:lineChart><c:grouping val="%s"/><c:varyColors val="0"/>`, grouping)
		c.allSeries()
		c.f(`<c:marker val="1"/><c:axId val="%d"/><c:axId val="%d"/></c:lineChart>`, catAxis, valAxis)
	case "area":
		c.f(`<c:areaChart><c:grouping val="%s"/><c:varyColors val="0"/>`, grouping)
		c.allSeries()
		c.f(`<c:axId val="%d"/><c:axId val="%d"/></c:areaChart>`, catAxis, valAxis)
	case "scatter":
		c.f(`<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>`)
		c.allSeries()
		c.f(`<c:axId val="%d"/><c:axId val="%d"/></c:scatterChart>`, catAxis, valAxis)
	default:
		c.f(`<c:%sChart><c:varyColors val="1"/>`, kind)
		c.allSeries()
		c.f(`<c:firstSliceAng val="0"/>`)
		if kind == "doughnut" {
			c.f(`<c:holeSize val="55"/>`)
		}
		c.f(`</c:%sChart>`, kind)
		return
	}
	c.axes()
}

func (c *chartWriter) axes() {
	catPos, valPos, valTurn, catTurn := "b", "l", ` rot="-5400000" vert="horz"`, ""
	if c.spec.kind == "bar" {
		catPos, valPos, valTurn, catTurn = valPos, catPos, catTurn, valTurn
	}
	scatter := c.spec.kind == "scatter"
	name := map[bool]string{false: "catAx", true: "valAx"}[scatter]
	orient := "minMax"
	if c.spec.kind == "bar" {
		orient = "maxMin" // the first label on top, as the table reads
	}
	c.f(`<c:%s><c:axId val="%d"/><c:scaling><c:orientation val="%s"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/>`, name, catAxis, orient, catPos)
	if c.spec.xTitle != "" {
		c.title(c.spec.xTitle, 1000, catTurn)
	}
	c.f(`<c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>`+chartLine+`%s<c:crossAx val="%d"/><c:crosses val="autoZero"/>`, "BFBFBF", textProps(900, false), valAxis)
	if scatter {
		c.f(`<c:crossBetween val="midCat"/></c:valAx>`)
	} else {
		c.f(`<c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/></c:catAx>`)
	}
	crosses, between := "autoZero", "between"
	if c.spec.kind == "bar" {
		crosses = "max"
	}
	if scatter || c.spec.kind == "area" {
		between = "midCat"
	}
	c.f(`<c:valAx><c:axId val="%d"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/><c:majorGridlines><c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`, valAxis, valPos)
	if c.spec.yTitle != "" {
		c.title(c.spec.yTitle, 1000, valTurn)
	}
	c.f(`<c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>%s<c:crossAx val="%d"/><c:crosses val="%s"/><c:crossBetween val="%s"/></c:valAx>`, textProps(900, false), catAxis, crosses, between)
}

func (c *chartWriter) allSeries() {
	for i, s := range c.spec.series {
		c.series(i, s)
	}
}

// series writes one series; the order of its children differs by kind.
func (c *chartWriter) series(i int, s chartSeries) {
	color := fmt.Sprintf(`<a:solidFill><a:schemeClr val="accent%d"/></a:solidFill>`, i%6+1)
	c.f(`<c:ser><c:idx val="%d"/><c:order val="%[1]d"/>`, i)
	switch {
	case s.nameRef != nil:
		c.f(`<c:tx>`)
		c.data("str", *s.nameRef)
		c.f(`</c:tx>`)
	case s.name != "":
		c.f(`<c:tx><c:v>%s</c:v></c:tx>`, xmlscan.Escape(s.name))
	}
	marker := fmt.Sprintf(`<c:marker><c:symbol val="circle"/><c:size val="5"/><c:spPr>%s<a:ln w="9525">%[1]s</a:ln></c:spPr></c:marker>`, color)
	switch c.spec.kind {
	case "column", "bar":
		c.f(`<c:spPr>%s</c:spPr><c:invertIfNegative val="0"/>`, color)
	case "area":
		c.f(`<c:spPr>%s</c:spPr>`, color)
	case "line":
		c.f(`<c:spPr><a:ln w="28575" cap="rnd">%s<a:round/></a:ln></c:spPr>%s`, color, marker)
	case "scatter":
		c.f(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr>%s`, marker)
	default:
		c.slices(s)
	}
	cat, val := "cat", "val"
	if c.spec.kind == "scatter" {
		cat, val = "xVal", "yVal"
	}
	if s.cats != nil {
		c.f(`<c:%s>`, cat)
		c.data("", *s.cats)
		c.f(`</c:%s>`, cat)
	}
	c.f(`<c:%s>`, val)
	if c.data("num", s.vals) == 0 {
		c.w.warn("series %d: there are no numbers in %s", i+1, s.vals.formula())
	}
	c.f(`</c:%s>`, val)
	if c.spec.kind == "line" || c.spec.kind == "scatter" {
		c.f(`<c:smooth val="0"/>`)
	}
	c.f(`</c:ser>`)
}

// slices colours the points of a pie and labels them with their share.
func (c *chartWriter) slices(s chartSeries) {
	n := min((s.vals.r2-s.vals.r1+1)*(s.vals.c2-s.vals.c1+1), 200)
	for i := range n {
		// Past the six accents lighter and darker tones follow.
		tone := []string{"", `<a:lumMod val="60000"/>`, `<a:lumMod val="60000"/><a:lumOff val="40000"/>`}[i/6%3]
		c.f(`<c:dPt><c:idx val="%d"/><c:bubble3D val="0"/><c:spPr><a:solidFill><a:schemeClr val="accent%d">%s</a:schemeClr></a:solidFill><a:ln w="19050"><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:ln></c:spPr></c:dPt>`, i, i%6+1, tone)
	}
	white := strings.ReplaceAll(textProps(900, true), "595959", "FFFFFF")
	c.f(`<c:dLbls><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>%s<c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="1"/><c:showBubbleSize val="0"/><c:showLeaderLines val="0"/></c:dLbls>`, white)
}

// data writes a reference with what its cells hold now, as strings ("str"),
// numbers ("num") or whichever they are (""); it returns how many numbers.
func (c *chartWriter) data(kind string, r sheetRect) (numbers int) {
	type point struct {
		i int
		v cellView
	}
	var points []point
	st, err := c.w.f.wb.styles(c.ctx)
	if c.err == nil {
		c.err = err
	}
	wide := r.c2 - r.c1 + 1
	n := (r.r2 - r.r1 + 1) * wide
	err = c.w.f.eachCell(c.ctx, r.sheet, r.rect, func(at ref, v cellView) error {
		points = append(points, point{(at.row-r.r1)*wide + at.col - r.c1, v})
		if v.kind == valNumber {
			numbers++
		}
		return nil
	})
	if c.err == nil {
		c.err = err
	}
	if kind == "" {
		kind = "str"
		if numbers > 0 && numbers == len(points) {
			kind = "num"
		}
	}
	c.f(`<c:%sRef><c:f>%s</c:f><c:%[1]sCache>`, kind, xmlscan.Escape(r.formula()))
	if kind == "num" {
		code := "General"
		for _, p := range points {
			if p.v.kind == valNumber && st != nil {
				code = st.code(p.v.style)
				break
			}
		}
		c.f(`<c:formatCode>%s</c:formatCode>`, xmlscan.Escape(code))
	}
	c.f(`<c:ptCount val="%d"/>`, n)
	// Planned cells came last.
	byIndex := map[int]cellView{}
	for _, p := range points {
		byIndex[p.i] = p.v
	}
	for i := range n {
		v, ok := byIndex[i]
		text := v.shown
		if kind == "num" {
			_, err := strconv.ParseFloat(v.text, 64)
			ok, text = ok && v.kind == valNumber && err == nil, v.text
		}
		if ok && text != "" {
			c.f(`<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, xmlscan.Escape(text))
		}
	}
	c.f(`</c:%sCache></c:%[1]sRef>`, kind)
	return numbers
}

// code is the number format code of a style.
func (st *styles) code(style int) string {
	id := 0
	if style >= 0 && style < len(st.xf) {
		id = st.xf[style]
	}
	code, ok := st.custom[id]
	if !ok {
		code = builtinFormats[id]
	}
	if code == "" {
		return "General"
	}
	return code
}
