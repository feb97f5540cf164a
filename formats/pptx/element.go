package pptx

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// element is a small element, such as run properties, that is read from bytes,
// changed and written again. Children keep their bytes.
type element struct {
	name  string // as written
	attrs []attribute
	kids  []child
}

type attribute struct{ name, value string }

type child struct{ local, raw string }

// parseElement reads one element, whose prefixes need not be bound in raw.
// Nothing gives an empty element of that name.
func parseElement(raw []byte, name string) element {
	e := element{name: name}
	sc := xmlscan.New(raw)
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind != xmlscan.Start:
		case t.Depth == 1:
			e.name = qualify(t.Prefix, t.Local)
			for a := range t.Attrs() {
				e.attrs = append(e.attrs, attribute{a.Name, a.Value()})
			}
		case t.Depth == 2:
			e.kids = append(e.kids, child{t.Local, string(raw[t.Start:sc.Skip()])})
		}
	}
	return e
}

// prefix returns that of the element, with its colon.
func (e *element) prefix() string {
	p, _, ok := strings.Cut(e.name, ":")
	if !ok {
		return ""
	}
	return p + ":"
}

func (e *element) set(name, value string) {
	i := slices.IndexFunc(e.attrs, func(a attribute) bool { return a.name == name })
	if i < 0 {
		e.attrs = append(e.attrs, attribute{name, value})
		return
	}
	e.attrs[i].value = value
}

func (e *element) drop(names ...string) {
	e.attrs = slices.DeleteFunc(e.attrs, func(a attribute) bool { return slices.Contains(names, a.name) })
}

// put puts a child in the place that order gives it, instead of all children
// with a name in instead. raw is written with the prefix a:.
func (e *element) put(order []string, local, raw string, instead ...string) {
	instead = append(instead, local)
	e.kids = slices.DeleteFunc(e.kids, func(c child) bool { return slices.Contains(instead, c.local) })
	rank := slices.Index(order, local)
	at := slices.IndexFunc(e.kids, func(c child) bool { return slices.Index(order, c.local) > rank })
	if at < 0 {
		at = len(e.kids)
	}
	p := strings.TrimSuffix(e.prefix(), ":")
	e.kids = slices.Insert(e.kids, at, child{local, reprefix(raw, "p", p)})
}

// xml writes the element; "" when it says nothing.
func (e *element) xml() string {
	if len(e.attrs) == 0 && len(e.kids) == 0 {
		return ""
	}
	var sb strings.Builder
	sb.WriteString("<" + e.name)
	for _, a := range e.attrs {
		sb.WriteString(" " + a.name + `="` + xmlscan.Escape(a.value) + `"`)
	}
	if len(e.kids) == 0 {
		return sb.String() + "/>"
	}
	sb.WriteString(">")
	for _, k := range e.kids {
		sb.WriteString(k.raw)
	}
	return sb.String() + "</" + e.name + ">"
}

// The order of the children of a:pPr (21.1.2.2.7) and a:rPr (21.1.2.3.9).
var (
	pPrOrder = []string{"lnSpc", "spcBef", "spcAft", "buClrTx", "buClr", "buSzTx", "buSzPct", "buSzPts", "buFontTx", "buFont", "buNone", "buAutoNum", "buChar", "buBlip", "tabLst", "defRPr", "extLst"}
	rPrOrder = []string{"ln", "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill", "effectLst", "effectDag", "highlight", "uLnTx", "uLn", "uFillTx", "uFill", "latin", "ea", "cs", "sym", "hlinkClick", "hlinkMouseOver", "rtl", "extLst"}
)
