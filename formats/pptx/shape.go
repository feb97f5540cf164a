package pptx

import (
	"iter"
	"strconv"
	"strings"
)

// shape is one object on a slide (ECMA-376-1 19.3.1).
type shape struct {
	n     *node
	cnv   *node // p:cNvPr: id, name, alternative text
	ph    *node // p:ph, nil when the shape is not a placeholder
	body  *node // p:txBody
	tbl   *node // a:tbl of a graphic frame
	chart string
	smart string // relationship ids of the chart and the diagram data
	kids  []*shape
}

// branch says which branches of mc:AlternateContent (ECMA-376-3 7.5) to enter.
type branch bool

const (
	shown branch = false // the one a current program shows: the first choice
	every branch = true
)

// shapes lists the objects of a shape tree or group in z-order.
func shapes(tree *node, b branch) []*shape {
	var out []*shape
	for n := range content(tree, b) {
		if s := asShape(n, b); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// content yields the child elements of n with alternate content resolved.
func content(n *node, b branch) iter.Seq[*node] {
	return func(yield func(*node) bool) { resolveContent(n, b, yield) }
}

func resolveContent(n *node, b branch, yield func(*node) bool) bool {
	for k := range n.Kids() {
		if !k.Is(nsMC, "AlternateContent") {
			if !yield(k) {
				return false
			}
			continue
		}
		for c := range k.Kids() {
			if c.Space != nsMC || c.First == nil {
				continue
			}
			if !resolveContent(c, b, yield) {
				return false
			}
			if b == shown {
				break
			}
		}
	}
	return true
}

// asShape reads one object; nil when n is none.
func asShape(n *node, b branch) *shape {
	if n.Space != nsP {
		return nil
	}
	s := &shape{n: n}
	switch n.Local {
	case "sp":
		s.body = n.Child(nsP, "txBody")
	case "grpSp":
		s.kids = shapes(n, b)
	case "graphicFrame":
		data := n.Down(nsA, "graphic", "graphicData")
		s.tbl = data.Child(nsA, "tbl")
		for k := range data.Kids() {
			switch {
			case k.Local == "chart":
				s.chart = k.RelValue("id")
			case k.Is(nsDgm, "relIds"):
				s.smart = k.RelValue("dm")
			}
		}
	case "pic", "cxnSp":
	default:
		return nil
	}
	for k := range n.Kids() {
		if k.Space == nsP && strings.HasPrefix(k.Local, "nv") {
			s.cnv = k.Child(nsP, "cNvPr")
			s.ph = k.Down(nsP, "nvPr", "ph")
		}
	}
	return s
}

// flat yields s and all that it groups.
func flat(list []*shape) iter.Seq[*shape] {
	return func(yield func(*shape) bool) { flatten(list, yield) }
}

func flatten(list []*shape, yield func(*shape) bool) bool {
	for _, s := range list {
		if !yield(s) || !flatten(s.kids, yield) {
			return false
		}
	}
	return true
}

// spTree returns the shape tree of a slide, layout, master or notes page.
func (t *tree) spTree() *node { return t.Root.Down(nsP, "cSld", "spTree") }

// phType returns the type of a placeholder: "obj" when it says none
// (19.3.1.36), "" when s is not a placeholder.
func (s *shape) phType() string {
	if s.ph == nil {
		return ""
	}
	if typ := s.ph.Value("type"); typ != "" {
		return typ
	}
	return "obj"
}

// phIndex returns the idx of a placeholder, 0 by default.
func (s *shape) phIndex() int { return intOr(s.ph.Value("idx"), 0) }

func (s *shape) isTitle() bool { return isTitleType(s.phType()) }

func isTitleType(typ string) bool { return typ == "title" || typ == "ctrTitle" }

// isBodyType tells the placeholders that take running text.
func isBodyType(typ string) bool { return typ == "obj" || typ == "body" || typ == "subTitle" }

// isFooterType tells the placeholders that repeat on every slide.
func isFooterType(typ string) bool { return typ == "dt" || typ == "ftr" || typ == "sldNum" }

// name returns what the author or PowerPoint called the shape.
func (s *shape) name() string { return s.cnv.Value("name") }

// titleOf returns the first title placeholder, nil when the slide has none.
func titleOf(list []*shape) *shape {
	for s := range flat(list) {
		if s.isTitle() && s.body != nil {
			return s
		}
	}
	return nil
}

// intOr reads a whole number, or gives def.
func intOr(s string, def int) int {
	if s == "" {
		return def // most attributes are absent, and an error costs more
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return def
	}
	return n
}
