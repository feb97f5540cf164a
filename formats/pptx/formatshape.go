package pptx

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// shapeLook are the members that say how a shape looks beside its text.
type shapeLook struct {
	Fill      string         `json:"fill" usage:"fill? (a colour or none)" jsonschema:"{ops}: RRGGBB or a theme colour such as accent1; none makes it transparent"`
	Line      string         `json:"line" usage:"line? (a colour or none)" jsonschema:"{ops}: colour of the outline, likewise"`
	LineWidth *lenient.Float `json:"line_width" usage:"line_width? (points)" jsonschema:"{ops}: points"`
}

// formatShapeArgs are the members of format_shape.
type formatShapeArgs struct {
	slideArgs
	shapeArgs
	shapeLook
	Rotation *lenient.Float `json:"rotation" usage:"rotation? (degrees)" jsonschema:"{ops}: degrees to the right, 0 to 360"`
	lookArgs
}

// The children of p:spPr (20.1.2.2.35) and of a:ln (20.1.2.2.24).
var (
	spPrSchema = element.NewSchema("xfrm custGeom prstGeom noFill solidFill gradFill blipFill pattFill grpFill ln effectLst effectDag scene3d sp3d extLst")
	lnSchema   = element.NewSchema("noFill solidFill gradFill pattFill prstDash custDash round bevel miter headEnd tailEnd extLst")
	fills      = []string{"noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}
)

// formatShape sets fill, outline and rotation of a shape, and the format of all text in it.
// The text itself stays.
func (d *deckEdit) formatShape(ctx context.Context, c *call, a formatShapeArgs) error {
	text := a.Font != (Font{}) || a.ParagraphFormat != (ParagraphFormat{})
	if !text && a.Rotation == nil && a.shapeLook == (shapeLook{}) {
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give fill, line, line_width, rotation, font_size, font_color, bold, alignment or another format")
	}
	if err := checkLines([]line{{format: a.ParagraphFormat, runs: []Run{{Text: "x", Font: a.Font}}}}); err != nil {
		return err
	}
	if err := a.check(); err != nil {
		return err
	}
	if a.Rotation != nil && (*a.Rotation < -360 || *a.Rotation > 360) {
		return formats.Errorf(formats.CodeInvalid, "rotation must be -360 to 360 degrees, not %v", float64(*a.Rotation))
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	if err := f.takes(a, text); err != nil {
		return err
	}
	if a.Rotation != nil {
		if t, f, err = d.rotate(ctx, c, t, f, a); err != nil {
			return err
		}
	}
	var splices []xmlscan.Splice
	for _, s := range f.all {
		if props := s.n.Child(nsP, "spPr"); props != nil && a.shapeLook != (shapeLook{}) {
			if now := a.props(string(t.Raw(props)), props.Name(), bodyPrefix(props)); now != string(t.Raw(props)) {
				splices = append(splices, xmlscan.Splice{Start: props.Start, End: props.After, New: []byte(now)})
			}
		}
		if s.body != nil && text {
			splices = append(splices, t.formatBody(s.body, a.lookArgs)...)
		}
	}
	if len(splices) > 0 || a.Rotation != nil {
		c.r.Hits = 1
	}
	d.setTree(t, splices)
	return nil
}

// check says what of a look cannot be set.
func (l shapeLook) check() error {
	for _, color := range []string{l.Fill, l.Line} {
		if _, err := fillOf(color); err != nil {
			return err
		}
	}
	if w := l.LineWidth; w != nil && (*w < 0 || *w > 1584) { // 20.1.10.35
		return formats.Errorf(formats.CodeInvalid, "line_width must be 0 to 1584 points, not %v", float64(*w))
	}
	return nil
}

// fillOf returns the fill of a colour or of none; "" for "".
func fillOf(color string) (string, error) {
	switch {
	case color == "":
		return "", nil
	case strings.EqualFold(strings.TrimSpace(color), "none"):
		return `<a:noFill/>`, nil
	}
	return solidFill(color)
}

// fillName returns the name of the element of a fill.
func fillName(fill string) string {
	if strings.HasPrefix(fill, "<a:noFill") {
		return "noFill"
	}
	return "solidFill"
}

// takes says what of an operation does not fit the shape.
func (f *foundShape) takes(a formatShapeArgs, text bool) error {
	kind := strings.ReplaceAll(f.kind(), "_", " ")
	no := func(what, instead string) error {
		return formats.Errorf(formats.CodeUnsupported, "the shape %s is a %s and takes no %s%s", quote(f.name()), kind, what, instead)
	}
	switch f.n.Local {
	case "graphicFrame":
		return no("such format", map[string]string{kindTable: "; use format_table", kindChart: "; use set_chart_options"}[kind])
	case "grpSp":
		if text || a.shapeLook != (shapeLook{}) {
			return no("such format", "; name one of the shapes in it")
		}
	case "pic", "cxnSp":
		switch {
		case text:
			return no("text", "")
		case a.Fill != "":
			return no("fill", "")
		}
	}
	if text && f.body == nil {
		return no("format of text: it has no text", "")
	}
	return nil
}

// props returns the visual properties of a shape with the look; a is the prefix of the
// drawing namespace there.
func (l shapeLook) props(raw, name, a string) string {
	e := element.Parse(raw, name, spPrSchema)
	if fill, _ := fillOf(l.Fill); fill != "" {
		e.Set(fillName(fill), reprefix(fill, "p", a), fills...)
	}
	if l.Line == "" && l.LineWidth == nil {
		return e.String()
	}
	ln := element.Parse(e.Get("ln"), qualify(a, "ln"), lnSchema)
	if fill, _ := fillOf(l.Line); fill != "" {
		ln.Set(fillName(fill), reprefix(fill, "p", a), fills...)
	}
	if l.LineWidth != nil {
		ln.SetAttr("w", strconv.Itoa(int(math.Round(float64(*l.LineWidth)*12700))))
	}
	e.Set("ln", ln.String())
	return e.String()
}

// rotate turns a shape; one that its layout places gets its own place first.
func (d *deckEdit) rotate(ctx context.Context, c *call, t *tree, f *foundShape, a formatShapeArgs) (*tree, *foundShape, error) {
	if f.xfrm() == nil {
		at, ok, err := d.frameOn(ctx, c.part, f.shape, onSlide)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return nil, nil, formats.Errorf(formats.CodeUnsupported, "the shape %s has no place yet; move_shape gives it one", quote(f.name()))
		}
		var splices []xmlscan.Splice
		for _, s := range f.all {
			splices = append(splices, t.placeShape(s, at)...)
		}
		d.setTree(t, splices)
		if t, f, err = d.again(ctx, c, a.shapeArgs); err != nil {
			return nil, nil, err
		}
	}
	rot := int(math.Round(math.Mod(float64(*a.Rotation)+360, 360) * 60000))
	value := ""
	if rot != 0 {
		value = strconv.Itoa(rot)
	}
	var splices []xmlscan.Splice
	for _, s := range f.all {
		if x := s.xfrm(); x != nil && intOr(x.Value("rot"), 0) != rot {
			splices = append(splices, t.SetAttr(x, "rot", value))
		}
	}
	d.setTree(t, splices)
	return d.again(ctx, c, a.shapeArgs)
}

// again finds a shape in the slide as it is now.
func (d *deckEdit) again(ctx context.Context, c *call, a shapeArgs) (*tree, *foundShape, error) {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return nil, nil, err
	}
	warned := len(c.r.Warnings)
	f, err := c.findShape(t, a, "")
	c.r.Warnings = c.r.Warnings[:min(warned, len(c.r.Warnings))]
	return t, f, err
}

// formatBody formats all text of a body, also that which is written into empty paragraphs
// later.
func (t *tree) formatBody(body *node, a lookArgs) (out []xmlscan.Splice) {
	for _, p := range paragraphs(body) {
		q := func(local string) string { return qualify(p.Prefix, local) }
		own := p.Child(nsA, "pPr")
		pPr := a.paragraph(t.Raw(own), q("pPr"), t.Strict())
		if p.Empty {
			if inner := append(pPr, Run{Font: a.Font}.apply(nil, q("endParaRPr"))...); len(inner) > 0 {
				out = append(out, t.InsertLast(p, inner)...)
			}
			continue
		}
		out = append(out, t.replaceFirst(p, own, pPr)...)
		if a.Font == (Font{}) {
			continue
		}
		runs := false
		for k := range p.All() {
			switch {
			case k.Space != nsA:
			case k.Local == "r" || k.Local == "fld" || k.Local == "br":
				runs = true
				own := k.Child(nsA, "rPr")
				out = append(out, t.replaceFirst(k, own, Run{Font: a.Font}.apply(t.Raw(own), q("rPr")))...)
			case k.Local == "endParaRPr":
				out = append(out, xmlscan.Splice{Start: k.Start, End: k.After, New: Run{Font: a.Font}.apply(t.Raw(k), q("endParaRPr"))})
			}
		}
		if !runs && p.Child(nsA, "endParaRPr") == nil {
			out = append(out, t.InsertLast(p, Run{Font: a.Font}.apply(nil, q("endParaRPr")))...)
		}
	}
	return out
}

// paragraph returns the properties of a paragraph with the format and its level.
func (a lookArgs) paragraph(raw []byte, name string, strict bool) []byte {
	now := a.ParagraphFormat.apply(raw, name, strict)
	if a.Level == nil {
		return now
	}
	e := paraProps(now, name)
	if e.DropAttrs("lvl"); *a.Level > 0 {
		e.SetAttr("lvl", fmt.Sprint(int(*a.Level)))
	}
	return []byte(e.Optional())
}

// replaceFirst puts xml in the place of own, the first child of n or nil.
func (t *tree) replaceFirst(n, own *node, xml []byte) []xmlscan.Splice {
	switch {
	case own != nil && string(t.Raw(own)) == string(xml):
		return nil
	case own != nil:
		return []xmlscan.Splice{{Start: own.Start, End: own.After, New: xml}}
	case len(xml) == 0:
		return nil
	case n.Empty:
		return t.InsertLast(n, xml)
	}
	return []xmlscan.Splice{{Start: n.End, End: n.End, New: xml}}
}
