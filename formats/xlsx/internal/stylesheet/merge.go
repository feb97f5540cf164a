package stylesheet

import (
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// The order of children in font (as Excel writes it; 18.8.22 asks for none),
// border (18.8.4) and xf (18.8.45).
var (
	fontOrder   = []string{"b", "i", "strike", "condense", "extend", "outline", "shadow", "u", "vertAlign", "sz", "color", "name", "family", "charset", "scheme"}
	borderOrder = []string{"start", "end", "left", "right", "top", "bottom", "diagonal", "vertical", "horizontal"}
	xfOrder     = []string{"alignment", "protection", "extLst"}
)

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
	xf := sheetml.ParseElement(raw, b.Prefix, "xf")
	if font := b.Item("fonts", sheetml.AttrOf(raw, "fontId")); spec.touchesFont() {
		set(&xf, "fontId", "applyFont", b.Put("fonts", b.font(font, spec)))
	}
	if fill := b.Item("fills", sheetml.AttrOf(raw, "fillId")); spec.Fill != nil || spec.Pattern != nil {
		set(&xf, "fillId", "applyFill", b.Put("fills", b.fill(fill, spec, false)))
	}
	if border := b.Item("borders", sheetml.AttrOf(raw, "borderId")); spec.touchesBorder() {
		set(&xf, "borderId", "applyBorder", b.Put("borders", b.border(border, spec)))
	}
	if code := b.numberFormat(raw, spec); code != nil {
		xf.Attr("numFmtId", b.numFmt(*code))
		xf.Attr("applyNumberFormat", "1")
	} else if *spec == (Spec{Date: spec.Date, DateOver: spec.DateOver}) {
		b.made[key] = base
		return base
	}
	b.alignment(&xf, spec)
	b.protection(&xf, spec)
	i := b.Put("cellXfs", xf.String())
	b.made[key] = i
	return i
}

// numberFormat is the format code that spec gives to the cell format raw, nil
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

func set(xf *sheetml.Element, id, apply string, n int) {
	xf.Attr(id, strconv.Itoa(n))
	xf.Attr(apply, "1")
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
	e := sheetml.ParseElement(old, b.Prefix, "font")
	val := func(name, v string) { e.Set(fontOrder, name, "<"+b.Prefix+name+` val="`+sheetml.EscapeAttr(v)+`"/>`) }
	flag := func(name string, v *bool) {
		switch {
		case v == nil || *v && e.Has(name):
		case *v:
			e.Set(fontOrder, name, "<"+b.Prefix+name+"/>")
		default:
			e.Set(fontOrder, name, "")
		}
	}
	flag("b", spec.Bold)
	flag("i", spec.Italic)
	flag("strike", spec.Strike)
	if u := spec.Underline; u != nil {
		switch *u {
		case "none":
			e.Set(fontOrder, "u", "")
		case "single":
			e.Set(fontOrder, "u", "<"+b.Prefix+"u/>")
		default:
			val("u", *u)
		}
	}
	if spec.FontSize != nil {
		val("sz", strconv.FormatFloat(*spec.FontSize, 'f', -1, 64))
	}
	if spec.Color != nil {
		e.Set(fontOrder, "color", "<"+b.Prefix+`color rgb="`+*spec.Color+`"/>`)
	}
	if spec.FontName != nil {
		val("name", *spec.FontName)
		// The scheme would win over the name, and family and charset are of
		// another font.
		for _, n := range []string{"scheme", "family", "charset"} {
			e.Set(fontOrder, n, "")
		}
	}
	return e.String()
}

// fill is the record old with what spec says. In a differential format a solid
// fill has its colour in bgColor (18.8.20).
func (b *Book) fill(old []byte, spec *Spec, differential bool) string {
	outer := sheetml.ParseElement(old, b.Prefix, "fill")
	p := sheetml.ParseElement(outer.Get("patternFill"), b.Prefix, "patternFill")
	pattern := sheetml.AttrOf(p.Tag, "patternType")
	order := []string{"fgColor", "bgColor"}
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
			p.Set(order, "bgColor", "<"+b.Prefix+`bgColor rgb="`+*spec.Fill+`"/>`)
		default:
			p.Set(order, "fgColor", "<"+b.Prefix+`fgColor rgb="`+*spec.Fill+`"/>`)
			if p.Get("bgColor") == nil && pattern == "solid" {
				p.Set(order, "bgColor", "<"+b.Prefix+`bgColor indexed="64"/>`)
			}
		}
	}
	if pattern == "none" {
		p = sheetml.ParseElement(nil, b.Prefix, "patternFill")
	}
	p.Attr("patternType", pattern)
	outer.Children = []sheetml.Child{{Local: "patternFill", XML: []byte(p.String())}}
	return outer.String()
}

// border returns the border old changed by spec.
func (b *Book) border(old []byte, spec *Spec) string {
	e := sheetml.ParseElement(old, b.Prefix, "border")
	for i, side := range spec.Sides {
		if side.Style == nil && side.Color == nil {
			continue
		}
		name := sideNames[i]
		// Strict files may say start and end for left and right.
		if alt := map[string]string{"left": "start", "right": "end"}[name]; alt != "" && e.Get(alt) != nil {
			name = alt
		}
		s := sheetml.ParseElement(e.Get(name), b.Prefix, name)
		if side.Style != nil {
			s.Attr("style", *side.Style)
		}
		if side.Color != nil {
			s.Set(nil, "color", "<"+b.Prefix+`color rgb="`+*side.Color+`"/>`)
		} else if s.Get("color") == nil {
			s.Set(nil, "color", "<"+b.Prefix+`color auto="1"/>`)
		}
		if sheetml.AttrOf(s.Tag, "style") == "none" {
			s = sheetml.ParseElement(nil, b.Prefix, name)
		}
		e.Set(borderOrder, name, s.String())
	}
	return e.String()
}

// alignment sets the alignment child of an xf.
func (b *Book) alignment(xf *sheetml.Element, spec *Spec) {
	if spec.HAlign == nil && spec.VAlign == nil && spec.Wrap == nil && spec.Rotation == nil && spec.Indent == nil {
		return
	}
	a := sheetml.ParseElement(xf.Get("alignment"), b.Prefix, "alignment")
	b.align(&a, spec)
	xf.Set(xfOrder, "alignment", a.String())
	xf.Attr("applyAlignment", "1")
}

func (b *Book) align(a *sheetml.Element, spec *Spec) {
	if spec.HAlign != nil {
		a.Attr("horizontal", *spec.HAlign)
	}
	if spec.VAlign != nil {
		a.Attr("vertical", *spec.VAlign)
	}
	if spec.Wrap != nil {
		a.Attr("wrapText", FlagText(*spec.Wrap))
	}
	if spec.Rotation != nil {
		a.Attr("textRotation", strconv.Itoa(*spec.Rotation))
	}
	if spec.Indent != nil {
		a.Attr("indent", strconv.Itoa(*spec.Indent))
		// An indent counts from a side only (18.8.1).
		if h := sheetml.AttrOf(a.Tag, "horizontal"); *spec.Indent > 0 && (h == "" || h == "general" || h == "center") && spec.HAlign == nil {
			a.Attr("horizontal", "left")
		}
	}
}

// protection sets the protection child of an xf.
func (b *Book) protection(xf *sheetml.Element, spec *Spec) {
	if spec.Locked == nil && spec.Hidden == nil {
		return
	}
	p := sheetml.ParseElement(xf.Get("protection"), b.Prefix, "protection")
	if spec.Locked != nil {
		p.Attr("locked", FlagText(*spec.Locked))
	}
	if spec.Hidden != nil {
		p.Attr("hidden", FlagText(*spec.Hidden))
	}
	xf.Set(xfOrder, "protection", p.String())
	xf.Attr("applyProtection", "1")
}

// FlagText returns an xsd:boolean.
func FlagText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// DXF is the index of the differential format for spec (18.8.14): only what it
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
	if xf := sheetml.ParseElement(nil, p, "xf"); true {
		b.alignment(&xf, spec)
		sb.Write(xf.Get("alignment"))
	}
	if spec.touchesBorder() {
		sb.WriteString(b.border(nil, spec))
	}
	if xf := sheetml.ParseElement(nil, p, "xf"); true {
		b.protection(&xf, spec)
		sb.Write(xf.Get("protection"))
	}
	sb.WriteString("</" + p + "dxf>")
	return b.Put("dxfs", sb.String())
}

// dxfFont says "not bold" where a cell format would leave it out.
func (b *Book) dxfFont(spec *Spec) string {
	font := sheetml.ParseElement([]byte(b.font(nil, spec)), b.Prefix, "font")
	for _, f := range []struct {
		name string
		v    *bool
	}{{"b", spec.Bold}, {"i", spec.Italic}, {"strike", spec.Strike}} {
		if f.v != nil {
			font.Set(fontOrder, f.name, "<"+b.Prefix+f.name+` val="`+FlagText(*f.v)+`"/>`)
		}
	}
	return font.String()
}
