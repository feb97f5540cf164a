package pptx

import (
	"context"
	"image"
	"io"
	"strings"

	"atelier/formats"
	picture "atelier/formats/image"
	"atelier/formats/ooxml/opc"
	"atelier/formats/pptx/internal/audit"
)

// slideReading is a slide on its way into an audit.
type slideReading struct {
	*auditReader
	ctx     context.Context
	t       *tree
	rels    map[string]opc.Relationship
	ground  *ground
	palette palette
	measure *measuring
	moves   map[string]bool // ids of shapes that animations move
	out     *audit.Slide
	groups  int
}

// around is what a shape has from the groups around it.
type around struct {
	at            place
	group         int
	hidden, moves bool
	turned        bool // its place is not known
	alt           bool // the group has an alternative text
}

// slide returns the slide at index i with its shapes.
func (r *auditReader) slide(ctx context.Context, i int) (*audit.Slide, error) {
	part := r.deck.slides[i].part
	t, err := r.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	rels, err := r.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	g, err := r.ground(ctx, part)
	if err != nil {
		return nil, err
	}
	s := slideReading{auditReader: r, ctx: ctx, t: t, rels: map[string]opc.Relationship{}, ground: g, moves: map[string]bool{}, out: &audit.Slide{Index: i, Hidden: isFalse(t.Root.Value("show"))}}
	for _, rel := range rels {
		s.rels[rel.ID] = rel
	}
	if g.lay != nil {
		s.out.Layout, s.out.LayoutName, s.out.TitlePlace = g.lay.part, clip(g.lay.name, titleMax/2), g.lay.title != nil
	}
	s.palette = newPalette(g.theme, t, g.lay.parsed(), g.master.parsed())
	s.measure = &measuring{t: t, lay: g.lay, master: g.master, defaults: r.textStyle}
	s.out.Back = g.background(t, s.palette)
	if !isFalse(t.Root.Value("showMasterSp")) {
		s.out.Drawn = g.drawn
	}
	for n := range t.Root.Child(nsP, "timing").All() {
		if n.Is(nsP, "spTgt") {
			s.moves[n.Value("spid")] = true
		}
	}
	return s.out, s.add(shapes(t.spTree(), shown), around{at: onSlide})
}

// add adds shapes and what they group.
func (s *slideReading) add(list []*shape, in around) error {
	for i, sh := range list {
		if i%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if s.shapes >= auditShapes {
			s.beyond++
			continue
		}
		own := in
		own.hidden = in.hidden || isTrue(sh.cnv.Value("hidden"))
		own.moves = in.moves || s.moves[sh.cnv.Value("id")]
		if sh.n.Local != "grpSp" {
			s.shapes++
			if err := s.shape(sh, own); err != nil {
				return err
			}
			continue
		}
		s.links(sh)
		if own.at = in.at.inside(sh); in.group == 0 {
			s.groups++
			own.group = s.groups
		}
		own.turned = in.turned || rotation(sh) != 0
		own.alt = in.alt || described(sh)
		if err := s.add(sh.kids, own); err != nil {
			return err
		}
	}
	return nil
}

// shape adds one shape.
func (s *slideReading) shape(sh *shape, in around) error {
	f, placed := s.measure.frame(sh, in.at)
	if sh.ph != nil && in.group > 0 {
		placed = placed && sh.xfrm() != nil
	}
	out := audit.Shape{ID: intOr(sh.cnv.Value("id"), 0), Name: sh.name(), Kind: sh.kind(), Placeholder: sh.phType(), Placed: placed && !in.turned, Group: in.group, Hidden: in.hidden, Moves: in.moves}
	out.Frame = turned(sh, f)
	s.links(sh)
	switch {
	case sh.tbl != nil:
		s.table(sh, &out, f)
	case sh.body != nil:
		s.shapeText(sh, &out, f)
	}
	if sh.n.Local == "sp" {
		out.Fill = s.shapeFill(sh)
		if rotation(sh) != 0 && out.Fill.Kind == audit.FillSolid {
			out.Fill.Kind = audit.FillOther
		}
	}
	out.Line = s.palette.color(sh.n.Down(nsP, "spPr").Child(nsA, "ln").Child(nsA, "solidFill"), audit.Color{})
	switch out.Kind {
	case kindPicture, kindChart, kindDiagram:
		out.NeedsAlt = !in.alt && !in.hidden && !described(sh) && sh.n.Local != "sp"
	}
	if out.Kind == kindPicture && sh.n.Local == "pic" {
		if err := s.picture(sh, &out, f); err != nil {
			return err
		}
	}
	s.out.Shapes = append(s.out.Shapes, out)
	return nil
}

// described reports whether a shape has an alternative text, or needs none.
func described(sh *shape) bool {
	if strings.TrimSpace(sh.cnv.Value("descr")+sh.cnv.Value("title")) != "" {
		return true
	}
	for n := range sh.cnv.Child(nsA, "extLst").All() {
		if n.Local == "decorative" && isTrue(n.Value("val")) {
			return true
		}
	}
	return false
}

// shapeFill returns the fill of a shape, which a placeholder may have from its
// layout or master.
func (s *slideReading) shapeFill(sh *shape) audit.Fill {
	chain := []*shape{sh}
	if sh.ph != nil && s.ground.lay != nil {
		if like := s.ground.lay.match(sh); like != nil {
			chain = append(chain, like)
		}
		if s.ground.master != nil {
			if like := s.ground.master.typed[masterType(sh.phType())]; like != nil {
				chain = append(chain, like)
			}
		}
	}
	for i, c := range chain {
		_, own := s.palette.fill(c.n.Child(nsP, "spPr"), audit.Color{})
		if !own && c.n.Child(nsP, "style").Child(nsA, "fillRef") == nil {
			continue
		}
		f := s.palette.ownFill(c)
		if i > 0 {
			f.Color.Literal, f.Color.Theme = false, false
		}
		return f
	}
	return audit.Fill{}
}

// picture adds the size of a picture in pixels.
func (s *slideReading) picture(sh *shape, out *audit.Shape, f frame) error {
	fill := sh.n.Child(nsP, "blipFill")
	blip := fill.Child(nsA, "blip")
	id := blip.RelValue("embed")
	if id == "" {
		return nil
	}
	rel, ok := s.rels[id]
	switch {
	case !ok || !rel.External && !s.Has(rel.Target):
		s.broken(sh, "the picture is missing from the file")
		return nil
	case rel.External || fill.Child(nsA, "tile") != nil || insetRect(fill.Child(nsA, "stretch").Child(nsA, "fillRect")):
		return nil
	}
	pic, err := s.pixels(rel.Target)
	if err != nil || pic.Width == 0 {
		return err
	}
	crop := fill.Child(nsA, "srcRect")
	part := func(a, b string) float64 { return 1 - percentage(crop.Value(a)) - percentage(crop.Value(b)) }
	p := &out.Picture
	p.Width, p.Height = float64(pic.Width)*part("l", "r"), float64(pic.Height)*part("t", "b")
	p.W, p.H = f.w, f.h
	p.Opaque = pic.Ext == "jpeg" && blip.First == nil && rectangular(sh) && rotation(sh) == 0
	return nil
}

// insetRect reports whether a rectangle is not all of its frame (20.1.10.48).
func insetRect(n *node) bool {
	for _, side := range []string{"l", "t", "r", "b"} {
		if percentage(n.Value(side)) != 0 {
			return true
		}
	}
	return false
}

// pixels returns the size of the picture in a part, none when it cannot be read.
func (s *slideReading) pixels(part string) (picture.Picture, error) {
	if p, ok := s.pictures[part]; ok {
		return p, nil
	}
	if len(s.pictures) >= auditPictures {
		s.unread++
		return picture.Picture{}, nil
	}
	r, err := s.pkg.Stream(s.ctx, part)
	if err != nil {
		return picture.Picture{}, err
	}
	defer r.Close()
	cfg, format, err := image.DecodeConfig(io.LimitReader(r, pictureHead))
	if s.ctx.Err() != nil {
		return picture.Picture{}, s.ctx.Err()
	}
	p := picture.Picture{}
	if err == nil {
		p = picture.Picture{Ext: format, Width: cfg.Width, Height: cfg.Height}
	}
	s.pictures[part] = p
	return p, nil
}

// links notes links of a shape that lead nowhere (21.1.2.3.5).
func (s *slideReading) links(sh *shape) {
	look := func(n *node) {
		if !n.Is(nsA, "hlinkClick") && !n.Is(nsA, "hlinkHover") && !n.Is(nsA, "hlinkMouseOver") {
			return
		}
		id := n.RelValue("id")
		rel, ok := s.rels[id]
		switch {
		case id == "":
		case !ok:
			s.broken(sh, "the link leads nowhere: its address is missing from the file")
		case !rel.External && rel.Type == relSlide && !s.listed[rel.Target]:
			s.broken(sh, "the link leads to a slide that the deck does not have")
		}
	}
	for n := range sh.cnv.Kids() {
		look(n)
	}
	for _, in := range []*node{sh.body, sh.tbl} {
		for n := range in.All() {
			look(n)
		}
	}
	if sh.chart != "" {
		if rel, ok := s.rels[sh.chart]; !ok || !rel.External && !s.Has(rel.Target) {
			s.broken(sh, "the chart is missing from the file")
		}
	}
}

// broken adds what leads nowhere; the same of a shape counts once.
func (s *slideReading) broken(sh *shape, fact string) {
	b := audit.Broken{Shape: intOr(sh.cnv.Value("id"), 0), Fact: fact}
	if n := len(s.out.Broken); n > 0 && s.out.Broken[n-1] == b || n >= formats.MaxFindings {
		return
	}
	s.out.Broken = append(s.out.Broken, b)
}
