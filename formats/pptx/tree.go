package pptx

import (
	"bytes"
	"context"
	"iter"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// node is an element of a part, by byte offset: doc[Start:end] is all of it,
// doc[End:close] what is between its tags.
type node struct {
	xmlscan.Token     // the start tag
	close         int // offset of the end tag; that after an empty element
	end           int // offset after the element
	parent        *node
	first, last   *node // child elements
	next          *node // sibling
}

// tree is a parsed part.
type tree struct {
	part string
	doc  []byte
	root *node
	// Where the part is edited:
	link  func(url string) string         // the relationship to an address
	leads func(id string) string          // where a relationship leads
	note  func(dropped bool, what string) // what becomes of a link while text is written
}

// ctxStride is how many bytes are parsed between two looks at the context.
const ctxStride = 64 << 10

// parse builds the element tree of doc; part is for messages.
func parse(ctx context.Context, part string, doc []byte) (*tree, error) {
	t := &tree{part: part, doc: doc}
	var arena []node
	var cur *node
	sc, looked := xmlscan.New(doc), 0
	for sc.Next() {
		tok := sc.Token()
		if tok.End-looked >= ctxStride {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			looked = tok.End
		}
		switch tok.Kind {
		case xmlscan.Start:
			if len(arena) == 0 {
				arena = make([]node, 128)
			}
			n := &arena[0]
			arena = arena[1:]
			*n = node{Token: tok, close: tok.End, end: tok.End, parent: cur}
			t.attach(cur, n)
			if !tok.Empty {
				cur = n
			}
		case xmlscan.End:
			cur.close, cur.end = tok.Start, tok.End
			cur = cur.parent
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", part, err)
	}
	if t.root == nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: it has no element", part)
	}
	return t, nil
}

func (t *tree) attach(parent, n *node) {
	switch {
	case parent == nil:
		if t.root == nil {
			t.root = n
		}
	case parent.first == nil:
		parent.first, parent.last = n, n
	default:
		parent.last.next = n
		parent.last = n
	}
}

// kids yields the child elements of n; none of a nil node.
func (n *node) kids() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if n == nil {
			return
		}
		for k := n.first; k != nil; k = k.next {
			if !yield(k) {
				return
			}
		}
	}
}

// all yields every element below n in document order.
func (n *node) all() iter.Seq[*node] {
	return func(yield func(*node) bool) { n.walk(yield) }
}

func (n *node) walk(yield func(*node) bool) bool {
	for k := range n.kids() {
		if !yield(k) || !k.walk(yield) {
			return false
		}
	}
	return true
}

// child returns the first child element of that name, nil when there is none.
func (n *node) child(space, local string) *node {
	for k := range n.kids() {
		if k.Is(space, local) {
			return k
		}
	}
	return nil
}

// in reports whether the parent of n is an element of that name.
func (n *node) in(space, local string) bool { return n.parent != nil && n.parent.Is(space, local) }

// down follows child after child in one namespace.
func (n *node) down(space string, locals ...string) *node {
	for _, l := range locals {
		n = n.child(space, l)
	}
	return n
}

// attr returns an attribute without a prefix, "" when it is absent or n is nil.
func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	v, _ := n.Attr(name)
	return v
}

// relAttr returns an attribute in the relationships namespace, such as r:id.
func (n *node) relAttr(local string) string {
	if n == nil {
		return ""
	}
	for a := range n.Attrs() {
		prefix, l, ok := strings.Cut(a.Name, ":")
		if ok && l == local && n.namespace(prefix) == nsR {
			return a.Value()
		}
	}
	return ""
}

// namespace returns the URI that prefix is bound to at n, in transitional form.
func (n *node) namespace(prefix string) string {
	name := "xmlns"
	if prefix != "" {
		name += ":" + prefix
	}
	for ; n != nil; n = n.parent {
		if v, ok := n.Attr(name); ok {
			return xmlscan.Transitional(v)
		}
	}
	return ""
}

// prefixOf finds a prefix bound to space at n; ok is false when there is none.
func (n *node) prefixOf(space string) (prefix string, ok bool) {
	for at := n; at != nil; at = at.parent {
		for a := range at.Attrs() {
			p, isNS := "", a.Name == "xmlns"
			if strings.HasPrefix(a.Name, "xmlns:") {
				p, isNS = a.Name[len("xmlns:"):], true
			}
			if isNS && p != "" && xmlscan.Transitional(a.Value()) == space && n.namespace(p) == space {
				return p, true
			}
		}
	}
	return "", false
}

// raw returns the bytes of the whole element.
func (t *tree) raw(n *node) []byte {
	if n == nil {
		return nil
	}
	return t.doc[n.Start:n.end]
}

// text returns the character data directly inside n, unescaped.
func (t *tree) text(n *node) string {
	if n == nil {
		return ""
	}
	b := t.doc[n.End:n.close]
	if bytes.IndexByte(b, '<') < 0 {
		return xmlscan.Unescape(b)
	}
	var sb strings.Builder
	sc := xmlscan.New(t.doc[n.Start:n.end])
	for sc.Next() {
		switch tok := sc.Token(); {
		case tok.Depth != 1:
		case tok.Kind == xmlscan.Text:
			sb.WriteString(xmlscan.Unescape(tok.Bytes()))
		case tok.Kind == xmlscan.CData:
			sb.Write(bytes.TrimSuffix(bytes.TrimPrefix(tok.Bytes(), []byte("<![CDATA[")), []byte("]]>")))
		}
	}
	return sb.String()
}

// strict reports whether the part uses the strict namespaces.
func (t *tree) strict() bool {
	return bytes.Contains(t.root.Bytes(), []byte("http://purl.oclc.org/ooxml/"))
}

// attrs yields the attributes of n; none of a nil node.
func (n *node) attrs() iter.Seq[xmlscan.Attr] {
	if n == nil {
		return func(func(xmlscan.Attr) bool) {}
	}
	return n.Attrs()
}
