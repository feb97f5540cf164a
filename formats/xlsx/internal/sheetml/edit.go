package sheetml

import (
	"bytes"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// WithPrefix puts a namespace prefix on all elements of xml. No attribute may
// contain <.
func WithPrefix(xml, prefix string) string {
	if prefix == "" {
		return xml
	}
	xml = strings.ReplaceAll(xml, "<", "<"+prefix)
	return strings.ReplaceAll(xml, "<"+prefix+"/", "</"+prefix)
}

// NameLen returns the length of "<name" at the start of a tag.
func NameLen(tag []byte) int {
	i := 1
	for i < len(tag) && tag[i] > ' ' && tag[i] != '>' && tag[i] != '/' {
		i++
	}
	return i
}

// Atoi reads a decimal number, and returns -1 when b is not one.
func Atoi(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 1<<40 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if len(b) == 0 {
		return -1
	}
	return n
}

// EachStartTag calls f for the start tags of an XML document, which may be cut
// off, until f returns false.
func EachStartTag(head []byte, f func(xmlscan.Token) bool) {
	sc := xmlscan.New(head)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && !f(t) {
			return
		}
	}
}

// EditTag removes the attributes named in drop from a start tag and adds the
// text add.
func EditTag(tag []byte, add string, drop ...string) []byte {
	n := NameLen(tag)
	out := append(make([]byte, 0, len(tag)+len(add)), tag[:n]...)
	pos := n
	for i := n; ; {
		name, _, _, next := NextAttr(tag, i)
		if next < 0 {
			break
		}
		if slices.Contains(drop, string(name)) {
			out = append(out, tag[pos:i]...)
			pos = next
		}
		i = next
	}
	end := len(tag) - 1
	if tag[end-1] == '/' {
		end--
	}
	out = append(out, tag[pos:end]...)
	out = append(out, add...)
	return append(out, tag[end:]...)
}

// TrimSpace returns b without the blanks around it.
func TrimSpace(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// LocalName returns the name of a tag without its prefix; b is what follows '<'
// or '</'.
func LocalName(b []byte) []byte {
	n, start := 0, 0
	for n < len(b) {
		c := b[n]
		if c == ':' {
			start = n + 1
		} else if c <= ' ' || c == '>' || c == '/' {
			break
		}
		n++
	}
	return b[start:n]
}

// NextAttr reads the attribute at or after offset i of a tag. start and end
// bound its value; next is -1 when there are no more attributes.
func NextAttr(tag []byte, i int) (name []byte, start, end, next int) {
	for i < len(tag) && tag[i] <= ' ' {
		i++
	}
	j := i
	for j < len(tag) && tag[j] != '=' && tag[j] > ' ' && tag[j] != '>' && tag[j] != '/' {
		j++
	}
	if j == i || j >= len(tag) {
		return nil, 0, 0, -1
	}
	name = tag[i:j]
	for j < len(tag) && (tag[j] == '=' || tag[j] <= ' ') {
		j++
	}
	if j >= len(tag) || tag[j] != '"' && tag[j] != '\'' {
		return nil, 0, 0, -1
	}
	n := bytes.IndexByte(tag[j+1:], tag[j])
	if n < 0 {
		return nil, 0, 0, -1
	}
	return name, j + 1, j + 1 + n, j + n + 2
}

// EndTagStart returns the offset of the end tag of the element that ends at
// end.
func EndTagStart(doc []byte, end int) int { return max(0, bytes.LastIndexByte(doc[:end], '<')) }

// IsTrue reports whether an attribute value is a true xsd:boolean, or "on".
func IsTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") || s == "on" }
