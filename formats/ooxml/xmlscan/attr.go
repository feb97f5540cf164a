package xmlscan

import (
	"bytes"
	"iter"
)

// Attr is one attribute of a start tag, by offset into the document.
type Attr struct {
	Name     string // as written, with prefix
	ValStart int    // offset of the value, inside the quotes
	ValEnd   int
	raw      []byte
}

// Value returns the attribute's value with character references resolved.
func (a Attr) Value() string { return Unescape(a.raw) }

// Attrs yields the attributes of a Start token in order.
func (t Token) Attrs() iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		b := t.doc[t.Start:t.End]
		i := nameEnd(b)
		if i < 0 {
			return
		}
		for a := range attrsOf(b[i:]) {
			a.ValStart += t.Start + i
			a.ValEnd += t.Start + i
			if !yield(a) {
				return
			}
		}
	}
}

// Attr returns the value of the attribute written as name ("val" or "w:val").
func (t Token) Attr(name string) (string, bool) {
	b := t.doc[t.Start:t.End]
	for i := nameEnd(b); i >= 0; {
		n, v, next := nextAttr(b, i)
		if next < 0 {
			break
		}
		if string(b[n.start:n.end]) == name {
			return Unescape(b[v.start:v.end]), true
		}
		i = next
	}
	return "", false
}

// extent is a part of a tag by offset.
type extent struct{ start, end int }

// nameEnd returns where the name of a start tag ends, -1 when nothing follows it.
func nameEnd(b []byte) int {
	for i, c := range b {
		if c == '/' || c == '>' || isSpace(c) {
			return i
		}
	}
	return -1
}

// nextAttr finds the next attribute of a tag from an offset on: its name, its value inside
// the quotes, and the offset behind it, which is -1 when there is none.
func nextAttr(b []byte, i int) (name, value extent, next int) {
	for i < len(b) && (isSpace(b[i]) || b[i] == '/' || b[i] == '>') {
		i++
	}
	j := i
	for j < len(b) && b[j] != '=' && !isSpace(b[j]) {
		j++
	}
	if j == i || j >= len(b) {
		return name, value, -1
	}
	name = extent{i, j}
	for j < len(b) && (isSpace(b[j]) || b[j] == '=') {
		j++
	}
	if j >= len(b) || (b[j] != '"' && b[j] != '\'') {
		return name, value, -1
	}
	n := bytes.IndexByte(b[j+1:], b[j])
	if n < 0 {
		return name, value, -1
	}
	return name, extent{j + 1, j + 1 + n}, j + n + 2
}

// AttrLocal returns the value of the first attribute whose name without prefix
// is local; "" when there is none. Office parts never use one local name twice
// on an element with different meanings, but for r:id and id: for those
// compare whole names or use Attr.
func (t Token) AttrLocal(local string) string {
	b := t.doc[t.Start:t.End]
	for i := nameEnd(b); i >= 0; {
		n, v, next := nextAttr(b, i)
		if next < 0 {
			break
		}
		name := b[n.start:n.end]
		short := name
		if k := bytes.IndexByte(name, ':'); k >= 0 {
			short = name[k+1:]
		}
		if string(short) == local && !bytes.HasPrefix(name, xmlns) {
			return Unescape(b[v.start:v.end])
		}
		i = next
	}
	return ""
}

// attrsOf yields the attributes in b, the bytes of a tag after its name.
func attrsOf(b []byte) iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		for i := 0; ; {
			n, v, next := nextAttr(b, i)
			if next < 0 || !yield(Attr{Name: string(b[n.start:n.end]), ValStart: v.start, ValEnd: v.end, raw: b[v.start:v.end]}) {
				return
			}
			i = next
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
