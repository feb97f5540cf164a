package audit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"atelier/formats"
	"atelier/formats/placeholders"
)

const (
	placeholdersMost = 4    // told of one text
	distortion       = 0.08 // of the proportion of a picture
	distortionMuch   = 0.25
	smallPicture     = 24 // pixels: lines and dots are stretched on purpose
)

// contents reports what was left behind or leads nowhere.
func (a *Auditor) contents(_ context.Context, s *Slide) {
	for _, b := range s.Broken {
		a.find(kindLink, formats.SeverityHigh, s.shapeAt(b.Shape), b.Fact, "")
	}
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if sh.Hidden {
			continue
		}
		for _, f := range placeholders.Find(sh.Text.String, placeholdersMost) {
			severity := f.Severity
			if strings.HasPrefix(f.Text, "?") {
				continue // a slide may ask
			}
			a.find(kindPlaceholder, severity, s.shapeAt(sh.ID), "a placeholder was left: "+quote(f.Text), "the text that it stands for")
		}
		if sh.Empty && sh.Placeholder != "title" && sh.Placeholder != "ctrTitle" {
			a.find(kindEmpty, formats.SeverityLow, s.shapeAt(sh.ID), fmt.Sprintf("the placeholder %s is empty", quote(sh.Name)), "content, or no placeholder")
		}
		if sh.NeedsAlt {
			a.noAlt.add(s.shapeAt(sh.ID))
		}
		a.distorted(s, sh)
	}
}

// distorted reports a picture that is not in its own proportion.
func (a *Auditor) distorted(s *Slide, sh *Shape) {
	p := sh.Picture
	if p.W <= 0 || p.H <= 0 || min(p.Width, p.Height) < smallPicture || sh.Frame.W > 0.95*a.deck.Width && sh.Frame.H > 0.95*a.deck.Height {
		return
	}
	is, should := p.W/p.H, p.Width/p.Height
	off := math.Abs(math.Log(is / should))
	if off < math.Log(1+distortion) {
		return
	}
	severity := formats.SeverityLow
	if off > math.Log(1+distortionMuch) {
		severity = formats.SeverityMedium
	}
	how := "wider"
	if is < should {
		how = "narrower"
	}
	a.find(kindDistorted, severity, s.shapeAt(sh.ID), fmt.Sprintf("the %s is drawn %s than it is: %v × %v inches, its pixels have the proportion %.2f to 1", sh.named(), how, inches(p.W), inches(p.H), should),
		fmt.Sprintf("%v × %v inches", inches(p.W), inches(p.W/should)))
}
