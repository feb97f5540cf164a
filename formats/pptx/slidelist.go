package pptx

import (
	"context"
	"fmt"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// listSlide enters a slide into the presentation's slide list and sections.
func (d *deckEdit) listSlide(ctx context.Context, relID string, at int) error {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	id := d.newSlideID(t)
	splices := []xmlscan.Splice{d.sldIDSplice(t, relID, id, at)}
	if s := d.sectionSplice(t, id, at); s != nil {
		splices = append(splices, *s)
	}
	d.edit.Set(d.main, xmlscan.Apply(t.Doc, splices))
	return d.reload(ctx)
}

// newSlideID returns an unused p:sldId/@id: 256 to 2^31-1 (19.7.13).
func (d *deck) newSlideID(t *tree) int {
	used, id := map[int]bool{}, 255
	for s := range t.Root.Child(nsP, "sldIdLst").Kids() {
		n := intOr(s.Value("id"), 0)
		used[n] = true
		id = max(id, n)
	}
	if id++; id >= 1<<31 {
		for id = 256; used[id]; {
			id++
		}
	}
	return id
}

// sldIDSplice inserts the p:sldId at position at, making the list if there is
// none: it follows the lists of masters (19.2.1.26).
func (d *deck) sldIDSplice(t *tree, relID string, id, at int) xmlscan.Splice {
	list := t.Root.Child(nsP, "sldIdLst")
	host := list
	if host == nil {
		host = t.Root
	}
	attr, decl := "r", ""
	if p, ok := host.PrefixOf(nsR); ok {
		attr = p
	} else {
		decl = ` xmlns:r="` + d.uri(nsR) + `"`
	}
	p := t.Root.Prefix
	elem := fmt.Sprintf(`<%s%s id="%d" %s:id="%s"/>`, qualify(p, "sldId"), decl, id, attr, xmlscan.Escape(relID))
	if list == nil {
		name := qualify(p, "sldIdLst")
		return t.insertIntoPresentation("sldIdLst", "<"+name+">"+elem+"</"+name+">")
	}
	for s := range list.Kids() {
		if at < len(d.slides) && s.Value("id") == d.slides[at].id {
			return xmlscan.Splice{Start: s.Start, End: s.Start, New: []byte(elem)}
		}
	}
	return t.InsertLast(list, []byte(elem))[0]
}

// insertIntoPresentation puts a child of p:presentation in its place.
func (t *tree) insertIntoPresentation(local, xml string) xmlscan.Splice {
	edit, _ := element.Insert(t.Doc, presentationSchema, local, xml)
	return edit
}

// sectionSplice puts the slide into the section of the one before it
// ([MS-PPTX] 2.3.24): PowerPoint wants every slide in one. nil when the deck
// has no sections.
func (d *deck) sectionSplice(t *tree, id, at int) *xmlscan.Splice {
	before, after := "", ""
	if at > 0 {
		before = d.slides[at-1].id
	} else if len(d.slides) > 0 {
		after = d.slides[0].id
	}
	var last *node
	for n := range t.Root.Child(nsP, "extLst").All() {
		if n.Space != nsP14 {
			continue
		}
		elem := fmt.Appendf(nil, `<%s id="%d"/>`, qualify(n.Prefix, "sldId"), id)
		switch {
		case n.Local == "sldId" && before != "" && n.Value("id") == before:
			return &xmlscan.Splice{Start: n.After, End: n.After, New: elem}
		case n.Local == "sldId" && after != "" && n.Value("id") == after:
			return &xmlscan.Splice{Start: n.Start, End: n.Start, New: elem}
		case n.Local == "sldIdLst":
			last = n
		}
	}
	if last == nil {
		return nil
	}
	return &t.InsertLast(last, fmt.Appendf(nil, `<%s id="%d"/>`, qualify(last.Prefix, "sldId"), id))[0]
}

// slideList returns the slides that an operation names, each once and in the order of the
// presentation; all when it names none.
func (d *deck) slideList(list []lenient.Int) ([]int, error) {
	var out []int
	for _, i := range list {
		if i < 0 || int(i) >= len(d.slides) {
			return nil, formats.Errorf(formats.CodeInvalid, "invalid slide index")
		}
		out = append(out, int(i))
	}
	if len(list) == 0 {
		for i := range d.slides {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
