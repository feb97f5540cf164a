package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
)

// A table whose last row repeats grows with it, and so does what reads its column; rows
// below it move, and formulas that refer to the row above keep their distance.
func TestTablesGrow(t *testing.T) {
	b := apply(t, xlsx.Format(), `[{"op":"set_range","sheet":"S","start":"A1","values":[["Bill for {{client}}"],[],["Item","Qty","Sum","Running"],["{{items.n}}","{{items.q}}","=B4*2","=SUM(D3)+C4"],["Total","","=SUM(C4:C4)"]]},
		{"op":"add_table","sheet":"S","range":"A3:D4","name":"Items"},{"op":"set_cells","sheet":"S","cells":[{"cell":"F1","value":"=SUM(Items[Sum])"}]}]`)
	got, _ := fill(t, "a.xlsx", b, `[{"client":"A","items":[{"n":"x","q":1},{"n":"y","q":2},{"n":"z","q":3}]}]`, "")
	s := cells(t, got, "A1:F8")
	for _, want := range []string{"A4: x, B4: 1, C4: =B4*2 → 2, D4: =SUM(D3)+C4 → 2", "A6: z, B6: 3, C6: =B6*2 → 6, D6: =SUM(D5)+C6 → 12", "F1: =SUM(Items[Sum]) → 12", "A7: Total, C7: =SUM(C4:C6) → 12"} {
		require.Contains(t, s, want)
	}
	require.Contains(t, string(formatstest.Parts(t, got)["xl/tables/table1.xml"]), `ref="A3:D6"`)
	one, _ := fill(t, "a.xlsx", b, `[{"client":"A","items":[{"n":"x","q":1}]}]`, "")
	require.Contains(t, string(formatstest.Parts(t, one)["xl/tables/table1.xml"]), `ref="A3:D4"`)
}

// Headers and footers of sheets are filled, with ampersands doubled and numbers apart from
// font sizes, and so are titles of charts.
func TestHeadersAndChartsOfWorkbooks(t *testing.T) {
	b := apply(t, xlsx.Format(), `[{"op":"set_range","sheet":"S","start":"A1","values":[["x","y"],["a",1]]},{"op":"set_page_setup","sheet":"S","header":{"left":"Bill {{no}} for {{client}}","center":"&14{{no}}"},"footer":{"right":"{{gone}} [page]"}},
		{"op":"add_chart","sheet":"S","cell":"D2","type":"column","range":"A1:B2","title":"Sales of {{client}}"}]`)
	got, tally := fill(t, "a.xlsx", b, `[{"client":"A & B","no":7}]`, "")
	sheet := string(formatstest.Parts(t, got)["xl/worksheets/sheet1.xml"])
	require.Contains(t, sheet, "&amp;LBill 7 for A &amp;&amp; B&amp;C&amp;14 7")
	require.Equal(t, `the footer of the sheet "S"`, tally.Missing["{{gone}}"])
	r, err := xlsx.Format().Reader.Read(t.Context(), formats.FromBytes("a.xlsx", got), formats.Selector{Include: []string{"charts", "page"}})
	require.NoError(t, err)
	require.Contains(t, r.Text, `"Sales of A & B"`)

	err = Fill(t.Context(), formats.FromBytes("a.xlsx", b), new(strings.Builder), records(t, fmt.Sprintf(`[{"client":%q,"no":7}]`, strings.Repeat("long ", 60))), Options{}, NewTally())
	require.ErrorContains(t, err, `the header of the sheet "S" would have`)
}

// Titles of charts in documents and decks are filled; what their data ask for stays and is
// told.
func TestChartsOfDocumentsAndDecks(t *testing.T) {
	chart := `"type":"column","title":"Plan of {{client}}","categories":["{{a}}","b"],"series":[{"name":"s","values":[1,2]}]`
	const told = "the data of a chart has placeholders, which are not filled there: {{a}}"
	b := apply(t, docx.Format(), `[{"op":"append_paragraph","text":"For {{client}}"},{"op":"add_chart","at":"p0",`+chart+`}]`)
	got, tally := fill(t, "a.docx", b, `[{"client":"A & B"}]`, "")
	require.Contains(t, string(formatstest.Parts(t, got)["word/charts/chart1.xml"]), "Plan of A &amp; B")
	require.Contains(t, tally.Notes, told)

	b = apply(t, pptx.Format(), `[{"op":"add_slide","title":"{{client}}"},{"op":"add_chart","index":0,`+chart+`}]`)
	got, tally = fill(t, "a.pptx", b, `[{"client":"Ann"},{"client":"Bob"}]`, "")
	require.Regexp(t, `(?s)Plan of Ann.*Plan of Bob`, text(t, pptx.Format(), "a.pptx", got))
	require.Contains(t, tally.Notes, told)
}

// Check boxes are ticked by their data.
func TestCheckBoxes(t *testing.T) {
	b := apply(t, docx.Format(), `[{"op":"append_paragraph","text":"Paid "},{"op":"add_content_control","at":"p0","type":"checkbox","name":"paid"},{"op":"append_paragraph","text":"Sent "},{"op":"add_content_control","at":"p1","type":"checkbox","name":"sent","value":"true"}]`)
	got, tally := fill(t, "a.docx", b, `[{"paid":true,"sent":"no"}]`, "")
	require.Equal(t, "Paid ☒\nSent ☐", text(t, docx.Format(), "a.docx", got))
	doc := string(formatstest.Parts(t, got)["word/document.xml"])
	require.Regexp(t, `(?s)w:val="paid".*w14:checked w14:val="1".*w:val="sent".*w14:checked w14:val="0"`, doc)
	require.Empty(t, tally.Notes)
}

// IF fields around a merge field choose their text; other fields of a mail merge stay and
// are told.
func TestConditionalFields(t *testing.T) {
	char := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(s string) string {
		return `<w:r><w:instrText xml:space="preserve">` + strings.ReplaceAll(s, `"`, "&quot;") + `</w:instrText></w:r>`
	}
	merge := func(name string) string {
		return char("begin") + code(" MERGEFIELD "+name+" ") + char("separate") + `<w:r><w:t>old</w:t></w:r>` + char("end")
	}
	result := char("separate") + `<w:r><w:rPr><w:b/></w:rPr><w:t>result</w:t></w:r>` + char("end")
	body := `<w:p>` + char("begin") + code(` IF "`) + merge("kind") + code(`" = "new" "Welcome, `) + merge("name") + code(`" "Hello again" \* MERGEFORMAT`) + result + `</w:p>` +
		`<w:p>` + char("begin") + code(` IF `) + merge("kind") + code(` > 5 "a" "b" `) + result + `</w:p><w:p><w:fldSimple w:instr=" NEXT "/></w:p>`
	for kind, want := range map[string]string{"new": "Welcome, Ann", "old": "Hello again"} {
		got, tally := docxText(t, body, `[{"kind":"`+kind+`","name":"Ann"}]`, "")
		require.Contains(t, got, want)
		require.Len(t, tally.Notes, 2)
		require.Contains(t, tally.Notes[0], "the field IF of a mail merge was left as it is: IF 'kind' > 5")
		require.Contains(t, tally.Notes[1], "the field NEXT")
	}
}

// A chart over a repeated row shows all its copies, also where rows above and tags go; one
// whose series are in rows stays.
func TestChartsOverRepeatedRows(t *testing.T) {
	campaign.Slow(t)
	b := apply(t, xlsx.Format(), `[{"op":"set_range","sheet":"My S","start":"A1","values":[["{{#if no}}"],["gone"],["{{/if}}"],["{{notes}}"],["Item","Qty"],["{{#each items}}"],["{{n}}","{{q}}"],["{{/each}}"],["end"]]},
		{"op":"set_cells","sheet":"My S","cells":[{"cell":"B7","value":"{{q}}"}]},
		{"op":"add_chart","sheet":"My S","cell":"H2","type":"column","series":[{"name":"=B5","categories":"My S!A7:A7","values":"My S!B7:B7"}],"title":"Column"},
		{"op":"add_chart","sheet":"My S","cell":"H20","type":"column","series":[{"name":"=A7","categories":"My S!A5:B5","values":"My S!B7:B7"}],"title":"Row"}]`)
	got, _ := fill(t, "a.xlsx", b, `[{"no":false,"notes":"x","items":[{"n":"a","q":1},{"n":"b","q":2},{"n":"c","q":5}]}]`, "")
	require.Contains(t, cells(t, got, "A1:B6"), "A3: a, B3: 1\nA4: b, B4: 2\nA5: c, B5: 5\nA6: end")
	parts := formatstest.Parts(t, got)
	one := string(parts["xl/charts/chart1.xml"])
	require.Contains(t, one, "<c:f>'My S'!$A$3:$A$5</c:f>")
	require.Contains(t, one, "<c:f>'My S'!$B$3:$B$5</c:f>")
	require.Contains(t, one, "<c:f>'My S'!$B$2</c:f>")
	require.NotContains(t, string(parts["xl/charts/chart2.xml"]), "$5")
	r, err := xlsx.Format().Reader.Read(t.Context(), formats.FromBytes("a.xlsx", got), formats.Selector{Include: []string{"charts"}})
	require.NoError(t, err)
	require.Contains(t, r.Text, "'My S'!$B$3:$B$5: 1, 2, 5", "the chart stores the values of all cells")
	require.Contains(t, r.Text, "'My S'!$A$3:$A$5: a, b, c")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "charts.xlsx", got))
}
