package audit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"atelier/formats"
)

const (
	titlesAlike = 3   // titles of one layout that show where titles are
	usualShare  = 0.6 // of them that are in the same place
	titleMoved  = emuPerInch * 3 / 20
	titleSlack  = emuPerInch / 50
	sizeOff     = 0.12 // of the size of a title
	mostSame    = 2    // slides with one title; more are a series
	headingSize = 20   // points of a text box that is the title
	headingTop  = 0.35 // of the height of the slide
)

// title is that of a slide.
type title struct {
	s      Slide // without its shapes
	id     int
	text   string
	anchor Point
	placed bool
	size   float64
}

// collectTitle notes the title of a slide, or that it has none.
func (a *Auditor) collectTitle(_ context.Context, s *Slide) {
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if (sh.Placeholder == "title" || sh.Placeholder == "ctrTitle") && strings.TrimSpace(sh.Text.String) != "" {
			t := title{s: Slide{Index: s.Index, Hidden: s.Hidden, Layout: s.Layout}, id: sh.ID, text: normalized(sh.Text.String), anchor: sh.Text.Anchor, placed: sh.Placed, size: sh.Text.size()}
			a.titles = append(a.titles, t)
			return
		}
	}
	if !s.Hidden && !a.headed(s) {
		a.noTitle = append(a.noTitle, s.at())
	}
}

// headed reports whether a slide has a text box that looks like a title, or
// nothing that needs one.
func (a *Auditor) headed(s *Slide) bool {
	texts := 0
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if sh.Text.String == "" || isFooter(sh.Placeholder) {
			continue
		}
		texts++
		if sh.Placeholder == "" && sh.Text.size() >= headingSize && sh.Placed && sh.Frame.Y < headingTop*a.deck.Height {
			return true
		}
	}
	return texts == 0 && !s.TitlePlace
}

// size returns the size of most of a text, 0 when it is not known.
func (t *Text) size() float64 {
	sizes, best := map[float64]int{}, 0.0
	for _, r := range t.Runs {
		sizes[r.Size] += r.Letters
		if sizes[r.Size] > sizes[best] || best == 0 {
			best = r.Size
		}
	}
	return best
}

func normalized(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// compareTitles reports titles that differ from those of other slides in place or
// size, that are there twice, or missing.
func (a *Auditor) compareTitles() {
	if len(a.titles) > len(a.noTitle) {
		for _, at := range a.noTitle {
			a.find(kindNoTitle, formats.SeverityLow, at, "the slide has no title; most others have one", "a title")
		}
	}
	same, byLayout := map[string][]title{}, map[string][]title{}
	for _, t := range a.titles {
		if !t.s.Hidden {
			same[t.text] = append(same[t.text], t)
		}
		byLayout[t.s.Layout] = append(byLayout[t.s.Layout], t)
	}
	for _, t := range a.titles {
		// A slide continued on the next one and a first slide repeated at the end are intended.
		if list := same[t.text]; len(list) == mostSame && list[1].s.Index == t.s.Index && t.s.Index > list[0].s.Index+1 && !(list[0].s.Index == 0 && t.s.Index >= a.deck.Slides-2) {
			a.find(kindSameTitle, formats.SeverityLow, t.s.shapeAt(t.id), fmt.Sprintf("the title %s is also that of %s", quote(t.text), list[0].s.at()), "titles that tell the slides apart")
		}
	}
	for _, t := range a.titles {
		if list := byLayout[t.s.Layout]; list != nil {
			a.titlePlaces(list)
			a.titleSizes(list)
			delete(byLayout, t.s.Layout)
		}
	}
}

// usual returns the value that most have, when that is clear.
func usual(values []float64, slack float64) (float64, bool) {
	count, best := map[float64]int{}, 0.0
	for _, v := range values {
		v = math.Round(v/slack) * slack
		if count[v]++; count[v] > count[best] {
			best = v
		}
	}
	return best, len(values) >= titlesAlike && float64(count[best]) >= usualShare*float64(len(values))
}

// titlePlaces reports titles of one layout that are elsewhere than the others.
func (a *Auditor) titlePlaces(list []title) {
	var xs, ys []float64
	for _, t := range list {
		if t.placed {
			xs, ys = append(xs, t.anchor.X), append(ys, t.anchor.Y)
		}
	}
	x, okX := usual(xs, titleSlack)
	y, okY := usual(ys, titleSlack)
	for _, t := range list {
		dx, dy := t.anchor.X-x, t.anchor.Y-y
		if !t.placed || (!okX || math.Abs(dx) < titleMoved) && (!okY || math.Abs(dy) < titleMoved) {
			continue
		}
		var parts []string
		if okX && math.Abs(dx) >= titleMoved {
			parts = append(parts, fmt.Sprintf("%v inches %s", inches(math.Abs(dx)), side(dx, "left", "right")))
		}
		if okY && math.Abs(dy) >= titleMoved {
			parts = append(parts, fmt.Sprintf("%v inches %s", inches(math.Abs(dy)), side(dy, "above", "below")))
		}
		a.find(kindTitlePlace, formats.SeverityLow, t.s.shapeAt(t.id), fmt.Sprintf("the title %s is not where those of other slides of its layout are: %s", quote(t.text), strings.Join(parts, " and ")), "the place of the layout")
	}
}

func side(d float64, less, more string) string {
	if d < 0 {
		return less
	}
	return more
}

// titleSizes reports titles of one layout that are larger or smaller than the
// others.
func (a *Auditor) titleSizes(list []title) {
	var sizes []float64
	for _, t := range list {
		if t.size > 0 {
			sizes = append(sizes, t.size)
		}
	}
	size, ok := usual(sizes, 0.5)
	for _, t := range list {
		if ok && t.size > 0 && math.Abs(t.size-size) > sizeOff*size {
			a.find(kindTitleSize, formats.SeverityLow, t.s.shapeAt(t.id), fmt.Sprintf("the title %s has %v points, those of other slides of its layout %v", quote(t.text), t.size, size), fmt.Sprintf("%v points", size))
		}
	}
}
