package sheetml

import (
	"atelier/formats/xlsx/internal/cellref"
)

// FormulaAttrs are the attributes of an f element that readers need
// (18.3.1.40).
type FormulaAttrs struct {
	Kind        string // "", "shared", "array", "dataTable"
	SharedIndex int
	Ref         cellref.Range
}

// ReadFormulaAttrs reads the start tag of an f element.
func ReadFormulaAttrs(tag []byte) FormulaAttrs {
	fa := FormulaAttrs{SharedIndex: -1}
	for i := NameLen(tag); ; {
		name, a, b, next := NextAttr(tag, i)
		if next < 0 {
			return fa
		}
		switch string(name) {
		case "t":
			if fa.Kind = string(tag[a:b]); fa.Kind == "normal" {
				fa.Kind = ""
			}
		case "si":
			fa.SharedIndex = Atoi(tag[a:b])
		case "ref":
			fa.Ref = cellref.ParseAttr(string(tag[a:b]))
		}
		i = next
	}
}
