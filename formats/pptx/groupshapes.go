package pptx

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// shapesArgs is the member of operations on several shapes of a slide.
type shapesArgs struct {
	Shapes []lenient.Int `json:"shapes" usage:"shapes (ids)" jsonschema:"{ops}: the shapes, by the numbers that maps and reads give"`
}

// groupShapesArgs are the members of group_shapes.
type groupShapesArgs struct {
	slideArgs
	shapesArgs
	ShapeName string `json:"shape_name" usage:"shape_name? (its name)" jsonschema:"{ops}: the name it gets"`
}

// sibling is a shape with the element that stands for it among its neighbours: the shape
// itself, or the alternate content that holds only it.
type sibling struct {
	*foundShape
	slot *node
}

// siblings returns the shapes that an operation names, which must be neighbours: on the
// slide itself, or in the same group. They come in the order they are named.
func (c *call) siblings(t *tree, a shapesArgs) ([]sibling, error) {
	if len(a.Shapes) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "shapes is required: a list of the numbers of shapes")
	}
	if len(a.Shapes) > maxArranged {
		return nil, formats.Errorf(formats.CodeTooLarge, "at most %d shapes at once", maxArranged)
	}
	var out []sibling
	for _, id := range a.Shapes {
		f, err := c.findShape(t, shapeArgs{ShapeID: &id}, "")
		if err != nil {
			return nil, err
		}
		s := sibling{f, f.n}
		for n := f.n.Parent; n != nil && n.Space == nsMC; n = n.Parent {
			if n.Local != "AlternateContent" {
				continue
			}
			if !holdsOnly(n, f.all) {
				return nil, formats.Errorf(formats.CodeUnsupported, "the shape %s is stored together with others for programs of different age; it cannot be taken alone", quote(f.name()))
			}
			s.slot = n
		}
		if slices.ContainsFunc(out, func(o sibling) bool { return o.slot == s.slot }) {
			return nil, formats.Errorf(formats.CodeInvalid, "the shape %d is named twice", id)
		}
		if len(out) > 0 && out[0].slot.Parent != s.slot.Parent {
			return nil, formats.Errorf(formats.CodeUnsupported, "the shapes %s and %s are not in the same group; ungroup first", quote(out[0].name()), quote(s.name()))
		}
		out = append(out, s)
	}
	return out, nil
}

// maxArranged bounds how many shapes an operation takes.
const maxArranged = 500

// groupShapes puts shapes into a group (19.3.1.22) where the one in front was. Places and
// looks stay.
func (d *deckEdit) groupShapes(ctx context.Context, c *call, a groupShapesArgs) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	list, err := c.siblings(t, a.shapesArgs)
	if err != nil {
		return err
	}
	if len(list) < 2 {
		return formats.Errorf(formats.CodeInvalid, "a group needs two shapes or more")
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, s := range list {
		f, ok := frameOf(s.xfrm())
		switch {
		case s.ph != nil:
			return formats.Errorf(formats.CodeUnsupported, "the shape %s is a placeholder; placeholders cannot be in a group", quote(s.name()))
		case s.tbl != nil:
			return formats.Errorf(formats.CodeUnsupported, "the shape %s is a table; tables cannot be in a group", quote(s.name()))
		case !ok:
			return formats.Errorf(formats.CodeUnsupported, "the shape %s has no place of its own; move_shape gives it one", quote(s.name()))
		}
		f = f.turned(s.turn())
		x0, y0, x1, y1 = math.Min(x0, f.x), math.Min(y0, f.y), math.Max(x1, f.x+f.w), math.Max(y1, f.y+f.h)
	}
	slices.SortFunc(list, func(a, b sibling) int { return a.slot.Start - b.slot.Start })
	id, name := t.nextShape(), a.ShapeName
	if name == "" {
		name = fmt.Sprintf("Group %d", id-1)
	}
	n := func(v float64) int { return int(math.Round(v)) }
	head := fmt.Sprintf(`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="%d" name="%s"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="%[3]d" y="%[4]d"/><a:ext cx="%[5]d" cy="%[6]d"/><a:chOff x="%[3]d" y="%[4]d"/><a:chExt cx="%[5]d" cy="%[6]d"/></a:xfrm></p:grpSpPr>`,
		id, xmlscan.EscapeAttr(name), n(x0), n(y0), n(x1)-n(x0), n(y1)-n(y0))
	whole := t.withBoundPrefixes(head + `</p:grpSp>`)
	end := strings.LastIndex(whole, "</")
	var sb strings.Builder
	sb.WriteString(whole[:end])
	var splices []xmlscan.Splice
	for _, s := range list {
		sb.Write(t.Raw(s.slot))
		splices = append(splices, xmlscan.Splice{Start: s.slot.Start, End: s.slot.After})
	}
	sb.WriteString(whole[end:])
	splices[len(splices)-1].New = []byte(sb.String())
	c.r.Hits = len(list)
	c.made(c.slide, id)
	d.setTree(t, splices)
	return nil
}

// turn returns how far a shape is turned, in degrees (20.1.7.6).
func (s *shape) turn() float64 { return float64(intOr(s.xfrm().Value("rot"), 0)) / 60000 }

// turned returns the bounds of a frame that is turned about its middle.
func (f frame) turned(degrees float64) frame {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := math.Abs(f.w*cos)+math.Abs(f.h*sin), math.Abs(f.w*sin)+math.Abs(f.h*cos)
	return frame{f.x + (f.w-w)/2, f.y + (f.h-h)/2, w, h}
}

// ungroupShapesArgs are the members of ungroup_shapes.
type ungroupShapesArgs struct {
	slideArgs
	shapeArgs
}

// ungroupShapes takes a group apart. Its scale, turn and flips go into the places of its
// shapes, which stay where they are and look as they did.
func (d *deckEdit) ungroupShapes(ctx context.Context, c *call, a ungroupShapesArgs) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	f, err := c.findShape(t, a.shapeArgs, "")
	switch {
	case err != nil:
		return err
	case f.n.Local != "grpSp":
		return formats.Errorf(formats.CodeInvalid, "the shape %s is a %s, not a group", quote(f.name()), strings.ReplaceAll(f.kind(), "_", " "))
	case f.alternative():
		return formats.Errorf(formats.CodeUnsupported, "the group %s is stored in versions for programs of different age; it cannot be taken apart", quote(f.name()))
	}
	var kids []*node
	for k := range f.n.Kids() {
		if isObject(k) || k.Is(nsMC, "AlternateContent") {
			kids = append(kids, k)
		}
	}
	gone := map[string]bool{f.cnv.Value("id"): true}
	for s := range flat(shapes(t.spTree(), every)) {
		if s.n != f.n {
			delete(gone, s.cnv.Value("id"))
		}
	}
	delete(gone, "")
	splices := []xmlscan.Splice{}
	if len(kids) == 0 {
		splices = append(splices, xmlscan.Splice{Start: f.n.Start, End: f.n.After})
	} else {
		splices = append(splices, xmlscan.Splice{Start: f.n.Start, End: kids[0].Start}, xmlscan.Splice{Start: kids[len(kids)-1].After, End: f.n.After})
		for _, k := range kids {
			splices = append(splices, t.carryNamespaces(f.n, k)...)
		}
		for _, s := range shapes(f.n, every) {
			splices = append(splices, t.outOfGroup(f.shape, s)...)
		}
	}
	splices = append(splices, t.disconnect(gone, nil)...)
	timed := t.unanimate(gone)
	if len(timed) > 0 {
		c.warn("the animation of the group was removed")
	}
	f.warnLost(c)
	c.r.Hits = len(shapes(f.n, shown))
	out := xmlscan.Apply(t.Doc, append(splices, timed...))
	d.edit.Set(t.part, out)
	return d.dropUnusedRels(ctx, t, out)
}

// warnLost says what a group had that its shapes do not get.
func (f *foundShape) warnLost(c *call) {
	if alt := f.cnv.Value("descr"); alt != "" {
		c.warn("the alternative text of the group was removed: %s", quote(oneLine(alt)))
	}
	if f.cnv.Child(nsA, "hlinkClick") != nil || f.cnv.Child(nsA, "hlinkHover") != nil {
		c.warn("the link of the group was removed")
	}
	props := f.n.Child(nsP, "grpSpPr")
	for _, e := range []string{"effectLst", "effectDag", "scene3d"} {
		if k := props.Child(nsA, e); k != nil && k.First != nil {
			c.warn("the %s of the group were removed", elementName(e))
		}
	}
}

// carryNamespaces declares in an element what the element around it declares.
func (t *tree) carryNamespaces(around, n *node) []xmlscan.Splice {
	add := ""
	for a := range around.Attributes() {
		if a.Name != "xmlns" && !strings.HasPrefix(a.Name, "xmlns:") {
			continue
		}
		if _, has := n.Attr(a.Name); !has {
			add += " " + a.Name + `="` + xmlscan.EscapeAttr(a.Value()) + `"`
		}
	}
	if add == "" {
		return nil
	}
	at := n.Start + 1 + len(n.Name())
	return []xmlscan.Splice{{Start: at, End: at, New: []byte(add)}}
}

// outOfGroup gives a shape of a group the place that the group gives it (20.1.7.5): the
// group scales it, mirrors it, and turns it about the middle of the group. A colour that
// it takes from the group becomes its own.
func (t *tree) outOfGroup(g, s *shape) []xmlscan.Splice {
	var out []xmlscan.Splice
	props := s.n.Child(nsP, "spPr")
	if s.n.Local == "grpSp" {
		props = s.n.Child(nsP, "grpSpPr")
	}
	if own := props.Child(nsA, "grpFill"); own != nil {
		for k := range g.n.Child(nsP, "grpSpPr").Kids() {
			if isFill(k) {
				out = append(out, xmlscan.Splice{Start: own.Start, End: own.After, New: t.Raw(k)})
			}
		}
	}
	xfrm, gx := s.xfrm(), g.xfrm()
	old, ok := frameOf(xfrm)
	outer, has := frameOf(gx)
	if !ok || !has {
		return out
	}
	p := onSlide.inside(g)
	turn := s.turn()
	f := p.of(old)
	if sideways(turn) { // it is scaled as it is seen
		mid := frame{f.x + f.w/2, f.y + f.h/2, old.w * p.sy, old.h * p.sx}
		f = frame{mid.x - mid.w/2, mid.y - mid.h/2, mid.w, mid.h}
	}
	flipH, flipV := isTrue(gx.Value("flipH")), isTrue(gx.Value("flipV"))
	cx, cy := outer.x+outer.w/2, outer.y+outer.h/2
	mx, my := f.x+f.w/2-cx, f.y+f.h/2-cy
	if flipH {
		mx = -mx
	}
	if flipV {
		my = -my
	}
	if flipH != flipV {
		turn = -turn
	}
	sin, cos := math.Sincos(g.turn() * math.Pi / 180)
	mx, my = mx*cos-my*sin, mx*sin+my*cos
	f.x, f.y = cx+mx-f.w/2, cy+my-f.h/2
	turn = math.Mod(turn+g.turn()+720, 360)
	out = append(out, t.placeShape(s, f)...)
	for _, a := range []struct {
		name string
		flip bool
	}{{"flipH", flipH}, {"flipV", flipV}} {
		if a.flip {
			out = append(out, t.SetAttr(xfrm, a.name, strconv.Itoa(btoi(!isTrue(xfrm.Value(a.name))))))
		}
	}
	if rot := int(math.Round(turn * 60000)); rot != (intOr(xfrm.Value("rot"), 0)+360*60000)%(360*60000) {
		out = append(out, t.SetAttr(xfrm, "rot", strconv.Itoa(rot)))
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sideways reports whether a turn exchanges width and height.
func sideways(degrees float64) bool {
	d := math.Mod(math.Abs(degrees), 180)
	return d >= 45 && d < 135
}
