package pptx

import (
	"context"
	"math"
)

// warnCovered says which shapes with content a new one in the frame f lies
// over, when the operation did not say where to put it. empty is the
// placeholder that it fills.
func (d *deckEdit) warnCovered(ctx context.Context, c *call, a Place, t *tree, f frame, empty *shape) error {
	if a.placed() {
		return nil
	}
	var under []*shape
	for _, s := range shapes(t.spTree(), shown) {
		if s == empty || isFooterType(s.phType()) || s.kind() == kindShape || s.kind() == kindLine || s.body != nil && !hasText(s.body) {
			continue
		}
		own, ok, err := d.frameOn(ctx, t.part, s, onSlide)
		if err != nil {
			return err
		}
		if ok && f.overlap(own) > 0.05*math.Min(f.w*f.h, own.w*own.h) {
			under = append(under, s)
		}
	}
	if len(under) > 0 {
		c.warn("it lies over the shapes %s; give x, y, width and height, or another slide", shapeList(under))
	}
	return nil
}

// overlap returns the area that two frames share.
func (f frame) overlap(g frame) float64 {
	w := math.Min(f.x+f.w, g.x+g.w) - math.Max(f.x, g.x)
	h := math.Min(f.y+f.h, g.y+g.h) - math.Max(f.y, g.y)
	return math.Max(0, w) * math.Max(0, h)
}
