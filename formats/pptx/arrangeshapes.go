package pptx

import (
	"context"
	"math"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// arrangeShapesArgs are the members of arrange_shapes.
type arrangeShapesArgs struct {
	slideArgs
	shapesArgs
	Order      string `json:"order" usage:"order? (front, back, forward, backward, or listed: from back to front as shapes lists them)" jsonschema:"{ops}: front, back, forward, backward, or listed: from back to front, in which screen readers read"`
	Align      string `json:"align" usage:"align? (left, center, right, top, middle, bottom)" jsonschema:"{ops}: left, center, right, top, middle or bottom"`
	Distribute string `json:"distribute" usage:"distribute? (horizontally or vertically)" jsonschema:"{ops}: horizontally or vertically, with equal gaps"`
	To         string `json:"to" usage:"to? (slide or shapes)" jsonschema:"{ops}: what they are aligned to: slide, or shapes: the area of these shapes; default shapes, for one shape slide"`
}

var (
	shapeOrders = []string{"", "front", "back", "forward", "backward", "listed"}
	shapeAligns = []string{"", "left", "center", "right", "top", "middle", "bottom"}
	shapeGaps   = []string{"", "horizontally", "vertically"}
)

// arrangeShapes brings shapes forward or back, aligns them, and puts equal gaps between
// them.
func (d *deckEdit) arrangeShapes(ctx context.Context, c *call, a arrangeShapesArgs) error {
	for _, m := range []struct {
		name  string
		value *string
		allow []string
	}{{"order", &a.Order, shapeOrders}, {"align", &a.Align, shapeAligns}, {"distribute", &a.Distribute, shapeGaps}, {"to", &a.To, []string{"", "slide", "shapes"}}} {
		*m.value = strings.ToLower(strings.TrimSpace(*m.value))
		if m.name == "align" && *m.value == "centre" {
			*m.value = "center"
		}
		if !slices.Contains(m.allow, *m.value) {
			return formats.Errorf(formats.CodeInvalid, "%s must be %s, not %s", m.name, strings.Join(m.allow[1:], ", "), quote(*m.value))
		}
	}
	if a.Order == "" && a.Align == "" && a.Distribute == "" {
		return formats.Errorf(formats.CodeInvalid, "nothing to do: give order, align or distribute")
	}
	if a.To == "" {
		a.To = "shapes"
		if len(a.Shapes) == 1 {
			a.To = "slide"
		}
	}
	if a.Align != "" || a.Distribute != "" {
		if err := d.alignShapes(ctx, c, a); err != nil {
			return err
		}
	}
	c.r.Hits = len(a.Shapes)
	if a.Order == "" {
		return nil
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	list, err := c.siblings(t, a.shapesArgs)
	if err != nil {
		return err
	}
	d.setTree(t, t.reorder(list, a.Order))
	return nil
}

// reorder returns the edits that put shapes into another order among their neighbours;
// what is between the elements stays.
func (t *tree) reorder(list []sibling, order string) []xmlscan.Splice {
	var old []*node
	for k := range list[0].slot.Parent.Kids() {
		if isObject(k) || k.Is(nsMC, "AlternateContent") {
			old = append(old, k)
		}
	}
	in := func(n *node) bool {
		return slices.ContainsFunc(list, func(s sibling) bool { return s.slot == n })
	}
	now := slices.Clone(old)
	switch order {
	case "front", "back":
		slices.SortStableFunc(now, func(a, b *node) int {
			if order == "front" {
				return btoi(in(a)) - btoi(in(b))
			}
			return btoi(in(b)) - btoi(in(a))
		})
	case "forward":
		for i := len(now) - 2; i >= 0; i-- {
			if in(now[i]) && !in(now[i+1]) {
				now[i], now[i+1] = now[i+1], now[i]
			}
		}
	case "backward":
		for i := 1; i < len(now); i++ {
			if in(now[i]) && !in(now[i-1]) {
				now[i], now[i-1] = now[i-1], now[i]
			}
		}
	case "listed":
		next := 0
		for i, n := range old {
			if in(n) {
				now[i] = list[next].slot
				next++
			}
		}
	}
	var out []xmlscan.Splice
	for i, n := range old {
		if now[i] != n {
			out = append(out, xmlscan.Splice{Start: n.Start, End: n.After, New: t.Raw(now[i])})
		}
	}
	return out
}

// arranged is a shape that is aligned: its bounds as it is seen, and its frame.
type arranged struct {
	sibling
	seen, frame frame
}

// alignShapes aligns shapes and spreads them.
func (d *deckEdit) alignShapes(ctx context.Context, c *call, a arrangeShapesArgs) error {
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	found, err := c.siblings(t, a.shapesArgs)
	if err != nil {
		return err
	}
	area := frame{0, 0, float64(d.width), float64(d.height)}
	var list []*arranged
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, s := range found {
		if s.grouped() {
			return formats.Errorf(formats.CodeUnsupported, "the shape %s is part of a group; align the group", quote(s.name()))
		}
		f, ok, err := d.frameOn(ctx, c.part, s.shape, onSlide)
		if err != nil {
			return err
		}
		if !ok {
			return formats.Errorf(formats.CodeUnsupported, "the shape %s has no place yet; move_shape gives it one", quote(s.name()))
		}
		g := f.turned(s.turn())
		x0, y0, x1, y1 = math.Min(x0, g.x), math.Min(y0, g.y), math.Max(x1, g.x+g.w), math.Max(y1, g.y+g.h)
		list = append(list, &arranged{s, g, f})
	}
	if a.To == "shapes" {
		area = frame{x0, y0, x1 - x0, y1 - y0}
	}
	if a.Distribute != "" {
		if least := map[string]int{"slide": 2, "shapes": 3}[a.To]; len(list) < least {
			return formats.Errorf(formats.CodeInvalid, "distribute needs %d shapes or more", least)
		}
		spread(list, area, a.Distribute == "horizontally", a.To == "slide")
	}
	var splices []xmlscan.Splice
	moved := map[string]bool{}
	for _, s := range list {
		s.align(a.Align, area)
		to := s.frame
		was := to.turned(s.turn())
		to.x, to.y = to.x+s.seen.x-was.x, to.y+s.seen.y-was.y
		if math.Round(to.x) == math.Round(s.frame.x) && math.Round(to.y) == math.Round(s.frame.y) {
			continue
		}
		moved[s.cnv.Value("id")] = true
		for _, o := range s.all {
			splices = append(splices, t.placeShape(o, to)...)
		}
	}
	if n := t.connectorsOf(moved); n > 0 {
		c.warn("%s to the moved shapes stay where they are", formats.Count(n, "connector"))
	}
	d.setTree(t, splices)
	return nil
}

// connectorsOf counts the connectors that are tied to shapes and do not move with them.
func (t *tree) connectorsOf(ids map[string]bool) (n int) {
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.n.Local != "cxnSp" || ids[s.cnv.Value("id")] {
			continue
		}
		tied := false
		for k := range s.n.All() {
			tied = tied || (k.Is(nsA, "stCxn") || k.Is(nsA, "endCxn")) && ids[k.Value("id")]
		}
		n += btoi(tied)
	}
	return n
}

// align moves the bounds of a shape to an edge or the middle of an area.
func (s *arranged) align(how string, area frame) {
	switch how {
	case "left":
		s.seen.x = area.x
	case "center":
		s.seen.x = area.x + (area.w-s.seen.w)/2
	case "right":
		s.seen.x = area.x + area.w - s.seen.w
	case "top":
		s.seen.y = area.y
	case "middle":
		s.seen.y = area.y + (area.h-s.seen.h)/2
	case "bottom":
		s.seen.y = area.y + area.h - s.seen.h
	}
}

// spread puts equal gaps between shapes in an area, in the order they stand in; edges also
// leaves such gaps at the ends.
func spread(list []*arranged, area frame, across, edges bool) {
	order := slices.Clone(list)
	at := func(s *arranged) (*float64, float64) {
		if across {
			return &s.seen.x, s.seen.w
		}
		return &s.seen.y, s.seen.h
	}
	middle := func(s *arranged) float64 { p, size := at(s); return *p + size/2 }
	slices.SortStableFunc(order, func(a, b *arranged) int {
		if d := middle(a) - middle(b); d != 0 {
			return btoi(d > 0)*2 - 1
		}
		return 0
	})
	start, room := area.y, area.h
	if across {
		start, room = area.x, area.w
	}
	for _, s := range order {
		_, size := at(s)
		room -= size
	}
	gap := room / float64(len(order)-1)
	if edges {
		gap = room / float64(len(order)+1)
		start += gap
	}
	for _, s := range order {
		p, size := at(s)
		*p = start
		start += size + gap
	}
}
