package docx

import (
	"fmt"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
)

const nsVML = "urn:schemas-microsoft-com:vml"

// wordTexts follows the tables, list levels and form fields of a part of Word
// while package segment scans it.
type wordTexts struct {
	tables, row, cell int    // the table outside others that began last
	numFmt            string // of the list level that began last
	field             string // the kind of form field that began last
}

// wordOptions returns how the texts of a part of Word are found. What the part
// holds is in no place but in cells of tables.
func wordOptions(kind string) segment.Options {
	w := &wordTexts{}
	return segment.Options{Where: segment.Where{Kind: kind}, Dialect: paragraph.Word, Enter: w.enter, Attributes: w.attributes}
}

// enter returns the place of what is in a cell of a table that is in no other.
func (w *wordTexts) enter(t xmlscan.Token, in segment.Where) segment.Where {
	if t.Space != nsW || in.Place != "" {
		return in
	}
	switch t.Local {
	case "tbl":
		w.tables++
		w.row = 0
	case "tr":
		w.row++
		w.cell = 0
	case "tc":
		w.cell++
		return segment.Where{Place: fmt.Sprintf("table %d, row %d, cell %d", w.tables, w.row, w.cell), Kind: "table"}
	}
	return in
}

var (
	vmlTexts     = []segment.Named{{Name: "alt", Kind: "alt text"}}
	watermarks   = append([]segment.Named{{Name: "string", Kind: "watermark"}}, vmlTexts...)
	choices      = []segment.Named{{Name: "displayText", Kind: "control"}}
	formTexts    = []segment.Named{{Name: "val", Kind: "form field"}}
	tableTexts   = []segment.Named{{Name: "val", Kind: "alt text"}}
	linkTexts    = []segment.Named{{Name: "tooltip", Kind: "tooltip"}}
	numberedText = []segment.Named{{Name: "val", Kind: "numbering"}}
)

// attributes returns the attributes with text of VML and WordprocessingML
// (17.5.2, 17.16, 17.9, 17.4).
func (w *wordTexts) attributes(t xmlscan.Token) []segment.Named {
	switch {
	case t.Is(nsVML, "textpath"):
		return watermarks
	case t.Space == nsVML:
		return vmlTexts
	case t.Space != nsW:
		return nil
	}
	switch t.Local {
	case "listItem":
		return choices
	case "textInput", "checkBox", "ddList":
		w.field = t.Local
	case "listEntry", "helpText", "statusText":
		return formTexts
	case "default":
		if w.field == "textInput" {
			return formTexts
		}
	case "tblCaption", "tblDescription":
		return tableTexts
	case "hyperlink":
		return linkTexts
	case "lvl":
		w.numFmt = ""
	case "numFmt":
		w.numFmt = t.AttrLocal("val")
	case "lvlText":
		// A bullet is a character of a symbol font, not a letter.
		if w.numFmt != "bullet" && w.numFmt != "none" || len([]rune(t.AttrLocal("val"))) > 2 {
			return numberedText
		}
	}
	return nil
}
