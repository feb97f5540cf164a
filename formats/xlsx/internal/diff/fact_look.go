package diff

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

// look is what a cell format (18.8.45) shows, each property in words; "" is the
// default.
type look struct {
	props [lookProps]string
	rest  string // what is told of no property
	hash  uint64
}

// lookBook holds the formats of a workbook.
type lookBook struct {
	part  string
	doc   []byte
	cells []look
	dxfs  [][]byte
	named []namedLook
}

type namedLook struct {
	name string
	look look
}

// looksOf reads the style part.
func looksOf(ctx context.Context, wb *book.Workbook) (*lookBook, error) {
	lb := &lookBook{part: wb.RelPart(book.RelStyles)}
	if lb.part == "" {
		return lb, nil
	}
	var err error
	if lb.doc, err = wb.Package.ReadXML(ctx, lb.part); err != nil {
		return nil, err
	}
	sb := stylesheet.NewBook(lb.part, lb.doc)
	if err := sb.Parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", lb.part, err)
	}
	codes := map[string]string{}
	for _, raw := range sb.Lists["numFmts"].Items {
		codes[sheetml.AttrOf(raw, "numFmtId")] = sheetml.AttrOf(raw, "formatCode")
	}
	parts := map[string][]look{}
	for name, read := range map[string]func([]byte, *look){"fonts": lb.font, "fills": lb.fill, "borders": lb.border} {
		parts[name] = looksIn(sb.Lists[name].Items, read)
	}
	names := map[string]string{} // of cellStyleXfs
	for _, raw := range sb.Lists["cellStyles"].Items {
		if id := sheetml.AttrOf(raw, "xfId"); names[id] == "" {
			names[id] = sheetml.AttrOf(raw, "name")
		}
	}
	make := func(raw []byte, named bool) look {
		l := lb.xf(raw, parts, codes)
		if name := names[sheetml.AttrOf(raw, "xfId")]; named && name != "Normal" {
			l.props[lookStyle] = name
		}
		l.sum()
		return l
	}
	for _, raw := range sb.Lists["cellXfs"].Items {
		lb.cells = append(lb.cells, make(raw, true))
	}
	xfs := sb.Lists["cellStyleXfs"].Items
	for _, raw := range sb.Lists["cellStyles"].Items {
		if i, err := strconv.Atoi(sheetml.AttrOf(raw, "xfId")); err == nil && i >= 0 && i < len(xfs) {
			l := make(xfs[i], false)
			lb.named = append(lb.named, namedLook{sheetml.AttrOf(raw, "name"), l})
		}
	}
	lb.dxfs = sb.Lists["dxfs"].Items
	return lb, nil
}

func looksIn(items [][]byte, read func([]byte, *look)) []look {
	out := make([]look, len(items))
	for i, raw := range items {
		read(raw, &out[i])
	}
	return out
}

// sum makes the hash of all that the look says.
func (l *look) sum() {
	h := fnv.New64a()
	for i, p := range l.props {
		if p != "" {
			_, _ = io.WriteString(h, strconv.Itoa(i)+p+"\x00")
		}
	}
	_, _ = io.WriteString(h, l.rest)
	l.hash = h.Sum64()
}

// xf reads a record of cellXfs or cellStyleXfs (18.8.45).
func (lb *lookBook) xf(raw []byte, parts map[string][]look, codes map[string]string) look {
	var l look
	for _, p := range []struct{ list, attr string }{{"fonts", "fontId"}, {"fills", "fillId"}, {"borders", "borderId"}} {
		if i, err := strconv.Atoi(sheetml.AttrOf(raw, p.attr)); err == nil && i >= 0 && i < len(parts[p.list]) {
			l.take(parts[p.list][i])
		}
	}
	l.props[lookNumber] = numberFormat(sheetml.AttrOf(raw, "numFmtId"), codes)
	for _, a := range []string{"quotePrefix", "pivotButton"} {
		if sheetml.IsTrue(sheetml.AttrOf(raw, a)) {
			l.rest += a + ";"
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
			l.rest += string(t.Bytes())
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
func (l *look) protection(t xmlscan.Token) {
	if v, ok := t.Attr("locked"); ok && !sheetml.IsTrue(v) {
		l.props[lookUnlocked] = "yes"
	}
	if sheetml.IsTrue(t.AttrLocal("hidden")) {
		l.props[lookHidden] = "yes"
	}
}

func (l *look) take(o look) {
	for i, p := range o.props {
		if p != "" {
			l.props[i] = p
		}
	}
	l.rest += o.rest
}

// set sets a property unless it has its usual value.
func (l *look) set(prop int, v, usual string) {
	if v != usual {
		l.props[prop] = v
	}
}

func (l *look) alignment(t xmlscan.Token) {
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
				l.rest += a.Name + "=" + v + ";"
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
func (lb *lookBook) font(raw []byte, l *look) {
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
			l.props[lookColor] = lb.color(t)
		case "vertAlign":
			l.set(lookRaised, v, "baseline")
		case "family", "charset", "scheme":
			l.rest += t.Local + "=" + v + ";"
		default:
			if on != "" {
				l.rest += t.Local + "=" + v + ";"
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
func (lb *lookBook) fill(raw []byte, l *look) {
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
			fg = lb.color(t)
		case "bgColor":
			bg = lb.color(t)
		case "gradientFill":
			s, _ := inventory.Canonicalizer{}.Element(raw)
			l.props[lookFill] = "gradient"
			l.rest += "gradient " + string(s[:])
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
			l.rest += "bg " + bg + ";"
		}
	default:
		l.props[lookFill] = strings.TrimSpace("pattern " + pattern + " " + fg + " " + bg)
	}
}

// border reads the sides of a border (18.8.4).
func (lb *lookBook) border(raw []byte, l *look) {
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
			l.rest += diagonals(t)
		case t.Depth == 2 && !ok:
			side = -1
			s, _ := inventory.Canonicalizer{}.Element(raw[t.Start:max(t.End, sc.Skip())])
			l.rest += t.Local + string(s[:])
		case t.Depth == 2:
			side = -1
			if style := t.AttrLocal("style"); style != "" && style != "none" {
				side = i
				l.props[i] = style
			}
		case side >= 0 && t.Local == "color":
			if c := lb.color(t); c != "automatic" {
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

var basicColors = map[string]string{"000000": "black", "FFFFFF": "white", "FF0000": "red", "00FF00": "green", "0000FF": "blue", "FFFF00": "yellow"}

// color says a colour (18.8.3) in words.
func (lb *lookBook) color(t xmlscan.Token) string {
	out := "automatic"
	for a := range t.Attrs() {
		v := a.Value()
		switch a.Name {
		case "rgb":
			if len(v) == 8 {
				v = v[2:]
			}
			if out = strings.ToUpper(v); basicColors[out] != "" {
				out = basicColors[out]
			}
		case "theme":
			out = themeColor(v)
		case "indexed":
			out = indexedColor(v)
		}
	}
	if n, err := strconv.ParseFloat(t.AttrLocal("tint"), 64); err == nil && n > 0.001 {
		out += " " + strconv.Itoa(int(n*100+0.5)) + "% lighter"
	} else if err == nil && n < -0.001 {
		out += " " + strconv.Itoa(int(0.5-n*100)) + "% darker"
	}
	return out
}

// themeColor names a colour of the theme by its place (20.1.6.2): the usual
// ones of text and background are white and black.
func themeColor(v string) string {
	names := []string{"white (background 1)", "black (text 1)", "background 2", "text 2", "accent 1", "accent 2", "accent 3", "accent 4", "accent 5", "accent 6", "link", "followed link"}
	if i, err := strconv.Atoi(v); err == nil && i >= 0 && i < len(names) {
		return names[i]
	}
	return "theme colour " + v
}

func indexedColor(v string) string {
	switch v {
	case "0", "8":
		return "black"
	case "1", "9":
		return "white"
	case "2", "10":
		return "red"
	case "3", "11":
		return "green"
	case "4", "12":
		return "blue"
	case "5", "13":
		return "yellow"
	case "64", "65", "81", "32767":
		return "automatic"
	}
	return "colour " + v
}

// differ says in words what two looks differ in; "" for nothing.
func (l *look) differ(o *look) (was, now string) {
	var a, b []string
	for i := range l.props {
		x, y := l.props[i], o.props[i]
		if x == y {
			continue
		}
		a, b = append(a, sayLook(i, x)), append(b, sayLook(i, y))
	}
	if len(a) == 0 && l.rest != o.rest {
		return "cell format", "cell format (in its details)"
	}
	return strings.Join(a, ", "), strings.Join(b, ", ")
}

func sayLook(i int, v string) string {
	switch {
	case v == "yes":
		return lookNames[i]
	case v == "" && lookNone[i] != "":
		v = lookNone[i]
	case v == "" && (i == lookBold || i == lookItalic || i == lookStrike || i == lookUnderline || i == lookWrap || i == lookShrink || i == lookHidden):
		return "not " + lookNames[i]
	case v == "" && i == lookUnlocked:
		return "locked"
	case v == "":
		return "no " + lookNames[i]
	}
	return lookNames[i] + " " + v
}

// say describes the look, but for the defaults.
func (l *look) say() string {
	var out []string
	for i, v := range l.props {
		if v != "" {
			out = append(out, sayLook(i, v))
		}
	}
	if len(out) == 0 {
		return "plain"
	}
	return strings.Join(out, ", ")
}

// hides says how a look hides what its cells hold; "" when it does not.
func (l *look) hides() string {
	if s := strings.ReplaceAll(l.props[lookNumber], " ", ""); s != "" && strings.Trim(s, ";") == "" {
		return "number format " + l.props[lookNumber] + " shows nothing"
	}
	ink, paper := plainColor(l.props[lookColor]), plainColor(l.props[lookFill])
	if ink == "" || ink == "automatic" {
		ink = "black"
	}
	if paper == "" || paper == "automatic" {
		paper = "white"
	}
	if ink == paper {
		return "text is " + ink + " on " + paper
	}
	if n, err := strconv.ParseFloat(l.props[lookSize], 64); err == nil && n < 2 {
		return "text of size " + l.props[lookSize]
	}
	return ""
}

// plainColor is a colour without its place in the theme, and without a shade of it
// that is hardly another colour.
func plainColor(s string) string {
	base, rest, _ := strings.Cut(s, " (")
	_, shade, _ := strings.Cut(rest, ") ")
	percent, _, _ := strings.Cut(shade, "%")
	if n, err := strconv.Atoi(percent); err == nil && n > 10 {
		return base + " " + shade
	}
	return base
}
