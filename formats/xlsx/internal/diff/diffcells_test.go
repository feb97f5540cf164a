package diff_test

import (
	"testing"

	"atelier/formats/xlsx/internal/xlsxtest"
)

// cellBook is a workbook whose cell B2 is given; the others stay.
func cellBook(t testing.TB, cell string) []byte {
	return xlsxtest.Raw(t, map[string]string{
		"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>plain</t>", "<r><t>pl</t></r><r><rPr><b/></rPr><t>ain</t></r>", "<r><t>plain</t></r>", ""),
		"xl/styles.xml":        xlsxtest.Styles("0.00", ";;;"),
	}, `<sheetData><row r="1"><c r="A1" t="str"><v>key</v></c><c r="B1"><v>1</v></c></row><row r="2"><c r="A2" t="str"><v>row</v></c>`+cell+`</row></sheetData>`)
}

// A changed cell of each kind, and what is the same although it is stored in
// another way.
func TestCellsThatChanged(t *testing.T) {
	var tests []planted
	for _, c := range []struct {
		name, a, b string
		want       []string
	}{
		{"number", `<c r="B2"><v>1</v></c>`, `<c r="B2"><v>2</v></c>`, []string{"S1!B2 modified: 1 → 2"}},
		{"a digit that does not show", `<c r="B2" s="1"><v>1.001</v></c>`, `<c r="B2" s="1"><v>1.002</v></c>`, []string{"S1!B2 modified: 1.00 → 1.00"}},
		{"text", `<c r="B2" t="str"><v>a</v></c>`, `<c r="B2" t="str"><v>b</v></c>`, []string{"S1!B2 modified: a → b"}},
		{"text that was a number", `<c r="B2"><v>7</v></c>`, `<c r="B2" t="str"><v>7</v></c>`, []string{"S1!B2 modified: 7 → 7 (number → text)"}},
		{"number that was a text", `<c r="B2" t="str"><v>7</v></c>`, `<c r="B2"><v>7</v></c>`, []string{"S1!B2 modified: 7 → 7 (text → number)"}},
		{"boolean", `<c r="B2" t="b"><v>1</v></c>`, `<c r="B2" t="b"><v>0</v></c>`, []string{"S1!B2 modified: TRUE → FALSE"}},
		{"error", `<c r="B2"><v>1</v></c>`, `<c r="B2" t="e"><v>#N/A</v></c>`, []string{"S1!B2 modified: 1 → #N/A"}},
		{"filled", ``, `<c r="B2"><v>1</v></c>`, []string{"S1!B2 added:  → 1"}},
		{"emptied", `<c r="B2"><v>1</v></c>`, `<c r="B2"/>`, []string{"S1!B2 removed: 1 → "}},
		{"gone", `<c r="B2"><v>1</v></c>`, ``, []string{"S1!B2 removed: 1 → "}},
		{"a number that no format shows", `<c r="B2" s="2"><v>5</v></c>`, `<c r="B2" s="2"><v>6</v></c>`, []string{"S1!B2 modified: 5 → 6"}},
		{"formula", `<c r="B2"><f>B1</f><v>1</v></c>`, `<c r="B2"><f>B1*2</f><v>2</v></c>`, []string{"S1!B2 modified: =B1 → =B1*2 (value 1 → 2)"}},
		{"formula with the same result", `<c r="B2"><f>B1</f><v>1</v></c>`, `<c r="B2"><f>B1*1</f><v>1</v></c>`, []string{"S1!B2 modified: =B1 → =B1*1"}},
		{"value that was a formula", `<c r="B2"><f>B1</f><v>1</v></c>`, `<c r="B2"><v>1</v></c>`, []string{"S1!B2 modified: =B1 → 1"}},
		{"formula that was a value", `<c r="B2"><v>1</v></c>`, `<c r="B2"><f>B1</f></c>`, []string{"S1!B2 modified: 1 → =B1"}},
		{"array formula", `<c r="B2"><f>B1</f><v>1</v></c>`, `<c r="B2"><f t="array" ref="B2:B3">B1</f><v>1</v></c>`, []string{"S1!B2 modified: =B1 → =B1 (plain → array formula of B2:B3)"}},
		{"dynamic array formula", `<c r="B2"><f t="array" ref="B2">B1</f><v>1</v></c>`, `<c r="B2" cm="1"><f t="array" ref="B2">B1</f><v>1</v></c>`, []string{"S1!B2 modified: =B1 → =B1 (array formula of B2 → dynamic array formula of B2)"}},
		{"formats in a text", `<c r="B2" t="s"><v>0</v></c>`, `<c r="B2" t="s"><v>1</v></c>`, []string{"format changed S1!B2: one format within the text → “pl” plain; “ain” bold"}},
		{"formats in an inline text", `<c r="B2" t="inlineStr"><is><r><rPr><i/></rPr><t>x</t></r></is></c>`, `<c r="B2" t="inlineStr"><is><r><rPr><u/></rPr><t>x</t></r></is></c>`, []string{"format changed S1!B2: “x” italic → “x” underline"}},
		{"result", `<c r="B2"><f>NOW()</f><v>1</v></c>`, `<c r="B2"><f>NOW()</f><v>2</v></c>`, []string{"calculated_value changed S1!B2: 1 → 2"}},
		{"result that fails", `<c r="B2"><f>NOW()</f><v>1</v></c>`, `<c r="B2" t="e"><f>NOW()</f><v>#NUM!</v></c>`, []string{"calculated_value changed S1!B2: 1 → #NUM! ⚠ S1!B2: the calculation now gives #NUM!"}},
		{"result that comes", `<c r="B2"><f>NOW()</f></c>`, `<c r="B2"><f>NOW()</f><v>2</v></c>`, []string{"calculated_value added S1!B2:  → 2"}},
		{"result that goes", `<c r="B2"><f>NOW()</f><v>2</v></c>`, `<c r="B2"><f>NOW()</f></c>`, []string{"calculated_value removed S1!B2: 1 calculated value dropped; programs calculate them when they open the file → "}},
	} {
		tests = append(tests, planted{c.name, cellBook(t, c.a), cellBook(t, c.b), c.want})
	}
	runPlanted(t, tests)
}

func TestCellsThatAreTheSame(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"shared and inline text", `<c r="B2" t="s"><v>0</v></c>`, `<c r="B2" t="inlineStr"><is><t>plain</t></is></c>`},
		{"inline text and text of old programs", `<c r="B2" t="inlineStr"><is><t>a</t></is></c>`, `<c r="B2" t="str"><v>a</v></c>`},
		{"a run without a format", `<c r="B2" t="s"><v>0</v></c>`, `<c r="B2" t="s"><v>2</v></c>`},
		{"a number", `<c r="B2"><v>0.1</v></c>`, `<c r="B2"><v>1E-1</v></c>`},
		{"an empty text", `<c r="B2" t="s"><v>3</v></c>`, ``},
		{"a blank cell", `<c r="B2"/>`, ``},
		{"a shared formula of one", `<c r="B2"><f>B1</f><v>1</v></c>`, `<c r="B2"><f t="shared" ref="B2" si="0">B1</f><v>1</v></c>`},
	} {
		if got := told(compare(t, cellBook(t, c.a), cellBook(t, c.b))); len(got) > 0 {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// A date is another day where days count from 1904 (18.2.28).
func TestDatesOfTwoSystems(t *testing.T) {
	book := func(date1904, v string) []byte {
		return xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.Styles("yyyy-mm-dd"), xlsxtest.Main: xlsxtest.Book(`<workbookPr` + date1904 + `/><sheets>` + tab(1, "S1", "") + `</sheets>`)}, `<sheetData><row r="1"><c r="A1" s="1"><v>`+v+`</v></c></row></sheetData>`)
	}
	runPlanted(t, []planted{
		{"the same number", book("", "43832"), book(` date1904="1"`, "43832"), []string{"property added workbook:  → dates count from 1904 ⚠ workbook: dates count from 1904 now: all stored dates show four years later"}},
		{"another number", book("", "43832"), book("", "43833"), []string{"S1!A1 modified: 2020-01-02 → 2020-01-03"}},
	})
}
