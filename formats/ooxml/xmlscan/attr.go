package xmlscan

import (
	"bytes"
	"iter"
	"strings"
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
		i := bytes.IndexAny(b, " \t\r\n/>")
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
	for a := range t.Attrs() {
		if a.Name == name {
			return a.Value(), true
		}
	}
	return "", false
}

// AttrLocal returns the value of the first attribute whose name without prefix
// is local; "" when there is none. Office parts never use one local name twice
// on an element with different meanings, but for r:id and id: for those
// compare whole names or use Attr.
func (t Token) AttrLocal(local string) string {
	for a := range t.Attrs() {
		n := a.Name
		if i := strings.IndexByte(n, ':'); i >= 0 {
			n = n[i+1:]
		}
		if n == local && !strings.HasPrefix(a.Name, "xmlns") {
			return a.Value()
		}
	}
	return ""
}

// attrsOf yields the attributes in b, the bytes of a tag after its name.
func attrsOf(b []byte) iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		i := 0
		for i < len(b) {
			for i < len(b) && (isSpace(b[i]) || b[i] == '/' || b[i] == '>') {
				i++
			}
			j := i
			for j < len(b) && b[j] != '=' && !isSpace(b[j]) {
				j++
			}
			if j == i || j >= len(b) {
				return
			}
			name := string(b[i:j])
			for j < len(b) && (isSpace(b[j]) || b[j] == '=') {
				j++
			}
			if j >= len(b) || (b[j] != '"' && b[j] != '\'') {
				return
			}
			n := bytes.IndexByte(b[j+1:], b[j])
			if n < 0 {
				return
			}
			if !yield(Attr{Name: name, ValStart: j + 1, ValEnd: j + 1 + n, raw: b[j+1 : j+1+n]}) {
				return
			}
			i = j + n + 2
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
