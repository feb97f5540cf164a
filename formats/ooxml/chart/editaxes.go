package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
)

// axisPair returns the axes of a group, that of labels (or x) first; nil where
// there are none.
func (e *editor) axisPair(g *plotGroup) (labels, values *node) {
	if g == nil || len(g.axes) < 2 {
		return nil, nil
	}
	var of [2]*node
	for n := range e.plot.Kids() {
		if n.Space != Namespace || !strings.HasSuffix(n.Local, "Ax") {
			continue
		}
		if i := slices.Index(g.axes[:2], n.Child(Namespace, "axId").Value("val")); i >= 0 {
			of[i] = n
		}
	}
	if of[0] == nil || of[1] == nil {
		return nil, nil
	}
	swapped := of[0].Local == "valAx" && of[1].Local != "valAx" // some producers name the value axis first
	if of[0].Local == "valAx" && of[1].Local == "valAx" {
		first := of[0].Child(Namespace, "axPos").Value("val")
		swapped = first == "l" || first == "r"
	}
	if swapped {
		return of[1], of[0]
	}
	return of[0], of[1]
}

// secondary returns the first group on other axes than the first one; nil when
// there is none.
func (e *editor) secondary() *plotGroup {
	if len(e.groups) == 0 {
		return nil
	}
	for _, g := range e.groups[1:] {
		if len(g.axes) > 1 && !sameAxes(g, e.groups[0]) {
			return g
		}
	}
	return nil
}

func sameAxes(a, b *plotGroup) bool {
	x, y := slices.Sorted(slices.Values(a.axes)), slices.Sorted(slices.Values(b.axes))
	return slices.Equal(x, y)
}

// setAxes sets the options of the axes.
func (e *editor) setAxes(c *Change) error {
	x, y, y2, given := c.axes()
	if len(e.groups) == 0 || !given && c.NumberFormat == "" {
		return nil
	}
	labels, values := e.axisPair(e.groups[0])
	if labels == nil {
		if given {
			return formats.Errorf(formats.CodeInvalid, "the chart has no axes, so x_title, y_title, y_min, y_max, y_auto and the members of axes do not apply")
		}
		return nil
	}
	if c.NumberFormat != "" && y.NumberFormat == "" {
		y.NumberFormat = c.NumberFormat
	}
	if err := e.setAxis(labels, "x_axis", x); err != nil {
		return err
	}
	if err := e.setAxis(values, "y_axis", y); err != nil {
		return err
	}
	if c.Y2Axis == nil {
		return nil
	}
	_, second := e.axisPair(e.secondary())
	if second == nil {
		return formats.Errorf(formats.CodeInvalid, "the chart has no secondary axis; give series_options with axis secondary for a series that shall have one")
	}
	return e.setAxis(second, "y2_axis", y2)
}

// setAxis sets the options of one axis.
func (e *editor) setAxis(n *node, word string, o AxisOptions) error {
	scale := n.Local == "valAx" || n.Local == "dateAx"
	if !scale && (o.Min != nil || o.Max != nil || o.Unit != nil || o.Log != nil) {
		return formats.Errorf(formats.CodeInvalid, "the %s has labels, so min, max, unit and log do not apply to it", word)
	}
	if o.Hidden != nil {
		e.set(n, axisSchema, "delete", e.xml(`<c:delete val="`+boolValue(bool(*o.Hidden))+`"/>`))
	}
	if o.Title != nil {
		turn := ""
		if p := n.Child(Namespace, "axPos").Value("val"); p == "l" || p == "r" {
			turn = ` rot="-5400000" vert="horz"`
		}
		if strings.Contains(e.get(n, "delete"), `"1"`) && *o.Title != "" {
			e.warn(fmt.Sprintf("the axis of the title %s is hidden in this chart; the title does not show", quoted(*o.Title)))
		}
		e.set(n, axisSchema, "title", e.titleXML(n.Child(Namespace, "title"), newlines(*o.Title), turn, 1000))
	}
	if o.NumberFormat != "" {
		e.set(n, axisSchema, "numFmt", e.numberFormat(o.NumberFormat))
	}
	if o.Gridlines != nil {
		e.setGridlines(n, bool(*o.Gridlines))
	}
	if o.Auto {
		e.set(n, axisSchema, "majorUnit", "")
	}
	if o.Unit != nil {
		if v := float64(*o.Unit); !(v > 0) || math.IsInf(v, 0) {
			return formats.Errorf(formats.CodeInvalid, "unit of the %s is %v; it must be more than 0", word, v)
		}
		e.set(n, axisSchema, "majorUnit", e.xml(`<c:majorUnit val="`+number(float64(*o.Unit))+`"/>`))
	}
	return e.setScale(n, word, o)
}

func (e *editor) setGridlines(n *node, shown bool) {
	switch old := e.raw(n, "majorGridlines"); {
	case !shown:
		e.set(n, axisSchema, "majorGridlines", "")
		e.set(n, axisSchema, "minorGridlines", "")
	case old == "":
		e.set(n, axisSchema, "majorGridlines", e.xml(`<c:majorGridlines><c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`))
	}
}

// setScale sets where an axis begins and ends, its direction and whether it is
// logarithmic (21.2.2.160).
func (e *editor) setScale(n *node, word string, o AxisOptions) error {
	if o.Min == nil && o.Max == nil && !bool(o.Auto) && o.Log == nil && o.Reversed == nil {
		return nil
	}
	s := e.child(e.get(n, "scaling"), "scaling", scalingSchema)
	if strings.HasSuffix(strings.TrimSpace(s.String()), "/>") {
		s = e.child("", "scaling", scalingSchema)
	}
	if o.Auto {
		s.Drop("min", "max")
	}
	if o.Min != nil {
		s.Set("min", e.xml(`<c:min val="`+number(float64(*o.Min))+`"/>`))
	}
	if o.Max != nil {
		s.Set("max", e.xml(`<c:max val="`+number(float64(*o.Max))+`"/>`))
	}
	low, hasLow := finite(valueOf(s.Get("min")))
	high, hasHigh := finite(valueOf(s.Get("max")))
	if hasLow && hasHigh && low >= high {
		if word == "y_axis" {
			word = "value axis"
		}
		return formats.Errorf(formats.CodeInvalid, "the %s cannot begin at %v and end at %v", word, low, high)
	}
	if o.Log != nil {
		switch base := float64(*o.Log); {
		case base == 0:
			s.Drop("logBase")
		case base < 2 || base > 1000: // 21.2.3.25
			return formats.Errorf(formats.CodeInvalid, "log of the %s is %v; it must be the base, from 2 to 1000, or 0 for an even scale", word, base)
		default:
			s.Set("logBase", e.xml(`<c:logBase val="`+number(base)+`"/>`))
			if hasLow && low <= 0 {
				s.Drop("min")
				e.warn(fmt.Sprintf("a logarithmic axis cannot begin at %v; where it begins is found again", low))
			}
			if e.hasNonPositive(n) {
				e.warn("a logarithmic axis does not show values of 0 and below")
			}
		}
	}
	if o.Reversed != nil {
		word := "minMax"
		if *o.Reversed {
			word = "maxMin"
		}
		s.Set("orientation", e.xml(`<c:orientation val="`+word+`"/>`))
	}
	e.set(n, axisSchema, "scaling", s.String())
	return nil
}

// valueOf returns the attribute val of an element.
func valueOf(xml string) string {
	if xml == "" {
		return ""
	}
	v, _ := element.Parse(xml, "", nil).Attr("val")
	return v
}

// hasNonPositive reports whether a stored value on an axis is 0 or below.
func (e *editor) hasNonPositive(axis *node) bool {
	id := axis.Child(Namespace, "axId").Value("val")
	for _, s := range e.allSeries() {
		if !slices.Contains(s.group.axes, id) {
			continue
		}
		for k := range s.n.Child(Namespace, "val").All() {
			if v, ok := finite(e.t.Text(k)); k.Is(Namespace, "v") && ok && v <= 0 {
				return true
			}
		}
	}
	return false
}
