package looks

import (
	"context"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// The properties of a cell format that a review names.
const (
	lookNumber = iota
	lookFont
	lookSize
	lookBold
	lookItalic
	lookUnderline
	lookStrike
	lookColor
	lookRaised
	lookFill
	lookLeft
	lookRight
	lookTop
	lookBottom
	lookDiagonal
	lookAlign
	lookVertical
	lookWrap
	lookIndent
	lookTurn
	lookShrink
	lookUnlocked
	lookHidden
	lookStyle
	lookProps
)

var lookNames = [lookProps]string{"number format", "font", "size", "bold", "italic", "underline", "strikethrough", "font colour", "raised or lowered", "fill", "left border", "right border", "top border", "bottom border", "diagonal border", "alignment", "vertical alignment", "wrapped text", "indent", "rotation", "shrink to fit", "unlocked", "hidden formula", "cell style"}

// lookNone says what a property is when nothing is set, for those that are not
// merely absent.
var lookNone = [lookProps]string{lookNumber: "General", lookColor: "automatic", lookFill: "none", lookAlign: "general", lookVertical: "bottom", lookStyle: "Normal", lookFont: "default", lookSize: "default"}

// Look is what a cell format (18.8.45) shows, each property in words; "" is the
// default.
type Look struct {
	props [lookProps]string
	Rest  string // what is told of no property
	Hash  uint64 // of all of it
}

// Book holds the formats of a workbook.
type Book struct {
	Part  string // its style part; "": none
	Doc   []byte
	Cells []*Look  // by index of a cell format; equal records share one
	DXFs  [][]byte // formats of rules
	Named []Named
}

// Named is a cell style.
type Named struct {
	Name string
	Look Look
}

// Read reads the style part of a workbook.
func Read(ctx context.Context, wb *book.Workbook) (*Book, error) {
	lb := &Book{Part: wb.RelPart(book.RelStyles)}
	if lb.Part == "" {
		return lb, nil
	}
	var err error
	if lb.Doc, err = wb.Package.ReadXML(ctx, lb.Part); err != nil {
		return nil, err
	}
	sb := stylesheet.NewBook(lb.Part, lb.Doc)
	if err := sb.Parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", lb.Part, err)
	}
	codes := map[string]string{}
	for _, raw := range sb.Lists["numFmts"].Items {
		codes[sheetml.AttrOf(raw, "numFmtId")] = sheetml.AttrOf(raw, "formatCode")
	}
	parts := map[string][]Look{}
	for name, read := range map[string]func([]byte, *Look){"fonts": lb.font, "fills": lb.fill, "borders": lb.border} {
		parts[name] = looksIn(sb.Lists[name].Items, read)
	}
	names := map[string]string{} // of cellStyleXfs
	for _, raw := range sb.Lists["cellStyles"].Items {
		if id := sheetml.AttrOf(raw, "xfId"); names[id] == "" {
			names[id] = sheetml.AttrOf(raw, "name")
		}
	}
	make := func(raw []byte, named bool) Look {
		l := lb.xf(raw, parts, codes)
		if name := names[sheetml.AttrOf(raw, "xfId")]; named && name != "Normal" {
			l.props[lookStyle] = name
		}
		l.sum()
		return l
	}
	known := map[string]*Look{}
	for i, raw := range sb.Lists["cellXfs"].Items {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l := known[string(raw)]
		if l == nil {
			read := make(raw, true)
			l = &read
			known[string(raw)] = l
		}
		lb.Cells = append(lb.Cells, l)
	}
	xfs := sb.Lists["cellStyleXfs"].Items
	for _, raw := range sb.Lists["cellStyles"].Items {
		if i, err := strconv.Atoi(sheetml.AttrOf(raw, "xfId")); err == nil && i >= 0 && i < len(xfs) {
			l := make(xfs[i], false)
			lb.Named = append(lb.Named, Named{sheetml.AttrOf(raw, "name"), l})
		}
	}
	lb.DXFs = sb.Lists["dxfs"].Items
	return lb, nil
}

func looksIn(items [][]byte, read func([]byte, *Look)) []Look {
	out := make([]Look, len(items))
	for i, raw := range items {
		read(raw, &out[i])
	}
	return out
}

// sum makes the hash of all that the look says.
func (l *Look) sum() {
	h := fnv.New64a()
	for i, p := range l.props {
		if p != "" {
			_, _ = io.WriteString(h, strconv.Itoa(i)+p+"\x00")
		}
	}
	_, _ = io.WriteString(h, l.Rest)
	l.Hash = h.Sum64()
}

// xf reads a record of cellXfs or cellStyleXfs (18.8.45).
func (lb *Book) xf(raw []byte, parts map[string][]Look, codes map[string]string) Look {
	var l Look
	for _, p := range []struct{ list, attr string }{{"fonts", "fontId"}, {"fills", "fillId"}, {"borders", "borderId"}} {
		if i, err := strconv.Atoi(sheetml.AttrOf(raw, p.attr)); err == nil && i >= 0 && i < len(parts[p.list]) {
			l.take(parts[p.list][i])
		}
	}
	l.props[lookNumber] = numberFormat(sheetml.AttrOf(raw, "numFmtId"), codes)
	for _, a := range []string{"quotePrefix", "pivotButton"} {
		if sheetml.IsTrue(sheetml.AttrOf(raw, a)) {
			l.Rest += a + ";"
		}
	}
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start || t.Depth != 2:
		case t.Local == "alignment":
			l.alignment(t)
		case t.Local == "protection":
			l.protection(t)
		default:
			l.Rest += string(t.Bytes())
		}
	}
	return l
}

// numberFormat is the code of a number format, "" for the general one.
func numberFormat(id string, codes map[string]string) string {
	code, own := codes[id]
	if n, err := strconv.Atoi(id); !own && err == nil && n > 0 {
		if code = stylesheet.BuiltinFormats[n]; code == "" {
			code = "number " + id
		}
	}
	if strings.EqualFold(code, "general") {
		return ""
	}
	return code
}

// protection reads what a protected sheet does with the cell (18.8.33).
func (l *Look) protection(t xmlscan.Token) {
	if v, ok := t.Attr("locked"); ok && !sheetml.IsTrue(v) {
		l.props[lookUnlocked] = "yes"
	}
	if sheetml.IsTrue(t.AttrLocal("hidden")) {
		l.props[lookHidden] = "yes"
	}
}

func (l *Look) take(o Look) {
	for i, p := range o.props {
		if p != "" {
			l.props[i] = p
		}
	}
	l.Rest += o.Rest
}

// set sets a property unless it has its usual value.
func (l *Look) set(prop int, v, usual string) {
	if v != usual {
		l.props[prop] = v
	}
}

func (l *Look) alignment(t xmlscan.Token) {
	for a := range t.Attrs() {
		v := a.Value()
		switch a.Name {
		case "horizontal":
			l.set(lookAlign, v, "general")
		case "vertical":
			l.set(lookVertical, v, "bottom")
		case "wrapText":
			l.props[lookWrap] = yes(v)
		case "shrinkToFit":
			l.props[lookShrink] = yes(v)
		case "indent":
			l.set(lookIndent, v, "0")
		case "textRotation":
			l.set(lookTurn, v, "0")
		default:
			if v != "0" {
				l.Rest += a.Name + "=" + v + ";"
			}
		}
	}
}

func yes(v string) string {
	if sheetml.IsTrue(v) {
		return "yes"
	}
	return ""
}

// font reads a font (18.8.22), also the properties of a run (18.4.7).
func (lb *Book) font(raw []byte, l *Look) {
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 2 {
			continue
		}
		v, given := t.Attr("val")
		on := ""
		if !given || sheetml.IsTrue(v) {
			on = "yes"
		}
		switch t.Local {
		case "name", "rFont":
			l.props[lookFont] = v
		case "sz":
			l.props[lookSize] = v
		case "b":
			l.props[lookBold] = on
		case "i":
			l.props[lookItalic] = on
		case "strike":
			l.props[lookStrike] = on
		case "u":
			l.props[lookUnderline] = underline(v)
		case "color":
			l.props[lookColor] = lb.Color(t)
		case "vertAlign":
			l.set(lookRaised, v, "baseline")
		case "family", "charset", "scheme":
			l.Rest += t.Local + "=" + v + ";"
		default:
			if on != "" {
				l.Rest += t.Local + "=" + v + ";"
			}
		}
	}
}

// underline says the kind of an underline (18.18.82).
func underline(v string) string {
	switch v {
	case "", "single":
		return "yes"
	case "none":
		return ""
	}
	return v
}

// fill reads a fill (18.8.20).
func (lb *Book) fill(raw []byte, l *Look) {
	var pattern, fg, bg string
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
			fg = lb.Color(t)
		case "bgColor":
			bg = lb.Color(t)
		case "gradientFill":
			s, _ := inventory.Canonicalizer{}.Element(raw)
			l.props[lookFill] = "gradient"
			l.Rest += "gradient " + string(s[:])
			return
		}
	}
	switch pattern {
	case "", "none":
		// A fill of a rule has its colour alone.
		if pattern == "" && bg != "" {
			l.props[lookFill] = bg
		}
	case "solid":
		if l.props[lookFill] = fg; fg == "" {
			l.props[lookFill] = "black"
		}
		if bg != "" && bg != "automatic" {
			l.Rest += "bg " + bg + ";"
		}
	default:
		l.props[lookFill] = strings.TrimSpace("pattern " + pattern + " " + fg + " " + bg)
	}
}

// border reads the sides of a border (18.8.4).
func (lb *Book) border(raw []byte, l *Look) {
	sides := map[string]int{"left": lookLeft, "start": lookLeft, "right": lookRight, "end": lookRight, "top": lookTop, "bottom": lookBottom, "diagonal": lookDiagonal}
	side := -1
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		i, ok := sides[t.Local]
		switch {
		case t.Depth == 1:
			l.Rest += diagonals(t)
		case t.Depth == 2 && !ok:
			side = -1
			s, _ := inventory.Canonicalizer{}.Element(raw[t.Start:max(t.End, sc.Skip())])
			l.Rest += t.Local + string(s[:])
		case t.Depth == 2:
			side = -1
			if style := t.AttrLocal("style"); style != "" && style != "none" {
				side = i
				l.props[i] = style
			}
		case side >= 0 && t.Local == "color":
			if c := lb.Color(t); c != "automatic" {
				l.props[side] += " " + c
			}
		}
	}
}

// diagonals says which diagonals of a border are drawn.
func diagonals(t xmlscan.Token) (rest string) {
	for _, a := range []string{"diagonalUp", "diagonalDown"} {
		if sheetml.IsTrue(t.AttrLocal(a)) {
			rest += a + ";"
		}
	}
	return rest
}
