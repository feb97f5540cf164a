package stylesheet

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// The children of font (as Excel orders them; 18.8.22 asks for no order), of
// border (18.8.4), xf (18.8.45) and patternFill (18.8.32).
var (
	fontSchema    = element.NewSchema("b i strike condense extend outline shadow u vertAlign sz color name family charset scheme")
	borderSchema  = element.NewSchema("start end left right top bottom diagonal vertical horizontal")
	xfSchema      = element.NewSchema("alignment protection extLst")
	patternSchema = element.NewSchema("fgColor bgColor")
)

// setAttr sets an attribute that e does not have with that value, after the
// others; "" drops it.
func setAttr(e *element.Element, name, value string) {
	if have, ok := e.Attr(name); ok && have == value && value != "" {
		return
	}
	e.DropAttrs(name)
	if value != "" {
		e.SetAttr(name, value)
	}
}

// CellXf returns the index of the cell format base changed by spec.
func (b *Book) CellXf(base int, spec *Spec) int {
	key := strconv.Itoa(base) + spec.Key()
	if i, ok := b.made[key]; ok {
		return i
	}
	if spec.Fixed != nil {
		base = b.foreign(spec.Fixed)
		rest := *spec
		rest.Fixed = nil
		if rest == (Spec{}) {
			b.made[key] = base
			return base
		}
		spec = &rest
	}
	raw := b.Item("cellXfs", strconv.Itoa(base))
	if raw == nil {
		raw = b.Lists["cellXfs"].Items[0]
	}
	xf := element.Parse(raw, b.Prefix+"xf", xfSchema)
	if font := b.Item("fonts", sheetml.AttrOf(raw, "fontId")); spec.touchesFont() {
		set(xf, "fontId", "applyFont", b.Put("fonts", b.font(font, spec)))
	}
	if fill := b.Item("fills", sheetml.AttrOf(raw, "fillId")); spec.Fill != nil || spec.Pattern != nil {
		set(xf, "fillId", "applyFill", b.Put("fills", b.fill(fill, spec, false)))
	}
	if border := b.Item("borders", sheetml.AttrOf(raw, "borderId")); spec.touchesBorder() {
		set(xf, "borderId", "applyBorder", b.Put("borders", b.border(border, spec)))
	}
	if code := b.numberFormat(raw, spec); code != nil {
		setAttr(xf, "numFmtId", b.numFmt(*code))
		setAttr(xf, "applyNumberFormat", "1")
	} else if *spec == (Spec{Date: spec.Date, DateOver: spec.DateOver}) {
		b.made[key] = base
		return base
	}
	if xf.Get("alignment") != "" || !spec.plainAlignment() {
		b.alignment(xf, spec)
	}
	b.protection(xf, spec)
	if spec.Button != nil {
		setAttr(xf, "pivotButton", FlagText(*spec.Button))
	}
	i := b.Put("cellXfs", xf.String())
	b.made[key] = i
	return i
}

// numberFormat returns the format code that spec gives to the cell format raw, nil
// when raw keeps its own.
func (b *Book) numberFormat(raw []byte, spec *Spec) *string {
	if spec.Date == nil {
		return spec.Format
	}
	old := b.FormatCode(sheetml.AttrOf(raw, "numFmtId"))
	if spec.Format != nil {
		if !numfmt.Parse(*spec.Format).IsText() || spec.DateOver == nil {
			return spec.Format
		}
		old = *spec.Format
	}
	if code := numfmt.DateCode(old, *spec.Date, spec.DateOver != nil); code != old {
		return &code
	}
	return spec.Format
}

// FormatOf returns the format code of a cell format.
func (b *Book) FormatOf(style int) string {
	return b.FormatCode(sheetml.AttrOf(b.Item("cellXfs", strconv.Itoa(style)), "numFmtId"))
}

func set(xf *element.Element, id, apply string, n int) {
	setAttr(xf, id, strconv.Itoa(n))
	setAttr(xf, apply, "1")
}

func (s *Spec) touchesFont() bool {
	return s.FontName != nil || s.FontSize != nil || s.Bold != nil || s.Italic != nil || s.Strike != nil || s.Underline != nil || s.Color != nil
}

func (s *Spec) touchesBorder() bool {
	for _, side := range s.Sides {
		if side.Style != nil || side.Color != nil {
			return true
		}
	}
	return false
}

// font returns the font old changed by spec.
func (b *Book) font(old []byte, spec *Spec) string {
	e := element.Parse(old, b.Prefix+"font", fontSchema)
	val := func(name, v string) { e.Set(name, "<"+b.Prefix+name+` val="`+sheetml.EscapeAttr(v)+`"/>`) }
	flag := func(name string, v *bool) {
		switch {
		case v == nil || *v && sheetml.IsOn(e.Get(name)):
		case *v:
			e.Set(name, "<"+b.Prefix+name+"/>")
		default:
			e.Drop(name)
		}
	}
	flag("b", spec.Bold)
	flag("i", spec.Italic)
	flag("strike", spec.Strike)
	if u := spec.Underline; u != nil {
		switch *u {
		case "none":
			e.Drop("u")
		case "single":
			e.Set("u", "<"+b.Prefix+"u/>")
		default:
			val("u", *u)
		}
	}
	if spec.FontSize != nil {
		val("sz", strconv.FormatFloat(*spec.FontSize, 'f', -1, 64))
	}
	if spec.Color != nil {
		e.Set("color", "<"+b.Prefix+`color rgb="`+*spec.Color+`"/>`)
	}
	if spec.FontName != nil {
		val("name", *spec.FontName)
		// The scheme would win over the name, and family and charset are of
		// another font.
		for _, n := range []string{"scheme", "family", "charset"} {
			e.Drop(n)
		}
	}
	return e.String()
}

// fill returns the fill old changed by spec. In a differential format a solid
// fill has its colour in bgColor (18.8.20).
func (b *Book) fill(old []byte, spec *Spec, differential bool) string {
	outer := element.Parse(old, b.Prefix+"fill", nil)
	p := element.Parse(outer.Get("patternFill"), b.Prefix+"patternFill", patternSchema)
	pattern, _ := p.Attr("patternType")
	switch {
	case spec.Pattern != nil:
		pattern = *spec.Pattern
	case spec.Fill != nil && *spec.Fill != "" && (pattern == "" || pattern == "none" || pattern == "gray125"):
		pattern = "solid"
	}
	if spec.Fill != nil {
		switch {
		case *spec.Fill == "":
			pattern = "none"
		case differential && pattern == "solid":
			p.Set("bgColor", "<"+b.Prefix+`bgColor rgb="`+*spec.Fill+`"/>`)
		default:
			p.Set("fgColor", "<"+b.Prefix+`fgColor rgb="`+*spec.Fill+`"/>`)
			if p.Get("bgColor") == "" && pattern == "solid" {
				p.Set("bgColor", "<"+b.Prefix+`bgColor indexed="64"/>`)
			}
		}
	}
	if pattern == "none" {
		p = element.Parse("", b.Prefix+"patternFill", patternSchema)
	}
	setAttr(p, "patternType", pattern)
	outer.Children = []element.Child{{Local: "patternFill", XML: p.String()}}
	return outer.String()
}

// border returns the border old changed by spec.
func (b *Book) border(old []byte, spec *Spec) string {
	e := element.Parse(old, b.Prefix+"border", borderSchema)
	for i, side := range spec.Sides {
		if side.Style == nil && side.Color == nil {
			continue
		}
		name := sideNames[i]
		// Strict files may say start and end for left and right.
		if alt := map[string]string{"left": "start", "right": "end"}[name]; alt != "" && e.Get(alt) != "" {
			name = alt
		}
		s := element.Parse(e.Get(name), b.Prefix+name, nil)
		if side.Style != nil {
			setAttr(s, "style", *side.Style)
		}
		if side.Color != nil {
			s.Set("color", "<"+b.Prefix+`color rgb="`+*side.Color+`"/>`)
		} else if s.Get("color") == "" {
			s.Set("color", "<"+b.Prefix+`color auto="1"/>`)
		}
		if style, _ := s.Attr("style"); style == "none" {
			s = element.Parse("", b.Prefix+name, nil)
		}
		e.Set(name, s.String())
	}
	return e.String()
}

// alignment sets the alignment child of an xf.
func (b *Book) alignment(xf *element.Element, spec *Spec) {
	if spec.HAlign == nil && spec.VAlign == nil && spec.Wrap == nil && spec.Rotation == nil && spec.Indent == nil {
		return
	}
	a := element.Parse(xf.Get("alignment"), b.Prefix+"alignment", nil)
	b.align(a, spec)
	xf.Set("alignment", a.String())
	setAttr(xf, "applyAlignment", "1")
}

// plainAlignment reports whether spec sets the alignment back to the one of a cell
// format that has none (18.8.1).
func (s *Spec) plainAlignment() bool {
	return s.HAlign != nil && *s.HAlign == "general" && s.VAlign == nil && s.Wrap == nil && s.Rotation == nil && (s.Indent == nil || *s.Indent == 0)
}

func (b *Book) align(a *element.Element, spec *Spec) {
	if spec.HAlign != nil {
		setAttr(a, "horizontal", *spec.HAlign)
	}
	if spec.VAlign != nil {
		setAttr(a, "vertical", *spec.VAlign)
	}
	if spec.Wrap != nil {
		setAttr(a, "wrapText", FlagText(*spec.Wrap))
	}
	if spec.Rotation != nil {
		setAttr(a, "textRotation", strconv.Itoa(*spec.Rotation))
	}
	if spec.Indent != nil {
		setAttr(a, "indent", strconv.Itoa(*spec.Indent))
		// An indent counts from a side only (18.8.1).
		if h, _ := a.Attr("horizontal"); *spec.Indent > 0 && (h == "" || h == "general" || h == "center") && spec.HAlign == nil {
			setAttr(a, "horizontal", "left")
		}
	}
}

// protection sets the protection child of an xf.
func (b *Book) protection(xf *element.Element, spec *Spec) {
	if spec.Locked == nil && spec.Hidden == nil {
		return
	}
	p := element.Parse(xf.Get("protection"), b.Prefix+"protection", nil)
	if spec.Locked != nil {
		setAttr(p, "locked", FlagText(*spec.Locked))
	}
	if spec.Hidden != nil {
		setAttr(p, "hidden", FlagText(*spec.Hidden))
	}
	xf.Set("protection", p.String())
	setAttr(xf, "applyProtection", "1")
}

// FlagText returns an xsd:boolean.
func FlagText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// DXF returns the index of the differential format for spec (18.8.14): only what it
// names.
func (b *Book) DXF(spec *Spec) int {
	var sb strings.Builder
	p := b.Prefix
	sb.WriteString("<" + p + "dxf>")
	if spec.touchesFont() {
		sb.WriteString(b.dxfFont(spec))
	}
	if spec.Format != nil {
		sb.WriteString("<" + p + `numFmt numFmtId="` + b.numFmt(*spec.Format) + `" formatCode="` + sheetml.EscapeAttr(*spec.Format) + `"/>`)
	}
	if spec.Fill != nil || spec.Pattern != nil {
		sb.WriteString(b.fill(nil, spec, true))
	}
	xf := element.Parse("", p+"xf", xfSchema)
	b.alignment(xf, spec)
	sb.WriteString(xf.Get("alignment"))
	if spec.touchesBorder() {
		sb.WriteString(b.border(nil, spec))
	}
	b.protection(xf, spec)
	sb.WriteString(xf.Get("protection"))
	sb.WriteString("</" + p + "dxf>")
	return b.Put("dxfs", sb.String())
}

// dxfFont returns a font that says "not bold" where a cell format would leave it out.
func (b *Book) dxfFont(spec *Spec) string {
	font := element.Parse(b.font(nil, spec), b.Prefix+"font", fontSchema)
	for _, f := range []struct {
		name string
		v    *bool
	}{{"b", spec.Bold}, {"i", spec.Italic}, {"strike", spec.Strike}} {
		if f.v != nil {
			font.Set(f.name, "<"+b.Prefix+f.name+` val="`+FlagText(*f.v)+`"/>`)
		}
	}
	return font.String()
}
