package element

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Element is an element split into its start tag and its children. Text and
// comments between children are not kept.
type Element struct {
	Children []Child

	name   string // as written, with prefix
	attrs  string // what the start tag has after the name, as written; it begins with a blank
	schema *Schema
}

// Child is a child element as written.
type Child struct{ Local, XML string }

// Parse splits the element raw, in which prefixes need not be bound. An empty
// raw gives an element of the given name without attributes and children.
func Parse[T string | []byte](raw T, name string, schema *Schema) *Element {
	e := &Element{name: name, schema: schema}
	if len(raw) == 0 {
		return e
	}
	doc := []byte(raw)
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind != xmlscan.Start:
		case t.Depth == 1:
			e.setTag(string(t.Bytes()))
		case t.Depth == 2:
			e.Children = append(e.Children, Child{t.Local, string(doc[t.Start:sc.Skip()])})
		}
	}
	return e
}

func (e *Element) setTag(tag string) {
	body := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(tag, "<"), ">"), "/")
	n := strings.IndexAny(body, " \t\r\n")
	if n < 0 {
		n = len(body)
	}
	e.name, e.attrs = body[:n], strings.TrimRight(body[n:], " \t\r\n")
}

// Name returns the name of the element as written, with its prefix.
func (e *Element) Name() string { return e.name }

// Prefix returns the prefix of the element with its colon; "" when it has none.
func (e *Element) Prefix() string { return e.name[:strings.IndexByte(e.name, ':')+1] }

// Get returns the first child with a local name; "" when there is none.
func (e *Element) Get(local string) string {
	if i := e.index(local); i >= 0 {
		return e.Children[i].XML
	}
	return ""
}

func (e *Element) index(local string) int {
	return slices.IndexFunc(e.Children, func(c Child) bool { return c.Local == local })
}

// Set makes xml, a whole element, the child with that local name: in place of
// the first that there is, else where the schema puts it. Children named in
// instead are dropped.
func (e *Element) Set(local, xml string, instead ...string) {
	e.Drop(instead...)
	if i := e.index(local); i >= 0 {
		e.Children[i].XML = xml
		return
	}
	e.Children = slices.Insert(e.Children, position(e.ranks(), e.schema.Rank(local)), Child{local, xml})
}

// Prepend makes xml the first child.
func (e *Element) Prepend(local, xml string) {
	e.Children = slices.Insert(e.Children, 0, Child{local, xml})
}

// Drop removes all children with those local names.
func (e *Element) Drop(locals ...string) {
	if len(locals) > 0 {
		e.Children = slices.DeleteFunc(e.Children, func(c Child) bool { return slices.Contains(locals, c.Local) })
	}
}

// Sort puts the children in the order of the schema, those that it does not
// name last.
func (e *Element) Sort() {
	rank := func(c Child) int {
		if r := e.schema.rankOf(c.Local, []byte(c.XML)); r >= 0 {
			return r
		}
		return math.MaxInt
	}
	slices.SortStableFunc(e.Children, func(a, b Child) int { return cmp.Compare(rank(a), rank(b)) })
}

func (e *Element) ranks() []int {
	out := make([]int, len(e.Children))
	for i, c := range e.Children {
		out[i] = e.schema.rankOf(c.Local, []byte(c.XML))
	}
	return out
}

// Attr returns the value of the attribute written as name ("val" or "w:val").
func (e *Element) Attr(name string) (value string, ok bool) { return e.startTag().Attr(name) }

// startTag returns the start tag as a token of a document that holds no more.
func (e *Element) startTag() xmlscan.Token {
	sc := xmlscan.New([]byte("<" + e.name + e.attrs + "/>"))
	sc.Next()
	return sc.Token()
}

// SetAttr sets an attribute: in place of the one that there is, else after the
// others.
func (e *Element) SetAttr(name, value string) {
	value = xmlscan.EscapeAttr(value)
	before := len("<" + e.name)
	for a := range e.startTag().Attrs() {
		if a.Name == name {
			e.attrs = e.attrs[:a.ValStart-before] + value + e.attrs[a.ValEnd-before:]
			return
		}
	}
	e.attrs += " " + name + `="` + value + `"`
}

// DropAttrs removes attributes.
func (e *Element) DropAttrs(names ...string) {
	var kept strings.Builder
	before, from := len("<"+e.name), 0
	for a := range e.startTag().Attrs() {
		to := a.ValEnd + 1 - before
		if !slices.Contains(names, a.Name) {
			kept.WriteString(e.attrs[from:to])
		}
		from = to
	}
	e.attrs = kept.String()
}

// Empty reports whether the element has neither attributes nor children.
func (e *Element) Empty() bool { return e.attrs == "" && len(e.Children) == 0 }

// Optional returns the element, or "" when it is empty: properties that say
// nothing are left out.
func (e *Element) Optional() string {
	if e.Empty() {
		return ""
	}
	return e.String()
}

// String returns the element.
func (e *Element) String() string {
	var sb strings.Builder
	sb.WriteString("<" + e.name + e.attrs)
	if len(e.Children) == 0 {
		sb.WriteString("/>")
		return sb.String()
	}
	sb.WriteByte('>')
	for _, c := range e.Children {
		sb.WriteString(c.XML)
	}
	sb.WriteString("</" + e.name + ">")
	return sb.String()
}
