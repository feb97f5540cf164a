package sheetml

import (
	"bytes"
	"slices"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

// Dimension returns the ref of <dimension> in the head of a sheet; it is empty
// when there is none.
func Dimension(head []byte) cellref.Range {
	var r cellref.Range
	EachStartTag(head, func(t xmlscan.Token) bool {
		if t.Local == "dimension" {
			r = cellref.ParseAttr(t.AttrLocal("ref"))
			return false
		}
		return true
	})
	return r
}

// Skeleton is a sheet without its rows: a whole XML document of what is before
// and after them.
type Skeleton struct {
	Doc []byte
	Cut int // offset behind the sheetData start tag, where the rows were
}

// ColStyles returns the default style of each column that has one (18.3.1.13).
func (k Skeleton) ColStyles() map[int]int {
	m := map[int]int{}
	EachStartTag(k.Doc[:k.Cut], func(t xmlscan.Token) bool {
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

// Elements returns the start tags with a local name.
func (k Skeleton) Elements(local string) []xmlscan.Token {
	if !bytes.Contains(k.Doc, []byte(local)) {
		return nil
	}
	var out []xmlscan.Token
	EachStartTag(k.Doc, func(t xmlscan.Token) bool {
		if t.Local == local {
			out = append(out, t)
		}
		return true
	})
	return out
}

// Merges returns the merged ranges of the sheet.
func (k Skeleton) Merges() []cellref.Range {
	// Made to size: growing would take twice what a sheet of many merges needs.
	out := make([]cellref.Range, 0, bytes.Count(k.Doc, []byte("mergeCell ")))
	EachStartTag(k.Doc, func(t xmlscan.Token) bool {
		if t.Local == "mergeCell" {
			if r := cellref.ParseAttr(t.AttrLocal("ref")); !r.Empty() {
				out = append(out, r)
			}
		}
		return true
	})
	return out
}

// Apply returns the skeleton with edits.
func (k Skeleton) Apply(edits []xmlscan.Splice) Skeleton {
	if len(edits) == 0 {
		return k
	}
	head, tail := k.Split(edits)
	return Skeleton{Doc: append(bytes.Clone(head), tail...), Cut: len(head)}
}

// Split applies edits and returns the parts before and after the rows.
func (k Skeleton) Split(edits []xmlscan.Splice) (head, tail []byte) {
	var before, behind []xmlscan.Splice
	for _, e := range edits {
		// What goes in at the cut itself stands behind the rows.
		if e.End <= k.Cut && e.Start < k.Cut {
			before = append(before, e)
		} else {
			e.Start -= k.Cut
			e.End -= k.Cut
			behind = append(behind, e)
		}
	}
	return xmlscan.Apply(k.Doc[:k.Cut], before), xmlscan.Apply(k.Doc[k.Cut:], behind)
}

// Before returns the offset of the first element before the rows with any of the
// names, or Cut when there is none.
func (k Skeleton) Before(names ...string) int {
	at := k.Cut
	EachStartTag(k.Doc[:k.Cut], func(t xmlscan.Token) bool {
		if t.Depth == 2 && slices.Contains(names, t.Local) {
			at = t.Start
			return false
		}
		return true
	})
	return at
}

// ColumnRange is a col element (18.3.1.13): columns with the same width and
// format.
type ColumnRange struct {
	From, To int
	Tag      []byte
}

// Columns returns a ColumnRange.
func Columns(from, to int, tag []byte) ColumnRange { return ColumnRange{from, to, tag} }

// HiddenColumns returns the columns that a sheet hides.
func (k Skeleton) HiddenColumns() map[int]bool {
	cols, _, _ := ReadColumns(k)
	return ColumnValues(cols, func(c ColumnRange) (bool, bool) { h := IsTrue(AttrOf(c.Tag, "hidden")); return h, h })
}

// ColumnValues gives each column the value of the last of its definitions that has one.
// The time is linear in the definitions and the columns, however often they overlap.
func ColumnValues[V any](cols []ColumnRange, value func(ColumnRange) (v V, ok bool)) map[int]V {
	out := map[int]V{}
	var free [cellref.MaxCol + 2]int // the next column from here on that has no value; 0: this one
	find := func(col int) int {
		last := col
		for free[last] != 0 {
			last = free[last]
		}
		for free[col] != 0 {
			col, free[col] = free[col], last
		}
		return last
	}
	for i := len(cols) - 1; i >= 0; i-- {
		v, ok := value(cols[i])
		if !ok {
			continue
		}
		for col := find(cols[i].From); col <= cols[i].To; col = find(col) {
			out[col], free[col] = v, col+1
		}
	}
	return out
}

// ReadColumns reads the column definitions in order and where cols stands; start
// is -1 when the sheet has none.
func ReadColumns(k Skeleton) (cols []ColumnRange, start, end int) {
	start, end = -1, -1
	sc := xmlscan.New(k.Doc[:k.Cut])
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Local == "cols" && t.Depth == 2 && t.Kind == xmlscan.Start:
			start, end = t.Start, t.End
		case t.Local == "cols" && t.Depth == 2:
			end = t.End
		case t.Local == "col" && t.Kind == xmlscan.Start:
			c := ColumnRange{From: Atoi([]byte(t.AttrLocal("min"))), To: min(Atoi([]byte(t.AttrLocal("max"))), cellref.MaxCol), Tag: bytes.Clone(t.Bytes())}
			if !t.Empty {
				c.Tag = append(c.Tag[:len(c.Tag)-1], '/', '>')
			}
			if c.From >= 1 && c.From <= c.To {
				cols = append(cols, c)
			}
		}
	}
	slices.SortStableFunc(cols, func(a, b ColumnRange) int { return a.From - b.From })
	return cols, start, end
}

// DefaultWidth is the width of a column that says none (18.3.1.81).
func (k Skeleton) DefaultWidth() string {
	for _, t := range k.Elements("sheetFormatPr") {
		if w := t.AttrLocal("defaultColWidth"); w != "" {
			return xmlscan.Escape(w)
		}
	}
	return "9.140625"
}
