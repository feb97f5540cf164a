package diff_test

import (
	"testing"

	"atelier/formats/xlsx/internal/xlsxtest"
)

// bookWith is a workbook of two sheets with more in its main part, before and
// behind the list of sheets, and with styles.
func bookWith(t testing.TB, before, after string) []byte {
	return xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(before + "<sheets>" + tab(1, "S1", "") + tab(2, "S2", "") + "</sheets>" + after)}, xlsxtest.Grid("1"), xlsxtest.Grid("2"))
}

func names(list string) string { return "<definedNames>" + list + "</definedNames>" }

func TestSettingsOfTheWorkbook(t *testing.T) {
	var tests []planted
	for _, c := range []struct {
		name                             string
		beforeA, afterA, beforeB, afterB string
		want                             []string
	}{
		{"name", "", "", "", names(`<definedName name="Rate">S1!$A$1</definedName>`), []string{"name added Rate:  → =S1!$A$1"}},
		{"changed name", "", names(`<definedName name="Rate">S1!$A$1</definedName>`), "", names(`<definedName name="Rate">S1!$A$2</definedName>`), []string{"name changed Rate: =S1!$A$1 → =S1!$A$2"}},
		{"name of a sheet", "", "", "", names(`<definedName name="Rate" localSheetId="1" hidden="1">5</definedName>`), []string{"name added S2!Rate:  → =5 (hidden)"}},
		{"print area", "", "", "", names(`<definedName name="_xlnm.Print_Area" localSheetId="0">S1!$A$1:$B$2</definedName><definedName name="_xlnm.Print_Titles" localSheetId="1">S2!$1:$1</definedName><definedName name="_xlnm._FilterDatabase" localSheetId="0">S1!$A$1</definedName>`), []string{
			"page_setup added S1:  → print area S1!$A$1:$B$2", "page_setup added S2:  → rows and columns repeated on each page: S2!$1:$1"}},
		{"manual calculation", "", `<calcPr calcId="1"/>`, "", `<calcPr calcId="1" calcMode="manual" iterate="1" fullCalcOnLoad="1" fullPrecision="0" calcOnSave="1"/>`, []string{
			"property added calculation:  → only when asked for ⚠ calculation: formulas are calculated only when a person asks for it",
			"property added calculation:  → formulas that refer to themselves are repeated ⚠ calculation: formulas that refer to themselves are repeated instead of refused",
			"property added calculation:  → values are as precise as they are shown ⚠ calculation: values lose what their formats do not show",
			"property added calculation:  → all formulas are calculated when the file is opened"}},
		{"automatic but for tables", "", `<calcPr calcMode="auto"/>`, "", `<calcPr calcMode="autoNoTable"/>`, []string{"property added calculation:  → mode autoNoTable"}},
		{"protection", "", "", `<workbookProtection lockStructure="1" lockWindows="1"/>`, "", []string{"protection added workbook:  → protected: structure, windows"}},
		{"no protection", `<workbookProtection lockStructure="1"/>`, "", "", "", []string{"protection removed workbook: protected: structure →  ⚠ workbook: the workbook is no longer protected"}},
		{"read only", "", "", `<fileSharing readOnlyRecommended="1"/>`, "", []string{"protection added workbook:  → opened for reading only, as a recommendation"}},
		{"program", `<fileVersion appName="xl" lastEdited="7" rupBuild="1"/>`, "", `<fileVersion appName="xl" lastEdited="7" rupBuild="2"/>`, "", []string{"property changed workbook: last saved by xl 7 1 → last saved by xl 7 2"}},
		{"setting", `<workbookPr date1904="0"/>`, "", `<workbookPr codeName="Me" date1904="0"/>`, "", []string{"property added workbook:  → code name Me"}},
		{"window", `<bookViews><workbookView xWindow="0" yWindow="0" activeTab="0"/></bookViews>`, "", `<bookViews><workbookView xWindow="5" yWindow="0" activeTab="1" firstSheet="1" visibility="hidden"/></bookViews>`, "", []string{
			"view added workbook:  → visibility hidden ⚠ workbook: the workbook's window is hidden", "view added workbook:  → opens at sheet S2", "view added workbook:  → first tab in view: S2", "view changed workbook: window at 0 0 → window at 5 0"}},
	} {
		tests = append(tests, planted{c.name, bookWith(t, c.beforeA, c.afterA), bookWith(t, c.beforeB, c.afterB), c.want})
	}
	runPlanted(t, tests)
}

// A name of a sheet that was renamed is that of the new one; one of a row that
// moved follows it.
func TestNamesFollow(t *testing.T) {
	book := func(name string, sheet string, def string) []byte {
		return xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book("<sheets>" + tab(1, name, "") + "</sheets>" + names(def))}, sheet)
	}
	runPlanted(t, []planted{
		{"a sheet", book("Old", xlsxtest.Grid("1"), `<definedName name="N">Old!$A$1</definedName><definedName name="L" localSheetId="0">Old!$A$1</definedName>`), book("New", xlsxtest.Grid("1"), `<definedName name="N">New!$A$1</definedName><definedName name="L" localSheetId="0">New!$A$1</definedName>`), []string{"New: renamed Old", "sheet changed New: named Old → named New"}},
		{"a row", book("S", xlsxtest.Grid("a", "b", "c"), `<definedName name="N">S!$A$3</definedName>`), book("S", xlsxtest.Grid("a", "x", "b", "c"), `<definedName name="N">S!$A$4</definedName>`), []string{"S!row 2 added:  → x", "rows added S!2:2:  → 1 row inserted"}},
	})
}

func TestNamedStyles(t *testing.T) {
	book := func(second string) []byte {
		return xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.StyleSheet(`<fonts count="2"><font/><font><b/></font></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="2"><xf/><xf fontId="1"/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs><cellStyles><cellStyle name="Normal" xfId="0"/>` + second + `</cellStyles>`)}, xlsxtest.Grid("1"))
	}
	runPlanted(t, []planted{{"added", book(""), book(`<cellStyle name="Good" xfId="1"/>`), []string{"style added cell style Good:  → bold"}}})
}

// What a workbook leads to beside its sheets.
func TestRelatedPartsOfAWorkbook(t *testing.T) {
	book := func(rels []string, parts map[string]string) []byte {
		parts["xl/_rels/workbook.xml.rels"] = xlsxtest.Rels(append([]string{"worksheet worksheets/sheet1.xml"}, rels...)...)
		return xlsxtest.Raw(t, parts, xlsxtest.Grid("1"))
	}
	plain := book(nil, map[string]string{})
	external := func(content string) []byte {
		return book([]string{"externalLink externalLinks/externalLink1.xml"}, map[string]string{"xl/externalLinks/externalLink1.xml": `<externalLink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` + content + `</externalLink>`})
	}
	runPlanted(t, []planted{
		{"DDE", plain, external(`<ddeLink ddeService="cmd" ddeTopic="/c calc"/>`), []string{"link added :  → DDE link cmd|/c calc ⚠ new DDE link, which can start programs: cmd|/c calc"}},
		{"OLE", plain, external(`<oleLink progId="Word.Document"/>`), []string{"link added :  → OLE link Word.Document ⚠ new OLE link, which can start programs: Word.Document"}},
		{"another workbook", plain, external(`<externalBook/>`), []string{"link added :  → values of another workbook"}},
		{"slicer cache", plain, book([]string{"http://x/slicerCache slicerCaches/a.xml"}, map[string]string{"xl/slicerCaches/a.xml": "<a/>"}), []string{"slicer added workbook:  → what a slicer filters"}},
	})
}
