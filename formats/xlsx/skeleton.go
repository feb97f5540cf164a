package xlsx

import (
	"bytes"
	"slices"
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

// before is the offset in the skeleton where an element goes that must stand
// before the first of the given ones.
func (k skeleton) before(names ...string) int {
	at := k.cut
	walkHead(k.doc[:k.cut], func(t xmlscan.Token) bool {
		if t.Depth == 2 && slices.Contains(names, t.Local) {
			at = t.Start
			return false
		}
		return true
	})
	return at
}

type colRange struct {
	from, to int
	tag      []byte
}

// hiddenColumns are the columns that a sheet hides.
func (k skeleton) hiddenColumns() map[int]bool {
	out := map[int]bool{}
	cols, _, _ := readCols(k)
	for _, c := range cols {
		if isTrue(attrOf(c.tag, "hidden")) {
			for col := c.from; col <= c.to; col++ {
				out[col] = true
			}
		}
	}
	return out
}

// readCols reads the column definitions in order and where cols stands; start
// is -1 when the sheet has none.
func readCols(k skeleton) (cols []colRange, start, end int) {
	start, end = -1, -1
	sc := xmlscan.New(k.doc[:k.cut])
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Local == "cols" && t.Depth == 2 && t.Kind == xmlscan.Start:
			start, end = t.Start, t.End
		case t.Local == "cols" && t.Depth == 2:
			end = t.End
		case t.Local == "col" && t.Kind == xmlscan.Start:
			c := colRange{from: atoi([]byte(t.AttrLocal("min"))), to: min(atoi([]byte(t.AttrLocal("max"))), cellref.MaxCol), tag: bytes.Clone(t.Bytes())}
			if !t.Empty {
				c.tag = append(c.tag[:len(c.tag)-1], '/', '>')
			}
			if c.from >= 1 && c.from <= c.to {
				cols = append(cols, c)
			}
		}
	}
	slices.SortStableFunc(cols, func(a, b colRange) int { return a.from - b.from })
	return cols, start, end
}

// defaultWidth is the width of a column that says none (18.3.1.81).
func (k skeleton) defaultWidth() string {
	for _, t := range k.elements("sheetFormatPr") {
		if w := t.AttrLocal("defaultColWidth"); w != "" {
			return xmlscan.Escape(w)
		}
	}
	return "9.140625"
}
