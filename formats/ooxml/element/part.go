package element

import (
	"bytes"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
)

// place returns the offset in doc at which a child of the root belongs, by the
// order of schema; -1 when the root has no end tag.
func place(doc []byte, schema *Schema, local string) int {
	var ranks, starts []int
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind == xmlscan.End && t.Depth == 1:
			starts = append(starts, t.Start)
			return starts[position(ranks, schema.Rank(local))]
		case t.Kind == xmlscan.Start && t.Depth == 2:
			starts = append(starts, t.Start)
			ranks = append(ranks, schema.rankOf(t.Local, doc[t.Start:sc.Skip()]))
		}
	}
	return -1
}

// Insert returns the edit that puts xml, a child of the root, in its place; an
// empty root is opened for it. It returns false when doc has no whole root.
func Insert(doc []byte, schema *Schema, local, xml string) (edit xmlscan.Splice, ok bool) {
	if at := place(doc, schema, local); at >= 0 {
		return xmlscan.Splice{Start: at, End: at, New: []byte(xml)}, true
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			return fill(t, xml), t.Empty
		}
	}
	return xmlscan.Splice{}, false
}

// fill returns the edit that gives the empty element t content.
func fill(t xmlscan.Token, content string) xmlscan.Splice {
	name := t.Local
	if t.Prefix != "" {
		name = t.Prefix + ":" + name
	}
	return xmlscan.Splice{Start: t.End - len("/>"), End: t.End, New: []byte(">" + content + "</" + name + ">")}
}

// Append returns the edits that append n items to the list element that begins
// with the start tag t and ends at end, and that correct its attribute count.
func Append(doc []byte, t xmlscan.Token, end int, items string, n int) []xmlscan.Splice {
	var edits []xmlscan.Splice
	for a := range t.Attrs() {
		if a.Name != "count" {
			continue
		}
		if old, err := strconv.Atoi(a.Value()); err == nil {
			edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(strconv.Itoa(old + n))})
		}
	}
	if !t.Empty {
		at := max(0, bytes.LastIndexByte(doc[:end], '<'))
		return append(edits, xmlscan.Splice{Start: at, End: at, New: []byte(items)})
	}
	return append(edits, fill(t, items))
}
