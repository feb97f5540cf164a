package pptx

import (
	"context"
	"fmt"
	"math"

	"atelier/formats/ooxml/xmlscan"
)

// newObject is what an operation puts on a slide: a chart, picture or table.
type newObject struct {
	placeholder string // ST_PlaceholderType that takes one (19.7.10)
	noun        string // its name is this and a number
	// place gives its frame in a room; x, y, w and h are what was asked for, NaN
	// where nothing was.
	place func(room frame, x, y, w, h float64) frame
	xml   func(t *tree, s objectShell) (string, error) // the element, its parts having been added
}

// objectShell is what every object has around what is its own.
type objectShell struct {
	props  string // p:cNvPr
	holder string // p:nvPr, with the placeholder it fills
	frame  frame
}

// graphicFrame returns the p:graphicFrame (19.3.1.21) around a graphic of a
// kind.
func (s objectShell) graphicFrame(uri, graphic string) string {
	return fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr>%s<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr>%s</p:nvGraphicFramePr>%s<a:graphic><a:graphicData uri="%s">%s</a:graphicData></a:graphic></p:graphicFrame>`,
		s.props, s.holder, s.frame.xfrmXML("p:xfrm"), uri, graphic)
}

// addObject puts an object where the operation says, else into an empty
// placeholder for its kind, else where the slide has room.
func (d *deckEdit) addObject(ctx context.Context, c *call, a newObjectArgs, o newObject) error {
	x, y, w, h, err := a.lengths()
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	room, err := d.findFreePlace(ctx, t, o.placeholder)
	if err != nil {
		return err
	}
	s := objectShell{frame: o.place(room.frame, x, y, w, h)}
	if err := d.warnCovered(ctx, c, a.Place, t, s.frame, room.empty); err != nil {
		return err
	}
	ph := ""
	if a.placed() {
		room.empty = nil
	} else if room.empty != nil {
		ph = "<p:ph" + itemOf(room.empty).ph + "/>"
	}
	s.holder = "<p:nvPr>" + ph + "</p:nvPr>"
	id := t.nextShape()
	name := a.ShapeName
	if name == "" {
		name = fmt.Sprintf("%s %d", o.noun, id-1)
	}
	alt := ""
	if a.Alt != "" {
		alt = ` descr="` + xmlscan.EscapeAttr(a.Alt) + `"`
	}
	s.props = fmt.Sprintf(`<p:cNvPr id="%d" name="%s"%s/>`, id, xmlscan.EscapeAttr(name), alt)
	xml, err := o.xml(t, s)
	if err != nil {
		return err
	}
	c.r.Hits = 1
	c.made(c.slide, id)
	return d.insert(t, t.withBoundPrefixes(xml), room.empty)
}

// onSlide keeps what was moved from reaching over the slide's edge, where its
// width or height was not asked for.
func (d *deckEdit) onSlide(f frame, x, y, w, h float64) frame {
	if math.IsNaN(w) && !math.IsNaN(x) {
		f.w = math.Max(emuPerInch, math.Min(f.w, float64(d.width)-f.x))
	}
	if math.IsNaN(h) && !math.IsNaN(y) {
		f.h = math.Max(emuPerInch, math.Min(f.h, float64(d.height)-f.y))
	}
	return f
}
