package tree

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Node is an element, by offset into the part: Doc[Start:After] is all of it,
// Doc[End:Close] what is between its tags. All methods that only read take a
// nil node for an element without attributes and children.
type Node struct {
	xmlscan.Token       // the start tag
	Close         int   // offset of the end tag; that after an empty element
	After         int   // offset after the element
	Parent        *Node // nil of the root
	First         *Node // child element
	Next          *Node // sibling
	last          *Node
}

// Tree is a parsed part.
type Tree struct {
	Doc  []byte
	Root *Node
}

// Filter reports whether the element with the start tag t is to have a node.
// parent is the nearest element around it that has one; nil for the root.
type Filter func(parent *Node, t xmlscan.Token) bool

// ErrNoElement is the error of a part without an element.
var ErrNoElement = errors.New("it has no element")

const (
	ctxStride  = 64 << 10 // bytes parsed between two looks at the context
	arenaNodes = 128      // nodes allocated at once
)

// Parse returns the tree of doc with the elements that keep, when not nil,
// accepts; the root is always there. It returns the error of the XML or of the
// context, or ErrNoElement.
func Parse(ctx context.Context, doc []byte, keep Filter) (*Tree, error) {
	b := builder{Tree: &Tree{Doc: doc}, keep: keep}
	sc, looked := xmlscan.New(doc), 0
	for sc.Next() {
		t := sc.Token()
		if t.End-looked >= ctxStride {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			looked = t.End
		}
		switch t.Kind {
		case xmlscan.Start:
			b.start(t)
		case xmlscan.End:
			b.end(t)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if b.Root == nil {
		return nil, ErrNoElement
	}
	return b.Tree, nil
}

// builder makes the nodes of a tree.
type builder struct {
	*Tree
	keep  Filter
	arena []Node
	cur   *Node // the innermost open node
}

func (b *builder) start(t xmlscan.Token) {
	if b.keep != nil && b.Root != nil && !b.keep(b.cur, t) {
		return
	}
	if len(b.arena) == 0 {
		b.arena = make([]Node, arenaNodes)
	}
	n := &b.arena[0]
	b.arena = b.arena[1:]
	*n = Node{Token: t, Close: t.End, After: t.End, Parent: b.cur}
	switch {
	case b.cur != nil:
		b.cur.attach(n)
	case b.Root == nil:
		b.Root = n
	}
	if !t.Empty {
		b.cur = n
	}
}

func (b *builder) end(t xmlscan.Token) {
	if b.cur != nil && b.cur.Depth == t.Depth {
		b.cur.Close, b.cur.After = t.Start, t.End
		b.cur = b.cur.Parent
	}
}

func (n *Node) attach(child *Node) {
	if n.First == nil {
		n.First, n.last = child, child
		return
	}
	n.last.Next, n.last = child, child
}

// Kids yields the child elements of n.
func (n *Node) Kids() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for k := n.First; k != nil; k = k.Next {
			if !yield(k) {
				return
			}
		}
	}
}

// All yields every element below n in document order.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.walk(yield) }
}

func (n *Node) walk(yield func(*Node) bool) bool {
	for k := range n.Kids() {
		if !yield(k) || !k.walk(yield) {
			return false
		}
	}
	return true
}

// Child returns the first child element of that name, nil when there is none.
func (n *Node) Child(space, local string) *Node {
	for k := range n.Kids() {
		if k.Is(space, local) {
			return k
		}
	}
	return nil
}

// In reports whether the parent of n is an element of that name.
func (n *Node) In(space, local string) bool { return n.Parent != nil && n.Parent.Is(space, local) }

// Down follows child after child in one namespace.
func (n *Node) Down(space string, locals ...string) *Node {
	for _, l := range locals {
		n = n.Child(space, l)
	}
	return n
}

// Name returns the name of the element as written, with its prefix.
func (n *Node) Name() string {
	if n.Prefix == "" {
		return n.Local
	}
	return n.Prefix + ":" + n.Local
}

// Attributes yields the attributes of n.
func (n *Node) Attributes() iter.Seq[xmlscan.Attr] {
	if n == nil {
		return func(func(xmlscan.Attr) bool) {}
	}
	return n.Attrs()
}

// Value returns the value of the attribute written as name, "" when it is
// absent.
func (n *Node) Value(name string) string {
	if n == nil {
		return ""
	}
	v, _ := n.Attr(name)
	return v
}

const nsRelationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// RelValue returns an attribute in the relationships namespace, such as r:id.
func (n *Node) RelValue(local string) string {
	for a := range n.Attributes() {
		prefix, l, ok := strings.Cut(a.Name, ":")
		if ok && l == local && n.Namespace(prefix) == nsRelationships {
			return a.Value()
		}
	}
	return ""
}

// Namespace returns the URI that prefix is bound to at n, in transitional form.
func (n *Node) Namespace(prefix string) string {
	name := "xmlns"
	if prefix != "" {
		name += ":" + prefix
	}
	for ; n != nil; n = n.Parent {
		if v, ok := n.Attr(name); ok {
			return xmlscan.Transitional(v)
		}
	}
	return ""
}

// PrefixOf finds a prefix bound to space at n; ok is false when there is none.
func (n *Node) PrefixOf(space string) (prefix string, ok bool) {
	for at := n; at != nil; at = at.Parent {
		for a := range at.Attrs() {
			p, declares := strings.CutPrefix(a.Name, "xmlns:")
			if declares && p != "" && xmlscan.Transitional(a.Value()) == space && n.Namespace(p) == space {
				return p, true
			}
		}
	}
	return "", false
}

// Raw returns the bytes of the whole element; nil of a nil node.
func (t *Tree) Raw(n *Node) []byte {
	if n == nil {
		return nil
	}
	return t.Doc[n.Start:n.After]
}

// Text returns the character data directly inside n, unescaped.
func (t *Tree) Text(n *Node) string {
	if n == nil {
		return ""
	}
	b := t.Doc[n.End:n.Close]
	if bytes.IndexByte(b, '<') < 0 {
		return xmlscan.Unescape(b)
	}
	var sb strings.Builder
	sc := xmlscan.New(t.Doc[n.Start:n.After])
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

// Strict reports whether the part uses the strict namespaces (ISO/IEC 29500-1).
func (t *Tree) Strict() bool {
	return bytes.Contains(t.Root.Bytes(), []byte("http://purl.oclc.org/ooxml/"))
}
