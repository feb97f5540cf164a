package sheetml

import (
	"bytes"
	"slices"
	"strconv"
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

// InsertionPoint returns the offset in doc at which a child of the root named
// name belongs, by the order of the schema.
func InsertionPoint(doc []byte, order []string, name string) int {
	rank := slices.Index(order, name)
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End && t.Depth == 1:
			return t.Start
		case t.Kind != xmlscan.Start || t.Depth != 2:
			continue
		}
		if r := slices.Index(order, t.Local); r > rank {
			return t.Start
		} else if r < 0 && t.Local == "AlternateContent" && wrapsLater(doc[t.Start:], order, rank) {
			return t.Start
		}
		sc.Skip()
	}
	return len(doc)
}

// wrapsLater reports whether the AlternateContent that doc begins with holds a
// child that comes after rank.
func wrapsLater(doc []byte, order []string, rank int) bool {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.End && t.Depth == 1 {
			return false
		}
		if t.Kind == xmlscan.Start && t.Depth == 3 {
			return slices.Index(order, t.Local) > rank
		}
	}
	return false
}

// AppendToList returns the edits that append n items to a list element and
// update its count attribute. The element begins with t and ends at end.
func AppendToList(doc []byte, t xmlscan.Token, end int, items string, n int) []xmlscan.Splice {
	var edits []xmlscan.Splice
	for a := range t.Attrs() {
		if a.Name != "count" {
			continue
		}
		if old, err := strconv.Atoi(a.Value()); err == nil {
			edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(strconv.Itoa(old + n))})
		}
	}
	if t.Empty {
		tag := xmlscan.Apply(doc[t.Start:t.End], ShiftSplices(edits, -t.Start))
		name := string(tag[1:NameLen(tag)])
		open := string(tag[:len(tag)-2]) + ">"
		return []xmlscan.Splice{{Start: t.Start, End: t.End, New: []byte(open + items + "</" + name + ">")}}
	}
	at := EndTagStart(doc, end)
	return append(edits, xmlscan.Splice{Start: at, End: at, New: []byte(items)})
}

// ShiftSplices moves the offsets of edits.
func ShiftSplices(edits []xmlscan.Splice, by int) []xmlscan.Splice {
	out := slices.Clone(edits)
	for i := range out {
		out[i].Start += by
		out[i].End += by
	}
	return out
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
