package pptx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	xmltree "atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

// setLayoutArgs are the members of set_layout.
type setLayoutArgs struct {
	slideArgs
	Layout string `json:"layout" usage:"layout" jsonschema:"{ops}: title, title_and_content, two_content, title_only, section_header, blank, or a layout's name"`
}

// setLayout puts a slide on another layout. Its title and texts go into the
// placeholders of the new layout; one for which there is none stays where it
// was when it has content and goes when it is empty.
func (d *deckEdit) setLayout(ctx context.Context, c *call, a setLayoutArgs) error {
	if strings.TrimSpace(a.Layout) == "" {
		return formats.Errorf(formats.CodeInvalid, "layout is required")
	}
	old, err := d.layoutOf(ctx, c.part)
	if err != nil {
		return err
	}
	lay, warning, err := d.findLayout(ctx, a.Layout, old)
	if err != nil {
		return err
	}
	if warning != "" {
		return d.noLayout(ctx, a.Layout)
	}
	c.r.Hits = 1
	if old != nil && old.part == lay.part {
		return nil
	}
	t, err := d.tree(ctx, c.part)
	if err != nil {
		return err
	}
	splices, err := d.refit(ctx, t, lay)
	if err != nil {
		return err
	}
	d.setTree(t, splices)
	rels, err := d.Rels(ctx, c.part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type == relLayout {
			return d.retarget(ctx, c.part, r.ID, lay.part)
		}
	}
	_, err = d.edit.AddRel(ctx, c.part, relTo(d.uri(relLayout), lay.part))
	return err
}

// noLayout names the layouts there are.
func (d *deck) noLayout(ctx context.Context, want string) error {
	list, err := d.allLayouts(ctx, nil)
	if err != nil {
		return err
	}
	return formats.Errorf(formats.CodeNotFound, "the deck has no layout %s; it has %s", quote(want), layoutList(list))
}

// retarget makes a relationship lead to another part.
func (d *deckEdit) retarget(ctx context.Context, source, id, part string) error {
	name := opc.RelsName(source)
	doc, err := d.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "Relationship" {
			continue
		}
		if have, _ := t.Attr("Id"); have != id {
			continue
		}
		for a := range t.Attrs() {
			if a.Name == "Target" {
				splices = append(splices, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(xmlscan.EscapeAttr(opc.Relative(source, part)))})
			}
		}
	}
	d.edit.Set(name, xmlscan.Apply(doc, splices))
	return sc.Err()
}

// refit makes the placeholders of a slide fit another layout.
func (d *deckEdit) refit(ctx context.Context, t *tree, lay *layout) ([]xmlscan.Splice, error) {
	var list []*shape
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.ph != nil && !isFooterType(s.phType()) {
			list = append(list, s)
		}
	}
	to, taken := pairPlaceholders(list, lay)
	var splices []xmlscan.Splice
	for _, s := range list {
		like := to[s]
		switch {
		case like != nil:
			splices = append(splices, t.setPlaceholder(s, like)...)
		case s.body != nil && !hasText(s.body) && s.n.Local == "sp" && !s.alternative():
			splices = append(splices, xmlscan.Splice{Start: s.n.Start, End: s.n.After})
		default:
			fixed, err := d.fixPlace(ctx, t, s)
			if err != nil {
				return nil, err
			}
			splices = append(splices, fixed...)
		}
	}
	id := t.nextShape()
	var added strings.Builder
	for _, it := range lay.items {
		if taken[it] || isFooterType(it.phType()) {
			continue
		}
		added.WriteString(placeholderXML("p", "a", "", id, itemOf(it), `<a:p/>`))
		id++
	}
	if tree := t.spTree(); added.Len() > 0 && tree != nil && !tree.Empty {
		at := insertAt(tree, false)
		splices = append(splices, xmlscan.Splice{Start: at, End: at, New: []byte(t.withBoundPrefixes(added.String()))})
	}
	return splices, nil
}

// pairPlaceholders finds for each placeholder of a slide the one of a layout that it goes
// into: titles into the title, then those of the same type and idx, then those
// of the same type, then any text into any place for text.
func pairPlaceholders(list []*shape, lay *layout) (to map[*shape]*shape, taken map[*shape]bool) {
	to, taken = map[*shape]*shape{}, map[*shape]bool{}
	for _, fits := range []func(s, l *shape) bool{
		func(s, l *shape) bool { return s.isTitle() && l.isTitle() },
		func(s, l *shape) bool { return s.phType() == l.phType() && s.phIndex() == l.phIndex() },
		func(s, l *shape) bool { return s.phType() == l.phType() },
		func(s, l *shape) bool { return isBodyType(s.phType()) && isBodyType(l.phType()) },
		func(s, l *shape) bool { return !s.isTitle() && l.phType() == "obj" },
	} {
		for _, s := range list {
			for _, l := range lay.items {
				if to[s] == nil && !taken[l] && fits(s, l) {
					to[s], taken[l] = l, true
				}
			}
		}
	}
	return to, taken
}

// setPlaceholder makes s the placeholder that like is.
func (t *tree) setPlaceholder(s, like *shape) []xmlscan.Splice {
	name := qualify(s.ph.Prefix, s.ph.Local)
	tag := append([]byte("<"+name+itemOf(like).ph), restOf(s.ph)...)
	if bytes.Equal(tag, s.ph.Bytes()) {
		return nil
	}
	return []xmlscan.Splice{{Start: s.ph.Start, End: s.ph.End, New: tag}}
}

// restOf returns the start tag of a p:ph after the attributes that say which
// one it is.
func restOf(ph *node) []byte {
	tag := xmltree.DropAttrs(ph.Token, ph.Bytes(), "type", "orient", "sz", "idx")
	return tag[1+len(qualify(ph.Prefix, ph.Local)):]
}

// fixPlace writes into a shape the place that its old layout gave it.
func (d *deckEdit) fixPlace(ctx context.Context, t *tree, s *shape) ([]xmlscan.Splice, error) {
	if s.xfrm() != nil {
		return nil, nil
	}
	f, ok, err := d.frameOn(ctx, t.part, s, onSlide)
	if err != nil || !ok {
		return nil, err
	}
	return t.placeShape(s, f), nil
}
