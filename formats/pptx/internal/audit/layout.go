package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"atelier/formats"
)

const (
	muchHigher   = 1.5             // a text than its shape
	edgeSlack    = emuPerInch / 10 // beyond an edge of the slide
	edgeShare    = 0.08            // of a text that is beyond it
	textOverlap  = 0.25            // of the smaller of two texts
	textDepth    = emuPerInch / 14 // in which two texts must lie over each other
	coveredText  = 0.5             // of a text under something
	partlyOver   = 0.25            // of a text that runs over the edge of a picture
	whollyOver   = 0.85            // of a text that is on a picture on purpose
	overlapsMost = 12              // told of one slide
	overlapsHeld = 1_000           // before the worst are told
)

// overflows reports texts that are higher than their shapes.
func (a *Auditor) overflows(_ context.Context, s *Slide) {
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		o := sh.Text.Over
		if !o.Is || sh.Hidden || isFooter(sh.Placeholder) {
			continue
		}
		page := Frame{0, 0, a.deck.Width, a.deck.Height}
		severity := formats.SeverityMedium
		if o.Below || o.Need > muchHigher*o.Room && (sh.Fill.Kind != FillNone || leaves(sh.Text.Ink, page)) {
			severity = formats.SeverityHigh
		}
		if o.Below {
			a.find(kindOverflow, severity, s.shapeAt(sh.ID), fmt.Sprintf("the %s ends below the slide: by estimate it needs %v inches of height", sh.named(), inches(o.Need)), "less text, or more slides")
			continue
		}
		a.find(kindOverflow, severity, s.shapeAt(sh.ID), fmt.Sprintf("the text of %s is higher than its shape: by estimate it needs %v inches, the shape has %v", sh.named(), inches(o.Need), inches(o.Room)), "less text, a smaller font or a larger shape")
	}
}

// offSlide reports what nobody sees because it is beside the slide.
func (a *Auditor) offSlide(_ context.Context, s *Slide) {
	page := Frame{0, 0, a.deck.Width, a.deck.Height}
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if !sh.Placed || sh.Hidden || sh.Moves || sh.Empty || isFooter(sh.Placeholder) {
			continue
		}
		shows := sh.Text.String != "" || sh.blocks()
		switch {
		case !shows || sh.Frame.empty():
		case !sh.Frame.touches(page):
			a.find(kindOffSlide, formats.SeverityMedium, s.shapeAt(sh.ID), fmt.Sprintf("the %s is beside the slide, at %v, %v inches", sh.named(), inches(sh.Frame.X), inches(sh.Frame.Y)), "a place on the slide, or no shape")
		case !sh.Text.Over.Is && leaves(sh.part(), page):
			a.find(kindOffSlide, formats.SeverityHigh, s.shapeAt(sh.ID), fmt.Sprintf("the %s runs over the edge of the slide: it reaches from %v, %v to %v, %v inches", sh.named(), inches(sh.part().X), inches(sh.part().Y), inches(sh.part().X+sh.part().W), inches(sh.part().Y+sh.part().H)), fmt.Sprintf("a place within 0, 0 to %v, %v inches", inches(a.deck.Width), inches(a.deck.Height)))
		}
	}
}

// part returns where a shape shows what must be seen whole; no size: nowhere.
func (sh *Shape) part() Frame {
	switch {
	case sh.Kind == "table" || sh.Kind == "chart" || sh.Kind == "diagram":
		return sh.Frame
	case sh.Text.String != "":
		return sh.Text.Ink
	}
	return Frame{}
}

// leaves reports whether a frame reaches over the edge of the slide.
func leaves(f, page Frame) bool {
	if f.empty() {
		return false
	}
	beyond := max(page.X-f.X, page.Y-f.Y, f.X+f.W-page.W, f.Y+f.H-page.H)
	return beyond > edgeSlack && 1-f.share(page) > edgeShare
}

// blocks reports whether a shape shows something other than text.
func (sh *Shape) blocks() bool {
	switch sh.Kind {
	case "picture", "chart", "diagram", "table", "media", "object":
		return true
	}
	return false
}

// covers reports whether nothing can be seen through a shape.
func (sh *Shape) covers() bool {
	return sh.Picture.Opaque || sh.Fill.Kind == FillSolid && sh.Kind != "line"
}

// overlapping looks for overlaps on one slide.
type overlapping struct {
	*Auditor
	s       *Slide
	extents []Frame // of the shapes
	found   []clash
	more    int // overlaps that are not held
}

// clash is an overlap of two shapes, by index.
type clash struct {
	below, above int
	severity     formats.Severity
	fact         string
}

// overlaps reports texts that lie over or under something else.
func (a *Auditor) overlaps(ctx context.Context, s *Slide) {
	o := overlapping{Auditor: a, s: s, extents: make([]Frame, len(s.Shapes))}
	var order []int // by left edge
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		sh.Text.within(sh.Frame)
		o.extents[i] = sh.Frame.around(sh.Text.Ink)
		if sh.Placed && !sh.Hidden && !sh.Moves && !sh.Empty && !o.extents[i].empty() && (!sh.Text.Ink.empty() || sh.blocks() || sh.covers()) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(o.extents[i].X, o.extents[j].X) })
	var open []int // those that reach to the one looked at
	for _, i := range order {
		if !o.against(ctx, i, &open) {
			break
		}
		open = append(open, i)
	}
	o.report()
}

// against compares a shape with those that are open, and drops of them what ends
// left of it; false when there were too many pairs.
func (o *overlapping) against(ctx context.Context, i int, open *[]int) bool {
	kept := (*open)[:0]
	for _, j := range *open {
		f := o.extents[j]
		if !o.pair(ctx) {
			return false
		}
		if f.X+f.W <= o.extents[i].X {
			continue
		}
		kept = append(kept, j)
		if f.touches(o.extents[i]) {
			o.compare(min(i, j), max(i, j))
		}
	}
	*open = kept
	return true
}

// within leaves out what is beyond the shape of a text that overflows: that is told
// of the text.
func (t *Text) within(f Frame) {
	if !t.Over.Is || t.Over.Below {
		return
	}
	paras := t.Paras
	t.Paras, t.Ink = nil, Frame{}
	for _, p := range paras {
		if c := p.cut(f); !c.empty() {
			t.Paras, t.Ink = append(t.Paras, c), t.Ink.around(c)
		}
	}
}

// inked returns the sum of the frames of a text.
func (t *Text) inked() (area float64) {
	for _, f := range t.Paras {
		area += f.area()
	}
	return area
}

// share returns how much of a text is in g, 0 to 1.
func (t *Text) share(g Frame) float64 {
	all, in := t.inked(), 0.0
	for _, f := range t.Paras {
		in += f.share(g) * f.area()
	}
	if all == 0 {
		return 0
	}
	return in / all
}

// clash returns how much two texts have in common: the area, and the largest piece.
func (t *Text) clash(u *Text) (area float64, most Frame) {
	for _, f := range t.Paras {
		if !f.touches(u.Ink) {
			continue
		}
		for _, g := range u.Paras {
			if c := f.cut(g); !c.empty() && min(c.W, c.H) > textDepth {
				area += c.area()
				if c.area() > most.area() {
					most = c
				}
			}
		}
	}
	return area, most
}

// compare looks at a shape and one in front of it.
func (o *overlapping) compare(i, j int) {
	below, above := &o.s.Shapes[i], &o.s.Shapes[j]
	if below.Group != 0 && below.Group == above.Group || isFooter(below.Placeholder) || isFooter(above.Placeholder) {
		return
	}
	if below.Text.Ink.touches(above.Text.Ink) {
		area, most := below.Text.clash(&above.Text)
		o.pairs += len(below.Text.Paras) * len(above.Text.Paras)
		if part := area / min(below.Text.inked(), above.Text.inked()); part > textOverlap {
			severity := formats.SeverityMedium
			if part > 2*textOverlap {
				severity = formats.SeverityHigh
			}
			o.add(i, j, severity, fmt.Sprintf("its text lies over that of %s, by %v × %v inches", below.named(), inches(most.W), inches(most.H)))
			return
		}
	}
	switch {
	case above.covers() && below.Text.share(above.Frame) > coveredText:
		o.add(i, j, formats.SeverityHigh, fmt.Sprintf("it covers the text of %s", below.named()))
	case above.Kind == "chart" || above.Kind == "table" || above.Kind == "diagram":
		if below.Text.share(above.Frame) > coveredText {
			o.add(i, j, formats.SeverityMedium, fmt.Sprintf("it lies over the text of %s", below.named()))
		}
	case below.blocks() && above.Fill.Kind != FillSolid:
		if part := above.Text.share(below.Frame); part > partlyOver && part < whollyOver {
			o.add(i, j, formats.SeverityMedium, fmt.Sprintf("its text runs over the edge of %s", below.named()))
		}
	}
}

func (o *overlapping) add(below, above int, s formats.Severity, fact string) {
	if len(o.found) >= overlapsHeld {
		o.more++
		return
	}
	o.found = append(o.found, clash{below, above, s, fact})
}

// report adds the overlaps of a slide, the worst first.
func (o *overlapping) report() {
	slices.SortStableFunc(o.found, func(x, y clash) int {
		if x.severity != y.severity && (x.severity == formats.SeverityHigh || y.severity == formats.SeverityHigh) {
			if x.severity == formats.SeverityHigh {
				return -1
			}
			return 1
		}
		return cmp.Or(x.above-y.above, x.below-y.below)
	})
	for range o.more + max(0, len(o.found)-overlapsMost) {
		o.out.Drop(kindOverlap)
	}
	for _, c := range o.found[:min(len(o.found), overlapsMost)] {
		above := &o.s.Shapes[c.above]
		o.find(kindOverlap, c.severity, o.s.shapeAt(above.ID), fmt.Sprintf("the %s: %s", above.named(), c.fact), "")
	}
}

// isFooter tells the placeholders that repeat on every slide.
func isFooter(placeholder string) bool {
	return placeholder == "dt" || placeholder == "ftr" || placeholder == "sldNum"
}
