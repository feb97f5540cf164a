package chart

import (
	"fmt"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

const (
	// Namespace is the namespace of chart parts.
	Namespace = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	// Type is the media type of chart parts.
	Type = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"

	nsA = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// Kinds are the kinds of chart that can be written.
var Kinds = []string{"column", "bar", "line", "pie", "scatter", "area", "doughnut", "bubble", "radar", "stock"}

// Spec is a chart to write.
type Spec struct {
	Kind           string // of Kinds
	Stacked        bool   // column, bar, line and area
	Percent        bool   // stacked to 100 %
	Style          string // see Kind
	Title          string // "": none
	XTitle, YTitle string // of the axes; "": none
	Series         []Series
	Date1904       bool   // of the workbook with the data
	Strict         bool   // written in the namespaces of ISO/IEC 29500 strict
	Workbook       string // relationship id of an embedded workbook with the data; "": none
	Slide          bool   // on a slide: larger text, no background and no border
}

// Series is one series: its values, labels and name.
type Series struct {
	Name       string // literal
	NameRef    *Data  // or of a cell
	Categories *Data  // labels, or x of a scatter or bubble chart; nil: none
	Values     Data
	Sizes      *Data // of the bubbles of a bubble chart
}

// Data is a block of cells with what it shows.
type Data struct {
	Formula string // reference, such as Sheet1!$A$2:$A$9
	Numeric bool   // numbers, not texts
	Format  string // number format code of numbers; "": General
	Count   int    // cells
	Points  []Point
}

// Point is a cell that is not empty.
type Point struct {
	Index int // among the cells, by row
	Text  string
}

// writer writes a chart part (21.2.2.29) in the order its schema asks for.
type writer struct {
	strings.Builder
	spec *Spec
}

func (c *writer) f(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func (c *writer) ns(uri string) string {
	if c.spec.Strict {
		return xmlscan.Strict(uri)
	}
	return uri
}

// The look: muted grey for text, lines and grids, the theme's accents for
// series.
const (
	greyText = `<a:solidFill><a:srgbClr val="595959"/></a:solidFill>`
	greyLine = `<c:spPr><a:noFill/><a:ln w="9525" cap="flat"><a:solidFill><a:srgbClr val="%s"/></a:solidFill><a:round/></a:ln></c:spPr>`
)

// The ids of the axes; any two numbers are valid.
const catAxis, valAxis = 500000001, 500000002

// XML returns the chart part.
func XML(spec Spec) string {
	c := &writer{spec: &spec}
	c.f(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<c:chartSpace xmlns:c="%s" xmlns:a="%s" xmlns:r="%s"><c:date1904 val="%s"/><c:roundedCorners val="0"/><c:chart>`, c.ns(Namespace), c.ns(nsA), c.ns(nsR), boolValue(spec.Date1904))
	if spec.Title != "" {
		c.title(spec.Title, 1400, "")
	}
	c.f(`<c:autoTitleDeleted val="%s"/><c:plotArea><c:layout/>`, boolValue(spec.Title == ""))
	c.plot()
	c.f(`<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr></c:plotArea>`)
	if len(spec.Series) > 1 || spec.withoutAxes() {
		c.f(`<c:legend><c:legendPos val="b"/><c:overlay val="0"/>%s</c:legend>`, c.textProps(900, false))
	}
	c.f(`<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>`)
	if spec.Slide {
		c.f(`<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>`)
	} else {
		c.f(`<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr>`)
	}
	c.f(`%s`, c.textProps(1000, false))
	if spec.Workbook != "" {
		c.f(`<c:externalData r:id="%s"><c:autoUpdate val="0"/></c:externalData>`, xmlscan.Escape(spec.Workbook))
	}
	c.f(`</c:chartSpace>`)
	return c.String()
}

// textSize returns a size of text, in hundredths of a point, where the chart
// stands.
func (c *writer) textSize(n int) int {
	if c.spec.Slide {
		return n * 4 / 3 / 100 * 100
	}
	return n
}

func boolValue(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
