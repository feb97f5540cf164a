package pptx

import (
	"context"
	"fmt"
	"maps"

	"atelier/formats"
	"atelier/formats/language"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

// setLanguage marks the changed paragraphs of a part as text in the targets'
// language (TR-11). Tables with such text run in its direction (21.1.3.15).
func (r *translation) setLanguage(ctx context.Context, p unitPart, doc []byte, changed map[int]bool) ([]byte, error) {
	nodes := p.paragraphs()
	aligns, err := r.alignments(ctx, p, nodes)
	if err != nil {
		return nil, err
	}
	rtl, turned := language.RightToLeft(r.opt.Language), map[*node]bool{}
	for _, u := range p.Texts {
		if u.Para == nil || !changed[u.Index] {
			continue
		}
		if tbl := tableOf(nodes[u.Para.Start]); tbl != nil && isTrue(tbl.Child(nsA, "tblPr").Value("rtl")) != rtl {
			turned[tbl] = true
		}
	}
	// Numbers in a table that turns change sides with the text beside them.
	in := maps.Clone(changed)
	for _, u := range p.Texts {
		if u.Para != nil && turned[tableOf(nodes[u.Para.Start])] && !tags.Translatable(u.Para.Text()) {
			in[u.Index] = true
		}
	}
	set := paragraph.Setting{Language: r.opt.Language, Align: func(i int) string { return aligns[i] }}
	doc, err = paragraph.SetLanguage(doc, func(i int) bool { return in[i] }, set)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", p.name, err)
	}
	if len(turned) == 0 {
		return doc, nil
	}
	which, n := map[int]bool{}, 0
	for k := range p.t.Root.All() {
		if k.Is(nsA, "tbl") {
			which[n] = turned[k]
			n++
		}
	}
	return turnTables(ctx, p.name, doc, which, rtl)
}

// paragraphs returns the elements of the paragraphs of a part by their offset.
func (p unitPart) paragraphs() map[int]*node {
	out := map[int]*node{}
	if p.t == nil {
		return out
	}
	for n := range p.t.Root.All() {
		if n.Is(nsA, "p") {
			out[n.Start] = n
		}
	}
	return out
}

// tableOf returns the table that n is in, nil when it is in none.
func tableOf(n *node) *node {
	for n != nil && !n.Is(nsA, "tbl") {
		n = n.Parent
	}
	return n
}

// turnTables sets the direction of the tables with the given numbers.
func turnTables(ctx context.Context, part string, doc []byte, which map[int]bool, rtl bool) ([]byte, error) {
	t, err := parse(ctx, part, doc)
	if err != nil {
		return nil, err
	}
	value, n := "0", 0
	if rtl {
		value = "1"
	}
	var splices []xmlscan.Splice
	for tbl := range t.Root.All() {
		if !tbl.Is(nsA, "tbl") {
			continue
		}
		if which[n] {
			if pr := tbl.Child(nsA, "tblPr"); pr != nil {
				splices = append(splices, t.SetAttr(pr, "rtl", value))
			} else if rtl && !tbl.Empty {
				splices = append(splices, xmlscan.Splice{Start: tbl.End, End: tbl.End, New: []byte("<" + qualify(tbl.Prefix, "tblPr") + ` rtl="1"/>`)})
			}
		}
		n++
	}
	return xmlscan.Apply(doc, splices), nil
}

// alignments gives, for the paragraphs of a slide, layout or master by index,
// the alignment that they inherit. In other parts it is open.
func (r *translation) alignments(ctx context.Context, p unitPart, nodes map[int]*node) (map[int]string, error) {
	out := map[int]string{}
	if p.t == nil || p.t.spTree() == nil || !language.RightToLeft(r.opt.Language) {
		return out, nil
	}
	lay, master, err := r.layoutAndMaster(ctx, p.name)
	if err != nil {
		return nil, err
	}
	byBody := map[*node]*shape{}
	for s := range flat(shapes(p.t.spTree(), every)) {
		if s.body != nil {
			byBody[s.body] = s
		}
	}
	for _, u := range p.Texts {
		if u.Para == nil {
			continue
		}
		n := nodes[u.Para.Start]
		out[u.Index] = "l"
		if s := byBody[n.Parent]; s != nil {
			out[u.Index] = inheritedAlign(s, lay, master, level(n))
		}
	}
	return out, nil
}

// layoutAndMaster returns the layout and master that a slide or layout inherits
// from.
func (r *translation) layoutAndMaster(ctx context.Context, part string) (lay, master *layout, err error) {
	if lay, err = r.layoutOf(ctx, part); err != nil {
		return nil, nil, err
	}
	from := part
	if lay != nil {
		from = lay.part
	}
	master, err = r.masterOf(ctx, from)
	return lay, master, err
}

// inheritedAlign returns the alignment of paragraphs of that level in a shape, else left.
func inheritedAlign(s *shape, lay, master *layout, lvl int) string {
	for _, props := range inheritedProps(s, lay, master, lvl) {
		if a := props.Value("algn"); a != "" {
			return a
		}
	}
	return "l"
}

// inheritedProps lists what the properties of paragraphs of a level in a shape come from,
// the nearest first: its own list style, that of the layout's and the master's
// placeholder, the master's text style (19.3.1.51). Some are nil.
func inheritedProps(s *shape, lay, master *layout, lvl int) []*node {
	name := fmt.Sprintf("lvl%dpPr", lvl+1)
	of := func(s *shape) *node { return s.body.Child(nsA, "lstStyle").Child(nsA, name) }
	chain := []*node{of(s)}
	if s.ph != nil && lay != nil {
		if m := lay.match(s); m != nil && m.body != nil {
			chain = append(chain, of(m))
		}
	}
	if s.ph != nil && master != nil {
		if m := master.bodies[masterType(s.phType())]; m != nil {
			chain = append(chain, of(m))
		}
		style := map[string]string{"title": "titleStyle", "body": "bodyStyle"}[masterType(s.phType())]
		if style == "" {
			style = "otherStyle"
		}
		chain = append(chain, master.tree.Root.Down(nsP, "txStyles", style).Child(nsA, name))
	}
	return chain
}
