package pptx

import (
	"fmt"
	"strings"

	"atelier/formats"
)

// foundShape is a shape that an operation names: the one that is shown, and what
// stands for it in other branches of alternate content.
type foundShape struct {
	*shape
	all []*shape // with the shape itself first
}

// findShape returns the shape of a slide that an operation names by shape_id or
// shape_name, where no shape is called so by its alternative text; kind, when not "", is what it must be, and lets the only shape of
// that kind go unnamed.
func (c *call) findShape(t *tree, a shapeArgs, kind string) (*foundShape, error) {
	var hits []*shape
	for s := range flat(shapes(t.spTree(), shown)) {
		if a.names(s, kind) {
			hits = append(hits, s)
		}
	}
	if alt := oneLine(a.ShapeName); len(hits) == 0 && a.ShapeID == nil && alt != "" {
		for s := range flat(shapes(t.spTree(), shown)) {
			if strings.EqualFold(oneLine(s.cnv.Value("descr")), alt) {
				hits = append(hits, s)
			}
		}
	}
	switch {
	case len(hits) == 1:
	case len(hits) > 1 && a.ShapeID == nil && a.ShapeName == "":
		return nil, formats.Errorf(formats.CodeInvalid, "the slide has %d shapes of the kind %s; shape_id must say which: %s", len(hits), kind, shapeList(hits))
	case len(hits) > 1:
		c.warn("%d shapes are called so; the first was used", len(hits))
	case a.ShapeID == nil && a.ShapeName == "" && kind == "":
		return nil, formats.Errorf(formats.CodeInvalid, "shape_id or shape_name is required")
	default:
		return nil, a.notFound(t, kind)
	}
	f := &foundShape{shape: hits[0], all: hits[:1:1]}
	for s := range flat(shapes(t.spTree(), every)) {
		if s.n.Start != f.n.Start && s.cnv.Value("id") == f.cnv.Value("id") && s.name() == f.name() && (s.alternative() || f.alternative()) {
			f.all = append(f.all, s)
		}
	}
	return f, nil
}

// names reports whether an operation means the shape s.
func (a shapeArgs) names(s *shape, kind string) bool {
	switch {
	case a.ShapeID != nil:
		return s.cnv != nil && intOr(s.cnv.Value("id"), -1) == int(*a.ShapeID) && (a.ShapeName == "" || s.name() == a.ShapeName)
	case a.ShapeName != "":
		return s.name() == a.ShapeName || strings.EqualFold(oneLine(s.name()), oneLine(a.ShapeName))
	}
	return kind != "" && s.kind() == kind
}

func (a shapeArgs) notFound(t *tree, kind string) error {
	what := ""
	switch {
	case a.ShapeID != nil:
		what = fmt.Sprintf("shape with the id %d", *a.ShapeID)
	case a.ShapeName != "":
		what = "shape named " + quote(a.ShapeName)
	default:
		what = kind
	}
	var list []*shape
	for s := range flat(shapes(t.spTree(), shown)) {
		list = append(list, s)
	}
	if len(list) == 0 {
		return formats.Errorf(formats.CodeNotFound, "the slide has no %s; it has no shapes", what)
	}
	return formats.Errorf(formats.CodeNotFound, "the slide has no %s; it has %s", what, shapeList(list))
}

// shapeList names shapes for a message.
func shapeList(list []*shape) string {
	var names []string
	for i, s := range list {
		if i == 12 {
			names = append(names, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s %s", s.cnv.Value("id"), quote(oneLine(s.name()))))
	}
	return strings.Join(names, ", ")
}

// alternative reports whether the shape is in a branch of alternate content.
func (s *shape) alternative() bool {
	for n := s.n.Parent; n != nil; n = n.Parent {
		if n.Space == nsMC && (n.Local == "Choice" || n.Local == "Fallback") {
			return true
		}
	}
	return false
}

// maxID returns the highest id of a shape in the part.
func (t *tree) maxID() int {
	id := 1
	for n := range t.Root.All() {
		if n.Local == "cNvPr" {
			id = max(id, intOr(n.Value("id"), 0))
		}
	}
	return id
}
