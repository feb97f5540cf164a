package rules

import (
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// Sorted says by which columns an element's rows were sorted, as its sortState
// (18.3.1.92) has them: "sorted by column B descending, column A". It returns "" where
// it has none.
func Sorted(raw []byte) string {
	var by []string
	sheetml.EachStartTag(raw, func(t xmlscan.Token) bool {
		if t.Local != "sortCondition" {
			return true
		}
		cells := cellref.ParseAttr(t.AttrLocal("ref"))
		if cells.Empty() {
			return true
		}
		text := "column " + cellref.ColumnName(cells.C1)
		if on := t.AttrLocal("sortBy"); on != "" && on != "value" {
			text += " by " + on
		}
		if sheetml.IsTrue(t.AttrLocal("descending")) {
			text += " descending"
		}
		by = append(by, text)
		return len(by) < 64
	})
	if len(by) == 0 {
		return ""
	}
	return "sorted by " + strings.Join(by, ", ")
}
