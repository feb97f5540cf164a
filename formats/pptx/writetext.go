package pptx

import (
	"bytes"
	"fmt"

	xmltree "atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

// paragraphsXML are lines as new paragraphs with the prefix a:.
func (t *tree) paragraphsXML(lines []line) []byte {
	var buf bytes.Buffer
	for _, l := range lines {
		t.writeParagraph(&buf, "a", nil, l)
	}
	return buf.Bytes()
}

// paragraphProps returns the a:pPr of model put on another level if need be:
// its own indents would undo the level's, so they go then.
func (t *tree) paragraphProps(prefix string, model *node, lvl int) []byte {
	var pPr *node
	if model != nil {
		pPr = model.Child(nsA, "pPr")
	}
	if pPr == nil {
		if lvl == 0 {
			return nil
		}
		return fmt.Appendf(nil, `<%s lvl="%d"/>`, qualify(prefix, "pPr"), lvl)
	}
	raw := t.Raw(pPr)
	if level(model) == lvl {
		return raw
	}
	raw = xmltree.DropAttrs(pPr.Token, raw, "lvl", "marL", "indent")
	if lvl == 0 {
		return raw
	}
	name := len("<") + len(qualify(pPr.Prefix, pPr.Local))
	return fmt.Appendf(nil, `%s lvl="%d"%s`, raw[:name], lvl, raw[name:])
}

// firstRunProps returns the formatting of the first run, field or break of p,
// or of its end mark when it has no run; nil when there is none.
func firstRunProps(p *node) *node {
	for k := range content(p, shown) {
		if k.Is(nsA, "r") || k.Is(nsA, "fld") || k.Is(nsA, "br") {
			return k.Child(nsA, "rPr")
		}
	}
	return p.Child(nsA, "endParaRPr")
}

// runProps writes the run properties n as an element called name, without the
// hyperlink (which belongs to the old words) and the marks of the spell
// checker.
func (t *tree) runProps(name string, n *node) []byte {
	if n == nil {
		return nil
	}
	var cuts []xmlscan.Splice
	for k := range n.Kids() {
		if k.Is(nsA, "hlinkClick") || k.Is(nsA, "hlinkMouseOver") {
			cuts = append(cuts, xmlscan.Splice{Start: k.Start - n.End, End: k.After - n.End})
		}
	}
	attrs := xmltree.DropAttrs(n.Token, n.Bytes(), "err", "dirty")[1+len(qualify(n.Prefix, n.Local)):]
	attrs = bytes.TrimSuffix(bytes.TrimSuffix(attrs, []byte(">")), []byte("/"))
	inner := xmlscan.Apply(t.Doc[n.End:n.Close], cuts)
	if n.Empty || len(inner) == 0 {
		return fmt.Appendf(nil, "<%s%s/>", name, attrs)
	}
	return fmt.Appendf(nil, "<%s%s>%s</%s>", name, attrs, inner, name)
}

// bodyPrefix returns the prefix that the drawing namespace has inside a text
// body, taken from a child, so that it is bound there.
func bodyPrefix(body *node) string {
	for k := range body.Kids() {
		if k.Space == nsA {
			return k.Prefix
		}
	}
	p, _ := body.PrefixOf(nsA)
	return p
}

func qualify(prefix, local string) string {
	if prefix == "" {
		return local
	}
	return prefix + ":" + local
}
