package pptx

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/ooxml/xmlscan"
)

// setLogoArgs are the members of set_logo.
type setLogoArgs struct {
	designArgs
	Path string `json:"path" usage:"path (\"\" removes it)" jsonschema:"{ops}: the picture file"`
	Place
	Alt       string `json:"alt" jsonschema:"{ops}: alternative text"`
	ShapeName string `json:"shape_name" usage:"shape_name? (default Logo; the one of that name is replaced)" jsonschema:"{ops}: the name it gets"`
}

// logoHeight is the height of a logo that no operation gives a size, as a part of the page.
const logoHeight = 0.07

// setLogo puts a picture on masters or on a layout, where all their slides show it, in the
// upper right corner unless told otherwise. An earlier one of the same name goes.
func (d *deckEdit) setLogo(ctx context.Context, c *call, a setLogoArgs) error {
	x, y, w, h, err := a.lengths()
	if err != nil {
		return err
	}
	var data []byte
	var pic image.Picture
	if a.Path != "" {
		if data, err = d.opt.OpenFile(ctx, a.Path, imageMax); err != nil {
			return err
		}
		if pic, err = image.Probe(data); err != nil {
			return err
		}
		if a.Alt == "" {
			c.warn("the picture has no alternative text; give alt")
		}
	}
	name := a.ShapeName
	if name == "" {
		name = "Logo"
	}
	g, err := d.designOf(ctx)
	if err != nil {
		return err
	}
	pages, err := d.pages(ctx, g, a.designArgs)
	if err != nil {
		return err
	}
	removed := 0
	for _, p := range pages {
		n, err := d.dropLogo(ctx, p.part, name)
		if err != nil {
			return err
		}
		removed += n
		if data == nil {
			delete(d.deck.layouts, p.part)
			continue
		}
		t, err := d.tree(ctx, p.part)
		if err != nil {
			return err
		}
		relID, err := d.addMedia(ctx, p.part, pic, data)
		if err != nil {
			return err
		}
		f := d.logoFrame(pic, x, y, w, h)
		xml := fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="%s" descr="%s"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr userDrawn="1"/></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>%s<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
			t.nextShape(), xmlscan.EscapeAttr(name), xmlscan.EscapeAttr(a.Alt), relID, f.xfrmXML("a:xfrm"))
		if err := d.insert(t, t.withBoundPrefixes(xml), nil); err != nil {
			return err
		}
		c.r.Hits++
		delete(d.deck.layouts, p.part)
		if err := d.warnOverTexts(ctx, c, g, p, f); err != nil {
			return err
		}
	}
	if data == nil {
		if c.r.Hits = removed; removed == 0 {
			c.warn("no picture is called %s there; nothing was removed", quote(name))
		}
		return nil
	}
	if removed > 0 {
		c.note("replaced %s", formats.Count(removed, "earlier picture"))
	}
	return d.noteHiddenLogo(ctx, c, g, pages)
}

// dropLogo removes the pictures of that name from a page.
func (d *deckEdit) dropLogo(ctx context.Context, part, name string) (int, error) {
	t, err := d.tree(ctx, part)
	if err != nil {
		return 0, err
	}
	var found []*shape
	for s := range flat(shapes(t.spTree(), every)) {
		if s.n.Local == "pic" && s.name() == name {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	return len(found), d.removeShape(ctx, t, &foundShape{shape: found[0], all: found})
}

// logoFrame is where a logo goes: the upper right corner, within the edge.
func (d *deckEdit) logoFrame(pic image.Picture, x, y, w, h float64) frame {
	pw, ph := float64(d.width), float64(d.height)
	if math.IsNaN(w) && math.IsNaN(h) {
		if h = ph * logoHeight; h*float64(pic.Width) > pw/4*float64(pic.Height) {
			w, h = pw/4, math.NaN()
		}
	}
	given := func(v float64) int64 {
		if math.IsNaN(v) {
			return 0
		}
		return int64(v)
	}
	cx, cy := pic.Fit(given(w), given(h), 0)
	f := frame{w: float64(cx), h: float64(cy)}
	edge := ph * 0.04
	f.x, f.y = pw-edge-f.w, edge
	return f.moved(x, y, math.NaN(), math.NaN())
}

// noteHiddenLogo says how many slides show what is on the pages, and which hide it
// (showMasterSp, 19.3.1.38).
func (d *deckEdit) noteHiddenLogo(ctx context.Context, c *call, g *design, pages []*layout) error {
	hidden := map[string]bool{}
	for _, l := range g.under(pages) {
		hidden[l.part] = isFalse(l.tree.Root.Value("showMasterSp"))
	}
	var not []string
	slides := g.followers(pages)
	for _, i := range slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := d.deck.slides[i].part
		t, err := d.tree(ctx, part)
		if err != nil {
			return err
		}
		lay, err := d.layoutOf(ctx, part)
		if err != nil {
			return err
		}
		if isFalse(t.Root.Value("showMasterSp")) || lay != nil && hidden[lay.part] {
			not = append(not, strconv.Itoa(i))
		}
	}
	c.note("used by %s", formats.Count(len(slides), "slide"))
	if len(not) > 0 {
		c.warn("the slides %s hide the shapes of their master and do not show it", firstOf(not))
	}
	return nil
}

// warnOverTexts warns when a logo lies over places for text of a page or of its layouts.
func (d *deckEdit) warnOverTexts(ctx context.Context, c *call, g *design, p *layout, f frame) error {
	master, err := d.masterOf(ctx, p.part)
	if err != nil {
		return err
	}
	pages, names := g.layouts[p.part], []string{}
	if master != nil {
		pages = []*layout{p}
	} else {
		master = p
	}
	for _, l := range pages {
		for _, s := range l.items {
			at, ok := frameOf(s.xfrm())
			if !ok {
				at, ok = inheritedFrame(s, l, master)
			}
			if ok && s.isTitle() && f.overlap(at) > 0.05*f.w*f.h {
				names = append(names, quote(l.name))
			}
		}
	}
	if len(names) > 0 {
		c.warn("it lies over the place for the title of the layouts %s; give x, y, width or height", firstOf(slices.Compact(names)))
	}
	return nil
}
