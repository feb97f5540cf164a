package pptx

import (
	"context"
	"math"
	"strconv"
)

// emuPerInch is the unit of DrawingML lengths (20.1.10.16).
const emuPerInch = 914400

// frame is where a shape is on its slide, in EMU.
type frame struct{ x, y, w, h float64 }

// inches rounds a length in EMU to hundredths of an inch.
func inches(emu float64) float64 { return math.Round(emu/emuPerInch*100) / 100 }

// frameOf reads an a:xfrm or p:xfrm.
func frameOf(xfrm *node) (frame, bool) {
	off, ext := xfrm.Child(nsA, "off"), xfrm.Child(nsA, "ext")
	if off == nil || ext == nil {
		return frame{}, false
	}
	f := func(n *node, name string) float64 { return float64(intOr(n.Value(name), 0)) }
	return frame{f(off, "x"), f(off, "y"), f(ext, "cx"), f(ext, "cy")}, true
}

// xfrm returns the element that places a shape, nil when the layout does.
func (s *shape) xfrm() *node {
	if s == nil {
		return nil
	}
	switch s.n.Local {
	case "graphicFrame":
		return s.n.Child(nsP, "xfrm")
	case "grpSp":
		return s.n.Down(nsP, "grpSpPr").Child(nsA, "xfrm")
	}
	return s.n.Down(nsP, "spPr").Child(nsA, "xfrm")
}

// place maps the coordinates inside a group to those of the slide.
type place struct{ dx, dy, sx, sy float64 }

var onSlide = place{0, 0, 1, 1}

func (p place) of(f frame) frame {
	return frame{p.dx + f.x*p.sx, p.dy + f.y*p.sy, f.w * p.sx, f.h * p.sy}
}

// inside returns the place of what the group s holds (20.1.7.6), s itself being
// at p.
func (p place) inside(s *shape) place {
	xfrm := s.xfrm()
	outer, ok := frameOf(xfrm)
	off, ext := xfrm.Child(nsA, "chOff"), xfrm.Child(nsA, "chExt")
	if !ok || off == nil || ext == nil {
		return p
	}
	outer = p.of(outer)
	ratio := func(a float64, b int) float64 {
		if b == 0 {
			return 1
		}
		return a / float64(b)
	}
	q := place{sx: ratio(outer.w, intOr(ext.Value("cx"), 0)), sy: ratio(outer.h, intOr(ext.Value("cy"), 0))}
	q.dx = outer.x - float64(intOr(off.Value("x"), 0))*q.sx
	q.dy = outer.y - float64(intOr(off.Value("y"), 0))*q.sy
	return q
}

// frameOn returns where the shape s of a slide stands: by itself or, as a
// placeholder, by the layout or the master.
func (d *deck) frameOn(ctx context.Context, slide string, s *shape, p place) (frame, bool, error) {
	if f, ok := frameOf(s.xfrm()); ok {
		return p.of(f), true, nil
	}
	if s.ph == nil {
		return frame{}, false, nil
	}
	lay, err := d.layoutOf(ctx, slide)
	if err != nil || lay == nil {
		return frame{}, false, err
	}
	master, err := d.masterOf(ctx, lay.part)
	f, ok := inheritedFrame(s, lay, master)
	return f, ok, err
}

// inheritedFrame returns where layout or master place a placeholder.
func inheritedFrame(s *shape, lay, master *layout) (frame, bool) {
	if s.ph == nil || lay == nil {
		return frame{}, false
	}
	like := lay.match(s)
	if like == nil {
		return frame{}, false
	}
	if f, ok := frameOf(like.xfrm()); ok || master == nil {
		return f, ok
	}
	return frameOf(master.typed[masterType(like.phType())].xfrm())
}

// match returns the placeholder of the layout that the placeholder s of a slide
// inherits from: that of its idx, for titles that of its type.
func (l *layout) match(s *shape) *shape {
	if s.isTitle() && l.title != nil {
		return l.title
	}
	if !s.isTitle() && s.ph.Value("idx") != "" {
		if it := l.indexed[strconv.Itoa(s.phIndex())]; it != nil {
			return it
		}
	}
	return l.typed[masterType(s.phType())]
}

// masterType returns the placeholder type of a master that a type inherits
// from.
func masterType(typ string) string {
	switch typ {
	case "ctrTitle":
		return "title"
	case "dt", "ftr", "sldNum", "title":
		return typ
	}
	return "body"
}

// masterOf reads the master of a layout the way layouts are read.
func (d *deck) masterOf(ctx context.Context, layoutPart string) (*layout, error) {
	rels, err := d.related(ctx, layoutPart, relMaster)
	if err != nil || len(rels) == 0 {
		return nil, err
	}
	return d.loadLayout(ctx, rels[0].Target)
}
