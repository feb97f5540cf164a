package docx

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// Font is direct formatting of text.
type Font struct {
	FontName       string         `json:"font_name,omitempty" group:"FONT"`
	FontSize       *lenient.Float `json:"font_size,omitempty" jsonschema:"points"`
	Bold           *lenient.Bool  `json:"bold,omitempty"`
	Italic         *lenient.Bool  `json:"italic,omitempty"`
	Underline      *lenient.Bool  `json:"underline,omitempty"`
	Strike         *lenient.Bool  `json:"strike,omitempty"`
	FontColor      string         `json:"font_color,omitempty" jsonschema:"RRGGBB or auto"`
	HighlightColor string         `json:"highlight_color,omitempty" jsonschema:"yellow, green, cyan, magenta, red, blue, darkYellow, lightGray, none and the like"`
}

// Run is a stretch of text with its own formatting.
type Run struct {
	Text string `json:"text"`
	Font
}

// Layout is direct formatting of a paragraph.
type Layout struct {
	Style           string         `json:"style,omitempty" group:"LAYOUT" jsonschema:"paragraph style by name or id, such as Heading 1"`
	Alignment       string         `json:"alignment,omitempty" jsonschema:"left, center, right or justify"`
	SpaceBefore     *lenient.Float `json:"space_before,omitempty" jsonschema:"points"`
	SpaceAfter      *lenient.Float `json:"space_after,omitempty" jsonschema:"points"`
	LineSpacing     *lenient.Float `json:"line_spacing,omitempty" jsonschema:"lines, such as 1.5"`
	IndentLeft      *lenient.Float `json:"indent_left,omitempty" jsonschema:"inches"`
	IndentRight     *lenient.Float `json:"indent_right,omitempty" jsonschema:"inches"`
	IndentFirstLine *lenient.Float `json:"indent_first_line,omitempty" jsonschema:"inches; negative hangs"`
	PageBreakBefore *lenient.Bool  `json:"page_break_before,omitempty"`
	KeepWithNext    *lenient.Bool  `json:"keep_with_next,omitempty"`
}

// Paragraph is a paragraph to write: text, or runs.
type Paragraph struct {
	Text *string `json:"text,omitempty" jsonschema:"text; \\n is a line break, \\t a tab"`
	Runs []Run   `json:"runs,omitempty" jsonschema:"instead of text: stretches with their own formatting"`
	Layout
	List string `json:"list,omitempty" jsonschema:"new paragraphs, format_paragraph: continue (the list beside it) or none; without it, a list comes only with a style or like"`
	Like string `json:"like,omitempty" jsonschema:"new paragraphs: address, such as p41, of a paragraph whose style, list and formatting to take"`
	Font        // of its text; runs may differ from it

	fields fieldForm // {page} and {pages} in its text are fields
}

// plain returns the text of the paragraph without formatting.
func (p Paragraph) plain() string {
	if p.Text != nil {
		return *p.Text
	}
	var sb strings.Builder
	for _, r := range p.Runs {
		sb.WriteString(r.Text)
	}
	return sb.String()
}

var (
	hexColor   = lazyregexp.New(`^#?([0-9A-Fa-f]{6})$`)
	highlights = strings.Fields("black blue cyan green magenta red yellow white darkBlue darkCyan darkGreen darkMagenta darkRed darkYellow darkGray lightGray none")
)

func (f Font) empty() bool { return f == Font{} }

// over returns the font with the members of base where f says nothing.
func (f Font) over(base Font) Font {
	return Font{cmp.Or(f.FontName, base.FontName), cmp.Or(f.FontSize, base.FontSize), cmp.Or(f.Bold, base.Bold), cmp.Or(f.Italic, base.Italic),
		cmp.Or(f.Underline, base.Underline), cmp.Or(f.Strike, base.Strike), cmp.Or(f.FontColor, base.FontColor), cmp.Or(f.HighlightColor, base.HighlightColor)}
}

// apply makes run properties say what the font says and keeps their others.
func (f Font) apply(rPr, prefix string) (string, error) {
	if f.empty() {
		return rPr, nil
	}
	p := runProps(rPr, prefix)
	if f.FontName != "" {
		setAttrs(p, "rFonts", attr{"ascii", f.FontName}, attr{"hAnsi", f.FontName}, attr{"cs", f.FontName},
			attr{"asciiTheme", ""}, attr{"hAnsiTheme", ""}, attr{"cstheme", ""})
	}
	for _, on := range []struct {
		v     *lenient.Bool
		names []string
	}{{f.Bold, []string{"b", "bCs"}}, {f.Italic, []string{"i", "iCs"}}, {f.Strike, []string{"strike"}}} {
		if on.v != nil {
			for _, n := range on.names {
				setFlag(p, n, bool(*on.v))
			}
		}
	}
	color, err := f.color()
	if err != nil {
		return "", err
	}
	size, err := f.halfPoints()
	if err != nil {
		return "", err
	}
	highlight, err := f.highlight()
	if err != nil {
		return "", err
	}
	for _, v := range [][2]string{{"color", color}, {"sz", size}, {"szCs", size}, {"highlight", highlight}} {
		if v[1] != "" {
			setVal(p, v[0], v[1])
		}
	}
	if f.Underline != nil {
		if *f.Underline {
			setVal(p, "u", "single")
		} else {
			setVal(p, "u", "none")
		}
	}
	return p.Optional(), nil
}

// color returns the font's colour as the document writes it, "" for none.
func (f Font) color() (string, error) {
	m := hexColor.FindStringSubmatch(f.FontColor)
	switch {
	case f.FontColor == "":
		return "", nil
	case m != nil:
		return strings.ToUpper(m[1]), nil
	case strings.EqualFold(f.FontColor, "auto"):
		return "auto", nil
	}
	return "", formats.Errorf(formats.CodeInvalid, "font_color %q is not a colour; write RRGGBB, such as C00000, or auto", f.FontColor)
}

// halfPoints returns the font's size in half points, "" for none.
func (f Font) halfPoints() (string, error) {
	if f.FontSize == nil {
		return "", nil
	}
	size := float64(*f.FontSize)
	if size < 1 || size > 1638 {
		return "", formats.Errorf(formats.CodeInvalid, "font_size %v is out of range; it is 1 to 1638 points", size)
	}
	return strconv.Itoa(int(math.Round(size * 2))), nil
}

// highlight returns the font's highlight colour by its name in documents, ""
// for none.
func (f Font) highlight() (string, error) {
	if f.HighlightColor == "" {
		return "", nil
	}
	i := slices.IndexFunc(highlights, func(h string) bool { return strings.EqualFold(h, f.HighlightColor) })
	if i < 0 {
		return "", formats.Errorf(formats.CodeInvalid, "highlight_color %q is not one of %s", f.HighlightColor, strings.Join(highlights, ", "))
	}
	return highlights[i], nil
}

func (l Layout) empty() bool { return l == Layout{} }

// over returns the layout with the members of base where l says nothing.
func (l Layout) over(base Layout) Layout {
	return Layout{cmp.Or(l.Style, base.Style), cmp.Or(l.Alignment, base.Alignment), cmp.Or(l.SpaceBefore, base.SpaceBefore), cmp.Or(l.SpaceAfter, base.SpaceAfter),
		cmp.Or(l.LineSpacing, base.LineSpacing), cmp.Or(l.IndentLeft, base.IndentLeft), cmp.Or(l.IndentRight, base.IndentRight),
		cmp.Or(l.IndentFirstLine, base.IndentFirstLine), cmp.Or(l.PageBreakBefore, base.PageBreakBefore), cmp.Or(l.KeepWithNext, base.KeepWithNext)}
}

// twips returns a length in twentieths of a point, within what a page allows.
func twips(name string, v, unit float64) (string, error) {
	n := math.Round(v * unit)
	if math.Abs(n) > 31680 {
		return "", formats.Errorf(formats.CodeInvalid, "%s %v is out of range; a page has at most 22 inches", name, v)
	}
	return strconv.Itoa(int(n)), nil
}

// apply makes paragraph properties say what the layout says; the style is
// resolved by the caller.
func (l Layout) apply(p *element.Element, strict bool) error {
	for _, on := range []struct {
		v    *lenient.Bool
		name string
	}{{l.KeepWithNext, "keepNext"}, {l.PageBreakBefore, "pageBreakBefore"}} {
		if on.v != nil {
			setFlag(p, on.name, bool(*on.v))
		}
	}
	if l.Alignment != "" {
		jc, ok := map[string]string{"left": "left", "start": "left", "center": "center", "centre": "center", "right": "right", "end": "right", "justify": "both", "justified": "both", "both": "both"}[strings.ToLower(l.Alignment)]
		if !ok {
			return formats.Errorf(formats.CodeInvalid, "alignment %q is not one of left, center, right, justify", l.Alignment)
		}
		setVal(p, "jc", side(jc, strict))
	}
	var spacing, ind []attr
	for _, m := range []struct {
		v    *lenient.Float
		name string
		unit float64
		dst  *[]attr
		attr string
		drop string
	}{
		{l.SpaceBefore, "space_before", 20, &spacing, "before", "beforeAutospacing"},
		{l.SpaceAfter, "space_after", 20, &spacing, "after", "afterAutospacing"},
		{l.LineSpacing, "line_spacing", 240, &spacing, "line", "lineRule"},
		{l.IndentLeft, "indent_left", 1440, &ind, side("left", strict), side("left", !strict)},
		{l.IndentRight, "indent_right", 1440, &ind, side("right", strict), side("right", !strict)},
		{l.IndentFirstLine, "indent_first_line", 1440, &ind, "firstLine", "hanging"},
	} {
		if m.v == nil {
			continue
		}
		v := float64(*m.v)
		if v < 0 && m.dst == &spacing {
			return formats.Errorf(formats.CodeInvalid, "%s must not be negative", m.name)
		}
		t, err := twips(m.name, v, m.unit)
		if err != nil {
			return err
		}
		switch {
		case m.name == "indent_first_line" && v < 0:
			*m.dst = append(*m.dst, attr{"hanging", strings.TrimPrefix(t, "-")}, attr{"firstLine", ""})
		case m.name == "line_spacing":
			*m.dst = append(*m.dst, attr{"line", t}, attr{"lineRule", "auto"})
		default:
			*m.dst = append(*m.dst, attr{m.drop, ""}, attr{m.attr, t})
		}
	}
	if len(spacing) > 0 {
		setAttrs(p, "spacing", spacing...)
	}
	if len(ind) > 0 {
		setAttrs(p, "ind", ind...)
	}
	return nil
}

// pPr returns the properties a written paragraph has: those of base, changed.
func (e *editing) pPr(base, prefix string, l Layout, rep *formats.OpReport) (string, error) {
	if l.empty() {
		return base, nil
	}
	p := paraProps(base, prefix)
	if l.Style != "" {
		if id := e.styleID(l.Style, attrText(p.Get("pStyle"), "val"), rep); id != "" {
			setVal(p, "pStyle", id)
		}
	}
	if err := l.apply(p, e.strict); err != nil {
		return "", err
	}
	return p.Optional(), nil
}

// runsXML writes the text of a paragraph as runs; base are the run properties
// that each begins from.
func runsXML(prefix string, spec Paragraph, base string) (string, error) {
	runs := spec.Runs
	if spec.Text != nil && len(runs) > 0 {
		return "", formats.Errorf(formats.CodeInvalid, "give text or runs, not both")
	}
	if spec.Text != nil {
		runs = []Run{{Text: *spec.Text}}
	}
	base, err := spec.Font.apply(base, prefix)
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	for _, r := range runs {
		if r.Text == "" {
			continue
		}
		rPr, err := r.Font.apply(base, prefix)
		if err != nil {
			return "", err
		}
		if spec.fields != noFields {
			sb.WriteString(withFields(prefix, rPr, r.Text, spec.fields))
			continue
		}
		sb.WriteString("<" + prefix + "r>" + rPr + paragraph.Content(paragraph.Word, prefix, r.Text) + "</" + prefix + "r>")
	}
	return sb.String(), nil
}

// paragraphXML returns a whole paragraph. With a revision it is recorded as
// inserted, its mark included.
func (e *editing) paragraphXML(prefix string, spec Paragraph, basePPr, baseRPr string, rep *formats.OpReport) (string, error) {
	pPr, err := e.pPr(basePPr, prefix, spec.Layout, rep)
	if err != nil {
		return "", err
	}
	runs, err := runsXML(prefix, spec, baseRPr)
	if err != nil {
		return "", err
	}
	if e.rev != nil {
		pPr = markParagraph(pPr, prefix, "ins", e.rev)
		if runs != "" {
			runs = "<" + prefix + "ins" + e.rev.Attrs(prefix) + ">" + runs + "</" + prefix + "ins>"
		}
	}
	return "<" + prefix + "p>" + pPr + runs + "</" + prefix + "p>", nil
}

// markParagraph records that a paragraph's mark was inserted or deleted
// (17.13.5.20, 17.13.5.15).
func markParagraph(pPr, prefix, what string, rev *paragraph.Revision) string {
	p := paraProps(pPr, prefix)
	r := runProps(p.Get("rPr"), prefix)
	r.Set(what, "<"+prefix+what+rev.Attrs(prefix)+"/>")
	p.Set("rPr", r.Optional())
	return p.Optional()
}

// escape is for text that becomes part of an attribute.
func escape(s string) string { return xmlscan.Escape(s) }
