package pptx

import (
	"fmt"
	"slices"
)

// property reports whether n is a document property for people.
func (w *unitWalker) property(n *node) bool {
	return n.In(nsCore, "coreProperties") && (n.Space == nsDC && (n.Local == "title" || n.Local == "subject" || n.Local == "description") ||
		n.Space == nsCore && (n.Local == "keywords" || n.Local == "category"))
}

// attributes lists the texts in attributes below n.
func (w *unitWalker) attributes(n *node, place string) {
	for k := range n.All() {
		w.attribute(k, place)
	}
}

// attribute lists the texts in attributes of n: alternative texts (20.1.2.2.8),
// tooltips of links (21.1.2.3.5), names of sections ([MS-PPTX] 2.3.24).
func (w *unitWalker) attribute(n *node, place string) {
	var names []string
	kind, what := "alt text", ", alternative text"
	switch {
	case n.Local == "cNvPr":
		names = []string{"descr", "title"}
	case n.Space == nsA && (n.Local == "hlinkClick" || n.Local == "hlinkHover" || n.Local == "hlinkMouseOver"):
		names, kind, what = []string{"tooltip"}, "tooltip", ", tooltip"
	case n.Is(nsP14, "section"):
		names, kind, what = []string{"name"}, "section", ", section name"
	default:
		return
	}
	for a := range n.Attrs() {
		if slices.Contains(names, a.Name) {
			w.nAttrs++
			w.units = append(w.units, &unit{id: fmt.Sprintf("%s#a%d", w.tree.part, w.nAttrs), place: place + what, kind: kind, n: n, attr: &a})
		}
	}
}
