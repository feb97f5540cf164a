package xlsx

import (
	"atelier/formats/xlsx/internal/cellref"
)

// formulaAttrs are the attributes of an f element that matter here.
type formulaAttrs struct {
	kind string // "", "shared", "array", "dataTable"
	si   int
	ref  cellref.Range
}

func readFormulaAttrs(tag []byte) formulaAttrs {
	fa := formulaAttrs{si: -1}
	for i := nameLen(tag); ; {
		name, a, b, next := nextAttr(tag, i)
		if next < 0 {
			return fa
		}
		switch string(name) {
		case "t":
			if fa.kind = string(tag[a:b]); fa.kind == "normal" {
				fa.kind = ""
			}
		case "si":
			fa.si = atoi(tag[a:b])
		case "ref":
			fa.ref = cellref.ParseAttr(string(tag[a:b]))
		}
		i = next
	}
}
