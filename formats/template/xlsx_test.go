package template

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
)

func cells(t *testing.T, b []byte, rng string) string {
	t.Helper()
	got, err := xlsx.Format().Reader.Read(t.Context(), formats.FromBytes("a.xlsx", b), formats.Selector{Range: rng, Include: []string{"formulas"}})
	require.NoError(t, err)
	return got.Text
}

func TestWorkbookRows(t *testing.T) {
	b := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[
		{"cell":"A1","value":"Invoice {{number}} for «client»"},{"cell":"B2","value":"{{date}}","style":{"number_format":"dd/mm/yyyy"}},{"cell":"A3","value":"Item"},
		{"cell":"A4","value":"{{items.name}}"},{"cell":"B4","value":"{{items.qty}}"},{"cell":"C4","value":"{{items.price}}","style":{"number_format":"#,##0.00"}},{"cell":"D4","value":"=B4*C4"},
		{"cell":"A5","value":"Total"},{"cell":"D5","value":"=SUM(D4:D4)"},{"cell":"D6","value":"=D5*0.19"},
		{"cell":"A7","value":"{{#if late}}"},{"cell":"A8","value":"overdue"},{"cell":"A9","value":"{{/if}}"},
		{"cell":"A10","value":"{{#each notes}}"},{"cell":"A11","value":"- {{this}}"},{"cell":"A12","value":"{{/each}}"},{"cell":"A13","value":"end"},{"cell":"D13","value":"=SUM(D4)+D6"}]}]`)
	got, tally := fill(t, "a.xlsx", b, `[{"number":"007","client":"=Acme","date":"2026-11-24","late":false,"notes":["a","b"],"items":[{"name":"x","qty":2,"price":3.5},{"name":"y","qty":1,"price":10},{"name":"01","qty":4,"price":1}]}]`, "")
	s := cells(t, got, "A1:D16")
	for _, want := range []string{"A1: Invoice 007 for =Acme", "B2: 24/11/2026", "A4: x", "A5: y", "A6: 01", "→ 21", "→ 24.99", "=SUM(D4:D6)", "A9: - a", "A10: - b", "A11: end", "=SUM(D4:D6)+D8", "=B6*C6"} {
		require.Contains(t, s, want, s)
	}
	require.NotContains(t, s, "{{", s)
	require.NotContains(t, s, "overdue", s)
	require.Empty(t, tally.Missing)
	require.Empty(t, tally.Loose)
}

// All rows of the data in one workbook: the row with placeholders repeats, what all
// have in common does not.
func TestWorkbookForAllRows(t *testing.T) {
	b := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"{{year}}"},{"cell":"A2","value":"{{name}}"},{"cell":"B2","value":"{{v}}"},{"cell":"B3","value":"=SUM(B2:B2)"}]}]`)
	got, _ := fill(t, "a.xlsx", b, `[{"year":2026,"name":"a","v":1},{"year":2026,"name":"b","v":2},{"year":2026,"name":"c","v":true}]`, "")
	s := cells(t, got, "A1:B5")
	for _, want := range []string{"A1: 2026", "A2: a", "A4: c", "B4: TRUE", "=SUM(B2:B4)"} {
		require.Contains(t, s, want, s)
	}
}

func TestDeck(t *testing.T) {
	b := apply(t, pptx.Format(), `[{"op":"add_slide","title":"For {{name}}","body":["{{#if best}}","Best of all","{{/if}}","{{#each notes}}","{{this}}","{{/each}}"]},
		{"op":"add_slide","title":"{{#each items}}{{n}}","body":["Price {{p}}"]}, {"op":"add_slide","title":"Bye","body":["{{#if nothing}}gone"]}]`)
	got, tally := fill(t, "a.pptx", b, `[{"name":"Ann","best":true,"notes":["r","s"],"items":[{"n":"x","p":1},{"n":"y","p":2}],"nothing":""},{"name":"Bob","best":false,"notes":[],"items":[{"n":"z","p":3}],"nothing":0}]`, "")
	s := text(t, pptx.Format(), "a.pptx", got)
	require.Empty(t, tally.Loose, s)
	require.NotContains(t, s, "{{")
	require.Regexp(t, `(?s)For Ann.*Best of all.*r\n.*s\n.*x.*Price 1.*y.*Price 2.*For Bob.*z.*Price 3`, s)
	require.NotRegexp(t, `(?s)For Bob.*Best of all|Bye`, s)
}

// Rows of a table on a slide repeat, and a second deck keeps its other parts.
func TestDeckTable(t *testing.T) {
	b := apply(t, pptx.Format(), `[{"op":"add_slide","title":"T"},{"op":"add_table","index":0,"rows":[["N","P"],["{{items.n}}","{{items.p|0.0}}"],["Sum","{{total}}"]]}]`)
	got, tally := fill(t, "a.pptx", b, `[{"total":3,"items":[{"n":"x","p":1},{"n":"y","p":2}]}]`, "")
	require.Regexp(t, `(?s)N.*P.*x.*1\.0.*y.*2\.0.*Sum.*3`, text(t, pptx.Format(), "a.pptx", got))
	require.Empty(t, tally.Missing)
}

// A cell that a defined name of the data refers to gets the value.
func TestDefinedNames(t *testing.T) {
	b := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"Due"},{"cell":"C1","value":"=B1+1"}]},{"op":"define_name","name":"due","refers_to":"Sheet1!$B$1"}]`)
	got, _ := fill(t, "a.xlsx", b, `[{"due":41}]`, "")
	require.Contains(t, cells(t, got, "A1:C1"), "B1: 41, C1: =B1+1 → 42")
}
