package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// item is what a new placeholder shape is made from.
type item struct {
	ph    string // attributes of p:ph
	name  string
	frame string // a:xfrm and geometry; "" leaves them to the layout
}

// itemOf returns a placeholder that is in the layout's placeholder s.
func itemOf(s *shape) item {
	it := item{name: strings.TrimRight(s.name(), "0123456789 ")}
	for _, name := range []string{"type", "orient", "sz", "idx"} {
		if v := s.ph.Value(name); v != "" {
			it.ph += fmt.Sprintf(` %s="%s"`, name, xmlscan.Escape(v))
		}
	}
	if it.name == "" {
		it.name = "Placeholder"
	}
	return it
}

// placeholderXML returns a new shape; p and a are the prefixes to use, decl
// declares what is not bound around it.
func placeholderXML(p, a, decl string, id int, it item, text string) string {
	return reprefix(fmt.Sprintf(`<p:sp%s><p:nvSpPr><p:cNvPr id="%d" name="%s %d"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph%s/></p:nvPr></p:nvSpPr><p:spPr>%s</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`,
		decl, id, xmlscan.Escape(it.name), id-1, it.ph, it.frame, text), p, a)
}

// reprefix returns elements written with p: and a: other prefixes.
func reprefix(x, p, a string) string {
	if p == "p" && a == "a" {
		return x
	}
	colon := func(s string) string {
		if s == "" {
			return ""
		}
		return s + ":"
	}
	return strings.NewReplacer("<p:", "<"+colon(p), "</p:", "</"+colon(p), "<a:", "<"+colon(a), "</a:", "</"+colon(a)).Replace(x)
}

// replaceAttrPrefix returns the attribute r:embed another prefix. No text can
// be mistaken for it: quotes in texts are escaped.
func replaceAttrPrefix(x, r string) string {
	return strings.ReplaceAll(x, ` r:embed="`, " "+r+`:embed="`)
}

// addPlaceholder gives a slide the title or body placeholder that it lacks:
// that of its layout when there is an unused one, which then also places it;
// else one with its own frame.
func (d *deckEdit) addPlaceholder(ctx context.Context, t *tree, is func(string) bool, r *formats.OpReport) error {
	lay, err := d.layoutOf(ctx, t.part)
	if err != nil {
		return err
	}
	tree := t.spTree()
	if tree == nil {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no shape tree", t.part)
	}
	used, id := map[int]bool{}, 1
	for s := range flat(shapes(tree, every)) {
		if s.ph != nil && !isTitleType(s.phType()) {
			used[s.phIndex()] = true
		}
	}
	for n := range tree.All() {
		if n.Local == "cNvPr" {
			id = max(id, intOr(n.Value("id"), 0))
		}
	}
	title := is("title")
	var it item
	if like := unused(lay, is, title, used); like != nil {
		it = itemOf(like)
	} else {
		it = d.ownFrame(title, used, lay)
		if !title {
			r.Warnings = append(r.Warnings, "the slide's layout has no free place for body text; a text box was added")
		}
	}
	decl, a := "", "a"
	if prefix, ok := tree.PrefixOf(nsA); ok {
		a = prefix
	} else {
		decl = ` xmlns:a="` + d.uri(nsA) + `"`
	}
	x, at := placeholderXML(tree.Prefix, a, decl, id+1, it, `<a:p/>`), insertAt(tree, title)
	d.edit.Set(t.part, xmlscan.Apply(t.Doc, []xmlscan.Splice{{Start: at, End: at, New: []byte(x)}}))
	return nil
}

// insertAt returns where a new shape goes: a title behind all others would be
// drawn over them and read last, so it goes first; a body goes last.
func insertAt(tree *node, title bool) int {
	at := tree.Close
	if ext := tree.Child(nsP, "extLst"); ext != nil {
		at = ext.Start
	}
	if first := tree.Child(nsP, "grpSpPr"); title && first != nil {
		at = first.After
	}
	return at
}

func unused(lay *layout, is func(string) bool, title bool, used map[int]bool) *shape {
	if lay == nil {
		return nil
	}
	var free []*shape
	for _, s := range lay.items {
		if title || !used[s.phIndex()] {
			free = append(free, s)
		}
	}
	return lowestIndex(free, is)
}

// ownFrame returns a placeholder that no layout places. Its idx must not be one
// of the layout's, or it would look like that one.
func (d *deck) ownFrame(title bool, used map[int]bool, lay *layout) item {
	frame := func(top, height int) string {
		return fmt.Sprintf(`<a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, d.width/20, top, d.width*9/10, height)
	}
	if title {
		return item{ph: ` type="title"`, name: "Title", frame: frame(d.height/20, d.height*3/20)}
	}
	if lay != nil {
		for _, s := range lay.items {
			used[s.phIndex()] = true
		}
	}
	idx := 10
	for used[idx] {
		idx++
	}
	return item{ph: fmt.Sprintf(` type="body" idx="%d"`, idx), name: "Text Placeholder", frame: frame(d.height/4, d.height*13/20)}
}
