package pptx

import (
	"context"
	"math"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// moveShapeArgs are the members of move_shape.
type moveShapeArgs struct {
	slideArgs
	shapeArgs
	Place
}

// moveShape gives a shape another place or size; what is absent stays.
func (d *deckEdit) moveShape(ctx context.Context, c *call, a moveShapeArgs) error {
	if !a.placed() {
		return formats.Errorf(formats.CodeInvalid, "x, y, width or height is required, in inches")
	}
	x, y, w, h, err := a.lengths()
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	if f.grouped() {
		return formats.Errorf(formats.CodeUnsupported, "the shape %s is part of a group; move the group", quote(f.name()))
	}
	old, ok, err := d.frameOn(ctx, c.part, f.shape, onSlide)
	if err != nil {
		return err
	}
	if !ok && (math.IsNaN(x) || math.IsNaN(y) || math.IsNaN(w) || math.IsNaN(h)) {
		return formats.Errorf(formats.CodeInvalid, "the shape %s has no place yet; give x, y, width and height", quote(f.name()))
	}
	to := old.moved(x, y, w, h)
	var splices []xmlscan.Splice
	for _, s := range f.all {
		splices = append(splices, t.placeShape(s, to)...)
	}
	if len(splices) == 0 {
		return formats.Errorf(formats.CodeUnsupported, "the shape %s cannot be moved", quote(f.name()))
	}
	c.r.Hits = 1
	d.setTree(t, splices)
	return nil
}

// grouped reports whether the shape is in a group.
func (s *shape) grouped() bool {
	for n := s.n.Parent; n != nil; n = n.Parent {
		if n.Is(nsP, "grpSp") {
			return true
		}
	}
	return false
}

// placeShape writes where a shape stands; rotation and flips stay.
func (t *tree) placeShape(s *shape, f frame) []xmlscan.Splice {
	whole := func(v float64) string { return strconv.Itoa(int(math.Round(v))) }
	if off, ext := s.xfrm().Child(nsA, "off"), s.xfrm().Child(nsA, "ext"); off != nil && ext != nil {
		var out []xmlscan.Splice
		for _, a := range []struct {
			n     *node
			name  string
			value float64
		}{{off, "x", f.x}, {off, "y", f.y}, {ext, "cx", f.w}, {ext, "cy", f.h}} {
			out = append(out, t.SetAttr(a.n, a.name, whole(a.value)))
		}
		return out
	}
	spPr := s.n.Child(nsP, "spPr")
	if spPr == nil || s.xfrm() != nil {
		return nil
	}
	xml := []byte(t.withBoundPrefixes(f.xfrmXML("a:xfrm")))
	if spPr.Empty {
		return t.InsertLast(spPr, xml)
	}
	return []xmlscan.Splice{{Start: spPr.End, End: spPr.End, New: xml}}
}
