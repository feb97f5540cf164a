package xlsx

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// TestX25EverythingFollowsInsertedRows holds each part of a sheet that names
// cells against what Excel makes of it.
func TestX25EverythingFollowsInsertedRows(t *testing.T) {
	in := raw(t, map[string]string{
		"xl/tables/table1.xml": `<table xmlns="` + sheetml.Namespace + `" id="1" name="T" displayName="T" ref="D5:E8" totalsRowShown="0"><autoFilter ref="D5:E8"/><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>T[[#This Row],[a]]*A6</calculatedColumnFormula></tableColumn></tableColumns></table>`,
		"xl/comments1.xml":     `<comments xmlns="` + sheetml.Namespace + `"><authors><author>x</author></authors><commentList><comment ref="A2" authorId="0"><text><t>up</t></text></comment><comment ref="A6" authorId="0"><text><t>down</t></text></comment></commentList></comments>`,
		"xl/calcChain.xml":     `<calcChain xmlns="` + sheetml.Namespace + `"><c r="B1" i="1"/></calcChain>`,
	}, `<dimension ref="A1:E9"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="4" topLeftCell="A5" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A6" sqref="A6:A7"/></sheetView></sheetViews><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A6)</f><v>3</v></c></row><row r="4" ht="30" customHeight="1"><c r="A4"><v>1</v></c></row><row r="5" spans="1:5"><c r="D5" t="inlineStr"><is><t>a</t></is></c><c r="E5" t="inlineStr"><is><t>b</t></is></c></row><row r="6"><c r="A6"><v>2</v></c><c r="B6"><f t="shared" ref="B6:B8" si="0">A6*$A$1</f><v>2</v></c></row><row r="7"><c r="B7"><f t="shared" si="0"/><v>0</v></c></row><row r="8"><c r="B8"><f t="shared" si="0"/><v>0</v></c></row></sheetData><mergeCells count="2"><mergeCell ref="A2:B2"/><mergeCell ref="A8:B9"/></mergeCells><conditionalFormatting sqref="A6:A9 A1"><cfRule type="expression" priority="1"><formula>A6&gt;$A$4</formula></cfRule></conditionalFormatting><dataValidations count="1"><dataValidation type="list" sqref="C5:C6"><formula1>$A$6:$A$8</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="A7" location="S1!A6" display="x"/></hyperlinks><rowBreaks count="1" manualBreakCount="1"><brk id="6" max="16383" man="1"/></rowBreaks>`,
		`<sheetData><row r="1"><c r="A1"><f>S1!A6</f><v>2</v></c><c r="B1"><f>A6</f><v>0</v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"insert_rows","sheet":"S1","row":5,"count":2}]`)
	require.Equal(t, "S1!5:6", rep.Ops[0].Made)
	got := part(t, out, sheet1)
	for _, want := range []string{
		`<dimension ref="A1:E11"/>`, `ySplit="4" topLeftCell="A7"`, `activeCell="A8" sqref="A8:A9"`,
		`<c r="B1"><f>SUM(A1:A8)</f></c>`,
		`<row ht="30" customHeight="1" r="5"/><row ht="30" customHeight="1" r="6"/><row r="7" spans="1:5"><c r="D7"`,
		`<row r="8"><c r="A8"><v>2</v></c><c r="B8"><f t="shared" ref="B8:B10" si="0">A8*$A$1</f><v>2</v></c></row><row r="9"><c r="B9"><f t="shared" si="0"/>`,
		`<mergeCell ref="A2:B2"/><mergeCell ref="A10:B11"/>`, `sqref="A8:A11 A1"`, `<formula>A6&gt;$A$4</formula>`,
		`sqref="C7:C8"><formula1>$A$8:$A$10</formula1>`, `<hyperlink ref="A9" location="S1!A8"`, `<brk id="8"`,
	} {
		require.Contains(t, got, want)
	}
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<c r="A1"><f>S1!A8</f><v>2</v></c><c r="B1"><f>A6</f><v>0</v></c>`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `ref="D7:E10"`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `T[[#This Row],[a]]*A8<`)
	require.Contains(t, part(t, out, "xl/comments1.xml"), `ref="A2"`)
	require.Contains(t, part(t, out, "xl/comments1.xml"), `ref="A8"`)
	require.NotContains(t, formatstest.Parts(t, out), "xl/calcChain.xml")

	back, _ := apply(t, out, `[{"op":"delete_rows","sheet":"S1","row":5,"count":2}]`)
	before, after := formatstest.Parts(t, in), formatstest.Parts(t, back)
	for name, want := range before {
		if name != "xl/calcChain.xml" && strings.HasSuffix(name, ".xml") && name != "[Content_Types].xml" && name != "xl/workbook.xml" {
			require.Equal(t, uncached(string(want)), uncached(string(after[name])), name)
		}
	}
}

var cached = regexp.MustCompile(`(</f>|<f[^>]*/>)<v>[^<]*</v>`)

// uncached leaves cached formula values out, which an edit may drop.
func uncached(s string) string { return cached.ReplaceAllString(s, "$1") }

func TestX25EverythingFollowsDeletedRows(t *testing.T) {
	in := raw(t, map[string]string{
		"xl/comments1.xml": `<comments xmlns="` + sheetml.Namespace + `"><authors><author>x</author></authors><commentList><comment ref="A2" authorId="0"><text><t>gone</t></text></comment></commentList></comments>`,
	}, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A4)</f><v>6</v></c><c r="C1"><f>A1*2</f><v>2</v></c><c r="D1"><f>B1+1</f><v>7</v></c><c r="E1"><f>A2</f><v>2</v></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" ref="B2:B4" si="3">A2+1</f><v>3</v></c></row><row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="3"/><v>4</v></c></row><row><c><v>4</v></c></row></sheetData><mergeCells count="2"><mergeCell ref="F2:G2"/><mergeCell ref="F3:G4"/></mergeCells><conditionalFormatting sqref="A2:A4"><cfRule type="expression" priority="1"><formula>A2&gt;B2</formula></cfRule></conditionalFormatting><dataValidations count="1"><dataValidation type="whole" sqref="C2"><formula1>1</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="A2" display="x"/><hyperlink ref="A3" display="y"/></hyperlinks>`)
	out, _ := apply(t, in, `[{"op":"delete_rows","sheet":"s1","row":2}]`)
	require.Contains(t, part(t, out, sheet1), `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A3)</f></c><c r="C1"><f>A1*2</f><v>2</v></c><c r="D1"><f>B1+1</f></c><c r="E1"><f>#REF!</f></c></row><row r="2"><c r="A2"><v>3</v></c><c r="B2"><f>A2+1</f><v>4</v></c></row><row r="3"><c><v>4</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="F2:G3"/></mergeCells><conditionalFormatting sqref="A2:A3"><cfRule type="expression" priority="1"><formula>A2&gt;B2</formula></cfRule></conditionalFormatting><hyperlinks><hyperlink ref="A2" display="y"/></hyperlinks>`)
	require.Contains(t, part(t, out, "xl/comments1.xml"), `<commentList></commentList>`)
	require.Contains(t, part(t, out, "xl/workbook.xml"), `fullCalcOnLoad="1"`)
}

func TestX25ColumnsOfTables(t *testing.T) {
	in := raw(t, map[string]string{
		"xl/tables/table1.xml": `<table xmlns="` + sheetml.Namespace + `" id="1" name="T" displayName="T" ref="B1:D3" totalsRowShown="0"><autoFilter ref="B1:D3"><filterColumn colId="2"><filters><filter val="1"/></filters></filterColumn></autoFilter><tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/><tableColumn id="3" name="Column1"/></tableColumns></table>`,
	}, `<cols><col min="1" max="2" width="9" customWidth="1"/><col min="4" max="4" width="20" customWidth="1"/></cols><sheetData><row r="1" spans="2:4"><c r="B1" s="1" t="inlineStr"><is><t>a</t></is></c><c r="C1" t="inlineStr"><is><t>b</t></is></c><c r="D1" t="inlineStr"><is><t>Column1</t></is></c></row><row r="2"><c r="B2" s="1"><v>1</v></c><c r="D2"><f>SUM(B2:C2)+T[b]</f><v>1</v></c></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"insert_columns","sheet":"S1","column":"C","count":"2"}]`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `ref="B1:F3" totalsRowShown="0"><autoFilter ref="B1:F3"><filterColumn colId="4">`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `<tableColumns count="5"><tableColumn id="1" name="a"/><tableColumn id="4" name="Column2"/><tableColumn id="5" name="Column3"/><tableColumn id="2" name="b"/>`)
	require.Contains(t, part(t, out, sheet1), `<col min="1" max="4" width="9" customWidth="1"/><col min="6" max="6" width="20" customWidth="1"/>`)
	require.Contains(t, part(t, out, sheet1), `</c><c r="C1" s="1" t="inlineStr"><is><t>Column2</t></is></c><c r="D1" s="1" t="inlineStr"><is><t>Column3</t></is></c><c r="E1" t="inlineStr">`)
	require.Contains(t, part(t, out, sheet1), `<c r="B2" s="1"><v>1</v></c><c r="C2" s="1"/><c r="D2" s="1"/><c r="F2"><f>SUM(B2:E2)+T[b]</f></c>`)
	gone, _ := apply(t, out, `[{"op":"delete_columns","sheet":"S1","column":5}]`)
	require.Contains(t, part(t, gone, sheet1), `<f>SUM(B2:D2)+#REF!</f>`)
	require.Contains(t, part(t, gone, "xl/tables/table1.xml"), `<tableColumns count="4">`)
	less, _ := apply(t, gone, `[{"op":"delete_columns","sheet":"S1","column":"B","count":4}]`)
	require.NotContains(t, formatstest.Parts(t, less), "xl/tables/table1.xml")
	require.NotContains(t, part(t, less, "[Content_Types].xml"), "table1")
}

func TestShiftsThatWouldBreakAreRefused(t *testing.T) {
	table := map[string]string{"xl/tables/table1.xml": `<table xmlns="` + sheetml.Namespace + `" id="1" name="T" displayName="T" ref="D1:E2"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>`}
	in := raw(t, table, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:A2">B1:B2</f><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>`)
	for js, want := range map[string]string{
		`{"op":"insert_rows","sheet":"S1","row":2}`:                        "push them off",
		`{"op":"insert_columns","sheet":"S1","column":2}`:                  "push them off",
		`{"op":"delete_rows","sheet":"S1","row":2}`:                        "array formula in A1:A2",
		`{"op":"delete_rows","sheet":"S1","row":0}`:                        "invalid row 0",
		`{"op":"delete_rows","sheet":"S1","row":1,"count":0}`:              "invalid count 0",
		`{"op":"delete_rows","sheet":"S1","row":1048576,"count":2}`:        "invalid count 2",
		`{"op":"delete_rows","sheet":"S1"}`:                                "row is required",
		`{"op":"delete_columns","sheet":"S1"}`:                             "column is required",
		`{"op":"delete_columns","sheet":"S1","column":"XFE"}`:              "invalid column",
		`{"op":"delete_columns","sheet":"S1","column":{"a":1}}`:            "invalid column",
		`{"op":"delete_rows","sheet":"Nowhere","row":1}`:                   "unknown sheet: Nowhere",
		`{"op":"delete_rows","row":1}`:                                     "sheet is required",
		`{"op":"insert_columns","sheet":"S1","column":"A","count":100000}`: "invalid count",
	} {
		_, _, err := tryApply(t, in, "["+js+"]")
		require.ErrorContains(t, err, want, js)
		require.Contains(t, []formats.Code{formats.CodeInvalid, formats.CodeNotFound}, formats.CodeOf(err))
		require.ErrorContains(t, err, "operation 1 (")
	}
	header := raw(t, table, `<sheetData><row r="1"><c r="D1" t="inlineStr"><is><t>a</t></is></c></row></sheetData>`)
	_, _, err := tryApply(t, header, `[{"op":"delete_rows","sheet":"S1","row":1}]`)
	require.ErrorContains(t, err, "header of the table T")
	_, _, err = tryApply(t, header, `[{"op":"delete_rows","sheet":"S1","row":2}]`)
	require.ErrorContains(t, err, "needs at least one")
}

func TestStagesKeepIndexesAndOrder(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"ensure_sheet","sheet":"D"},{"op":"set_range","sheet":"D","start":"A1","values":[[1],[2]]},{"op":"insert_rows","sheet":"D","row":2},{"op":"set_cells","sheet":"D","cells":[{"cell":"A2","value":"new"},{"cell":"B1","value":"=SUM(A1:A3)"}]},{"op":"insert_rows","sheet":"D","row":1}]`)
	require.Len(t, rep.Ops, 5)
	for i, o := range rep.Ops {
		require.Equal(t, i, o.Index)
	}
	require.Equal(t, "Sheet: D\nA2: 1, B2: =SUM(A2:A4)\nA3: new\nA4: 2", read(t, out, formats.Selector{}))
	_, _, err := tryApply(t, nil, `[{"op":"ensure_sheet","sheet":"D"},{"op":"insert_rows","sheet":"D","row":2},{"op":"set_cells","sheet":"D","cells":[{"cell":"A0"}]}]`)
	require.ErrorContains(t, err, "operation 3 (set_cells)")
}

func TestInsertThenDeleteIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := randomBook(t, rapid.Int64().Draw(rt, "seed"))
		axis, where := "rows", `"row":`
		if rapid.Bool().Draw(rt, "columns") {
			axis, where = "columns", `"column":`
		}
		at, n := rapid.IntRange(1, 12).Draw(rt, "at"), rapid.IntRange(1, 4).Draw(rt, "n")
		out, _, err := tryApply(t, in, fmt.Sprintf(`[{"op":"insert_%s","sheet":"Sheet1",%s%d,"count":%d},{"op":"delete_%s","sheet":"Sheet1",%s%d,"count":%d}]`, axis, where, at, n, axis, where, at, n))
		require.NoError(rt, err)
		require.Equal(rt, formulasOf(t, in), formulasOf(t, out))
	})
}

// randomBook is a workbook with values and formulas across two sheets.
func randomBook(t testing.TB, seed int64) []byte {
	rnd := rand.New(rand.NewSource(seed))
	return fixture(t, func(f *excelize.File) {
		_, err := f.NewSheet("Other")
		require.NoError(t, err)
		cell := func() string { return cellref.Name(1+rnd.Intn(12), 1+rnd.Intn(6)) }
		for range 25 {
			sheet := []string{"Sheet1", "Other"}[rnd.Intn(2)]
			switch rnd.Intn(3) {
			case 0:
				require.NoError(t, f.SetCellValue(sheet, cell(), rnd.Intn(100)))
			case 1:
				require.NoError(t, f.SetCellFormula(sheet, cell(), fmt.Sprintf("SUM(Sheet1!%s:%s)+$B$%d", cell(), cell(), 1+rnd.Intn(9))))
			default:
				require.NoError(t, f.SetCellFormula(sheet, cell(), fmt.Sprintf("Sheet1!%s*%s", cell(), cell())))
			}
		}
	})
}

// formulasOf reads every formula and value of a workbook.
func formulasOf(t testing.TB, b []byte) map[string]string {
	t.Helper()
	ctx := context.Background()
	wb, err := open(ctx, src(b))
	require.NoError(t, err)
	d, err := wb.Display(ctx)
	require.NoError(t, err)
	m := map[string]string{}
	for _, sh := range wb.Sheets {
		if !sh.Worksheet() {
			continue
		}
		for s, err := range wb.Rows(ctx, sh.Part, book.Window{Display: d}) {
			require.NoError(t, book.IgnoreNoCells(err))
			if s.Event != sheetml.WholeCell || s.Cell.Blank() {
				continue
			}
			v := ""
			if s.Cell.HasFormula {
				v = "=" + d.Formula(s)
			} else {
				v = d.Show(s)
			}
			m[sh.Name+"!"+cellref.Name(s.Cell.Row, s.Cell.Col)] = v
		}
	}
	return m
}

func TestLibreOfficeCalculatesTheSameAfterInsertedRows(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		for r := 1; r <= 10; r++ {
			require.NoError(t, f.SetCellValue("Sheet1", cellref.Name(r, 1), r*r))
			require.NoError(t, f.SetCellFormula("Sheet1", cellref.Name(r, 2), fmt.Sprintf("A%d*$A$10+VLOOKUP(A%d,$A$1:$B$10,1,FALSE)", r, r)))
		}
		require.NoError(t, f.SetCellFormula("Sheet1", "C1", "SUM(B1:B10)"))
	})
	value := func(b []byte, cell string) string {
		made := formatstest.LibreOffice(t, formatstest.Write(t, "calc.xlsx", b), "xlsx")
		v, err := excel(t, load(t, made)).GetCellValue("Sheet1", cell)
		require.NoError(t, err)
		return v
	}
	want := value(in, "C1")
	require.NotEmpty(t, want)
	out, _ := apply(t, in, `[{"op":"insert_rows","sheet":"Sheet1","row":4,"count":3},{"op":"insert_columns","sheet":"Sheet1","column":"B"},{"op":"insert_rows","sheet":"Sheet1","row":1}]`)
	require.Equal(t, want, value(out, "D2"))
}

// TestCorpusStructuralOps runs the operations that move cells on real files.
func TestCorpusStructuralOps(t *testing.T) {
	ctx := context.Background()
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "xlsx  structure of real workbooks: %v", counts) }()
	for k, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in, err := os.ReadFile(path)
			require.NoError(t, err)
			wb, err := open(ctx, src(in))
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
			name := jsonString(wb.Sheets[i].Name)
			var want map[string]string
			for n, js := range structuralOps {
				js = strings.ReplaceAll(js, "SHEET", name)
				out, _, err := tryApply(t, in, "["+js+"]")
				if !typedError(t, err) {
					continue
				}
				counts[strings.SplitN(js, `"`, 5)[3]]++
				// Validating takes long: a third of the operations on each
				// workbook, another third on the next.
				if (n+k)%3 == 0 {
					formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
				}
				movesBack(t, in, out, js, name)
				if strings.Contains(js, "insert_") && strings.Contains(js, "delete_") {
					if want == nil {
						want = formulasOf(t, in)
					}
					require.Equal(t, want, formulasOf(t, out), js)
				}
			}
		})
	}
}

// structuralOps are tried on every workbook of the corpus; SHEET is its first.
// movesBack holds a workbook whose columns or rows were moved there and back
// against what it was, unless a range lost cells on the way.
func movesBack(t *testing.T, in, out []byte, js, sheet string) {
	undo := map[string]string{
		`{"op":"move_columns","sheet":` + sheet + `,"column":"B","to":"E"}`: `{"op":"move_columns","sheet":` + sheet + `,"column":"D","to":"B"}`,
		`{"op":"move_rows","sheet":` + sheet + `,"row":7,"count":2,"to":3}`: `{"op":"move_rows","sheet":` + sheet + `,"row":3,"count":2,"to":9}`,
	}[js]
	if undo == "" {
		return
	}
	_, rep := apply(t, in, "["+js+"]")
	back, _, err := tryApply(t, out, "["+undo+"]")
	require.NoError(t, err)
	if !strings.Contains(fmt.Sprint(rep.Ops[0].Warnings), "fewer cells than before") {
		require.Equal(t, formulasOf(t, in), formulasOf(t, back), js)
	}
}

var structuralOps = []string{
	`{"op":"insert_rows","sheet":SHEET,"row":2,"count":3}`,
	`{"op":"insert_columns","sheet":SHEET,"column":"B","count":2}`,
	`{"op":"delete_rows","sheet":SHEET,"row":3,"count":2}`,
	`{"op":"delete_columns","sheet":SHEET,"column":"B"}`,
	`{"op":"delete_rows","sheet":SHEET,"range":"3,5:6,9"}`,
	`{"op":"insert_columns","sheet":SHEET,"range":"B,D:E"},{"op":"delete_columns","sheet":SHEET,"range":"B,E:F"}`,
	`{"op":"move_columns","sheet":SHEET,"column":"B","to":"E"}`,
	`{"op":"move_rows","sheet":SHEET,"row":7,"count":2,"to":3}`,
	`{"op":"move_rows","sheet":SHEET,"row":400,"to":20}`,
	`{"op":"group_rows","sheet":SHEET,"range":"2:4,7"},{"op":"group_rows","sheet":SHEET,"row":3,"action":"collapse"},{"op":"group_columns","sheet":SHEET,"range":"B,D:E"},{"op":"group_columns","sheet":SHEET,"range":"D","action":"collapse"}`,
	`{"op":"protect_workbook"}`,
	`{"op":"rename_sheet","sheet":SHEET,"new_name":"It's new"}`,
	`{"op":"copy_sheet","sheet":SHEET,"new_name":"A copy"},{"op":"hide_rows","sheet":"A copy","row":2,"count":4},{"op":"hide_columns","sheet":"A copy","column":2},{"op":"hide_sheet","sheet":SHEET}`,
	`{"op":"copy_range","sheet":SHEET,"range":"A1:C3","target":"E5"}`,
	`{"op":"fill","sheet":SHEET,"range":"A2:C6","direction":"down"},{"op":"clear_range","sheet":SHEET,"range":"B:B","what":"formats"}`,
	`{"op":"clear_range","sheet":SHEET,"range":"A2:B3","what":"all"}`,
	`{"op":"sort_range","sheet":SHEET,"range":"A2:Z40","by":[{"column":"A","descending":true},{"column":2}]}`,
	`{"op":"replace_text","search":"e","replace":"é"},{"op":"replace_text","sheet":SHEET,"search":"a","replace":"<b>"}`,
	`{"op":"copy_sheet","sheet":SHEET,"new_name":"New one"},{"op":"define_name","name":"My_name","refers_to":"'New one'!$A$1"}`,
	`{"op":"ensure_sheet","sheet":"Zz"},{"op":"move_sheet","sheet":SHEET,"position":2}`,
	`{"op":"insert_rows","sheet":SHEET,"row":3},{"op":"delete_rows","sheet":SHEET,"row":3}`,
}
