package xlsx

import (
	"bytes"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// elem is a small XML element taken apart, to be written again with a child
// changed and all else as it was.
type elem struct {
	tag  []byte // start tag, never an empty one
	name string // with prefix
	kids []kid
}

type kid struct {
	local string
	xml   []byte
}

// parseElem takes raw apart; an element that cannot be read is made anew.
func parseElem(raw []byte, prefix, local string) elem {
	e := elem{name: prefix + local, tag: []byte("<" + prefix + local + ">")}
	sc := xmlscan.New(raw)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Depth == 1 {
			e.tag = bytes.Clone(t.Bytes())
			e.name = string(e.tag[1:nameLen(e.tag)])
			if t.Empty {
				e.tag = append(bytes.TrimRight(e.tag[:len(e.tag)-2], " "), '>')
			}
			continue
		}
		e.kids = append(e.kids, kid{t.Local, raw[t.Start:sc.Skip()]})
	}
	return e
}

// get is the child with that name, nil when there is none.
func (e *elem) get(local string) []byte {
	for _, k := range e.kids {
		if k.local == local {
			return k.xml
		}
	}
	return nil
}

// has reports whether the child with that name switches something on.
func (e *elem) has(local string) bool {
	k := e.get(local)
	return k != nil && (attrOf(k, "val") == "" || isTrue(attrOf(k, "val")))
}

// set replaces the child with that name, or puts it at its place in order; no
// xml removes it.
func (e *elem) set(order []string, local, xml string) {
	i := slices.IndexFunc(e.kids, func(k kid) bool { return k.local == local })
	switch {
	case xml == "":
		e.kids = slices.DeleteFunc(e.kids, func(k kid) bool { return k.local == local })
	case i >= 0:
		e.kids = slices.Clone(e.kids)
		e.kids[i].xml = []byte(xml)
	default:
		rank := slices.Index(order, local)
		at := slices.IndexFunc(e.kids, func(k kid) bool { return slices.Index(order, k.local) > rank })
		if at < 0 {
			at = len(e.kids)
		}
		e.kids = slices.Insert(slices.Clone(e.kids), at, kid{local, []byte(xml)})
	}
}

// attr sets an attribute of the start tag; "" removes it.
func (e *elem) attr(name, v string) {
	if have := attrOf(e.tag, name); have == v && have != "" {
		return
	}
	add := ""
	if v != "" {
		add = " " + name + `="` + xmlscan.Escape(v) + `"`
	}
	e.tag = editTag(e.tag, add, name)
}

func (e *elem) String() string {
	if len(e.kids) == 0 {
		return strings.TrimSuffix(string(e.tag), ">") + "/>"
	}
	var sb strings.Builder
	sb.Write(e.tag)
	for _, k := range e.kids {
		sb.Write(k.xml)
	}
	return sb.String() + "</" + e.name + ">"
}

// attrOf is the value of an attribute of the element raw begins with.
func attrOf(raw []byte, name string) string {
	sc := xmlscan.New(raw)
	if sc.Next() {
		v, _ := sc.Token().Attr(name)
		return v
	}
	return ""
}
