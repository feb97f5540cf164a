package tree

import (
	"bytes"
	"fmt"
	"slices"

	"atelier/formats/ooxml/xmlscan"
)

// InsertLast returns the edit that makes content the last in n. An edit of the
// start tag of an empty n must be made in another round.
func (t *Tree) InsertLast(n *Node, content []byte) []xmlscan.Splice {
	if !n.Empty {
		return []xmlscan.Splice{{Start: n.Close, End: n.Close, New: content}}
	}
	tag := bytes.TrimSuffix(t.Doc[n.Start:n.End], []byte("/>"))
	return []xmlscan.Splice{{Start: n.Start, End: n.After, New: fmt.Appendf(nil, "%s>%s</%s>", tag, content, n.Name())}}
}

// SetText returns the edit that replaces all that is in n by escaped text.
func (t *Tree) SetText(n *Node, text []byte) xmlscan.Splice {
	if n.Empty {
		return t.InsertLast(n, text)[0]
	}
	return xmlscan.Splice{Start: n.End, End: n.Close, New: text}
}

// SetAttr returns the edit that sets an attribute without a prefix: in place of
// the one that there is, else after the others. "" removes it.
func (t *Tree) SetAttr(n *Node, name, value string) xmlscan.Splice {
	value = xmlscan.EscapeAttr(value)
	for a := range n.Attrs() {
		if a.Name != name {
			continue
		}
		if value != "" {
			return xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(value)}
		}
		return xmlscan.Splice{Start: n.Start, End: n.End, New: DropAttrs(n.Token, n.Bytes(), name)}
	}
	at := n.Start + 1 + len(n.Name())
	if value == "" {
		return xmlscan.Splice{Start: at, End: at}
	}
	// After the other attributes, as if it had been written there.
	for a := range n.Attrs() {
		at = a.ValEnd + 1
	}
	return xmlscan.Splice{Start: at, End: at, New: []byte(" " + name + `="` + value + `"`)}
}

// DropAttrs returns raw, which begins with the start tag t, without the named
// attributes of t.
func DropAttrs(t xmlscan.Token, raw []byte, names ...string) []byte {
	var cuts []xmlscan.Splice
	for a := range t.Attrs() {
		if !slices.Contains(names, a.Name) {
			continue
		}
		// Back over quote, equals sign and name, minding blanks between them.
		head := bytes.TrimRight(raw[:a.ValStart-t.Start-1], " \t\r\n=")
		head = bytes.TrimRight(bytes.TrimSuffix(head, []byte(a.Name)), " \t\r\n")
		cuts = append(cuts, xmlscan.Splice{Start: len(head), End: a.ValEnd - t.Start + 1})
	}
	return xmlscan.Apply(raw, cuts)
}
