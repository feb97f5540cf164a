package xlsx

import (
	"bytes"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

// dimensionOf is the ref of <dimension> in the head of a sheet, empty when it
// has none.
func dimensionOf(head []byte) cellref.Range {
	var r cellref.Range
	walkHead(head, func(t xmlscan.Token) bool {
		if t.Local == "dimension" {
			r = cellref.ParseAttr(t.AttrLocal("ref"))
			return false
		}
		return true
	})
	return r
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

// skeleton is a sheet without its rows: a whole XML document of what stands
// before and behind them.
type skeleton struct {
	doc []byte
	cut int // offset behind the sheetData start tag, where the rows were
}

// cols gives the default style of each column that has one (18.3.1.13).
func (k skeleton) colStyles() map[int]int {
	m := map[int]int{}
	walkHead(k.doc[:k.cut], func(t xmlscan.Token) bool {
		if t.Local != "col" || t.Depth != 3 {
			return true
		}
		style, err := strconv.Atoi(t.AttrLocal("style"))
		if err != nil || style == 0 {
			return true
		}
		from, _ := strconv.Atoi(t.AttrLocal("min"))
		to, _ := strconv.Atoi(t.AttrLocal("max"))
		for c := max(from, 1); c <= min(to, cellref.MaxCol); c++ {
			m[c] = style
		}
		return true
	})
	return m
}

// elements gives the start tags of the skeleton with that local name.
func (k skeleton) elements(local string) []xmlscan.Token {
	if !bytes.Contains(k.doc, []byte(local)) {
		return nil
	}
	var out []xmlscan.Token
	walkHead(k.doc, func(t xmlscan.Token) bool {
		if t.Local == local {
			out = append(out, t)
		}
		return true
	})
	return out
}

// merges are the merged blocks of the sheet.
func (k skeleton) merges() []cellref.Range {
	// Made to size: growing would take twice what a sheet of many merges needs.
	out := make([]cellref.Range, 0, bytes.Count(k.doc, []byte("mergeCell ")))
	walkHead(k.doc, func(t xmlscan.Token) bool {
		if t.Local == "mergeCell" {
			if r := cellref.ParseAttr(t.AttrLocal("ref")); !r.Empty() {
				out = append(out, r)
			}
		}
		return true
	})
	return out
}

// apply gives the skeleton with edits.
func (k skeleton) apply(edits []xmlscan.Splice) skeleton {
	if len(edits) == 0 {
		return k
	}
	head, tail := k.split(edits)
	return skeleton{doc: append(bytes.Clone(head), tail...), cut: len(head)}
}

// split applies edits and gives the parts before and behind the rows.
func (k skeleton) split(edits []xmlscan.Splice) (head, tail []byte) {
	var before, behind []xmlscan.Splice
	for _, e := range edits {
		// What goes in at the cut itself stands behind the rows.
		if e.End <= k.cut && e.Start < k.cut {
			before = append(before, e)
		} else {
			e.Start -= k.cut
			e.End -= k.cut
			behind = append(behind, e)
		}
	}
	return xmlscan.Apply(k.doc[:k.cut], before), xmlscan.Apply(k.doc[k.cut:], behind)
}
