package diff_test

import (
	"testing"

	"atelier/formats/xlsx/internal/xlsxtest"
)

// around is a workbook whose sheet has elements before and behind its rows.
func around(t testing.TB, head, tail string) []byte {
	return xlsxtest.Raw(t, map[string]string{"xl/styles.xml": xlsxtest.StyleSheet(`<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="9"/></cellXfs>` +
		`<dxfs count="3"><dxf><font><b/><color rgb="FFFF0000"/></font></dxf><dxf><fill><patternFill><bgColor rgb="FF00FF00"/></patternFill></fill></dxf><dxf><numFmt numFmtId="200" formatCode=";;;"/></dxf></dxfs>`)},
		head+`<sheetData><row r="1"><c r="A1"><v>5</v></c></row><row r="2"><c r="A2"><v>6</v></c></row></sheetData>`+tail)
}

// aroundCase is a change of the elements around the rows.
type aroundCase struct {
	name         string
	headA, tailA string
	headB, tailB string
	want         []string
}

func runAround(t *testing.T, cases []aroundCase) {
	t.Helper()
	var tests []planted
	for _, c := range cases {
		tests = append(tests, planted{c.name, around(t, c.headA, c.tailA), around(t, c.headB, c.tailB), c.want})
	}
	runPlanted(t, tests)
}

func view(attrs, content string) string {
	return `<sheetViews><sheetView workbookViewId="0"` + attrs + `>` + content + `</sheetView></sheetViews>`
}

func TestViewsInWords(t *testing.T) {
	runAround(t, []aroundCase{
		{name: "zoom", headA: view(` zoomScale="100"`, ""), headB: view(` zoomScale="85"`, ""), want: []string{"view added S1:  → zoom 85%"}},
		{name: "another zoom", headA: view(` zoomScale="70"`, ""), headB: view(` zoomScale="85"`, ""), want: []string{"view changed S1: zoom 70% → zoom 85%"}},
		{name: "switches", headA: view("", ""), headB: view(` showGridLines="0" showRowColHeaders="0" showZeros="0" showFormulas="1" rightToLeft="1" tabSelected="1"`, ""), want: []string{
			"view added S1:  → zeros are not shown ⚠ S1: zeros are not shown", "view added S1:  → grid lines are not shown", "view added S1:  → headings of rows and columns are not shown", "view added S1:  → formulas are shown instead of values", "view added S1:  → from right to left", "view added S1:  → selected sheet"}},
		{name: "kind and scroll", headA: view(` view="normal" topLeftCell="A1"`, ""), headB: view(` view="pageLayout" topLeftCell="C9" defaultGridColor="0"`, ""), want: []string{"view added S1:  → pageLayout", "view added S1:  → scrolled to C9", "view added S1:  → defaultGridColor 0"}},
		{name: "frozen", headA: view("", ""), headB: view("", `<pane xSplit="1" ySplit="2" topLeftCell="B3" state="frozen"/>`), want: []string{"view added S1:  → frozen: 2 rows and 1 column", "view added S1:  → the other pane begins at B3"}},
		{name: "split", headA: view("", `<pane ySplit="1" state="frozen"/>`), headB: view("", `<pane xSplit="1200" ySplit="900"/>`), want: []string{"view changed S1: frozen: 1 row → window split at 900, split at 1200"}},
		{name: "selection", headA: view("", `<selection sqref="A1"/>`), headB: view("", `<selection activeCell="B2" sqref="B2:C3"/>`), want: []string{"view added S1:  → selected B2:C3, active B2"}},
		{name: "a second view", headA: view("", ""), headB: `<sheetViews><sheetView workbookViewId="0"/><sheetView workbookViewId="1" zoomScale="50"/></sheetViews>`, want: []string{"view added S1:  → view 2: zoom 50%"}},
	})
}

func TestSettingsInWords(t *testing.T) {
	runAround(t, []aroundCase{
		{name: "tab", headA: `<sheetPr><tabColor rgb="FFFF0000"/></sheetPr>`, headB: `<sheetPr><tabColor theme="4"/></sheetPr>`, want: []string{"sheet changed S1: tab colour red → tab colour accent 1"}},
		{name: "sheet", headA: `<sheetPr filterMode="1"/>`, headB: `<sheetPr codeName="X"><outlinePr summaryBelow="0"/><pageSetUpPr fitToPage="1"/></sheetPr>`, want: []string{"sheet added S1:  → codeName X", "outline added S1:  → outline summary below 0", "page_setup added S1:  → fit to page 1"}},
		{name: "sizes", headA: `<sheetFormatPr defaultRowHeight="15"/>`, headB: `<sheetFormatPr defaultRowHeight="20" defaultColWidth="12" zeroHeight="0" customHeight="0"/>`, want: []string{"row_height changed S1: default row height 15 → default row height 20", "column_width added S1:  → default col width 12"}},
		{name: "no width", headA: `<sheetFormatPr defaultRowHeight="15"/>`, headB: `<sheetFormatPr defaultRowHeight="15" defaultColWidth="0" zeroHeight="1"/>`, want: []string{
			"column_width added S1:  → default col width 0 ⚠ S1: columns have no width", "hidden_rows added S1:  → all rows without a height of their own are hidden ⚠ S1: all rows without a height of their own are hidden"}},
		{name: "margins", tailA: `<pageMargins left="0.7" right="0.7"/>`, tailB: `<pageMargins left="1" right="0.7"/>`, want: []string{"page_setup changed S1: margin left 0.7 → margin left 1"}},
		{name: "paper", tailA: `<pageSetup paperSize="9" orientation="portrait"/>`, tailB: `<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>`, want: []string{"page_setup changed S1: orientation portrait → orientation landscape", "page_setup added S1:  → fit to height 0"}},
		{name: "printing", tailB: `<printOptions gridLines="1"/>`, want: []string{"page_setup added S1:  → print grid lines 1"}},
		{name: "header", tailA: `<headerFooter><oddHeader>&amp;CDraft</oddHeader></headerFooter>`, tailB: `<headerFooter differentFirst="1"><oddHeader>&amp;CFinal</oddHeader><firstFooter>&amp;P</firstFooter><evenFooter/></headerFooter>`, want: []string{
			"page_setup added S1:  → different first 1", "header changed S1: odd header “&CDraft” → odd header “&CFinal”", "footer added S1:  → first footer “&P”"}},
		{name: "breaks", tailB: `<rowBreaks count="2"><brk id="5" man="1" max="16383"/><brk id="9"/></rowBreaks><colBreaks><brk id="2" man="1" pt="1"/></colBreaks>`, want: []string{
			"page_setup added S1:  → page break below row 5", "page_setup added S1:  → page break below row 9 (automatic)", "page_setup added S1:  → page break behind column B pt=1"}},
		{name: "sort state and errors", tailB: `<sortState ref="A1:A2"/><ignoredErrors><ignoredError sqref="A1" numberStoredAsText="1"/></ignoredErrors>`, want: []string{"filter added S1:  → sorted over A1:A2", "view added S1:  → marks of errors that are not shown"}},
	})
}
