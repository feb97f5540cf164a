package paragraph

import (
	"fmt"
	"maps"
	"slices"

	"atelier/formats/ooxml/xmlscan"
)

// RetagAll returns a part in which the paragraphs of targets, by their index in
// Parse, say those, and which of them changed. The paragraphs must not be in
// one another, as those of DrawingML do not. The error names the paragraph by
// what name makes of its index.
func RetagAll(doc []byte, d *Dialect, targets map[int]string, name func(i int) string) ([]byte, map[int]bool, error) {
	changed := map[int]bool{}
	if len(targets) == 0 {
		return doc, changed, nil
	}
	list, err := Parse(doc, d)
	if err != nil {
		return nil, nil, err
	}
	var splices []xmlscan.Splice
	for _, i := range slices.Sorted(maps.Keys(targets)) {
		s, err := list[i].Retag(targets[i])
		if err != nil {
			return nil, nil, fmt.Errorf("segment %q: %w", name(i), err)
		}
		if len(s) > 0 {
			changed[i] = true
			splices = append(splices, s...)
		}
	}
	return xmlscan.Apply(doc, splices), changed, nil
}
