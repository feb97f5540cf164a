package element

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Schema is the order of the children of an element, by local name.
type Schema struct{ ranks map[string]int }

// NewSchema returns the schema of the children named in names, separated by
// blanks, in their order.
func NewSchema(names string) *Schema {
	s := &Schema{ranks: map[string]int{}}
	for i, n := range strings.Fields(names) {
		s.ranks[n] = i
	}
	return s
}

// Rank returns the position of a child in the order; -1 when the schema does
// not name it. A nil schema names none.
func (s *Schema) Rank(local string) int {
	if s == nil {
		return -1
	}
	if r, ok := s.ranks[local]; ok {
		return r
	}
	return -1
}

// rankOf returns the rank of the child that raw begins with. AlternateContent
// (ECMA-376-3, 7.5) has the rank of the first element that it wraps.
func (s *Schema) rankOf(local string, raw []byte) int {
	if r := s.Rank(local); r >= 0 || local != "AlternateContent" {
		return r
	}
	sc := xmlscan.New(raw)
	for sc.Next() {
		switch t := sc.Token(); {
		case t.Kind == xmlscan.Start && t.Depth == 3:
			return s.Rank(t.Local)
		case t.Kind == xmlscan.End && t.Depth == 1:
			return -1
		}
	}
	return -1
}

// position returns the index at which a child of rank r belongs among children
// with the given ranks: before the first that comes later. Children that the
// schema does not name are extensions: at the end they stay last, and a new one
// goes there.
func position(ranks []int, r int) int {
	end := len(ranks)
	if r < 0 {
		return end
	}
	for end > 0 && ranks[end-1] < 0 {
		end--
	}
	for i, k := range ranks[:end] {
		if k > r {
			return i
		}
	}
	return end
}
