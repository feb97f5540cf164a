package stylesheet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// CellFormat is a cell format by itself: all records that it refers to, as XML
// without prefixes. BuiltIn is the number format's id where that is one which
// every workbook has, and whose code may depend on the reader's language. Own is
// set instead for a format of the same workbook.
type CellFormat struct {
	Own                                              *int `json:",omitempty"`
	Font, Fill, Border, Format, BuiltIn, Align, Lock string
}

// Foreign reads cell formats of another workbook.
type Foreign struct {
	Book   *Book
	Colors []string // of its theme, by the index formats use; nil: the target's theme is the same
	cache  map[int]*CellFormat
}

// NewForeign returns the formats of another workbook by its style part.
func NewForeign(b *Book) *Foreign {
	return &Foreign{Book: b, cache: map[int]*CellFormat{}}
}

// Xf returns a format of the other workbook by its index.
func (f *Foreign) Xf(i int) *CellFormat {
	if x := f.cache[i]; x != nil {
		return x
	}
	b := f.Book
	raw := b.Item("cellXfs", strconv.Itoa(i))
	if raw == nil {
		raw = b.Lists["cellXfs"].Items[0]
	}
	e := element.Parse(raw, b.Prefix+"xf", xfSchema)
	x := &CellFormat{
		Font:    f.Plain(b.Item("fonts", sheetml.AttrOf(raw, "fontId"))),
		Fill:    f.Plain(b.Item("fills", sheetml.AttrOf(raw, "fillId"))),
		Border:  f.Plain(b.Item("borders", sheetml.AttrOf(raw, "borderId"))),
		Format:  b.FormatCode(sheetml.AttrOf(raw, "numFmtId")),
		BuiltIn: b.builtIn(sheetml.AttrOf(raw, "numFmtId")),
		Align:   f.Plain([]byte(e.Get("alignment"))),
		Lock:    f.Plain([]byte(e.Get("protection"))),
	}
	f.cache[i] = x
	return x
}

// builtIn returns a number format id that means the same in every workbook, ""
// for the id of a format that this workbook defines.
func (b *Book) builtIn(id string) string {
	if n, err := strconv.Atoi(id); err != nil || BuiltinFormats[n] == "" || b.definesFormat(id) {
		return ""
	}
	return id
}

// definesFormat reports whether the workbook defines a number format id.
func (b *Book) definesFormat(id string) bool {
	return slices.ContainsFunc(b.Lists["numFmts"].Items, func(raw []byte) bool { return sheetml.AttrOf(raw, "numFmtId") == id })
}

// FormatCode returns the code of a number format id.
func (b *Book) FormatCode(id string) string {
	for _, raw := range b.Lists["numFmts"].Items {
		if sheetml.AttrOf(raw, "numFmtId") == id {
			return sheetml.AttrOf(raw, "formatCode")
		}
	}
	if n, err := strconv.Atoi(id); err == nil && BuiltinFormats[n] != "" {
		return BuiltinFormats[n]
	}
	return "General"
}

var themedColor = lazyregexp.New(`<(color|fgColor|bgColor)\b[^>]*\btheme="[^>]*/>`)

// Plain returns a record without its prefix. Theme colors become RGB colors
// when the target's theme has others.
func (f *Foreign) Plain(raw []byte) string {
	s := string(raw)
	if p := f.Book.Prefix; p != "" {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "<"+p, "<"), "</"+p, "</")
	}
	if f.Colors == nil {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, `<scheme val="minor"/>`, ""), `<scheme val="major"/>`, "")
	return themedColor.ReplaceAllStringFunc(s, func(c string) string {
		n, err := strconv.Atoi(sheetml.AttrOf([]byte(c), "theme"))
		if err != nil || n < 0 || n >= len(f.Colors) {
			return c
		}
		tint, _ := strconv.ParseFloat(sheetml.AttrOf([]byte(c), "tint"), 64)
		return "<" + c[1:sheetml.NameLen([]byte(c))] + ` rgb="FF` + Tinted(f.Colors[n], tint) + `"/>`
	})
}

// Tinted lightens or darkens a color (18.8.19): the luminance moves towards
// white or black.
func Tinted(rgb string, tint float64) string {
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

// foreign returns the index of a cell format equal to x.
func (b *Book) foreign(x *CellFormat) int {
	if x.Own != nil {
		return *x.Own
	}
	put := func(list, xml string) int {
		if xml == "" {
			return 0
		}
		return b.Put(list, sheetml.WithPrefix(xml, b.Prefix))
	}
	xfID := ""
	if len(b.Lists["cellStyleXfs"].Items) > 0 {
		xfID = ` xfId="0"`
	}
	format := x.BuiltIn
	if format == "" || b.definesFormat(format) {
		format = b.numFmt(x.Format)
	}
	xml := fmt.Sprintf(`<xf numFmtId="%s" fontId="%d" fillId="%d" borderId="%d"%s applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">%s%s</xf>`,
		format, put("fonts", x.Font), put("fills", x.Fill), put("borders", x.Border), xfID, x.Align, x.Lock)
	return b.Put("cellXfs", sheetml.WithPrefix(xml, b.Prefix))
}
