package pptx

import (
	"context"
	"math"
	"strconv"
	"strings"

	"atelier/formats/pptx/internal/audit"
)

// theme is what a master's theme says (20.1.6.9).
type theme struct {
	scheme map[string]string // RRGGBB by dk1, lt1, accent1 …
	fonts  []string          // Latin fonts of headings and of text
	fills  []*node           // fills of shapes, by idx from 1
	backs  []*node           // of backgrounds, by idx from 1001
}

// schemeColors returns the colours of a theme as RRGGBB by their names.
func schemeColors(t *tree) map[string]string {
	out := map[string]string{}
	for c := range t.Root.Down(nsA, "themeElements", "clrScheme").Kids() {
		for v := range c.Kids() {
			rgb := v.Value("val")
			if v.Local == "sysClr" {
				rgb = v.Value("lastClr")
			}
			out[c.Local] = strings.ToUpper(rgb)
		}
	}
	return out
}

// themeOf reads the theme of a master, layout or slide; empty when it has none.
func (d *deck) themeOf(ctx context.Context, part string) (*theme, error) {
	out := &theme{}
	rels, err := d.related(ctx, part, relTheme)
	if err != nil || len(rels) == 0 {
		return out, err
	}
	t, err := d.tree(ctx, rels[0].Target)
	if err != nil {
		return nil, err
	}
	out.scheme = schemeColors(t)
	el := t.Root.Child(nsA, "themeElements")
	for _, name := range []string{"majorFont", "minorFont"} {
		if f := el.Down(nsA, "fontScheme", name, "latin").Value("typeface"); f != "" {
			out.fonts = append(out.fonts, f)
		}
	}
	for n := range el.Down(nsA, "fmtScheme", "fillStyleLst").Kids() {
		out.fills = append(out.fills, n)
	}
	for n := range el.Down(nsA, "fmtScheme", "bgFillStyleLst").Kids() {
		out.backs = append(out.backs, n)
	}
	return out, nil
}

// palette makes colours of what a slide says.
type palette struct {
	*theme
	mapped map[string]string // names of slides to those of the theme: tx1 to dk1
}

// newPalette returns the palette of parts, the nearest first: slide, layout, master.
// Each may replace the colour map of the next (19.3.1.7).
func newPalette(th *theme, parts ...*tree) palette {
	p := palette{th, map[string]string{"tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2"}}
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == nil {
			continue
		}
		for _, m := range []*node{parts[i].Root.Child(nsP, "clrMap"), parts[i].Root.Down(nsP, "clrMapOvr").Child(nsA, "overrideClrMapping")} {
			for a := range m.Attributes() {
				p.mapped[a.Name] = a.Value()
			}
		}
	}
	return p
}

// color returns the colour in an element such as a:solidFill. ph is what phClr
// stands for.
func (p palette) color(in *node, ph audit.Color) audit.Color {
	for c := range in.Kids() {
		out := audit.Color{}
		switch c.Local {
		case "srgbClr":
			out.RGB, out.Known = rgbOf(c.Value("val"))
			out.Literal = true
		case "sysClr":
			out.RGB, out.Known = rgbOf(c.Value("lastClr"))
		case "schemeClr":
			if out.Theme = true; c.Value("val") == "phClr" {
				out = ph
			} else {
				out.RGB, out.Known = p.named(c.Value("val"))
			}
		case "prstClr":
			rgb, ok := namedColors[strings.ToLower(c.Value("val"))]
			if ok {
				out.RGB, out.Known = rgbOf(rgb)
			}
			out.Literal = true
		case "scrgbClr", "hslClr":
		default:
			continue
		}
		for m := range c.Kids() {
			out = modified(out, m.Local, m.Value("val"))
		}
		return out
	}
	return audit.Color{}
}

// named returns a colour of the theme by the name that slides use.
func (p palette) named(name string) (audit.RGB, bool) {
	if to := p.mapped[name]; to != "" {
		name = to
	}
	return rgbOf(p.scheme[name])
}

func rgbOf(hex string) (audit.RGB, bool) {
	n, err := strconv.ParseUint(hex, 16, 32)
	return audit.RGB(n), err == nil && len(hex) == 6
}

// modified applies a colour transform (20.1.2.3); a colour becomes unknown by those
// that are not applied, and where something shines through.
func modified(c audit.Color, by, val string) audit.Color {
	v, err := strconv.ParseFloat(strings.TrimSuffix(val, "%"), 64)
	if strings.HasSuffix(val, "%") {
		v *= 1000
	}
	v /= 100_000
	if err != nil {
		c.Known = false
		return c
	}
	h, s, l := hslOf(c.RGB)
	switch by {
	case "alpha":
		c.Known = c.Known && v >= 0.99
	case "lumMod":
		c.RGB = ofHSL(h, s, l*v)
	case "lumOff":
		c.RGB = ofHSL(h, s, l+v)
	case "satMod":
		c.RGB = ofHSL(h, math.Min(1, s*v), l)
	case "tint":
		c.RGB = ofHSL(h, s, l*v+1-v)
	case "shade":
		c.RGB = ofHSL(h, s, l*v)
	default:
		c.Known = false
	}
	return c
}

func hslOf(c audit.RGB) (h, s, l float64) {
	r, g, b := float64(c>>16&255)/255, float64(c>>8&255)/255, float64(c&255)/255
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

func ofHSL(h, s, l float64) audit.RGB {
	l = math.Max(0, math.Min(1, l))
	c := (1 - math.Abs(2*l-1)) * s
	x := c * (1 - math.Abs(math.Mod(h, 2)-1))
	m := l - c/2
	var r, g, b float64
	switch int(h) {
	case 0:
		r, g = c, x
	case 1:
		r, g = x, c
	case 2:
		g, b = c, x
	case 3:
		g, b = x, c
	case 4:
		r, b = x, c
	default:
		r, b = c, x
	}
	at := func(v float64) audit.RGB {
		return audit.RGB(math.Round(math.Max(0, math.Min(1, v+m)) * 255))
	}
	return at(r)<<16 | at(g)<<8 | at(b)
}

// fill returns what fills a shape: of the first element with a fill; ok is false when
// there is none.
func (p palette) fill(props *node, ph audit.Color) (f audit.Fill, ok bool) {
	for k := range props.Kids() {
		if isFill(k) {
			return p.fillOf(k, ph), true
		}
	}
	return f, false
}

// fillOf returns the fill of an element such as a:solidFill.
func (p palette) fillOf(k *node, ph audit.Color) audit.Fill {
	switch k.Local {
	case "noFill":
		return audit.Fill{}
	case "solidFill":
		c := p.color(k, ph)
		if c.Known {
			return audit.Fill{Kind: audit.FillSolid, Color: c}
		}
		return audit.Fill{Kind: audit.FillOther, Color: c}
	}
	return audit.Fill{Kind: audit.FillOther}
}

// styled returns the fill of the theme that a reference such as a:fillRef names
// (20.1.4.1.10).
func (p palette) styled(ref *node) audit.Fill {
	i := intOr(ref.Value("idx"), 0)
	list := p.fills
	if i > 1000 {
		list, i = p.backs, i-1000
	}
	switch {
	case i <= 0:
		return audit.Fill{}
	case i > len(list):
		return audit.Fill{Kind: audit.FillOther}
	}
	f := p.fillOf(list[i-1], p.color(ref, audit.Color{}))
	f.Color.Literal, f.Color.Theme = false, false
	return f
}
