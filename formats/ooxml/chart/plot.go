package chart

import (
	"fmt"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// withoutAxes reports whether the kind of chart has no axes.
func (s *Spec) withoutAxes() bool { return s.Kind == "pie" || s.Kind == "doughnut" }

// textProps returns the properties of text that is not written here.
func (c *writer) textProps(size int, bold bool) string {
	return fmt.Sprintf(`<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="%d" b="%s">%s</a:defRPr></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>`, c.textSize(size), boolValue(bold), greyText)
}

func (c *writer) title(text string, size int, rotation string) {
	c.f(`<c:title><c:tx><c:rich><a:bodyPr%s/><a:lstStyle/>`, rotation)
	for _, line := range strings.Split(text, "\n") {
		c.f(`<a:p><a:pPr><a:defRPr sz="%[1]d" b="0">%[2]s</a:defRPr></a:pPr><a:r><a:rPr lang="en-US" sz="%[1]d" b="0">%[2]s</a:rPr><a:t>%[3]s</a:t></a:r></a:p>`, c.textSize(size), greyText, xmlscan.Escape(line))
	}
	c.f(`</c:rich></c:tx><c:overlay val="0"/></c:title>`)
}

// kind returns the kind of the chart.
func (s *Spec) kind() Kind {
	k := Kind{Name: s.Kind, Style: s.Style}
	switch {
	case s.Percent:
		k.Grouping = "percent"
	case s.Stacked:
		k.Grouping = "stacked"
	}
	return k
}

// Of gives the chart a kind.
func (s *Spec) Of(k Kind) {
	s.Kind, s.Style, s.Stacked, s.Percent = k.Name, k.Style, k.Grouping != "", k.Grouping == "percent"
}

func (c *writer) plot() {
	k := c.spec.kind()
	c.WriteString("<c:" + k.element() + ">" + k.groupHead())
	c.allSeries()
	c.WriteString(k.groupTail())
	if !k.round() {
		c.f(`<c:axId val="%d"/><c:axId val="%d"/>`, catAxis, valAxis)
	}
	c.WriteString("</c:" + k.element() + ">")
	if !k.round() {
		c.axes()
	}
}

func (c *writer) axes() {
	catPos, valPos, valTurn, catTurn := "b", "l", ` rot="-5400000" vert="horz"`, ""
	if c.spec.Kind == "bar" {
		catPos, valPos, valTurn, catTurn = valPos, catPos, catTurn, valTurn
	}
	scatter := c.spec.kind().xy()
	name := map[bool]string{false: "catAx", true: "valAx"}[scatter]
	orient := "minMax"
	if c.spec.Kind == "bar" {
		orient = "maxMin" // the first label on top, as the table reads
	}
	c.f(`<c:%s><c:axId val="%d"/><c:scaling><c:orientation val="%s"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/>`, name, catAxis, orient, catPos)
	if c.spec.XTitle != "" {
		c.title(c.spec.XTitle, 1000, catTurn)
	}
	c.f(`<c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>`+greyLine+`%s<c:crossAx val="%d"/><c:crosses val="autoZero"/>`, "BFBFBF", c.textProps(900, false), valAxis)
	if scatter {
		c.f(`<c:crossBetween val="midCat"/></c:valAx>`)
	} else {
		c.f(`<c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/></c:catAx>`)
	}
	crosses, between := "autoZero", "between"
	if c.spec.Kind == "bar" {
		crosses = "max"
	}
	if scatter || c.spec.Kind == "area" {
		between = "midCat"
	}
	lowest := ""
	if c.spec.zeroBased() {
		lowest = `<c:min val="0"/>`
	}
	c.f(`<c:valAx><c:axId val="%d"/><c:scaling><c:orientation val="minMax"/>%s</c:scaling><c:delete val="0"/><c:axPos val="%s"/><c:majorGridlines><c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`, valAxis, lowest, valPos)
	if c.spec.YTitle != "" {
		c.title(c.spec.YTitle, 1000, valTurn)
	}
	if c.spec.Percent {
		c.WriteString(`<c:numFmt formatCode="0%" sourceLinked="0"/>`)
	} else {
		c.WriteString(`<c:numFmt formatCode="General" sourceLinked="1"/>`)
	}
	c.f(`<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>%s<c:crossAx val="%d"/><c:crosses val="%s"/><c:crossBetween val="%s"/></c:valAx>`, c.textProps(900, false), catAxis, crosses, between)
}
