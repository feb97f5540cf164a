package pptx

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// reload reads the slide list again after the presentation part changed.
func (d *deckEdit) reload(ctx context.Context) error {
	layouts := d.layouts
	err := d.load(ctx)
	d.layouts = layouts
	return err
}

// hideSlideArgs are the members of hide_slide.
type hideSlideArgs struct {
	slideArgs
	Hidden *lenient.Bool `json:"hidden" jsonschema:"{ops}: false shows it again"`
}

// hideSlide hides a slide in the show, or shows it again (19.3.1.38).
func (d *deckEdit) hideSlide(ctx context.Context, c *call, a hideSlideArgs) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	c.r.Hits = 1
	hide := a.Hidden == nil || bool(*a.Hidden)
	if hide == isFalse(t.Root.Value("show")) {
		return nil
	}
	value := ""
	if hide {
		value = "0"
	}
	d.setTree(t, []xmlscan.Splice{t.SetAttr(t.Root, "show", value)})
	return nil
}

// moveSlideArgs are the members of move_slide.
type moveSlideArgs struct {
	slideArgs
	Position *lenient.Int `json:"position" usage:"position" old:"at" jsonschema:"{ops}: index the slide gets"`
}

// moveSlide gives a slide another place in the presentation.
func (d *deckEdit) moveSlide(ctx context.Context, c *call, a moveSlideArgs) error {
	if a.Position == nil {
		return formats.Errorf(formats.CodeInvalid, "position is required: the index the slide gets, counted from 0")
	}
	to, err := positionArgs{a.Position}.place(0, len(d.slides)-1)
	if err != nil {
		return err
	}
	c.r.Hits = 1
	c.made(to, 0)
	if to == c.slide {
		return nil
	}
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	order := slices.Clone(d.slides)
	moved := order[c.slide]
	order = slices.Insert(slices.Delete(order, c.slide, c.slide+1), to, moved)
	// The entries change places; what is between them stays.
	var splices []xmlscan.Splice
	entries := d.entries(t)
	for i, s := range d.slides {
		if order[i] != s {
			at := entries[s]
			splices = append(splices, xmlscan.Splice{Start: at.Start, End: at.After, New: t.Raw(entries[order[i]])})
		}
	}
	splices = append(splices, t.resection(sectionsAfterMove(t, order, to), order)...)
	d.edit.Set(d.main, xmlscan.Apply(t.Doc, splices))
	return d.reload(ctx)
}

// entries returns the elements of the slide list by what they lead to.
func (d *deck) entries(t *tree) map[slideRef]*node {
	byID := map[string]slideRef{}
	for _, s := range d.slides {
		byID[s.id] = s
	}
	out := map[slideRef]*node{}
	for n := range t.Root.Child(nsP, "sldIdLst").Kids() {
		if s, ok := byID[n.Value("id")]; ok && out[s] == nil {
			out[s] = n
		}
	}
	return out
}

// deleteSlide removes a slide with all that only it used.
func (d *deckEdit) deleteSlide(ctx context.Context, c *call, _ slideArgs) error {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	slide := d.slides[c.slide]
	entry := d.entries(t)[slide]
	if entry == nil {
		return formats.Errorf(formats.CodeCorrupt, "the slide list of %s is damaged", d.name)
	}
	relID := entry.RelValue("id")
	cuts := []xmlscan.Splice{{Start: entry.Start, End: entry.After}}
	cuts = append(cuts, t.unlistShows(relID)...)
	order := slices.Delete(slices.Clone(d.slides), c.slide, c.slide+1)
	cuts = append(cuts, t.resection(sectionsOf(t), order)...)
	d.edit.Set(d.main, xmlscan.Apply(t.Doc, cuts))
	c.r.Hits = 1
	if slices.ContainsFunc(order, func(s slideRef) bool { return s.part == slide.part }) {
		return d.reload(ctx) // a damaged list names the slide twice
	}
	if err := d.edit.RemoveRel(ctx, d.main, relID); err != nil {
		return err
	}
	if err := d.reload(ctx); err != nil {
		return err
	}
	d.suspects = append(d.suspects, slide.part)
	links, err := d.unlink(ctx, slide.part)
	if links > 0 {
		c.warn("%d links to the slide were removed", links)
	}
	return err
}

// unlistShows cuts a slide out of the custom shows (19.2.1.5); one that has no
// other slide goes.
func (t *tree) unlistShows(relID string) []xmlscan.Splice {
	var cuts []xmlscan.Splice
	list := t.Root.Child(nsP, "custShowLst")
	shows, goneShows := 0, 0
	for show := range list.Kids() {
		shows++
		var own []xmlscan.Splice
		left := 0
		for s := range show.Child(nsP, "sldLst").Kids() {
			if s.RelValue("id") == relID {
				own = append(own, xmlscan.Splice{Start: s.Start, End: s.After})
			} else {
				left++
			}
		}
		if left == 0 && len(own) > 0 {
			own = []xmlscan.Splice{{Start: show.Start, End: show.After}}
			goneShows++
		}
		cuts = append(cuts, own...)
	}
	if shows > 0 && goneShows == shows {
		return []xmlscan.Splice{{Start: list.Start, End: list.After}}
	}
	return cuts
}

// unlink removes what leads to a slide that is gone from all other parts:
// hyperlinks of slides, notes and layouts, and the outline view's entry.
func (d *deckEdit) unlink(ctx context.Context, gone string) (links int, err error) {
	alive, err := d.reach(ctx, []string{""}, map[string]string{strings.ToLower(gone): gone})
	if err != nil {
		return 0, err
	}
	for _, part := range slices.Sorted(maps.Values(alive)) {
		rels, err := d.Rels(ctx, part)
		if err != nil {
			return links, err
		}
		for _, r := range rels {
			if r.External || r.Type != relSlide || !strings.EqualFold(r.Target, gone) {
				continue
			}
			n, err := d.cutLinks(ctx, part, r)
			if err != nil {
				return links, err
			}
			links += n
		}
	}
	return links, nil
}

// cutLinks removes a relationship with what uses it, and counts the hyperlinks
// among that.
func (d *deckEdit) cutLinks(ctx context.Context, part string, r opc.Relationship) (int, error) {
	t, err := d.tree(ctx, part)
	if err != nil {
		return 0, err
	}
	var cuts []xmlscan.Splice
	links := 0
	for n := range t.Root.All() {
		view := n.Is(nsP, "sld") && n.In(nsP, "sldLst")
		if n.RelValue("id") == r.ID && (n.Space == nsA || view) && !insideCuts(n, cuts) {
			cuts = append(cuts, xmlscan.Splice{Start: n.Start, End: n.After})
			if !view {
				links++
			}
		}
	}
	if out := xmlscan.Apply(t.Doc, cuts); !bytes.Equal(out, t.Doc) {
		d.edit.Set(part, out)
	}
	return links, d.edit.RemoveRel(ctx, part, r.ID)
}

// duplicateSlideArgs are the members of duplicate_slide.
type duplicateSlideArgs struct {
	slideArgs
	positionArgs
}

// duplicateSlide puts a copy of a slide after it or at position.
func (d *deckEdit) duplicateSlide(ctx context.Context, c *call, a duplicateSlideArgs) error {
	at, err := a.place(c.slide+1, len(d.slides))
	if err != nil {
		return err
	}
	cp := &copier{deckEdit: d, made: map[string]string{}, slide: c.part}
	part, err := cp.copyPart(ctx, c.part)
	if err != nil {
		return err
	}
	if cp.comments > 0 {
		c.warn("the comments of the slide were not copied")
	}
	relID, err := d.edit.AddRel(ctx, d.main, opc.Relationship{Type: relSlide, Target: part})
	if err != nil {
		return err
	}
	c.r.Hits = 1
	c.r.Made = fmt.Sprintf("slide index %d", at)
	return d.listSlide(ctx, relID, at)
}
