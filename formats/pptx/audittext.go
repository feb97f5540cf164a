package pptx

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"atelier/formats/pptx/internal/audit"
	"atelier/internal/textclip"
)

// shapeText adds the text of a shape.
func (s *slideReading) shapeText(sh *shape, out *audit.Shape, f frame) {
	text := s.t.outline(sh.body)
	shows := strings.TrimSpace(text) != ""
	if !shows {
		out.Empty = sh.ph != nil && sh.n.Local == "sp" && !isFooterType(sh.phType()) && !hasMore(sh)
		return
	}
	out.Text.String = s.hold(strings.TrimSpace(text))
	at := s.measure.measure(sh, f)
	shapeColor := s.palette.color(sh.n.Child(nsP, "style").Child(nsA, "fontRef"), audit.Color{})
	for _, p := range paragraphs(sh.body) {
		chain := s.measure.props(sh, p)
		s.addRuns(&out.Text, p, chain, s.inherited(sh, chain, shapeColor), at.scale)
	}
	if !out.Placed || f.w <= 0 || f.h <= 0 {
		return
	}
	if o, over := at.overflow(sh, f, float64(s.height)); over && !(out.Group > 0 && o.slide) {
		out.Text.Over = audit.Overflow{Is: true, Need: o.need, Room: o.room, Below: o.slide}
	}
	out.Text.SetInk(s.ink(sh, f, at))
	out.Text.Anchor = audit.Point{X: f.x, Y: f.y}
	switch at.align {
	case "ctr":
		out.Text.Anchor.X += f.w / 2
	case "r":
		out.Text.Anchor.X += f.w
	}
	switch at.anchor {
	case "ctr":
		out.Text.Anchor.Y += f.h / 2
	case "b":
		out.Text.Anchor.Y += f.h
	}
}

// hasMore reports whether an empty placeholder shows something all the same: a
// picture that fills it.
func hasMore(sh *shape) bool {
	props := sh.n.Child(nsP, "spPr")
	return props.Child(nsA, "blipFill") != nil || props.Child(nsA, "gradFill") != nil || props.Child(nsA, "solidFill") != nil
}

// ink returns where the letters of a text are, nothing when it is not known.
func (s *slideReading) ink(sh *shape, f frame, at measured) []audit.Frame {
	if rot := sh.body.Child(nsA, "bodyPr").Value("rot"); rot != "" && rot != "0" {
		return nil
	}
	if at.sideways {
		return []audit.Frame{turned(sh, f)}
	}
	turn := math.Mod(rotation(sh)+360, 360)
	if math.Mod(turn, 90) != 0 {
		return nil
	}
	sin, cos := math.Sincos(turn * math.Pi / 180)
	mx, my := f.x+f.w/2, f.y+f.h/2 // around the middle of the shape
	var out []audit.Frame
	for _, ink := range at.ink() {
		w, h := ink.w, ink.h
		dx, dy := ink.x+w/2-mx, ink.y+h/2-my
		if turn == 90 || turn == 270 {
			w, h = h, w
		}
		out = append(out, audit.Frame{X: mx + dx*cos - dy*sin - w/2, Y: my + dx*sin + dy*cos - h/2, W: w, H: h})
	}
	return out
}

// hold returns a text as far as there is room for it.
func (s *slideReading) hold(text string) string {
	out := textclip.Bytes(text, max(0, min(audit.MaxText, auditText-s.text)))
	s.text += len(out)
	s.clipped = s.clipped || len(out) < len(text)
	return out
}

// inheritedLook is the look of text that says nothing itself.
type inheritedLook struct {
	size  float64 // points
	font  string
	color audit.Color
}

// inherited returns the look of the text of a paragraph. styled is the colour that the
// shape's style gives.
func (s *slideReading) inherited(sh *shape, chain []*node, styled audit.Color) inheritedLook {
	out := inheritedLook{size: sizeOf(chain) / 100}
	if f := chain[1].Child(nsA, "defRPr").Child(nsA, "latin").Value("typeface"); !strings.HasPrefix(f, "+") {
		out.font = f // the shape's own list style
	}
	n := len(chain) - 1 // the last is the default of the presentation
	for _, c := range chain[1:n] {
		if c, ok := s.textColor(c.Child(nsA, "defRPr")); ok {
			out.color = c
			out.color.Literal, out.color.Theme = false, false
			return out
		}
	}
	out.color = styled
	if !styled.Known {
		if c, ok := s.textColor(chain[n].Child(nsA, "defRPr")); ok {
			out.color = c
		} else {
			out.color.RGB, out.color.Known = s.palette.named("tx1")
		}
	}
	out.color.Literal, out.color.Theme = false, false
	return out
}

// textColor returns the colour that properties of text name.
func (s *slideReading) textColor(props *node) (audit.Color, bool) {
	for k := range props.Kids() {
		if k.Is(nsA, "solidFill") {
			return s.palette.color(k, audit.Color{}), true
		}
		if isFill(k) {
			return audit.Color{}, true
		}
	}
	return audit.Color{}, false
}

// addRuns adds the runs of a paragraph.
func (s *slideReading) addRuns(out *audit.Text, p *node, chain []*node, look inheritedLook, scale float64) {
	for r := range p.Kids() {
		if !r.Is(nsA, "r") && !r.Is(nsA, "fld") {
			continue
		}
		n := utf8.RuneCountInString(strings.TrimSpace(s.t.Text(r.Child(nsA, "t"))))
		if n == 0 {
			continue
		}
		if s.runs++; s.runs > auditRuns {
			s.clipped = true
			return
		}
		props := r.Child(nsA, "rPr")
		run := audit.Run{Letters: n, Font: look.font, Color: look.color}
		run.Size = float64(cmp.Or(intOr(props.Value("sz"), 0), int(look.size*100))) / 100 * scale
		if f := props.Child(nsA, "latin").Value("typeface"); f != "" {
			if run.Font = f; strings.HasPrefix(f, "+") {
				run.Font = ""
			}
		}
		if c, ok := s.textColor(props); ok {
			run.Color = c
		}
		if props.Child(nsA, "hlinkClick") != nil || props.Child(nsA, "ln") != nil && props.Child(nsA, "ln").Child(nsA, "noFill") == nil {
			run.Color.Known = false // links have the colour of links; outlined letters can be seen
		}
		if h := props.Child(nsA, "highlight"); h != nil {
			run.Back = audit.Fill{Kind: audit.FillSolid, Color: s.palette.color(h, audit.Color{})}
		}
		if last := len(out.Runs) - 1; last >= 0 && sameLook(out.Runs[last], run) {
			out.Runs[last].Letters += n
			continue
		}
		out.Runs = append(out.Runs, run)
	}
}

func sameLook(a, b audit.Run) bool {
	a.Letters = b.Letters
	return a == b
}

// table adds the text of the cells of a table.
func (s *slideReading) table(sh *shape, out *audit.Shape, f frame) {
	out.Text.String = s.hold(s.t.tableText(sh.tbl))
	if o, over := s.measure.overflow(sh, f, float64(s.height)); over && out.Placed {
		out.Text.Over = audit.Overflow{Is: true, Need: o.need, Room: o.room, Below: true}
	}
	for tr := range sh.tbl.Kids() {
		for tc := range tr.Kids() {
			body := tc.Child(nsA, "txBody")
			if body == nil {
				continue
			}
			back, own := s.palette.fill(tc.Child(nsA, "tcPr"), audit.Color{})
			if !own || back.Kind != audit.FillSolid {
				back.Kind = audit.FillOther // that of the table's style
			}
			from := len(out.Text.Runs)
			for _, p := range paragraphs(body) {
				chain := []*node{p.Child(nsA, "pPr"), nil, s.textStyle.Child(nsA, "lvl1pPr")}
				look := inheritedLook{size: sizeOf(chain) / 100}
				s.addRuns(&out.Text, p, chain, look, 1)
			}
			for i := from; i < len(out.Text.Runs); i++ {
				if out.Text.Runs[i].Back.Kind == audit.FillNone {
					out.Text.Runs[i].Back = back
				}
			}
		}
	}
}
