package pptx

import (
	"fmt"
	"maps"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// addHiddenItems adds items for hidden shapes, for shapes that others cover, and
// for text that is tiny, transparent or in the colour of its background.
func (p *page) addHiddenItems() {
	covers := p.covers()
	for i, s := range p.shapes {
		if isTrue(s.cnv.Value("hidden")) {
			p.addItem(inventory.Item{Kind: formats.FactHiddenShape, Key: s.key + " hidden", At: s.at, Text: kindWords(s), WarnAdded: "it is hidden now" + textSuffix(p, s)})
		}
		if !p.isSlide() {
			continue
		}
		if by := covered(s, i, covers); by != nil {
			p.addItem(inventory.Item{Kind: formats.FactHiddenShape, Key: s.key + " covered", At: s.at, Text: "under " + quoted(by.name()), WarnAdded: "it lies under " + quoted(by.name()) + " and is not seen" + textSuffix(p, s)})
		}
		if s.body != nil {
			p.addHiddenText(s, s.at, s.key, s.body, p.textBackground(s))
		}
		if s.tbl != nil {
			for r, row := range p.t.tableGrid(s.tbl).cells {
				for c, cell := range row {
					ground := ""
					for k := range cell.n.Child(nsA, "tcPr").Kids() {
						if k.Is(nsA, "solidFill") {
							ground = p.rgb(k)
						}
					}
					at := fmt.Sprintf(", row %d, column %d", r+1, c+1)
					p.addHiddenText(s, s.at+at, s.key+" "+cell.text, cell.n.Child(nsA, "txBody"), ground)
				}
			}
		}
	}
}

func kindWords(s *placedShape) string { return strings.ReplaceAll(s.kind(), "_", " ") }

// textSuffix returns the text of a shape, for a warning.
func textSuffix(p *page, s *placedShape) string {
	if text := p.t.oneLine(s.body); s.body != nil && text != "" {
		return ": " + quoted(text)
	}
	return ""
}

// cover is a shape that nothing behind it shines through.
type cover struct {
	*placedShape
	at int
}

// maxCovers bounds how many shapes are looked at as covers.
const maxCovers = 100

func (p *page) covers() []cover {
	var out []cover
	if !p.isSlide() {
		return nil
	}
	for i, s := range p.shapes {
		if s.ok && len(out) < maxCovers && p.opaque(s) {
			out = append(out, cover{s, i})
		}
	}
	return out
}

// opaque reports whether s fills its whole frame without transparency: a rectangle
// with a solid fill that is not rotated, or a JPEG.
func (p *page) opaque(s *placedShape) bool {
	if s.xfrm().Value("rot") != "" || isTrue(s.cnv.Value("hidden")) {
		return false
	}
	props := s.n.Child(nsP, "spPr")
	if g := props.Child(nsA, "prstGeom"); g != nil && g.Value("prst") != "rect" || props.Child(nsA, "custGeom") != nil {
		return false
	}
	switch s.n.Local {
	case "pic":
		fill := s.n.Child(nsP, "blipFill")
		blip := fill.Child(nsA, "blip")
		r := p.relByID(blip.RelValue("embed"))
		if r == nil {
			return false
		}
		ext := strings.ToLower(path.Ext(r.Target))
		return (ext == ".jpg" || ext == ".jpeg") && blip.First == nil && fill.Child(nsA, "stretch") != nil && p.pkg.Has(r.Target)
	case "sp":
		for k := range props.Kids() {
			if isFill(k) {
				return k.Local == "solidFill" && !strings.Contains(string(p.t.Raw(k)), "alpha")
			}
		}
		ref := s.n.Child(nsP, "style").Child(nsA, "fillRef")
		return props.Child(nsA, "prstGeom") != nil && ref.Value("idx") == "1"
	}
	return false
}

// covered returns the shape in front of s that hides all of it, nil when none
// does.
func covered(s *placedShape, i int, covers []cover) *placedShape {
	if !s.ok || s.n.Is(nsP, "grpSp") || s.frame.w*s.frame.h == 0 {
		return nil
	}
	for _, c := range covers {
		const tolerance = 12700 // a point
		f, g := s.frame, c.frame
		if c.at > i && c.placedShape != s && g.x <= f.x+tolerance && g.y <= f.y+tolerance && g.x+g.w >= f.x+f.w-tolerance && g.y+g.h >= f.y+f.h-tolerance {
			return c.placedShape
		}
	}
	return nil
}

// addHiddenText reports the runs of a text that cannot be seen, by what makes
// them so. ground is the colour behind the text, "" when it is not known.
func (p *page) addHiddenText(s *placedShape, at, key string, body *node, ground string) {
	if body == nil {
		return
	}
	var order []string
	texts := map[string]string{}
	for n := range body.All() {
		if !n.Is(nsA, "r") && !n.Is(nsA, "fld") {
			continue
		}
		text := p.t.Text(n.Child(nsA, "t"))
		why := p.whyInvisible(n.Child(nsA, "rPr"), ground)
		if why == "" || strings.TrimSpace(text) == "" {
			continue
		}
		if texts[why] == "" {
			order = append(order, why)
		}
		if len(texts[why]) < 400 {
			texts[why] += text
		}
	}
	for _, why := range order {
		said := quoted(texts[why])
		p.addItem(inventory.Item{Kind: formats.FactHiddenText, Key: key + " unseen " + strings.Fields(why)[0], At: at, Text: said + ": " + why, WarnAdded: "text that cannot be seen, " + why + ": " + said})
	}
}

// whyInvisible returns why a run cannot be seen, "" when it can.
func (p *page) whyInvisible(rpr *node, ground string) string {
	if rpr == nil {
		return ""
	}
	if sz := rpr.Value("sz"); sz != "" && intOr(sz, 1800) <= 100 {
		return "size " + points(sz)
	}
	for k := range rpr.Kids() {
		switch {
		case k.Is(nsA, "noFill") && rpr.Child(nsA, "ln") == nil:
			return "without a colour"
		case k.Is(nsA, "solidFill"):
			for c := range k.Kids() {
				if a := c.Child(nsA, "alpha"); a != nil && intOr(strings.TrimSuffix(a.Value("val"), "%"), 1) == 0 {
					return "fully transparent"
				}
			}
			if rgb := p.rgb(k); rgb != "" && ground != "" && sameColor(rgb, ground) {
				return hexName(rgb) + " on " + hexName(ground)
			}
		}
	}
	return ""
}

// sameColor reports whether two colours differ by at most 8 in each channel.
func sameColor(a, b string) bool {
	var x, y [3]int
	if _, err := fmt.Sscanf(a, "%2x%2x%2x", &x[0], &x[1], &x[2]); err != nil {
		return false
	}
	if _, err := fmt.Sscanf(b, "%2x%2x%2x", &y[0], &y[1], &y[2]); err != nil {
		return false
	}
	for i := range x {
		if d := x[i] - y[i]; d > 8 || d < -8 {
			return false
		}
	}
	return true
}

// rgb returns the colour in a fill as RRGGBB, "" when it cannot be known.
func (p *page) rgb(fill *node) string {
	for c := range fill.Kids() {
		if c.First != nil {
			return ""
		}
		switch c.Local {
		case "srgbClr":
			return strings.ToUpper(c.Value("val"))
		case "sysClr":
			return strings.ToUpper(c.Value("lastClr"))
		case "schemeClr":
			return p.themeColors()[c.Value("val")]
		}
	}
	return ""
}

// textBackground returns the colour behind the text of a shape: its own fill,
// else that of the slide when nothing else is behind it.
func (p *page) textBackground(s *placedShape) string {
	for k := range s.n.Child(nsP, "spPr").Kids() {
		if isFill(k) && k.Local != "noFill" {
			if k.Local == "solidFill" {
				return p.rgb(k)
			}
			return ""
		}
		if k.Is(nsA, "noFill") {
			return p.slideBackgroundUnder(s)
		}
	}
	if ref := s.n.Child(nsP, "style").Child(nsA, "fillRef"); ref != nil && ref.Value("idx") != "0" {
		return ""
	}
	return p.slideBackgroundUnder(s)
}

// slideBackgroundUnder returns the colour of the slide under s, "" when another shape is
// there or it is not plain.
func (p *page) slideBackgroundUnder(s *placedShape) string {
	for _, o := range p.shapes {
		if o == s {
			break
		}
		if o.ok && s.ok && o.n.Local != "grpSp" && o.frame.overlap(s.frame) > 0 && (o.body == nil || o.n.Child(nsP, "style") != nil || o.n.Child(nsP, "spPr").Child(nsA, "solidFill") != nil) {
			return ""
		}
	}
	for _, t := range p.slideLayers() {
		bg := t.Root.Down(nsP, "cSld", "bg")
		if bg == nil {
			continue
		}
		if ref := bg.Child(nsP, "bgRef"); ref != nil && ref.Value("idx") == "1001" {
			return p.rgb(ref)
		}
		return p.rgb(bg.Child(nsP, "bgPr").Child(nsA, "solidFill"))
	}
	return ""
}

// slideLayers returns the slide, its layout and its master, as far as they are
// found.
func (p *page) slideLayers() []*tree {
	out := []*tree{p.t}
	l, err := p.d.layoutOf(p.ctx, p.part)
	if err != nil || l == nil {
		return out
	}
	out = append(out, l.tree)
	if m, err := p.d.masterOf(p.ctx, l.part); err == nil && m != nil {
		out = append(out, m.tree)
	}
	return out
}

// themeColors returns the RGB values of the theme by the names that slides use for
// them; nil if the slide or its layout overrides the colour map.
func (p *page) themeColors() map[string]string {
	chain := p.slideLayers()
	if len(chain) < 3 {
		return nil
	}
	for _, t := range chain[:2] {
		if t.Root.Down(nsP, "clrMapOvr").Child(nsA, "overrideClrMapping") != nil {
			return nil
		}
	}
	master := chain[2]
	if c, ok := p.colors[master.part]; ok {
		return c
	}
	out := map[string]string{}
	p.colors[master.part] = out
	rels, err := p.d.related(p.ctx, master.part, relTheme)
	if err != nil || len(rels) == 0 {
		return out
	}
	t, err := p.d.tree(p.ctx, rels[0].Target)
	if err != nil {
		return out
	}
	maps.Copy(out, schemeColors(t))
	for a := range master.Root.Child(nsP, "clrMap").Attributes() {
		out[a.Name] = out[a.Value()]
	}
	return out
}
