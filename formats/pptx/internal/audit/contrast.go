package audit

import (
	"context"
	"fmt"

	"atelier/formats"
)

const (
	lowContrast  = 2.0 // WCAG asks for 3 of large text
	noContrast   = 1.3
	contrastText = 3 // letters of a run that count
)

// contrasts reports texts that can hardly be told from what is behind them, where
// that is one known colour.
func (a *Auditor) contrasts(ctx context.Context, s *Slide) {
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if sh.Hidden || len(sh.Text.Runs) == 0 {
			continue
		}
		worst, at := 21.0, Run{}
		back, looked, known := Color{}, false, false
		for _, r := range sh.Text.Runs {
			if !r.Color.Known || r.Letters < contrastText {
				continue
			}
			behind, ok := r.Back.Color, r.Back.Kind == FillSolid
			if r.Back.Kind == FillNone {
				if !looked {
					back, known = a.behind(ctx, s, i)
					looked = true
				}
				behind, ok = back, known
			}
			if !ok || !behind.Known {
				continue
			}
			if c := contrast(r.Color.RGB, behind.RGB); c < worst {
				worst, at = c, r
				at.Back.Color = behind
			}
		}
		if worst >= lowContrast {
			continue
		}
		severity := formats.SeverityMedium
		if worst < noContrast {
			severity = formats.SeverityHigh
		}
		a.find(kindContrast, severity, s.shapeAt(sh.ID), fmt.Sprintf("text of %s in %s on %s can hardly be read: the contrast is %.1f to 1", sh.named(), at.Color.RGB, at.Back.Color.RGB, worst), "at least 3 to 1")
	}
}

// behind returns the one colour that is behind the text of a shape.
func (a *Auditor) behind(ctx context.Context, s *Slide, i int) (Color, bool) {
	ink := s.Shapes[i].Text.Ink
	if ink.empty() {
		ink = s.Shapes[i].Frame
	}
	if !s.Shapes[i].Placed || ink.empty() {
		return Color{}, false
	}
	if f := s.Shapes[i].Fill; f.Kind != FillNone {
		return f.Color, f.Kind == FillSolid && ink.share(s.Shapes[i].Frame) > whollyOver
	}
	for k := i - 1; k >= 0; k-- {
		if !a.pair(ctx) {
			return Color{}, false
		}
		sh := &s.Shapes[k]
		switch {
		case sh.Hidden || sh.Kind == "line" || !sh.Placed || !ink.touches(sh.Frame):
		case sh.blocks() || sh.Moves || sh.Fill.Kind == FillOther:
			return Color{}, false
		case sh.Fill.Kind == FillSolid:
			return sh.Fill.Color, ink.share(sh.Frame) > whollyOver
		}
	}
	for k := len(s.Drawn) - 1; k >= 0; k-- {
		if !a.pair(ctx) {
			return Color{}, false
		}
		if d := s.Drawn[k]; d.Fill.Kind != FillNone && ink.touches(d.Frame) {
			return d.Fill.Color, d.Fill.Kind == FillSolid && ink.share(d.Frame) > whollyOver
		}
	}
	return s.Back.Color, s.Back.Kind == FillSolid
}
