package grid

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// palette has the colors of a workbook: those of its theme and the indexed ones
// (18.8.27), as RRGGBB.
type palette struct{ theme, indexed []string }

// standardIndexed are the colors 8 to 63; 0 to 7 repeat the first eight.
var standardIndexed = strings.Fields(`000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF 800000 008000 000080 808000 800080 008080 C0C0C0 808080
9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF 000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF
00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696
003366 339966 003300 333300 993300 993366 333399 333333`)

// standardPalette returns the indexed colors 0 to 63 of a workbook that has none.
func standardPalette() []string {
	return append(append([]string{}, standardIndexed[:8]...), standardIndexed...)
}

// color returns the color of an element (18.8.3), "" for an automatic one.
func (p palette) color(t xmlscan.Token) string {
	out := ""
	for a := range t.Attrs() {
		v := a.Value()
		switch a.Name {
		case "rgb":
			if len(v) >= 6 {
				out = strings.ToUpper(v[len(v)-6:])
			}
		case "theme":
			if i, err := strconv.Atoi(v); err == nil && i >= 0 && i < len(p.theme) {
				out = p.theme[i]
			}
		case "indexed":
			if i, err := strconv.Atoi(v); err == nil && i >= 0 && i < len(p.indexed) {
				out = p.indexed[i]
			}
		}
	}
	if _, err := strconv.ParseUint(out, 16, 32); err != nil {
		return ""
	}
	tint, _ := strconv.ParseFloat(t.AttrLocal("tint"), 64)
	return stylesheet.Tinted(out, tint)
}

// readStyles returns the looks of the cell formats of a workbook, by their index.
func readStyles(ctx context.Context, wb *book.Workbook) ([]*formats.CellStyle, error) {
	part := wb.RelPart(book.RelStyles)
	if part == "" {
		return nil, nil
	}
	theme, err := wb.ThemeColors(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	b := stylesheet.NewBook(part, doc)
	if err := b.Parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	p := palette{theme: theme, indexed: standardPalette()}
	p.readIndexed(b.Lists["colors"].Items)
	fonts := read(b.Lists["fonts"].Items, p.font)
	fills := read(b.Lists["fills"].Items, p.fill)
	borders := read(b.Lists["borders"].Items, p.border)
	codes := map[string]string{}
	for _, raw := range b.Lists["numFmts"].Items {
		codes[sheetml.AttrOf(raw, "numFmtId")] = sheetml.AttrOf(raw, "formatCode")
	}
	var out []*formats.CellStyle
	seen := map[formats.CellStyle]*formats.CellStyle{} // formats that look alike share one
	for _, raw := range b.Lists["cellXfs"].Items {
		var s formats.CellStyle
		pick(raw, "fontId", fonts, func(f formats.CellStyle) {
			s = f
			if fonts[0].Font == f.Font { // the default font goes without saying
				s.Font = ""
			}
			if fonts[0].Color == f.Color {
				s.Color = ""
			}
			if fonts[0].Size == f.Size {
				s.Size = 0
			}
		})
		pick(raw, "fillId", fills, func(f formats.CellStyle) { s.Fill = f.Fill })
		pick(raw, "borderId", borders, func(f formats.CellStyle) { s.Top, s.Bottom, s.Left, s.Right = f.Top, f.Bottom, f.Left, f.Right })
		s.NumberFormat = numberFormat(sheetml.AttrOf(raw, "numFmtId"), codes)
		alignment(raw, &s)
		if seen[s] == nil {
			seen[s] = &s
		}
		out = append(out, seen[s])
	}
	return out, nil
}

// read returns what the records of a list look like.
func read(items [][]byte, f func([]byte) formats.CellStyle) []formats.CellStyle {
	out := make([]formats.CellStyle, len(items))
	for i, raw := range items {
		out[i] = f(raw)
	}
	return out
}

// pick calls use with the record that an attribute names.
func pick(xf []byte, attr string, list []formats.CellStyle, use func(formats.CellStyle)) {
	if i, err := strconv.Atoi(sheetml.AttrOf(xf, attr)); err == nil && i >= 0 && i < len(list) {
		use(list[i])
	}
}

func numberFormat(id string, codes map[string]string) string {
	code, own := codes[id]
	if n, err := strconv.Atoi(id); !own && err == nil {
		code = stylesheet.BuiltinFormats[n]
	}
	if strings.EqualFold(code, "general") {
		return ""
	}
	return code
}

// readIndexed replaces colors of the palette by those of the workbook (18.8.11).
func (p *palette) readIndexed(items [][]byte) {
	for _, raw := range items {
		n := 0
		sc := xmlscan.New(raw)
		for sc.Next() {
			t := sc.Token()
			if t.Kind != xmlscan.Start || t.Local != "rgbColor" {
				continue
			}
			if v := t.AttrLocal("rgb"); len(v) >= 6 && n < len(p.indexed) {
				p.indexed[n] = strings.ToUpper(v[len(v)-6:])
			}
			n++
		}
	}
}

// font reads a font (18.8.22).
func (p palette) font(raw []byte) (s formats.CellStyle) {
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 2 {
			continue
		}
		v, given := t.Attr("val")
		on := !given || sheetml.IsTrue(v)
		switch t.Local {
		case "b":
			s.Bold = on
		case "i":
			s.Italic = on
		case "strike":
			s.Strike = on
		case "u":
			s.Underline = v != "none"
		case "name":
			s.Font = v
		case "sz":
			s.Size, _ = strconv.ParseFloat(v, 64)
		case "color":
			s.Color = p.color(t)
		}
	}
	return s
}

// fill reads a fill (18.8.20): the color of a solid one, and of a gradient its first
// color. Other patterns are shown by their background.
func (p palette) fill(raw []byte) (s formats.CellStyle) {
	pattern, fg, bg := "", "", ""
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "patternFill":
			pattern = t.AttrLocal("patternType")
		case "fgColor":
			fg = p.color(t)
		case "bgColor":
			bg = p.color(t)
		case "color":
			if s.Fill == "" {
				s.Fill = p.color(t)
			}
		}
	}
	switch pattern {
	case "", "none":
	case "solid":
		s.Fill = fg
	default:
		s.Fill = bg
	}
	return s
}

// border reads the sides of a border (18.8.4).
func (p palette) border(raw []byte) (s formats.CellStyle) {
	var side *string
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Depth == 2 {
			side = map[string]*string{"left": &s.Left, "start": &s.Left, "right": &s.Right, "end": &s.Right, "top": &s.Top, "bottom": &s.Bottom}[t.Local]
			if style := t.AttrLocal("style"); side != nil && style != "" && style != "none" {
				*side = style
			}
		}
		if c := p.color(t); t.Local == "color" && side != nil && *side != "" && c != "" {
			*side += " " + c
		}
	}
	return s
}

// alignment reads the alignment of a cell format (18.8.1).
func alignment(raw []byte, s *formats.CellStyle) {
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "alignment" {
			continue
		}
		if v := t.AttrLocal("horizontal"); v != "general" {
			s.Align = v
		}
		if v := t.AttrLocal("vertical"); v != "bottom" {
			s.Vertical = v
		}
		s.Wrap = sheetml.IsTrue(t.AttrLocal("wrapText"))
		s.Indent, _ = strconv.Atoi(t.AttrLocal("indent"))
		s.Indent = max(0, min(s.Indent, 250))
	}
}
