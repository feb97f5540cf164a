package pptx

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/ooxml/opc"
	"atelier/formats/pptx/internal/audit"
)

// The bounds of an audit.
const (
	auditShapes   = 100_000  // shapes looked at
	auditText     = 24 << 20 // bytes of text looked at
	auditRuns     = 500_000  // runs looked at
	auditPictures = 2_000    // pictures whose size is read
	pictureHead   = 1 << 20  // bytes of a picture that are read for its size
)

type auditor struct{}

// AuditKinds implements formats.Auditor.
func (auditor) AuditKinds() []string { return audit.Kinds() }

// Audit implements formats.Auditor.
func (auditor) Audit(ctx context.Context, src formats.Source, opt formats.AuditOptions) (*formats.Audit, error) {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &auditReader{deck: d, pkg: pkg, grounds: map[string]*ground{}, pictures: map[string]image.Picture{}, listed: map[string]bool{}}
	for _, s := range d.slides {
		r.listed[s.part] = true
	}
	head, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	a := audit.New(head, opt)
	for i := range d.slides {
		s, err := r.slide(ctx, i)
		if err != nil {
			return nil, err
		}
		if err := a.Slide(ctx, s); err != nil {
			return nil, err
		}
	}
	if r.beyond > 0 {
		a.Unseen(fmt.Sprintf("%s beyond %d shapes", formats.Count(r.beyond, "shape"), auditShapes))
	}
	if r.clipped {
		a.Unseen(fmt.Sprintf("texts beyond %d KiB of a shape, %d MiB or %d runs of the deck", audit.MaxText>>10, auditText>>20, auditRuns))
	}
	if r.unread > 0 {
		a.Unseen(fmt.Sprintf("the proportions of %s beyond %d", formats.Count(r.unread, "picture"), auditPictures))
	}
	return a.Finish(ctx)
}

// auditReader makes of slides what an audit looks at.
type auditReader struct {
	*deck
	pkg      *opc.Package
	grounds  map[string]*ground       // by layout
	pictures map[string]image.Picture // by part
	listed   map[string]bool          // parts of slides of the deck

	shapes  int // so far
	text    int // bytes
	runs    int
	beyond  int // shapes that are not looked at
	unread  int // pictures whose size is not read
	clipped bool
}

// ground is what the slides of a layout have in common.
type ground struct {
	lay, master *layout
	theme       *theme
	drawn       []audit.Drawn // by the master, then by the layout
	ofMaster    int           // how many of them are the master's
}

// head returns what all slides have in common.
func (r *auditReader) head(ctx context.Context) (audit.Deck, error) {
	out := audit.Deck{Width: float64(r.width), Height: float64(r.height), Slides: len(r.slides)}
	masters, err := r.related(ctx, r.main, relMaster)
	if err != nil {
		return out, err
	}
	seen := map[string]bool{}
	for i, m := range masters {
		th, err := r.themeOf(ctx, m.Target)
		if err != nil {
			return out, err
		}
		for _, f := range th.fonts {
			if !seen[f] && len(out.Fonts) < 100 {
				seen[f] = true
				out.Fonts = append(out.Fonts, f)
			}
		}
		if i > 0 {
			continue
		}
		for _, name := range themeColors {
			if rgb, ok := rgbOf(th.scheme[name]); ok {
				out.Colors = append(out.Colors, audit.NamedColor{Name: name, RGB: rgb})
			}
		}
	}
	return out, nil
}

// ground returns that of a slide.
func (r *auditReader) ground(ctx context.Context, slide string) (*ground, error) {
	lay, err := r.layoutOf(ctx, slide)
	if err != nil {
		return nil, err
	}
	if lay == nil {
		return &ground{theme: &theme{}}, nil
	}
	if g := r.grounds[lay.part]; g != nil {
		return g, nil
	}
	g := &ground{lay: lay, theme: &theme{}}
	if g.master, err = r.masterOf(ctx, lay.part); err != nil {
		return nil, err
	}
	if g.master != nil {
		if g.theme, err = r.themeOf(ctx, g.master.part); err != nil {
			return nil, err
		}
		if !isFalse(lay.tree.Root.Value("showMasterSp")) {
			g.drawn = drawnBy(g.master, newPalette(g.theme, g.master.tree))
			g.ofMaster = len(g.drawn)
		}
	}
	p := newPalette(g.theme, lay.tree, g.master.parsed())
	g.drawn = append(g.drawn, drawnBy(lay, p)...)
	r.grounds[lay.part] = g
	return g, nil
}

// parsed returns the tree of a layout, nil when there is none.
func (l *layout) parsed() *tree {
	if l == nil {
		return nil
	}
	return l.tree
}

// drawnBy lists what a layout or master draws on each slide.
func drawnBy(l *layout, p palette) []audit.Drawn {
	var out []audit.Drawn
	var walk func(list []*shape, at place)
	walk = func(list []*shape, at place) {
		for _, s := range list {
			if len(s.kids) > 0 {
				walk(s.kids, at.inside(s))
				continue
			}
			f, ok := frameOf(s.xfrm())
			if !ok || s.ph != nil || s.n.Local == "cxnSp" || len(out) >= auditShapes {
				continue
			}
			d := audit.Drawn{Frame: turned(s, at.of(f)), Fill: audit.Fill{Kind: audit.FillOther}}
			if s.n.Local == "sp" {
				d.Fill = p.ownFill(s)
			}
			out = append(out, d)
		}
	}
	walk(shapes(l.tree.spTree(), shown), onSlide)
	return out
}

// background returns the fill behind all that is on a slide.
func (g *ground) background(t *tree, p palette) audit.Fill {
	for _, in := range []*tree{t, g.lay.parsed(), g.master.parsed()} {
		if in == nil {
			continue
		}
		bg := in.Root.Down(nsP, "cSld", "bg")
		if bg == nil {
			continue
		}
		if ref := bg.Child(nsP, "bgRef"); ref != nil {
			return p.styled(ref)
		}
		f, _ := p.fill(bg.Child(nsP, "bgPr"), audit.Color{})
		return f
	}
	return audit.Fill{}
}

// turned returns the bounds of a shape that is turned.
func turned(s *shape, f frame) audit.Frame {
	return audit.Frame{X: f.x, Y: f.y, W: f.w, H: f.h}.Turned(rotation(s))
}

// rotation returns by how many degrees a shape is turned.
func rotation(s *shape) float64 { return float64(intOr(s.xfrm().Value("rot"), 0)) / 60_000 }

// ownFill returns the fill that a shape names, itself or from the theme.
func (p palette) ownFill(s *shape) audit.Fill {
	f, ok := p.fill(s.n.Child(nsP, "spPr"), audit.Color{})
	if !ok {
		f = p.styled(s.n.Child(nsP, "style").Child(nsA, "fillRef"))
	}
	if f.Kind == audit.FillSolid && !rectangular(s) {
		f.Kind = audit.FillOther // something may be seen beside it
	}
	return f
}

// rectangular reports whether a shape fills its frame, or nearly.
func rectangular(s *shape) bool {
	props := s.n.Child(nsP, "spPr")
	if props.Child(nsA, "custGeom") != nil {
		return false
	}
	switch props.Child(nsA, "prstGeom").Value("prst") {
	case "", "rect", "roundRect", "round1Rect", "round2SameRect", "snip1Rect", "round2DiagRect", "flowChartProcess":
		return true
	}
	return false
}

var _ formats.Auditor = auditor{}
