package paragraph

import (
	"fmt"
	"maps"

	"atelier/formats/ooxml/xmlscan"
)

// RetagAll returns a part in which the paragraphs of targets, by their index in
// Parse, say those, and which of them changed. A paragraph that is rewritten as
// a whole may hold others (a text box in it): those go first, in a round of
// their own. The error names the paragraph by what name makes of its index.
func RetagAll(doc []byte, d *Dialect, targets map[int]string, name func(i int) string) ([]byte, map[int]bool, error) {
	changed, left := map[int]bool{}, maps.Clone(targets)
	for before := -1; len(left) > 0 && len(left) != before; {
		before = len(left)
		list, err := Parse(doc, d)
		if err != nil {
			return nil, nil, err
		}
		var splices []xmlscan.Splice
		var taken []span
		// From the last: what is inside begins after what holds it.
		for i := len(list) - 1; i >= 0; i-- {
			target, ok := left[i]
			if !ok {
				continue
			}
			s, err := list[i].Retag(target)
			if err != nil {
				return nil, nil, fmt.Errorf("segment %q: %w", name(i), err)
			}
			if overlaps(s, taken) {
				continue
			}
			if len(s) > 0 {
				taken, changed[i] = append(taken, span{list[i].Start, list[i].End}), true
			}
			splices = append(splices, s...)
			delete(left, i)
		}
		doc = xmlscan.Apply(doc, splices)
	}
	return doc, changed, nil
}

// overlaps reports whether a splice covers a paragraph already taken. taken is
// in descending order of start.
func overlaps(s []xmlscan.Splice, taken []span) bool {
	for _, sp := range s {
		for k := len(taken) - 1; k >= 0 && taken[k].start < sp.End; k-- {
			if sp.Start < taken[k].end {
				return true
			}
		}
	}
	return false
}
