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

	// Of a data table: whether it has two inputs, whether the only one is that of the row,
	// the cells of the inputs (the zero Cell for none), and whether one was deleted.
	TwoInputs, RowInput, InputGone bool
	Input1, Input2                 cellref.Cell
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
		if fa.Kind == "dataTable" {
			fa.readTable(string(name), string(tag[a:b]))
		}
		i = next
	}
}

// readTable reads an attribute of a data table that stands behind t.
func (fa *FormulaAttrs) readTable(name, value string) {
	switch name {
	case "dt2D":
		fa.TwoInputs = IsTrue(value)
	case "dtr":
		fa.RowInput = IsTrue(value)
	case "del1", "del2":
		fa.InputGone = fa.InputGone || IsTrue(value)
	case "r1":
		fa.Input1, _ = cellref.ParseCell(value)
	case "r2":
		fa.Input2, _ = cellref.ParseCell(value)
	}
}
