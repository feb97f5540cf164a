package pptx

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setSlideSizeArgs are the members of set_slide_size.
type setSlideSizeArgs struct {
	Size   string         `json:"size" usage:"size (16:9, 4:3, 16:10, A4, A3, letter)" jsonschema:"{ops}: 16:9, 4:3, 16:10, A4, A3 or letter"`
	Width  *lenient.Float `json:"width" usage:"or width" jsonschema:"inches"`
	Height *lenient.Float `json:"height" usage:"height" jsonschema:"inches"`
	Scale  string         `json:"scale" usage:"scale? (fit, fill or none)" jsonschema:"{ops}: fit (default): contents get smaller where the slide does, fill: they fill it and may leave it, none: they keep their size"`
}

// slideSize is a size of slides (19.2.1.39) in EMU; typ is an ST_SlideSizeType.
type slideSize struct {
	w, h int
	typ  string
}

var slideSizes = map[string]slideSize{
	"16:9": {12192000, 6858000, ""}, "4:3": {9144000, 6858000, "screen4x3"}, "16:10": {9144000, 5715000, "screen16x10"},
	"A4": {9906000, 6858000, "A4"}, "A3": {12801600, 9601200, "A3"}, "letter": {9144000, 6858000, "letter"},
}

// size returns the size that an operation asks for.
func (a setSlideSizeArgs) size() (slideSize, error) {
	if a.Size != "" {
		for name, s := range slideSizes {
			if strings.EqualFold(name, strings.ReplaceAll(strings.TrimSpace(a.Size), "x", ":")) {
				return s, nil
			}
		}
		return slideSize{}, formats.Errorf(formats.CodeInvalid, "size must be %s, not %s; or give width and height", strings.Join(slices.Sorted(maps.Keys(slideSizes)), ", "), quote(a.Size))
	}
	if a.Width == nil || a.Height == nil {
		return slideSize{}, formats.Errorf(formats.CodeInvalid, "give size, or width and height in inches")
	}
	for _, v := range []lenient.Float{*a.Width, *a.Height} {
		if v < 1 || v > 56 { // 19.7.13
			return slideSize{}, formats.Errorf(formats.CodeInvalid, "width and height must be 1 to 56 inches, not %v", float64(v))
		}
	}
	n := func(v *lenient.Float) int { return int(math.Round(float64(*v) * emuPerInch)) }
	return slideSize{n(a.Width), n(a.Height), ""}, nil
}

// resize is a change of the size of slides on its way through the pages.
type resize struct {
	*deckEdit
	from, to slideSize
	sx, sy   float64 // of masters and layouts
	s        float64 // of what is on slides, and of all text
}

// setSlideSize changes the size of slides. Masters and layouts are stretched to it; what is
// on slides keeps its proportion and stays in the middle.
func (d *deckEdit) setSlideSize(ctx context.Context, c *call, a setSlideSizeArgs) error {
	to, err := a.size()
	if err != nil {
		return err
	}
	r := &resize{deckEdit: d, from: slideSize{w: d.width, h: d.height}, to: to, s: 1}
	if r.from.w <= 0 || r.from.h <= 0 {
		return formats.Errorf(formats.CodeCorrupt, "the size of the slides is damaged")
	}
	r.sx, r.sy = float64(to.w)/float64(r.from.w), float64(to.h)/float64(r.from.h)
	switch strings.ToLower(strings.TrimSpace(a.Scale)) {
	case "", "fit":
		r.s = math.Min(r.sx, r.sy)
	case "fill":
		r.s = math.Max(r.sx, r.sy)
	case "none":
	default:
		return formats.Errorf(formats.CodeInvalid, "scale must be fit, fill or none, not %s", quote(a.Scale))
	}
	if to.w == r.from.w && to.h == r.from.h {
		return nil
	}
	before := make([]map[string]overflow, len(d.deck.slides))
	for i, s := range d.deck.slides {
		if before[i], err = d.overflows(ctx, s.part); err != nil {
			return err
		}
	}
	if err := r.pages(ctx, c); err != nil {
		return err
	}
	if err := r.presentation(ctx); err != nil {
		return err
	}
	d.deck.layouts = map[string]*layout{}
	if err := d.load(ctx); err != nil {
		return err
	}
	return r.warn(ctx, c, before)
}

// pages changes masters, layouts and slides.
func (r *resize) pages(ctx context.Context, c *call) error {
	masters, err := r.related(ctx, r.main, relMaster)
	if err != nil {
		return err
	}
	layouts, err := r.allLayouts(ctx, nil)
	if err != nil {
		return err
	}
	var designs []string
	for _, m := range masters {
		designs = append(designs, m.Target)
	}
	for _, l := range layouts {
		designs = append(designs, l.part)
	}
	seen := map[string]bool{}
	for i, part := range designs {
		if seen[part] {
			continue
		}
		seen[part] = true
		if err := r.page(ctx, part, r.stretched, i < len(masters)); err != nil {
			return err
		}
	}
	for _, s := range r.deck.slides {
		if seen[s.part] {
			continue
		}
		seen[s.part] = true
		if err := r.page(ctx, s.part, r.scaled, false); err != nil {
			return err
		}
		c.r.Hits++
	}
	return nil
}

// page moves the shapes of a page and scales its texts.
func (r *resize) page(ctx context.Context, part string, move func(s *shape, f frame) frame, master bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := r.tree(ctx, part)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range shapes(t.spTree(), every) {
		if f, ok := frameOf(s.xfrm()); ok {
			splices = append(splices, t.placeShape(s, move(s, f))...)
		}
	}
	splices = append(splices, t.scaleText(t.spTree(), r.s)...)
	if master {
		splices = append(splices, t.scaleText(t.Root.Child(nsP, "txStyles"), r.s)...)
	}
	r.setTree(t, splices)
	return nil
}

// scaled returns the frame of what is on a slide: in its proportion, about the middle.
func (r *resize) scaled(_ *shape, f frame) frame {
	dx, dy := (float64(r.to.w)-r.s*float64(r.from.w))/2, (float64(r.to.h)-r.s*float64(r.from.h))/2
	return frame{f.x*r.s + dx, f.y*r.s + dy, f.w * r.s, f.h * r.s}
}

// stretched returns the frame of what is on a master or layout. Pictures keep their
// proportion: one that covers the page still does, another does not get larger on one side.
func (r *resize) stretched(s *shape, f frame) frame {
	sx, sy := r.sx, r.sy
	cx, cy := (f.x+f.w/2)*sx, (f.y+f.h/2)*sy
	switch {
	case s.n.Local == "pic" && f.w >= 0.98*float64(r.from.w) && f.h >= 0.98*float64(r.from.h):
		sx = math.Max(sx, sy)
		sy = sx
	case s.n.Local == "pic":
		sx = math.Min(sx, sy)
		sy = sx
	case sideways(s.turn()):
		sx, sy = sy, sx
	}
	return frame{cx - f.w*sx/2, cy - f.h*sy/2, f.w * sx, f.h * sy}
}

// scaledAttrs are the attributes with a length or a size of text, by their elements.
var scaledAttrs = map[string][]string{
	"rPr": {"sz"}, "endParaRPr": {"sz"}, "defRPr": {"sz"}, "spcPts": {"val"}, "buSzPts": {"val"}, "pPr": {"marL", "marR", "indent"}, "bodyPr": {"lIns", "tIns", "rIns", "bIns"},
	"gridCol": {"w"}, "tr": {"h"}, "tcPr": {"marL", "marR", "marT", "marB"}, "tab": {"pos"}, "ln": {"w"}, "lnL": {"w"}, "lnR": {"w"}, "lnT": {"w"}, "lnB": {"w"},
}

// scaleText scales the sizes of texts, indents, lines, and rows and columns of tables.
func (t *tree) scaleText(in *node, by float64) (out []xmlscan.Splice) {
	if by == 1 || in == nil {
		return nil
	}
	for n := range in.All() {
		if n.Space != nsA {
			continue
		}
		attrs := scaledAttrs[n.Local]
		if strings.HasPrefix(n.Local, "lvl") && strings.HasSuffix(n.Local, "pPr") {
			attrs = scaledAttrs["pPr"]
		}
		for _, name := range attrs {
			old, err := strconv.ParseFloat(n.Value(name), 64)
			if err != nil {
				continue
			}
			v := math.Round(old * by)
			if name == "sz" { // in half points, 1 to 4000 (21.1.10.68)
				v = math.Max(100, math.Min(400000, math.Round(old*by/50)*50))
			}
			if v != old {
				out = append(out, t.SetAttr(n, name, strconv.Itoa(int(v))))
			}
		}
	}
	return out
}

// presentation writes the size of slides, and the size of the text of new text boxes.
func (r *resize) presentation(ctx context.Context) error {
	t, err := r.tree(ctx, r.main)
	if err != nil {
		return err
	}
	typ := ""
	if r.to.typ != "" {
		typ = ` type="` + r.to.typ + `"`
	}
	xml := fmt.Sprintf(`<%s cx="%d" cy="%d"%s/>`, qualify(t.Root.Prefix, "sldSz"), r.to.w, r.to.h, typ)
	splices := t.scaleText(t.Root.Child(nsP, "defaultTextStyle"), r.s)
	if old := t.Root.Child(nsP, "sldSz"); old != nil {
		splices = append(splices, xmlscan.Splice{Start: old.Start, End: old.After, New: []byte(xml)})
	} else {
		splices = append(splices, t.insertIntoPresentation("sldSz", xml))
	}
	r.setTree(t, splices)
	return nil
}

// warn says what the new size does that nobody may want.
func (r *resize) warn(ctx context.Context, c *call, before []map[string]overflow) error {
	var out []string
	drawn, told, more := 0, 0, 0
	for i, s := range r.deck.slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := r.tree(ctx, s.part)
		if err != nil {
			return err
		}
		leaves := false
		for _, sh := range shapes(t.spTree(), shown) {
			drawn += btoi(sh.chart != "" || sh.smart != "")
			f, ok := frameOf(sh.xfrm())
			leaves = leaves || ok && !f.inside(r.to) && r.unscaled(f).inside(r.from)
		}
		if leaves {
			out = append(out, strconv.Itoa(i))
		}
		list, err := r.newOverflows(ctx, s.part, before[i])
		if err != nil {
			return err
		}
		for _, what := range list {
			if told++; told > 12 {
				more++
				continue
			}
			c.warn("slide %d: %s", i, what)
		}
	}
	if more > 0 {
		c.warn("%s more", formats.Count(more, "text"))
	}
	if len(out) > 0 {
		c.warn("contents leave the slide that did not before: slides %s", firstOf(out))
	}
	if r.s != 1 {
		c.note("contents of slides at %v%%, with the sizes of text, lines and tables; masters and layouts fill the new size", math.Round(r.s*1000)/10)
		if drawn > 0 {
			c.warn("the text in %s keeps its size", formats.Count(drawn, "chart or diagram"))
		}
	} else {
		c.note("contents of slides keep their size; masters and layouts fill the new size")
	}
	c.note("notes pages and handouts were not changed")
	return nil
}

// unscaled returns where a shape was before.
func (r *resize) unscaled(f frame) frame {
	dx, dy := (float64(r.to.w)-r.s*float64(r.from.w))/2, (float64(r.to.h)-r.s*float64(r.from.h))/2
	return frame{(f.x - dx) / r.s, (f.y - dy) / r.s, f.w / r.s, f.h / r.s}
}

// inside reports whether a frame is on the slide, but for two hundredths of it.
func (f frame) inside(s slideSize) bool {
	dx, dy := float64(s.w)*0.02, float64(s.h)*0.02
	return f.x >= -dx && f.y >= -dy && f.x+f.w <= float64(s.w)+dx && f.y+f.h <= float64(s.h)+dy
}
