package pptx

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"golang.org/x/text/width"
)

// Texts are measured by estimate, since no fonts are read: letters are about half as wide as
// the font is high, wide ones as wide as high. Only texts that are higher than their
// shape by the slack are told.
const (
	letterWidth   = 0.47
	lineHeight    = 1.2 // of a font
	overflowSlack = 1.2
	shrinkSlack   = 1.7 // of a shape that makes its text smaller: below about 60 % it is hard to read
	emuPerPoint   = 12700
	defaultSize   = 18 // points
)

// textWriters are the operations that write text into shapes of one slide.
var textWriters = map[string]bool{"add_slide": true, "set_slide_text": true, "append_bullets": true, "set_shape_text": true, "add_text_box": true, "set_layout": true, "move_shape": true}

// overflow is a shape whose text is higher than the shape.
type overflow struct {
	shape *shape
	need  float64 // height of the text, EMU
	room  float64 // height of the shape, EMU
	slide bool    // the shape grows with its text, past the end of the slide
}

// overflowsBefore returns the overflows of the slide that an operation is going to
// write text into, by shape id.
func (d *deckEdit) overflowsBefore(ctx context.Context, c *call) (map[string]overflow, error) {
	if !textWriters[c.r.Op] || c.part == "" {
		return nil, nil
	}
	return d.overflows(ctx, c.part)
}

// warnOverflow warns of texts that do not fit any more, or less than before.
func (d *deckEdit) warnOverflow(ctx context.Context, c *call, before map[string]overflow) error {
	if !textWriters[c.r.Op] || c.part == "" {
		return nil
	}
	now, err := d.overflows(ctx, c.part)
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	for s := range flat(shapes(t.spTree(), shown)) {
		o, ok := now[s.cnv.Value("id")]
		was, had := before[s.cnv.Value("id")]
		if !ok || had && was.need/was.room >= o.need/o.room {
			continue
		}
		what := "the text of shape " + s.cnv.Value("id") + " " + quote(s.name())
		switch {
		case o.slide:
			c.warn("%s ends below the slide: by estimate it needs %v inches of height", what, inches(o.need))
		default:
			c.warn("%s may not fit: by estimate it needs %v inches of height, the shape has %v; look at it, shorten it, split it or set font_size", what, inches(o.need), inches(o.room))
		}
	}
	return nil
}

// overflows estimates which texts of a slide are higher than their shapes, by shape id.
func (d *deckEdit) overflows(ctx context.Context, part string) (map[string]overflow, error) {
	t, err := d.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	lay, err := d.layoutOf(ctx, part)
	if err != nil {
		return nil, err
	}
	m := measuring{t: t, lay: lay}
	if lay != nil {
		if m.master, err = d.masterOf(ctx, lay.part); err != nil {
			return nil, err
		}
	}
	out := map[string]overflow{}
	for _, s := range shapes(t.spTree(), shown) { // shapes in groups keep their measures from the group
		if s.body == nil || s.n.Local != "sp" {
			continue
		}
		f, ok, err := d.frameOn(ctx, part, s, onSlide)
		if err != nil {
			return nil, err
		}
		if !ok || f.w <= 0 || f.h <= 0 {
			continue
		}
		if o, over := m.measure(s, f, float64(d.height)); over {
			out[s.cnv.Value("id")] = o
		}
	}
	return out, nil
}

// measuring estimates the heights of texts on a slide.
type measuring struct {
	t           *tree
	lay, master *layout
}

// measure estimates whether the text of a shape is higher than the shape.
func (m measuring) measure(s *shape, f frame, slideHeight float64) (overflow, bool) {
	bodies := []*node{s.body.Child(nsA, "bodyPr")}
	if s.ph != nil && m.lay != nil {
		if like := m.lay.match(s); like != nil && like.body != nil {
			bodies = append(bodies, like.body.Child(nsA, "bodyPr"))
		}
	}
	if s.ph != nil && m.master != nil {
		for _, like := range m.master.items {
			if masterType(like.phType()) == masterType(s.phType()) && like.body != nil {
				bodies = append(bodies, like.body.Child(nsA, "bodyPr"))
			}
		}
	}
	if v := bodyValue(bodies, "vert"); v != "" && v != "horz" || bodyValue(bodies, "wrap") == "none" {
		return overflow{}, false
	}
	inset := func(name string, def int) float64 { return float64(intOr(bodyValue(bodies, name), def)) }
	room := f.h - inset("tIns", 45720) - inset("bIns", 45720)
	across := f.w - inset("lIns", 91440) - inset("rIns", 91440)
	columns := max(1, intOr(bodyValue(bodies, "numCol"), 1))
	need := 0.0
	for i, p := range paragraphs(s.body) {
		need += m.paragraph(p, s, across/float64(columns), i > 0)
	}
	need /= float64(columns)
	o := overflow{shape: s, need: need + f.h - room, room: f.h}
	switch fit := autofit(bodies); {
	case room <= 0 || across <= 0:
		return o, false
	case fit == "spAutoFit":
		o.slide = true
		return o, f.y+o.need > slideHeight*1.02
	case fit == "normAutofit":
		return o, need > room*shrinkSlack
	}
	return o, need > room*overflowSlack
}

// bodyValue returns an attribute of the nearest a:bodyPr that has it.
func bodyValue(bodies []*node, name string) string {
	for _, b := range bodies {
		if v := b.Value(name); v != "" {
			return v
		}
	}
	return ""
}

// autofit returns how a shape and its text are fitted to each other (21.1.2.1.1 to 3).
func autofit(bodies []*node) string {
	for _, b := range bodies {
		for _, name := range []string{"noAutofit", "normAutofit", "spAutoFit"} {
			if b.Child(nsA, name) != nil {
				return name
			}
		}
	}
	return ""
}

// paragraph estimates the height of a paragraph in EMU.
func (m measuring) paragraph(p *node, s *shape, across float64, spaced bool) float64 {
	props := p.Child(nsA, "pPr")
	lvl := min(maxLevel, max(0, intOr(props.Value("lvl"), 0)))
	chain := append([]*node{props}, inheritedProps(s, m.lay, m.master, lvl)...)
	size := defaultSize * 100.0
	for _, c := range chain[1:] {
		if sz := intOr(c.Child(nsA, "defRPr").Value("sz"), 0); sz > 0 {
			size = float64(sz)
			break
		}
	}
	largest, line, lines := 0.0, 0.0, 1.0
	for r := range p.Kids() {
		switch {
		case r.Is(nsA, "br"):
			lines += math.Max(1, math.Ceil(line))
			line = 0
		case r.Is(nsA, "r") || r.Is(nsA, "fld"):
			sz := float64(cmp.Or(intOr(r.Child(nsA, "rPr").Value("sz"), 0), int(size)))
			largest = math.Max(largest, sz)
			line += letters(m.t.Text(r.Child(nsA, "t"))) * letterWidth * sz / 100 * emuPerPoint / math.Max(1, across-indent(chain))
		}
	}
	if line > 0 {
		lines += math.Ceil(line) - 1
	}
	if largest == 0 {
		largest = size
	}
	h := lines * largest / 100 * emuPerPoint * lineHeight * spacing(chain, "lnSpc", 1)
	if spaced {
		h += pointsOf(chain, "spcBef") * emuPerPoint
	}
	return h + pointsOf(chain, "spcAft")*emuPerPoint
}

// letters counts the letters of a text, wide ones twice.
func letters(s string) float64 {
	n := 0.0
	for _, r := range s {
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
		n++
	}
	return n
}

// indent returns the left margin of a paragraph in EMU.
func indent(chain []*node) float64 {
	for _, c := range chain {
		if v := c.Value("marL"); v != "" {
			return float64(max(0, intOr(v, 0)))
		}
	}
	return 0
}

// spacing returns a spacing in parts of a line (21.1.2.2.5); def where it is absent or in
// points.
func spacing(chain []*node, name string, def float64) float64 {
	for _, c := range chain {
		if v, err := strconv.ParseFloat(c.Child(nsA, name).Child(nsA, "spcPct").Value("val"), 64); err == nil {
			return v / 100_000
		}
		if c.Child(nsA, name) != nil {
			break
		}
	}
	return def
}

// pointsOf returns a spacing that is given in points.
func pointsOf(chain []*node, name string) float64 {
	for _, c := range chain {
		if n := c.Child(nsA, name); n != nil {
			return float64(intOr(n.Child(nsA, "spcPts").Value("val"), 0)) / 100
		}
	}
	return 0
}
