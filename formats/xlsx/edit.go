package xlsx

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// withPrefix puts a prefix on all elements of xml, whose attributes hold no <.
func withPrefix(xml, prefix string) string {
	if prefix == "" {
		return xml
	}
	xml = strings.ReplaceAll(xml, "<", "<"+prefix)
	return strings.ReplaceAll(xml, "<"+prefix+"/", "</"+prefix)
}

func nameLen(tag []byte) int {
	i := 1
	for i < len(tag) && tag[i] > ' ' && tag[i] != '>' && tag[i] != '/' {
		i++
	}
	return i
}

// atoi reads a decimal number, -1 when b is none.
func atoi(b []byte) int {
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

// place is the offset in doc where a new child of the root called name goes:
// before the first child that comes later in order, else before the root's end
// tag. A child that order does not know (mc:AlternateContent stands for
// controls, oleObjects or drawings) keeps its place among the others.
func place(doc []byte, order []string, name string) int {
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

// growList adds n items before the end tag of the list whose start tag is t
// and which ends at end, and sets its count attribute if it has one.
func growList(doc []byte, t xmlscan.Token, end int, items string, n int) []xmlscan.Splice {
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
		tag := xmlscan.Apply(doc[t.Start:t.End], shift(edits, -t.Start))
		name := string(tag[1:nameLen(tag)])
		open := string(tag[:len(tag)-2]) + ">"
		return []xmlscan.Splice{{Start: t.Start, End: t.End, New: []byte(open + items + "</" + name + ">")}}
	}
	at := endTagStart(doc, end)
	return append(edits, xmlscan.Splice{Start: at, End: at, New: []byte(items)})
}

func shift(edits []xmlscan.Splice, by int) []xmlscan.Splice {
	out := slices.Clone(edits)
	for i := range out {
		out[i].Start += by
		out[i].End += by
	}
	return out
}

// walkHead gives the start tags of an XML document that may be cut off.
func walkHead(head []byte, f func(xmlscan.Token) bool) {
	sc := xmlscan.New(head)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && !f(t) {
			return
		}
	}
}

// editTag drops attributes of a tag and adds others.
func editTag(tag []byte, add string, drop ...string) []byte {
	n := nameLen(tag)
	out := append(make([]byte, 0, len(tag)+len(add)), tag[:n]...)
	pos := n
	for i := n; ; {
		name, _, _, next := nextAttr(tag, i)
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

func trimSpace(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// localName is the name of the tag whose bytes behind '<' (or '</') are b,
// without its prefix.
func localName(b []byte) []byte {
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

// nextAttr reads the attribute at or behind offset i of a tag; next is -1 when
// there is none left. start and end bound the value within tag.
func nextAttr(tag []byte, i int) (name []byte, start, end, next int) {
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

// endTagStart is the offset of the end tag that ends at end.
func endTagStart(doc []byte, end int) int { return max(0, bytes.LastIndexByte(doc[:end], '<')) }

func isTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") || s == "on" }
