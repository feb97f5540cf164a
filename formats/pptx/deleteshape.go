package pptx

import (
	"context"
	"slices"

	"atelier/formats/ooxml/xmlscan"
)

// deleteShapeArgs are the members of delete_shape.
type deleteShapeArgs struct {
	slideArgs
	shapeArgs
}

// deleteShape removes a shape with what only it used: its animations, the ends
// of connectors that were tied to it, its relationships and their parts.
func (d *deckEdit) deleteShape(ctx context.Context, c *call, a deleteShapeArgs) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	if err != nil {
		return err
	}
	c.r.Hits = 1
	return d.removeShape(ctx, t, f)
}

func (d *deckEdit) removeShape(ctx context.Context, t *tree, f *foundShape) error {
	gone := map[string]bool{}
	var cuts []xmlscan.Splice
	for _, s := range f.all {
		for k := range flat([]*shape{s}) {
			gone[k.cnv.Value("id")] = true
		}
		n := s.n
		// Alternate content of nothing is better gone as a whole.
		for a := n.Parent; a != nil; a = a.Parent {
			if a.Is(nsMC, "AlternateContent") && holdsOnly(a, f.all) {
				n = a
			}
		}
		cut := xmlscan.Splice{Start: n.Start, End: n.After}
		if !slices.ContainsFunc(cuts, func(o xmlscan.Splice) bool { return o.Start == cut.Start }) {
			cuts = append(cuts, cut)
		}
	}
	// An id that another shape has too may still be meant.
	for s := range flat(shapes(t.spTree(), every)) {
		if !insideCuts(s.n, cuts) {
			delete(gone, s.cnv.Value("id"))
		}
	}
	delete(gone, "")
	cuts = append(cuts, t.disconnect(gone, cuts)...)
	cuts = append(cuts, t.unanimate(gone)...)
	out := xmlscan.Apply(t.Doc, cuts)
	d.edit.Set(t.part, out)
	return d.dropUnusedRels(ctx, t, out)
}

// insideCuts reports whether n lies in one of the cuts.
func insideCuts(n *node, cuts []xmlscan.Splice) bool {
	return slices.ContainsFunc(cuts, func(c xmlscan.Splice) bool { return n.Start >= c.Start && n.After <= c.End })
}

// holdsOnly reports whether the branches of alternate content hold no shape
// but these.
func holdsOnly(a *node, list []*shape) bool {
	for s := range flat(shapes(a.Parent, every)) {
		inside := s.n.Start >= a.Start && s.n.After <= a.After
		known := slices.ContainsFunc(list, func(k *shape) bool { return s.n.Start >= k.n.Start && s.n.After <= k.n.After })
		if inside && !known {
			return false
		}
	}
	return true
}

// disconnect cuts the connections (20.1.2.2.36) of lines to shapes that are gone.
func (t *tree) disconnect(gone map[string]bool, cuts []xmlscan.Splice) []xmlscan.Splice {
	var out []xmlscan.Splice
	for n := range t.Root.All() {
		if (n.Is(nsA, "stCxn") || n.Is(nsA, "endCxn")) && gone[n.Value("id")] && !insideCuts(n, cuts) {
			out = append(out, xmlscan.Splice{Start: n.Start, End: n.After})
		}
	}
	return out
}

// timingSteps are the elements of a timing tree that can go without making it
// invalid (19.5).
var timingSteps = []string{"par", "seq", "excl", "video", "audio", "timing"}

// unanimate cuts the animations of shapes that are gone: of each the largest
// step that concerns nothing else.
func (t *tree) unanimate(gone map[string]bool) []xmlscan.Splice {
	timing := t.Root.Child(nsP, "timing")
	if timing == nil {
		return nil
	}
	var cuts []xmlscan.Splice
	add := func(n *node) {
		if !insideCuts(n, cuts) {
			cuts = append(slices.DeleteFunc(cuts, func(c xmlscan.Splice) bool { return c.Start >= n.Start && c.End <= n.After }), xmlscan.Splice{Start: n.Start, End: n.After})
		}
	}
	for n := range timing.All() {
		if !n.Is(nsP, "spTgt") || !gone[n.Value("spid")] {
			continue
		}
		var best *node
		for a := n.Parent; a != nil && a != timing.Parent; a = a.Parent {
			if !aimsOnlyAt(a, gone) {
				break
			}
			if a.Space == nsP && slices.Contains(timingSteps, a.Local) {
				best = a
			}
		}
		if best != nil {
			add(best)
		}
	}
	list := timing.Child(nsP, "bldLst")
	if list == nil || insideCuts(list, cuts) {
		return cuts
	}
	left := false
	var builds []xmlscan.Splice
	for b := range list.Kids() {
		if gone[b.Value("spid")] {
			builds = append(builds, xmlscan.Splice{Start: b.Start, End: b.After})
		} else {
			left = true
		}
	}
	if !left && len(builds) > 0 {
		builds = []xmlscan.Splice{{Start: list.Start, End: list.After}}
	}
	return append(cuts, builds...)
}

// aimsOnlyAt reports whether all shapes that are animated in n are gone.
func aimsOnlyAt(n *node, gone map[string]bool) bool {
	for k := range n.All() {
		if (k.Is(nsP, "spTgt") || k.Is(nsP, "inkTgt")) && !gone[k.Value("spid")] {
			return false
		}
	}
	return true
}
