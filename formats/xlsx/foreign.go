package xlsx

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/sheetml"
)

// foreignXf is a cell format on its own: all that its record refers to, as XML
// without prefixes. Own is set instead for a format of the same workbook.
type foreignXf struct {
	Own                                     *int `json:",omitempty"`
	Font, Fill, Border, Format, Align, Lock string
}

// foreignStyles takes cell formats out of another workbook.
type foreignStyles struct {
	book   *styleBook
	colors []string // of its theme, by the index formats use; nil: the target's theme is the same
	cache  map[int]*foreignXf
}

// newForeignStyles returns the formats of another workbook by its style part.
func newForeignStyles(b *styleBook) *foreignStyles {
	return &foreignStyles{book: b, cache: map[int]*foreignXf{}}
}

// xf is a format of the other workbook by its index.
func (f *foreignStyles) xf(i int) *foreignXf {
	if x := f.cache[i]; x != nil {
		return x
	}
	b := f.book
	raw := b.item("cellXfs", strconv.Itoa(i))
	if raw == nil {
		raw = b.lists["cellXfs"].items[0]
	}
	e := sheetml.ParseElement(raw, b.prefix, "xf")
	x := &foreignXf{
		Font:   f.plain(b.item("fonts", sheetml.AttrOf(raw, "fontId"))),
		Fill:   f.plain(b.item("fills", sheetml.AttrOf(raw, "fillId"))),
		Border: f.plain(b.item("borders", sheetml.AttrOf(raw, "borderId"))),
		Format: b.formatCode(sheetml.AttrOf(raw, "numFmtId")),
		Align:  f.plain(e.Get("alignment")),
		Lock:   f.plain(e.Get("protection")),
	}
	f.cache[i] = x
	return x
}

// formatCode is the code of a number format id.
func (b *styleBook) formatCode(id string) string {
	for _, raw := range b.lists["numFmts"].items {
		if sheetml.AttrOf(raw, "numFmtId") == id {
			return sheetml.AttrOf(raw, "formatCode")
		}
	}
	if n, err := strconv.Atoi(id); err == nil && builtinFormats[n] != "" {
		return builtinFormats[n]
	}
	return "General"
}

var themedColor = regexp.MustCompile(`<(color|fgColor|bgColor)\b[^>]*\btheme="[^>]*/>`)

// plain gives a record without its prefix, its theme colours as the colours
// they are where the target's theme has others.
func (f *foreignStyles) plain(raw []byte) string {
	s := string(raw)
	if p := f.book.prefix; p != "" {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "<"+p, "<"), "</"+p, "</")
	}
	if f.colors == nil {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, `<scheme val="minor"/>`, ""), `<scheme val="major"/>`, "")
	return themedColor.ReplaceAllStringFunc(s, func(c string) string {
		n, err := strconv.Atoi(sheetml.AttrOf([]byte(c), "theme"))
		if err != nil || n < 0 || n >= len(f.colors) {
			return c
		}
		tint, _ := strconv.ParseFloat(sheetml.AttrOf([]byte(c), "tint"), 64)
		return "<" + c[1:sheetml.NameLen([]byte(c))] + ` rgb="FF` + tinted(f.colors[n], tint) + `"/>`
	})
}

// tinted lightens or darkens a colour (18.8.19): the luminance moves towards
// white or black.
func tinted(rgb string, tint float64) string {
	n, err := strconv.ParseUint(rgb, 16, 32)
	if err != nil || tint == 0 || math.IsNaN(tint) {
		return rgb
	}
	r, g, b := float64(n>>16)/255, float64(n>>8&255)/255, float64(n&255)/255
	h, s, l := toHSL(r, g, b)
	if tint = max(-1, min(tint, 1)); tint < 0 {
		l *= 1 + tint
	} else {
		l = l*(1-tint) + tint
	}
	r, g, b = fromHSL(h, s, l)
	return fmt.Sprintf("%02X%02X%02X", int(math.Round(r*255)), int(math.Round(g*255)), int(math.Round(b*255)))
}

func toHSL(r, g, b float64) (h, s, l float64) {
	hi, lo := max(r, g, b), min(r, g, b)
	l = (hi + lo) / 2
	d := hi - lo
	if d == 0 {
		return 0, 0, l
	}
	s = d / (1 - math.Abs(2*l-1))
	switch hi {
	case r:
		h = math.Mod((g-b)/d+6, 6)
	case g:
		h = (b-r)/d + 2
	default:
		h = (r-g)/d + 4
	}
	return h, s, l
}

func fromHSL(h, s, l float64) (r, g, b float64) {
	c := (1 - math.Abs(2*l-1)) * s
	x := c * (1 - math.Abs(math.Mod(h, 2)-1))
	m := l - c/2
	pick := [][3]float64{{c, x, 0}, {x, c, 0}, {0, c, x}, {0, x, c}, {x, 0, c}, {c, 0, x}}[int(h)%6]
	return pick[0] + m, pick[1] + m, pick[2] + m
}

// foreign is the index of a cell format equal to x.
func (b *styleBook) foreign(x *foreignXf) int {
	if x.Own != nil {
		return *x.Own
	}
	put := func(list, xml string) int {
		if xml == "" {
			return 0
		}
		return b.put(list, sheetml.WithPrefix(xml, b.prefix))
	}
	xfID := ""
	if len(b.lists["cellStyleXfs"].items) > 0 {
		xfID = ` xfId="0"`
	}
	xml := fmt.Sprintf(`<xf numFmtId="%s" fontId="%d" fillId="%d" borderId="%d"%s applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">%s%s</xf>`,
		b.numFmt(x.Format), put("fonts", x.Font), put("fills", x.Fill), put("borders", x.Border), xfID, x.Align, x.Lock)
	return b.put("cellXfs", sheetml.WithPrefix(xml, b.prefix))
}
