package pptx

import (
	"context"
	"fmt"
	"math"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// maxInches bounds lengths: a slide has at most 56 inches (19.7.10).
const maxInches = 100

// lengths returns the members x, y, width and height in EMU, negative when
// absent.
func (a Place) lengths() (x, y, w, h float64, err error) {
	x, y, w, h = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	for _, l := range []struct {
		name  string
		given *float64
		min   float64
		to    *float64
	}{{"x", (*float64)(a.X), -maxInches, &x}, {"y", (*float64)(a.Y), -maxInches, &y}, {"width", (*float64)(a.Width), 0.01, &w}, {"height", (*float64)(a.Height), 0.01, &h}} {
		if l.given == nil {
			continue
		}
		if *l.given < l.min || *l.given > maxInches {
			return 0, 0, 0, 0, formats.Errorf(formats.CodeInvalid, "%s must be %v to %d inches, not %v", l.name, l.min, maxInches, *l.given)
		}
		*l.to = math.Round(*l.given * emuPerInch)
	}
	return x, y, w, h, nil
}

// placed reports whether an operation says anything of where to put its shape.
func (a Place) placed() bool {
	return a.X != nil || a.Y != nil || a.Width != nil || a.Height != nil
}

// freePlace is where a new shape goes: a frame, and the empty placeholder it fills.
type freePlace struct {
	frame
	empty *shape
}

// findFreePlace finds room for a new table or picture: an empty placeholder for
// content, which it fills as in PowerPoint; else what is left below the title.
func (d *deckEdit) findFreePlace(ctx context.Context, t *tree, kind string) (freePlace, error) {
	list := shapes(t.spTree(), shown)
	var empty *shape
	for _, s := range list {
		typ := s.phType()
		if s.body == nil || hasText(s.body) || s.alternative() || typ != "obj" && typ != kind {
			continue
		}
		if empty == nil || typ == kind && empty.phType() != kind {
			empty = s
		}
	}
	if empty != nil {
		f, ok, err := d.frameOn(ctx, t.part, empty, onSlide)
		if err != nil || ok && f.w > 0 && f.h > 0 {
			return freePlace{f, empty}, err
		}
	}
	w, h := float64(d.width), float64(d.height)
	top := h * 0.08
	if title := titleOf(list); title != nil {
		if f, ok, err := d.frameOn(ctx, t.part, title, onSlide); err != nil {
			return freePlace{}, err
		} else if ok && f.y+f.h < h*0.6 {
			top = f.y + f.h + h*0.02
		}
	}
	return freePlace{frame: frame{w * 0.07, top, w * 0.86, h*0.92 - top}}, nil
}

// insert puts a new shape last, or in the place of an empty placeholder.
func (d *deckEdit) insert(t *tree, xml string, empty *shape) error {
	tree := t.spTree()
	if tree == nil {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no shape tree", t.part)
	}
	at := insertAt(tree, false)
	splices := []xmlscan.Splice{{Start: at, End: at, New: []byte(xml)}}
	if empty != nil {
		splices = []xmlscan.Splice{{Start: empty.n.Start, End: empty.n.After, New: []byte(xml)}}
	}
	if tree.Empty {
		splices = t.InsertLast(tree, []byte(xml))
	}
	d.setTree(t, splices)
	return nil
}

// withBoundPrefixes returns a shape written with the prefixes p:, a: and r:, in those
// that the part has bound; what is not bound is declared.
func (t *tree) withBoundPrefixes(xml string) string {
	tree := t.spTree()
	p := ""
	if tree != nil {
		p = tree.Prefix
	}
	decl := ""
	prefix := func(want, space string) string {
		if have, ok := tree.PrefixOf(space); ok {
			return have
		}
		decl += ` xmlns:` + want + `="` + t.uri(space) + `"`
		return want
	}
	a, r := prefix("a", nsA), "r"
	if strings.Contains(xml, ` r:embed="`) {
		r = prefix("r", nsR)
	}
	xml = reprefix(xml, p, a)
	if r != "r" {
		xml = replaceAttrPrefix(xml, r)
	}
	if decl == "" {
		return xml
	}
	end := strings.IndexAny(xml, " />")
	return xml[:end] + decl + xml[end:]
}

// xfrmXML places a shape; q is the element's name.
func (f frame) xfrmXML(q string) string {
	n := func(v float64) int { return int(math.Round(v)) }
	return fmt.Sprintf(`<%s><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></%s>`, q, n(f.x), n(f.y), n(f.w), n(f.h), q)
}

// nextShape returns the id of a new shape.
func (t *tree) nextShape() int { return t.maxID() + 1 }

// textLine is the height of a line of ordinary text.
const textLine = 0.4 * emuPerInch

// addTextBoxArgs are the members of add_text_box.
type addTextBoxArgs struct {
	slideArgs
	textArgs
	newShapeArgs
	lookArgs
}

// addTextBox puts text anywhere on a slide.
func (d *deckEdit) addTextBox(ctx context.Context, c *call, a addTextBoxArgs) error {
	lines, err := a.lines(a.lookArgs)
	if err != nil {
		return err
	}
	x, y, w, h, err := a.lengths()
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	room, err := d.findFreePlace(ctx, t, "")
	if err != nil {
		return err
	}
	f := room.frame
	f.h = textLine * float64(len(lines))
	f = f.moved(x, y, w, h)
	if math.IsNaN(w) && !math.IsNaN(x) {
		f.w = math.Max(emuPerInch, math.Min(f.w, float64(d.width)-f.x))
	}
	if err := d.warnCovered(ctx, c, a.Place, t, f, room.empty); err != nil {
		return err
	}
	for i := range lines {
		lines[i].level = max(0, lines[i].level)
	}
	id := t.nextShape()
	name := a.ShapeName
	if name == "" {
		name = fmt.Sprintf("TextBox %d", id-1)
	}
	xml := fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>%s<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody><a:bodyPr wrap="square" rtlCol="0"><a:spAutoFit/></a:bodyPr><a:lstStyle/>%s</p:txBody></p:sp>`,
		id, xmlscan.EscapeAttr(name), f.xfrmXML("a:xfrm"), t.paragraphsXML(lines))
	c.r.Hits = len(lines)
	c.made(c.slide, id)
	return d.insert(t, t.withBoundPrefixes(xml), nil)
}

// moved is f with what is given in its place; NaN leaves it.
func (f frame) moved(x, y, w, h float64) frame {
	for _, v := range []struct {
		to  *float64
		new float64
	}{{&f.x, x}, {&f.y, y}, {&f.w, w}, {&f.h, h}} {
		if !math.IsNaN(v.new) {
			*v.to = v.new
		}
	}
	return f
}
