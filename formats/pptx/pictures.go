package pptx

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/picture"
)

type illustrated struct{}

// Pictures implements formats.Illustrated: those of the slide that sel names, else of all
// slides, then those of masters, layouts and other parts.
func (illustrated) Pictures(ctx context.Context, src formats.Source, sel formats.Selector, emit func(formats.Picture) error) error {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return err
	}
	if sel.SlideIndex != nil {
		if i := *sel.SlideIndex; i >= 0 && i < len(d.slides) {
			return d.picturesOf(ctx, pkg, i, emit)
		}
		return formats.Errorf(formats.CodeNotFound, "invalid slide_index: %d; the presentation has %s", *sel.SlideIndex, formats.Count(len(d.slides), "slide"))
	}
	seen := map[string]bool{}
	emit = picture.Seen(seen, emit)
	for i := range d.slides {
		if err := d.picturesOf(ctx, pkg, i, emit); err != nil {
			return err
		}
	}
	return picture.Others(ctx, pkg, seen, emit)
}

// picturesOf gives the pictures of a slide in z-order, its background first.
func (d *deck) picturesOf(ctx context.Context, pkg *opc.Package, i int, emit func(formats.Picture) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	part := d.slides[i].part
	t, err := d.tree(ctx, part)
	if err != nil {
		return err
	}
	rels, err := d.Rels(ctx, part)
	if err != nil {
		return err
	}
	byID := map[string]opc.Relationship{}
	for _, r := range rels {
		byID[r.ID] = r
	}
	give := func(n *node, at, name, alt string) error {
		for b := range n.All() {
			if !b.Is(nsA, "blip") {
				continue
			}
			r, ok := byID[b.RelValue("embed")]
			if !ok {
				if r, ok = byID[b.RelValue("link")]; !ok {
					continue
				}
			}
			p := picture.Of(ctx, pkg, r)
			p.At, p.Name, p.Alt = at, name, alt
			if err := emit(p); err != nil {
				return err
			}
		}
		return nil
	}
	if bg := t.Root.Down(nsP, "cSld", "bg"); bg != nil {
		if err := give(bg, fmt.Sprintf("slide_index %d, background", i), "", ""); err != nil {
			return err
		}
	}
	for s := range flat(shapes(t.spTree(), shown)) {
		if len(s.kids) > 0 {
			continue // each of the group has its own
		}
		if err := give(s.n, fmt.Sprintf("slide_index %d, shape_id %s", i, s.cnv.Value("id")), s.name(), s.cnv.Value("descr")); err != nil {
			return err
		}
	}
	return nil
}
