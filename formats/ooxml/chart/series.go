package chart

import (
	"fmt"
	"math"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

func (c *writer) allSeries() {
	for i, s := range c.spec.Series {
		c.series(i, s)
	}
}

// series writes one series; the order of its children differs by kind.
func (c *writer) series(i int, s Series) {
	color := fmt.Sprintf(`<a:solidFill><a:schemeClr val="accent%d"/></a:solidFill>`, i%6+1)
	c.f(`<c:ser><c:idx val="%d"/><c:order val="%[1]d"/>`, i)
	switch {
	case s.NameRef != nil:
		c.f(`<c:tx>`)
		c.data(*s.NameRef)
		c.f(`</c:tx>`)
	case s.Name != "":
		c.f(`<c:tx><c:v>%s</c:v></c:tx>`, xmlscan.Escape(s.Name))
	}
	marker := fmt.Sprintf(`<c:marker><c:symbol val="circle"/><c:size val="5"/><c:spPr>%s<a:ln w="9525">%[1]s</a:ln></c:spPr></c:marker>`, color)
	switch c.spec.Kind {
	case "column", "bar":
		c.f(`<c:spPr>%s</c:spPr><c:invertIfNegative val="0"/>`, color)
	case "area":
		if len(c.spec.Series) > 1 && !c.spec.Stacked { // one is in front of another
			color = fmt.Sprintf(`<a:solidFill><a:schemeClr val="accent%d"><a:alpha val="70000"/></a:schemeClr></a:solidFill>`, i%6+1)
		}
		c.f(`<c:spPr>%s</c:spPr>`, color)
	case "line":
		c.f(`<c:spPr><a:ln w="28575" cap="rnd">%s<a:round/></a:ln></c:spPr>%s`, color, marker)
	case "radar":
		if c.spec.Style == "filled" {
			c.f(`<c:spPr><a:solidFill><a:schemeClr val="accent%d"><a:alpha val="60000"/></a:schemeClr></a:solidFill></c:spPr>`, i%6+1)
		} else {
			c.f(`<c:spPr><a:ln w="28575" cap="rnd">%s<a:round/></a:ln></c:spPr>%s`, color, marker)
		}
	case "bubble":
		c.f(`<c:spPr><a:solidFill><a:schemeClr val="accent%d"><a:alpha val="70000"/></a:schemeClr></a:solidFill></c:spPr><c:invertIfNegative val="0"/>`, i%6+1)
	case "stock":
		c.stockLook(i, color)
	case "scatter":
		if c.spec.Style != "" {
			c.f(`<c:spPr><a:ln w="19050" cap="rnd">%s<a:round/></a:ln></c:spPr>%s`, color, marker)
		} else {
			c.f(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr>%s`, marker)
		}
	default:
		c.pieSlices(s)
	}
	cat, val := "cat", "val"
	if c.spec.kind().xy() {
		cat, val = "xVal", "yVal"
	}
	if s.Categories != nil {
		c.f(`<c:%s>`, cat)
		c.data(*s.Categories)
		c.f(`</c:%s>`, cat)
	}
	c.f(`<c:%s>`, val)
	c.data(s.Values)
	c.f(`</c:%s>`, val)
	if s.Sizes != nil && c.spec.Kind == "bubble" {
		c.f(`<c:bubbleSize>`)
		c.data(*s.Sizes)
		c.f(`</c:bubbleSize><c:bubble3D val="0"/>`)
	}
	if c.spec.Kind == "line" || c.spec.Kind == "scatter" || c.spec.Kind == "stock" {
		c.f(`<c:smooth val="%s"/>`, boolValue(c.spec.Style == "smooth"))
	}
	c.f(`</c:ser>`)
}

// stockLook shows the close, the last series, by dashes at the lines from high to
// low, and an open, the first of four, by squares.
func (c *writer) stockLook(i int, color string) {
	symbol := "none"
	switch n := len(c.spec.Series); {
	case i == n-1:
		symbol = "dash"
	case i == 0 && n == 4:
		symbol = "square"
	}
	c.f(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr><c:marker><c:symbol val="%s"/>`, symbol)
	if symbol != "none" {
		c.f(`<c:size val="7"/><c:spPr>%s<a:ln w="9525">%[1]s</a:ln></c:spPr>`, color)
	}
	c.f(`</c:marker>`)
}

// zeroBased reports whether the value axis must be told to begin at 0: columns and
// bars are read by their length, and programs begin an axis above 0 by
// themselves when the lowest value is above five sixths of the highest.
func (s *Spec) zeroBased() bool {
	k := s.kind()
	if !k.bars() || k.Grouping == "percent" {
		return false
	}
	low, high := math.Inf(1), math.Inf(-1)
	sums := map[int]float64{}
	for _, one := range s.Series {
		for _, p := range one.Values.Points {
			v, ok := finite(p.Text)
			if !ok {
				continue
			}
			if v < 0 {
				return false
			}
			if s.Stacked {
				sums[p.Index] += v
				v = sums[p.Index]
			}
			low, high = min(low, v), max(high, v)
		}
	}
	return high > 0 && low*6 > high*5
}

// pieSlices colours the points of a pie and labels them with their share.
func (c *writer) pieSlices(s Series) {
	n := min(s.Values.Count, 200)
	for i := range n {
		// Past the six accents lighter and darker tones follow.
		tone := []string{"", `<a:lumMod val="60000"/>`, `<a:lumMod val="60000"/><a:lumOff val="40000"/>`}[i/6%3]
		c.f(`<c:dPt><c:idx val="%d"/><c:bubble3D val="0"/><c:spPr><a:solidFill><a:schemeClr val="accent%d">%s</a:schemeClr></a:solidFill><a:ln w="19050"><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:ln></c:spPr></c:dPt>`, i, i%6+1, tone)
	}
	white := strings.ReplaceAll(c.textProps(900, true), "595959", "FFFFFF")
	c.f(`<c:dLbls><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>%s<c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="1"/><c:showBubbleSize val="0"/><c:showLeaderLines val="0"/></c:dLbls>`, white)
}

// data writes a reference with what its cells hold.
func (c *writer) data(d Data) {
	kind := "str"
	if d.Numeric {
		kind = "num"
	}
	c.f(`<c:%sRef><c:f>%s</c:f><c:%[1]sCache>`, kind, xmlscan.Escape(d.Formula))
	if d.Numeric {
		code := d.Format
		if code == "" {
			code = "General"
		}
		c.f(`<c:formatCode>%s</c:formatCode>`, xmlscan.Escape(code))
	}
	c.f(`<c:ptCount val="%d"/>`, d.Count)
	for _, p := range d.Points {
		c.f(`<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, p.Index, xmlscan.Escape(p.Text))
	}
	c.f(`</c:%sCache></c:%[1]sRef>`, kind)
}
