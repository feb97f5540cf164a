package diff_test

import (
	"testing"

	"atelier/formats/xlsx/internal/xlsxtest"
)

// The states of rows and columns: hidden, their sizes, outlines, formats.
func TestStatesOfLines(t *testing.T) {
	book := func(cols, row1, row2 string) []byte {
		if cols != "" {
			cols = "<cols>" + cols + "</cols>"
		}
		return xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.Styles("0.0")}, cols+`<sheetData><row r="1"`+row1+`><c r="A1"><v>1</v></c></row><row r="2"`+row2+`><c r="A2"><v>2</v></c></row><row r="9"><c r="C9"><v>9</v></c></row></sheetData>`)
	}
	plain := book("", "", "")
	runPlanted(t, []planted{
		{"rows hidden", plain, book("", ` hidden="1"`, ` hidden="true"`), []string{"hidden_rows added S1!1:2:  → 2 rows hidden, 2 with content ⚠ S1!1:2: 2 rows hidden now, 2 with content"}},
		{"row shown", book("", "", ` hidden="1"`), plain, []string{"hidden_rows removed S1!2:2: 1 row hidden → "}},
		{"row height", plain, book("", ` ht="20.50" customHeight="1"`, ""), []string{"row_height changed S1!1:1: height default → height 20.5"}},
		{"row height 0", plain, book("", ` ht="0" customHeight="1"`, ""), []string{"row_height changed S1!1:1: height default → height 0 ⚠ S1!1:1: height 0, so nothing of it is seen, 1 with content"}},
		{"a height that is no longer automatic", book("", ` ht="20"`, ""), book("", ` ht="20" customHeight="1"`, ""), []string{"row_height changed S1!1:1: height 20 (automatic) → height 20"}},
		{"row outline", plain, book("", ` outlineLevel="1"`, ` outlineLevel="0" collapsed="1"`), []string{"outline changed S1!1:1: no group → group level 1", "outline changed S1!2:2: no group → no group, collapsed"}},
		{"row format", plain, book("", ` s="1" customFormat="1"`, ` s="1"`), []string{"format changed S1!1:1: number format General → number format 0.0"}},
		{"row details", plain, book("", ` thickTop="1"`, ` thickBot="0"`), []string{"format changed S1!1:1:  → other details of the line:  → thickTop;"}},
		{"columns hidden", plain, book(`<col min="2" max="3" hidden="1"/>`, "", ""), []string{"hidden_columns added S1!B:C:  → 2 columns hidden, 1 with content ⚠ S1!B:C: 2 columns hidden now, 1 with content"}},
		{"column widths", book(`<col min="1" max="3" width="9" customWidth="1"/>`, "", ""), book(`<col min="1" max="1" width="9.0" customWidth="1"/><col min="2" max="3" width="12.5" customWidth="1" bestFit="1"/>`, "", ""), []string{"column_width changed S1!B:C: width 9 → width 12.5"}},
		{"column width 0", plain, book(`<col min="1" max="1" width="0" customWidth="1"/>`, "", ""), []string{"column_width changed S1!A:A: width default → width 0 ⚠ S1!A:A: width 0, so nothing of it is seen, 1 with content"}},
		{"column outline and format", plain, book(`<col min="5" max="6" outlineLevel="2" style="1" phonetic="1"/>`, "", ""), []string{
			"outline changed S1!E:F: no group → group level 2", "format changed S1!E:F: number format General → number format 0.0", "format changed S1!E:F:  → other details of the line:  → phonetic;"}},
	})
}

// States go along with rows and columns that were inserted above or before them.
func TestStatesOfMovedLines(t *testing.T) {
	a := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>11</v></c></row><row r="2" hidden="1"><c r="A2"><v>22</v></c></row><row r="3" ht="30" customHeight="1"><c r="A3"><v>33</v></c></row></sheetData>`)
	b := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>11</v></c></row><row r="2"><c r="A2"><v>99</v></c></row><row r="3" hidden="1"><c r="A3"><v>22</v></c></row><row r="4" ht="30" customHeight="1"><c r="A4"><v>33</v></c></row></sheetData>`)
	runPlanted(t, []planted{{"inserted", a, b, []string{"S1!row 2 added:  → 99", "rows added S1!2:2:  → 1 row inserted"}}})
}
