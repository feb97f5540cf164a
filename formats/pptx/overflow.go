package pptx

import (
	"context"
	"fmt"
	"math"
)

// Only texts that are higher than their shape by the slack are told.
const (
	overflowSlack = 1.2
	shrinkSlack   = 1.7 // of a shape that makes its text smaller: below about 60 % it is hard to read
	edgeSlack     = 0.005
	slideSlack    = 1.02 // of a shape that grows, or a table, past the end of the slide
)

// textWriters are the operations that write text into shapes or tables of one slide.
// replace_text, which writes to many, compares slides itself.
var textWriters = map[string]bool{"add_slide": true, "fill_placeholders": true, "set_slide_text": true, "append_bullets": true, "set_shape_text": true, "add_text_box": true, "set_layout": true, "move_shape": true, "format_shape": true,
	"add_table": true, "set_table_cell": true, "format_table": true, "add_table_row": true, "add_table_column": true, "delete_table_column": true}

// overflow is a shape whose text is higher than the shape, or a table that ends below
// the slide or beyond its right edge.
type overflow struct {
	shape  *shape
	need   float64 // height of the text or table, EMU
	room   float64 // height of the shape, EMU
	slide  bool    // the shape grows with its text, past the end of the slide
	fits   bool    // it is not too high
	beyond float64 // how far a table reaches beyond the right edge, EMU
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
	list, err := d.newOverflows(ctx, c.part, before)
	for _, what := range list {
		c.warn("%s", what)
	}
	return err
}

// newOverflows says which texts of a slide do not fit any more, or less than before.
func (d *deckEdit) newOverflows(ctx context.Context, part string, before map[string]overflow) (out []string, err error) {
	t, err := d.deck.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	now, err := d.overflowsOf(ctx, t)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	return newOverflows(t, before, now), nil
}

// newOverflows says which texts of a slide do not fit now, or less than before.
func newOverflows(t *tree, before, now map[string]overflow) (out []string) {
	for s := range flat(shapes(t.spTree(), shown)) {
		o, ok := now[s.cnv.Value("id")]
		was, had := before[s.cnv.Value("id")]
		if !ok || had && !o.worse(was) {
			continue
		}
		delete(now, s.cnv.Value("id")) // once, where ids repeat
		if o.beyond > was.beyond+1 {
			out = append(out, fmt.Sprintf("the table in shape %s %s ends %v inches beyond the right edge of the slide", s.cnv.Value("id"), quote(s.name()), inches(o.beyond)))
		}
		if was.beyond = o.beyond; !o.fits && (!had || o.worse(was)) {
			out = append(out, o.words(s))
		}
	}
	return out
}

// worse reports whether more of a text does not fit than before.
func (o overflow) worse(was overflow) bool {
	switch {
	case o.beyond > was.beyond+1:
		return true
	case o.fits:
		return false
	case was.fits:
		return true
	case o.slide:
		return o.need > was.need
	}
	return o.need/o.room > was.need/was.room
}

// words says of a shape that its text does not fit.
func (o overflow) words(s *shape) string {
	what := "shape " + s.cnv.Value("id") + " " + quote(s.name())
	switch {
	case s.tbl != nil:
		return fmt.Sprintf("the table in %s ends below the slide: by estimate it needs %v inches of height; use smaller text, fewer rows or another slide", what, inches(o.need))
	case o.slide:
		return fmt.Sprintf("the text of %s ends below the slide: by estimate it needs %v inches of height", what, inches(o.need))
	}
	return fmt.Sprintf("the text of %s may not fit: by estimate it needs %v inches of height, the shape has %v; look at it, shorten it, split it or set font_size", what, inches(o.need), inches(o.room))
}

// overflows estimates which texts of a slide are higher than their shapes, by shape id.
func (d *deck) overflows(ctx context.Context, part string) (map[string]overflow, error) {
	t, err := d.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	return d.overflowsOf(ctx, t)
}

// overflowsOf is overflows of a slide that is parsed.
func (d *deck) overflowsOf(ctx context.Context, t *tree) (map[string]overflow, error) {
	m, err := d.measuring(ctx, t)
	if err != nil {
		return nil, err
	}
	out := map[string]overflow{}
	for i, s := range shapes(t.spTree(), shown) { // shapes in groups keep their measures from the group
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, ok := m.frame(s, onSlide)
		if !ok {
			continue
		}
		o, over := m.overflow(s, f, float64(d.height))
		if s.tbl != nil {
			o.fits, o.beyond = !over, math.Max(0, f.x+tableWidth(s)-float64(d.width))
			if o.beyond <= float64(d.width)*edgeSlack {
				o.beyond = 0
			}
			over = over || o.beyond > 0
		}
		if over {
			out[s.cnv.Value("id")] = o
		}
	}
	return out, nil
}

// overflow estimates whether the text of a shape is higher than the shape, or a table
// ends below the slide.
func (m *measuring) overflow(s *shape, f frame, slideHeight float64) (overflow, bool) {
	if s.tbl != nil {
		o := overflow{shape: s, need: m.tableHeight(s), room: f.h, slide: true}
		return o, f.y+o.need > slideHeight*slideSlack
	}
	if s.body == nil || s.n.Local != "sp" || f.w <= 0 || f.h <= 0 {
		return overflow{}, false
	}
	o := m.measure(s, f)
	o.scale = 1 // it was made to fit another text
	return o.overflow(s, f, slideHeight)
}

// overflow says whether a text that was measured is higher than its shape.
func (o measured) overflow(s *shape, f frame, slideHeight float64) (overflow, bool) {
	room := o.inner.h
	out := overflow{shape: s, need: o.need + f.h - room, room: f.h}
	switch {
	case o.sideways || !o.wraps || room <= 0 || o.inner.w <= 0:
		return out, false
	case o.fit == "spAutoFit":
		out.slide = true
		return out, f.y+out.need > slideHeight*slideSlack
	case o.fit == "normAutofit":
		return out, o.need*o.scale*o.scale > room*shrinkSlack // the lines get longer, too
	}
	return out, o.need > room*overflowSlack
}

// tableWidth returns the width of the columns of a table, EMU: the frame may say another.
func tableWidth(s *shape) (w float64) {
	for n := range s.tbl.Child(nsA, "tblGrid").Kids() {
		if n.Is(nsA, "gridCol") {
			w += float64(max(0, intOr(n.Value("w"), 0)))
		}
	}
	return w
}
