package sheetml

import (
	"bytes"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Element is a small XML element split into tag and children, so that a child
// can be changed while the rest keeps its bytes.
type Element struct {
	Tag      []byte // start tag, never an empty one
	name     string // with prefix
	Children []Child
}

// Child is a child element as it was written.
type Child struct {
	Local string
	XML   []byte
}

// ParseElement splits raw. It returns an empty element when raw has none.
func ParseElement(raw []byte, prefix, local string) Element {
	e := Element{name: prefix + local, Tag: []byte("<" + prefix + local + ">")}
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Depth == 1 {
			e.Tag = bytes.Clone(t.Bytes())
			e.name = string(e.Tag[1:NameLen(e.Tag)])
			if t.Empty {
				e.Tag = append(bytes.TrimRight(e.Tag[:len(e.Tag)-2], " "), '>')
			}
			continue
		}
		e.Children = append(e.Children, Child{t.Local, raw[t.Start:sc.Skip()]})
	}
	return e
}

// Get returns the child with a name, or nil.
func (e *Element) Get(local string) []byte {
	for _, k := range e.Children {
		if k.Local == local {
			return k.XML
		}
	}
	return nil
}

// Has reports whether a child with a name is present and not switched off by
// val="0".
func (e *Element) Has(local string) bool {
	k := e.Get(local)
	return k != nil && (AttrOf(k, "val") == "" || IsTrue(AttrOf(k, "val")))
}

// Set replaces the child with a name, or inserts it at its place in order. An
// empty xml removes it.
func (e *Element) Set(order []string, local, xml string) {
	i := slices.IndexFunc(e.Children, func(k Child) bool { return k.Local == local })
	switch {
	case xml == "":
		e.Children = slices.DeleteFunc(e.Children, func(k Child) bool { return k.Local == local })
	case i >= 0:
		e.Children = slices.Clone(e.Children)
		e.Children[i].XML = []byte(xml)
	default:
		rank := slices.Index(order, local)
		at := slices.IndexFunc(e.Children, func(k Child) bool { return slices.Index(order, k.Local) > rank })
		if at < 0 {
			at = len(e.Children)
		}
		e.Children = slices.Insert(slices.Clone(e.Children), at, Child{local, []byte(xml)})
	}
}

// Attr sets an attribute of the start tag; "" removes it.
func (e *Element) Attr(name, v string) {
	if have := AttrOf(e.Tag, name); have == v && have != "" {
		return
	}
	add := ""
	if v != "" {
		add = " " + name + `="` + xmlscan.Escape(v) + `"`
	}
	e.Tag = EditTag(e.Tag, add, name)
}

// String returns the element as XML.
func (e *Element) String() string {
	if len(e.Children) == 0 {
		return strings.TrimSuffix(string(e.Tag), ">") + "/>"
	}
	var sb strings.Builder
	sb.Write(e.Tag)
	for _, k := range e.Children {
		sb.Write(k.XML)
	}
	return sb.String() + "</" + e.name + ">"
}

// AttrOf returns an attribute of the element that raw begins with.
func AttrOf(raw []byte, name string) string {
	sc := xmlscan.New(raw)
	if sc.Next() {
		v, _ := sc.Token().Attr(name)
		return v
	}
	return ""
}
