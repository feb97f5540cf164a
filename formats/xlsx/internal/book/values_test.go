package book_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// shown is what the cells of a sheet show, by cell.
func shown(t testing.TB, wb *book.Workbook, part string, d *book.Display) map[string]string {
	t.Helper()
	out := map[string]string{}
	for s, err := range wb.Rows(context.Background(), part, book.Window{Display: d}) {
		require.NoError(t, err)
		if s.Event == sheetml.WholeCell {
			out[cellref.Name(s.Cell.Row, s.Cell.Col)] = d.Show(s)
		}
	}
	return out
}

func display(t testing.TB, wb *book.Workbook) *book.Display {
	t.Helper()
	d, err := wb.Display(context.Background())
	require.NoError(t, err)
	return d
}

// each type of cell, each with formats.
func TestShowOfEachType(t *testing.T) {
	parts := func(date1904 string) map[string]string {
		return map[string]string{
			xlsxtest.Main:          xlsxtest.Book(`<workbookPr date1904="` + date1904 + `"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>`),
			"xl/styles.xml":        xlsxtest.Styles("yyyy-mm-dd", "0.00", `"<"@">"`, ";;;", "[h]:mm", "hh:mm"),
			"xl/sharedStrings.xml": xlsxtest.SharedStrings(`<t>plain</t>`, `<r><t xml:space="preserve">rich </t></r><r><rPr><b/></rPr><t>text_x0041_</t></r><rPh sb="0" eb="1"><t>no</t></rPh>`, ``),
		}
	}
	for _, c := range []struct{ cell, want string }{
		{`<c><v>42</v></c>`, "42"},
		{`<c><v>0042</v></c>`, "42"},
		{`<c><v>1234567890123456</v></c>`, "1234567890123460"},
		{`<c><v> 7 </v></c>`, "7"},
		{`<c><v>-1.50</v></c>`, "-1.5"},
		{`<c><v>0.30000000000000004</v></c>`, "0.3"},
		{`<c><v>1e3</v></c>`, "1000"},
		{`<c><v>twelve</v></c>`, "twelve"}, // as it is stored, since it is no number
		{`<c><v></v></c>`, ""},
		{`<c s="2"><v>1.005</v></c>`, "1.01"},
		{`<c s="2"><v>7</v></c>`, "7.00"},
		{`<c s="99"><v>7</v></c>`, "7"},
		{`<c s="4"><v>7</v></c>`, ""},
		{`<c t="s"><v>0</v></c>`, "plain"},
		{`<c t="s"><v> 1 </v></c>`, "rich textA"},
		{`<c t="s" s="3"><v>0</v></c>`, "<plain>"},
		{`<c t="s"><v>2</v></c>`, ""},
		{`<c t="s"><v>3</v></c>`, ""},
		{`<c t="s"><v>-1</v></c>`, ""},
		{`<c t="inlineStr"><is><t>in</t></is></c>`, "in"},
		{`<c t="inlineStr" s="3"><is><r><t>a</t></r><r><t>b</t></r></is></c>`, "<ab>"},
		{`<c t="inlineStr"><v>old</v></c>`, "old"},
		{`<c t="str"><v>a_x000D_b &amp; c</v></c>`, "a\rb & c"},
		{`<c t="str" s="3"><v>x</v></c>`, "<x>"},
		{`<c t="b"><v>1</v></c>`, "TRUE"},
		{`<c t="b"><v>0</v></c>`, "FALSE"},
		{`<c t="b"><v>true</v></c>`, "TRUE"},
		{`<c t="b"><v></v></c>`, ""},
		{`<c t="e"><v>#DIV/0!</v></c>`, "#DIV/0!"},
		{`<c t="e" s="3"><v>#N/A</v></c>`, "#N/A"},
		{`<c t="d"><v>2020-01-02</v></c>`, "2020-01-02"},
		{`<c t="d" s="1"><v>2020-01-02T00:00:00</v></c>`, "2020-01-02"},
		{`<c t="d" s="1"><v>someday</v></c>`, "someday"},
		{`<c s="5"><v>1.5</v></c>`, "36:00"},
		{`<c s="6"><v>43832.75</v></c>`, "18:00"},
		{`<c s="1"><v>43832</v></c>`, "2020-01-02"},
		{`<c s="1"><v>60</v></c>`, "1900-02-29"}, // a day that only spreadsheets have
		{`<c><f>1+1</f></c>`, "=1+1"},
		{`<c><f>1+1</f><v/></c>`, "=1+1"},
		{`<c><f>1+1</f><v>2</v></c>`, "2"},
		{`<c t="str"><f>""</f><v></v></c>`, ""}, // an empty text is a value
		{`<c t="str"><f>""</f></c>`, `=""`},
		{`<c><f>_xlfn.CONCAT(A1)</f></c>`, "=CONCAT(A1)"},
		{`<c><f t="array" ref="A1:A2">A1:A2</f></c>`, "=A1:A2"},
		{`<c><f t="shared" si="5"/></c>`, ""}, // of a group that has no master
	} {
		wb := open(t, xlsxtest.Raw(t, parts("0"), `<sheetData><row r="1">`+c.cell+`</row></sheetData>`))
		require.Equal(t, c.want, shown(t, wb, xlsxtest.Sheet1, display(t, wb))["A1"], c.cell)
	}
	for cell, want := range map[string]string{`<c s="1"><v>0</v></c>`: "1904-01-01", `<c s="1"><v>42370</v></c>`: "2020-01-02", `<c t="d" s="1"><v>2020-01-02</v></c>`: "2020-01-02", `<c><v>42370</v></c>`: "42370"} {
		wb := open(t, xlsxtest.Raw(t, parts("1"), `<sheetData><row r="1">`+cell+`</row></sheetData>`))
		require.Equal(t, want, shown(t, wb, xlsxtest.Sheet1, display(t, wb))["A1"], "from 1904: %s", cell)
	}
}

// The members of a shared formula show the text of their master as it reads in
// their cells (18.3.1.40); array formulas show braces where they are wanted.
func TestShowOfFormulas(t *testing.T) {
	sheet := `<sheetData>
		<row r="1"><c r="A1"><f t="shared" ref="A1:B3" si="0">$C1+C$1&amp;" C1"</f></c><c r="B1"><f t="shared" si="0"/></c></row>
		<row r="2"><c r="A2"><f t="shared" si="0"/></c><c r="B2"><f t="shared" si="0">D9</f></c></row>
		<row r="3"><c r="A3"><f t="shared" si="0"/></c><c r="B3"><f t="array" ref="B3:B4">SUM(A1:A2*2)</f></c><c r="C3"><f t="shared" si="1"/></c></row></sheetData>`
	wb := open(t, xlsxtest.Raw(t, nil, sheet, sheet))
	d := display(t, wb)
	want := map[string]string{"A1": `=$C1+C$1&" C1"`, "B1": `=$C1+D$1&" C1"`, "A2": `=$C2+C$1&" C1"`, "B2": "=D9", "A3": "=C10", "B3": "=SUM(A1:A2*2)", "C3": ""}
	require.Equal(t, want, shown(t, wb, xlsxtest.Sheet1, d), "the last master counts")
	d.Braces = true
	want["B3"] = "{=SUM(A1:A2*2)}"
	require.Equal(t, want, shown(t, wb, xlsxtest.Sheet2, d))
}

// A pass that begins at a row knows the masters above it; those of another sheet
// are not its own.
func TestSharedFormulasAreOfOneSheet(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil,
		`<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A2" si="0">B1</f></c></row></sheetData>`,
		`<sheetData><row r="2"><c r="A2"><f t="shared" si="0"/></c></row></sheetData>`))
	d := display(t, wb)
	require.Equal(t, map[string]string{"A1": "=B1"}, shown(t, wb, xlsxtest.Sheet1, d))
	require.Equal(t, map[string]string{"A2": ""}, shown(t, wb, xlsxtest.Sheet2, d))
}

// a formula that is longer than any may be is not written out for the
// members of its group; those of a group share an allowance.
func TestLongSharedFormulas(t *testing.T) {
	group := func(f string, members int) *book.Workbook {
		var sb strings.Builder
		fmt.Fprintf(&sb, `<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A9" si="0">%s</f></c></row>`, f)
		for r := 2; r < 2+members; r++ {
			fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><f t="shared" si="0"/></c></row>`, r, r)
		}
		return open(t, xlsxtest.Raw(t, nil, sb.String()+"</sheetData>"))
	}
	wb := group(strings.Repeat("1+", 4096)+"1", 1)
	got := shown(t, wb, xlsxtest.Sheet1, display(t, wb))
	require.Len(t, got["A1"], 8194, "its own")
	require.Empty(t, got["A2"])

	wb = group(strings.Repeat("B1+", 100)+"1", 4)
	d := display(t, wb)
	d.Room = book.NewAllowance(2 * 301)
	got = shown(t, wb, xlsxtest.Sheet1, d)
	require.Equal(t, "="+strings.Repeat("B3+", 100)+"1", got["A3"])
	require.Empty(t, got["A4"], "there is no more room")
	require.True(t, d.NoRoom)
}

// Texts of real workbooks are those that a second program reads.
func TestShowAgainstASecondReader(t *testing.T) {
	cells := 0
	for _, path := range smallFiles(t) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		wb, err := book.Open(context.Background(), xlsxtest.Source(b))
		f, failed := excelize.OpenReader(bytes.NewReader(b))
		if err != nil || failed != nil || !wb.Sheets[0].Worksheet() {
			continue
		}
		d := display(t, wb)
		for s, err := range wb.Rows(context.Background(), wb.Sheets[0].Part, book.Window{Last: 100}) {
			if err != nil {
				require.NoError(t, book.IgnoreNoCells(err))
				break
			}
			c := &s.Cell
			if s.Event != sheetml.WholeCell || c.HasFormula || c.Type != sheetml.TypeShared && c.Type != sheetml.TypeInline {
				continue
			}
			want, err := f.GetCellValue(wb.Sheets[0].Name, cellref.Name(c.Row, c.Col))
			require.NoError(t, err)
			require.Equal(t, want, d.Show(s), "%s %s", path, cellref.Name(c.Row, c.Col))
			cells++
		}
		require.NoError(t, f.Close())
	}
	require.Greater(t, cells, 20)
}

// smallFiles are real workbooks of at most 20 KB, every second one.
func smallFiles(t testing.TB) (out []string) {
	for i, path := range formatstest.Corpus(t, "xlsx") {
		if info, err := os.Stat(path); err == nil && info.Size() <= 20_000 && i%2 == 0 {
			out = append(out, path)
		}
	}
	return out
}
