package xlsx

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
)

const dateStyles = `<styleSheet xmlns="` + sheetml.Namespace + `"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><fonts><font/></fonts><fills><fill/><fill/></fills><borders><border/></borders><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="49"/><xf numFmtId="20"/><xf numFmtId="2"/><xf numFmtId="14"/></cellXfs></styleSheet>`

func TestTextsBecomeDates(t *testing.T) {
	// A1 General, B1 dd/mm/yyyy, C1 text, D1 h:mm, E1 0.00, F1 the built-in date.
	in := raw(t, map[string]string{"xl/styles.xml": dateStyles}, `<cols><col min="9" max="9" width="9" style="1"/></cols><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1" s="1"/><c r="C1" s="2"/><c r="D1" s="3"/><c r="E1" s="4"/><c r="F1" s="5"/></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"set_range","sheet":"S1","start":"A1","values":[["2026-11-22","2026-11-22","2026-11-22","2026-11-22T10:30","2026-11-22","2026-11-22",null,"2026-11-22 10:30:05","2026-11-22"]]}]`)
	f := excel(t, out)
	for cell, want := range map[string]string{"A1": "2026-11-22", "B1": "22/11/2026", "C1": "2026-11-22", "D1": "2026-11-22 10:30", "E1": "2026-11-22", "F1": "11-22-26", "H1": "2026-11-22 10:30:05", "I1": "22/11/2026"} {
		got, err := f.GetCellValue("S1", cell)
		require.NoError(t, err)
		require.Equal(t, want, got, cell)
	}
	require.Equal(t, []string{`7 texts became dates (2 as dd/mm/yyyy, 1 as m/d/yyyy, 2 as yyyy-mm-dd, 1 as yyyy-mm-dd hh:mm, 1 as yyyy-mm-dd hh:mm:ss)`, `1 date stayed text: the cells have a text format (@); type:"date" makes dates of them`}, rep.Ops[0].Warnings)
	xml := part(t, out, sheet1)
	require.Contains(t, xml, `<c r="B1" s="1"><v>46348</v></c>`, "its own format stays")
	require.Contains(t, xml, `<c r="C1" s="2" t="inlineStr"><is><t>2026-11-22</t></is></c>`)
	require.Contains(t, xml, `<v>46348.4375578704</v>`)

	out, rep = apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"2026-11-22","type":"text"},{"cell":"C1","value":"2026-11-22","type":"date"},{"cell":"A2","value":"2026-02-30"},{"cell":"A3","value":"1899-12-31"},{"cell":"A4","value":"2026-11"},{"cell":"A5","value":"2026-11-22T10:30:00Z"}]}]`)
	require.Equal(t, map[string]string{"A1": "2026-11-22", "C1": "2026-11-22", "A2": "2026-02-30", "A3": "1899-12-31", "A4": "2026-11", "A5": "2026-11-22T10:30:00Z"}, cellsOf(t, out))
	require.Equal(t, []string{`2026-02-30 in A2, 1899-12-31 in A3 stayed text: no such date in a spreadsheet`, `1 text became a date (yyyy-mm-dd)`}, rep.Ops[0].Warnings)
	require.Contains(t, part(t, out, sheet1), `<c r="A1" t="inlineStr">`)
	require.Contains(t, part(t, out, sheet1), `<v>46348</v>`)
}

func TestDatesAskedFor(t *testing.T) {
	for _, bad := range []string{`"2026-02-30"`, `"1900-01-15"`, `"22.11.2026"`, `"2026-11-22T10:30:00Z"`, `46348`, `true`} {
		_, _, err := tryApply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"B2","value":`+bad+`,"type":"date"}]}]`)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), bad)
		require.ErrorContains(t, err, "cell B2: ", bad)
		require.ErrorContains(t, err, "date", bad)
		_, _, err = tryApply(t, nil, `[{"op":"set_range","sheet":"S","start":"B2","type":"date","values":[[`+bad+`]]}]`)
		require.ErrorContains(t, err, "cell B2: ", bad)
	}
	out, _ := apply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":null,"type":"date"},{"cell":"A2","value":"2026-11-22","type":"date","style":{"number_format":"@"}}]}]`)
	require.Equal(t, map[string]string{"A2": "2026-11-22"}, cellsOf(t, out))
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<v>46348</v>`)
}

// Formats that the same call gives win, and what shows then is told.
func TestDatesUnderGivenFormats(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["2026-11-22"],["2026-11-23"]],"style":{"number_format":"d. mmmm yyyy","font_bold":true}},
		{"op":"set_cells","sheet":"S","cells":[{"cell":"B1","value":"2026-11-22","style":{"number_format":"0.0"}},{"cell":"B2","value":"2026-11-22"}]},
		{"op":"set_style","sheet":"S","range":"B2","style":{"number_format":"@"}},
		{"op":"set_column_widths","sheet":"S","columns":[{"column":"A","width":"auto"}]}]`)
	require.Equal(t, map[string]string{"A1": "22. November 2026", "A2": "23. November 2026", "B1": "46348.0", "B2": "2026-11-22"}, cellsOf(t, out))
	require.Equal(t, []string{"2 texts became dates (d. mmmm yyyy)"}, rep.Ops[0].Warnings)
	require.Equal(t, []string{`1 text became a date, shown as a number: the number format given for it is no date format (0.0)`, `1 date stayed text: the cells have a text format (@); type:"date" makes dates of them`}, rep.Ops[1].Warnings)
	w, err := excel(t, out).GetColWidth("S", "A")
	require.NoError(t, err)
	require.Greater(t, w, 16.0, "as wide as the date, not as its number")
}

func TestDatesWrittenOverStayWhatCameLast(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["2026-11-22"],["2026-11-23"]]},{"op":"set_range","sheet":"S","start":"A1","values":[["plain"]]},{"op":"set_range","sheet":"S","start":"A2","literal":true,"values":[["2026-11-23",5]]}]`)
	require.Equal(t, map[string]string{"A1": "plain", "A2": "2026-11-23", "B2": "5"}, cellsOf(t, out))
	require.NotContains(t, part(t, out, "xl/worksheets/sheet1.xml"), "4634")
	for _, op := range rep.Ops {
		require.Empty(t, op.Warnings)
	}
}

func TestDatesInTablesAndIn1904(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		yes := true
		require.NoError(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"a", "b"}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{1, 2}))
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:B2", Name: "T"}))
	})
	out, rep := apply(t, in, `[{"op":"set_range","sheet":"Sheet1","start":"A1","values":[["2026-11-22","b"],["2026-11-22",2]]}]`)
	require.Equal(t, []string{"1 text became a date (yyyy-mm-dd)"}, rep.Ops[0].Warnings)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `name="2026-11-22"`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<v>44886</v>`)
	require.Contains(t, read(t, out, formats.Selector{Range: "A2"}), "A2: 2026-11-22")
	_, _, err := tryApply(t, in, `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A3","value":"1903-12-31","type":"date"}]}]`)
	require.ErrorContains(t, err, "from 1904-01-01")

	out, _ = apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["2026-11-22"],[1]]},{"op":"add_table","sheet":"S","range":"A1:A2"}]`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `name="2026-11-22"`, "a header that was a date is named as it shows")
}

// The types that set_cells takes mean what they say.
func TestTypesOfCells(t *testing.T) {
	out, _ := apply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":"12.5","type":"number"},{"cell":"A2","value":"true","type":"boolean"},{"cell":"A3","value":"A1*2","type":"formula"},{"cell":"A4","value":"=A1","type":"number"}]}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>12.5</v></c></row><row r="2"><c r="A2" t="b"><v>1</v></c></row><row r="3"><c r="A3"><f>A1*2</f></c></row><row r="4"><c r="A4"><f>A1</f></c></row>`, sheetData(t, out))
	for _, bad := range []string{`"value":"12,5","type":"number"`, `"value":"NaN","type":"number"`, `"value":"perhaps","type":"boolean"`, `"value":1,"type":"percent"`} {
		_, _, err := tryApply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1",`+bad+`}]}]`)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), bad)
	}
}

// A date written into each workbook of the corpus reads back as a date, and
// nothing but the sheet, the styles and the workbook part changes.
func TestCorpusTakesADate(t *testing.T) {
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if !typedError(t, err) {
				return
			}
			i := 0
			for i < len(wb.Sheets) && !wb.Sheets[i].Worksheet() {
				i++
			}
			if i == len(wb.Sheets) {
				t.Skip("it has no worksheet")
			}
			name := wb.Sheets[i].Name
			out, rep, err := tryApply(t, in, fmt.Sprintf(`[{"op":"set_cells","sheet":%s,"cells":[{"cell":"ZZ3","value":"2026-11-22","type":"date"}]}]`, jsonString(name)))
			if !typedError(t, err) {
				return
			}
			require.Contains(t, strings.Join(rep.Ops[0].Warnings, "\n"), "1 text became a date")
			except := []string{wb.Main, wb.RelPart(book.RelStyles), "[Content_Types].xml"}
			for _, s := range wb.Sheets {
				except = append(except, s.Part)
			}
			formatstest.SameParts(t, in, out, except...)
			r, err := reader.Rows(t.Context(), src(out), name, "ZZ3")
			require.NoError(t, err)
			defer r.Close()
			row, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, reader.DateValue, row[0].Kind)
			require.Equal(t, "2026-11-22", row[0].Text)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
		})
	}
}

// LibreOffice reads the same dates, in both systems.
func TestDatesInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	for _, date1904 := range []bool{false, true} {
		in := fixture(t, func(f *excelize.File) {
			require.NoError(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &date1904}))
		})
		out, _ := apply(t, in, `[{"op":"set_range","sheet":"Sheet1","start":"A1","values":[["2026-11-22","2026-11-22 10:30:05","1904-02-29","9999-12-31","=YEAR(A1)*10000+MONTH(A1)*100+DAY(A1)"]]}]`)
		require.Equal(t, "2026-11-22,2026-11-22 10:30:05,1904-02-29,9999-12-31,20261122\n", libreCSV(t, out))
	}
}

// Errors that are typed are errors, as in Excel, and the answer tells them.
func TestTextsBecomeErrors(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":"#N/A"},{"cell":"A2","value":"#N/A","type":"text"},{"cell":"A3","value":"#n/a"},{"cell":"A4","value":"see #REF!"}]},
		{"op":"set_range","sheet":"S","start":"B1","values":[["=ISNA(A1)","#DIV/0!"],["=ISNA(A2)",1]]}]`)
	require.Equal(t, []string{`#N/A in A1 became an error value; type:"text" keeps the text`}, rep.Ops[0].Warnings)
	require.Equal(t, []string{`#DIV/0! in C1 became an error value; type:"text" keeps the text`}, rep.Ops[1].Warnings)
	xml := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, xml, `<c r="A1" t="e"><v>#N/A</v></c>`)
	require.Contains(t, xml, `<c r="A2" t="inlineStr"><is><t>#N/A</t></is></c>`)
	require.Contains(t, xml, `<c r="A3" t="inlineStr"><is><t>#n/a</t></is></c>`)
	f := excel(t, out)
	for cell, want := range map[string]string{"A1": "#N/A", "A4": "see #REF!", "C1": "#DIV/0!"} {
		got, err := f.GetCellValue("S", cell)
		require.NoError(t, err)
		require.Equal(t, want, got, cell)
	}
}
