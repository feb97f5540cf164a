package xlsx

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// fullStyle has the fifteen keys of the peer's style object.
const fullStyle = `{"font_name":"Arial","font_size":14,"font_bold":true,"font_italic":"true","font_color":"#ff0000","fill_color":"FFFF00","fill_pattern":"solid","number_format":"#,##0.00","h_align":"center","v_align":"top","wrap_text":true,"border_top":{"style":"thin","color":"0000FF"},"border_bottom":{"style":"double"},"border_left":"medium","border_right":{"color":"00FF00"}}`

func styleAt(t *testing.T, f *excelize.File, sheet, cell string) *excelize.Style {
	t.Helper()
	n, err := f.GetCellStyle(sheet, cell)
	require.NoError(t, err)
	s, err := f.GetStyle(n)
	require.NoError(t, err)
	return s
}

func TestPeerStyleKeys(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"ensure_sheet","sheet":"A"},{"op":"set_style","sheet":"A","range":"B2:C3","style":`+fullStyle+`}]`)
	require.Equal(t, 4, rep.Ops[1].Cells)
	s := styleAt(t, excel(t, out), "A", "C3")
	require.Equal(t, "Arial", s.Font.Family)
	require.Equal(t, 14.0, s.Font.Size)
	require.True(t, s.Font.Bold && s.Font.Italic)
	require.Equal(t, "FF0000", s.Font.Color)
	require.Equal(t, []string{"FFFF00"}, s.Fill.Color)
	require.Equal(t, 4, s.NumFmt)
	require.Equal(t, "center", s.Alignment.Horizontal)
	require.Equal(t, "top", s.Alignment.Vertical)
	require.True(t, s.Alignment.WrapText)
	require.Len(t, s.Border, 4)
	require.Equal(t, 0, styleAt(t, excel(t, out), "A", "D4").NumFmt)
	formatstest.Validate(t, formatstest.Write(t, "s.xlsx", out), "")
}

func TestStyleMergesWithWhatACellHas(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Color: "00AA00"}, NumFmt: 10})
		require.NoError(t, err)
		require.NoError(t, f.SetCellValue("Sheet1", "A1", 0.5))
		require.NoError(t, f.SetCellStyle("Sheet1", "A1", "A1", bold))
		require.NoError(t, f.SetCellValue("Sheet1", "A2", "plain"))
	})
	out, _ := apply(t, in, `[{"op":"set_style","sheet":"Sheet1","range":"A1:A3","style":{"fill_color":"EEEEEE"}},{"op":"set_style","sheet":"Sheet1","range":"A1,A3","style":{"font_italic":true}}]`)
	f := excel(t, out)
	s := styleAt(t, f, "Sheet1", "A1")
	require.True(t, s.Font.Bold && s.Font.Italic, "bold stays")
	require.Equal(t, 10, s.NumFmt)
	require.Equal(t, []string{"EEEEEE"}, s.Fill.Color)
	require.False(t, styleAt(t, f, "Sheet1", "A2").Font.Italic)
	require.True(t, styleAt(t, f, "Sheet1", "A3").Font.Italic, "an empty cell is made")
	v, err := f.GetCellValue("Sheet1", "A1")
	require.NoError(t, err)
	require.Equal(t, "50.00%", v)

	again, _ := apply(t, out, `[{"op":"set_style","sheet":"Sheet1","range":"A1","style":{"font_bold":true}}]`)
	formatstest.SameParts(t, out, again)
	formatstest.Validate(t, formatstest.Write(t, "s.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}

func TestStyleOfWholeColumnsAndRows(t *testing.T) {
	in := raw(t, nil, `<cols><col min="2" max="4" width="20" customWidth="1"/></cols><sheetData><row r="2"><c r="A2"><v>1</v></c><c r="C2"><v>2</v></c></row><row r="9"/></sheetData>`)
	out, rep := apply(t, in, `[{"op":"set_style","sheet":"S1","range":"C:E","style":{"font_bold":true}},{"op":"set_style","sheet":"S1","range":"2:3","style":{"font_italic":true}}]`)
	require.Zero(t, rep.Ops[0].Cells)
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `<col width="20" customWidth="1" min="2" max="2"/>`)
	require.Contains(t, sheet, `max="4"/>`)
	require.Contains(t, sheet, `min="5" max="5"/>`)
	f := excel(t, out)
	for cell, want := range map[string][2]bool{"C2": {true, true}, "A2": {false, true}, "D2": {true, true}, "C3": {true, true}, "A3": {false, true}, "E77": {true, false}, "A77": {false, false}} {
		s := styleAt(t, f, "S1", cell)
		have := [2]bool{s.Font != nil && s.Font.Bold, s.Font != nil && s.Font.Italic}
		require.Equal(t, want, have, cell)
	}
	require.Equal(t, "A2: 1, C2: 2", strings.SplitN(read(t, out, formats.Selector{Sheet: "S1"}), "\n", 3)[1])
	formatstest.Validate(t, formatstest.Write(t, "s.xlsx", out), "")
}

func TestStyleInSetCellsAndSetRange(t *testing.T) {
	in := fixture(t, func(f *excelize.File) { require.NoError(t, f.SetCellValue("Sheet1", "A1", "stays")) })
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","style":{"font_bold":true}},{"cell":"B1","value":7,"style":{"number_format":"0.0"}}]},{"op":"set_range","sheet":"New","start":"A1","values":[["a","b"],[1,2]],"style":{"border":"thin"}}]`)
	f := excel(t, out)
	v, _ := f.GetCellValue("Sheet1", "A1")
	require.Equal(t, "stays", v, "a style without a value keeps the value")
	require.True(t, styleAt(t, f, "Sheet1", "A1").Font.Bold)
	v, _ = f.GetCellValue("Sheet1", "B1")
	require.Equal(t, "7.0", v)
	require.Len(t, styleAt(t, f, "New", "B2").Border, 4)
	formatstest.Validate(t, formatstest.Write(t, "s.xlsx", out), "")
}

func TestBadStyles(t *testing.T) {
	for style, want := range map[string]string{
		`{"colour":"red"}`:                "unknown style key",
		`{"font_color":"red"}`:            "style font_color: expected a colour such as FF0000",
		`{"h_align":"middle"}`:            "expected one of general, left, center",
		`{"font_size":0}`:                 "expected 1 to 409 points",
		`{"number_format":"\"open"}`:      "quotes and brackets closed",
		`{"border_top":{"width":2}}`:      `expected {"style","color"}`,
		`{"fill_pattern":"plaid"}`:        "expected one of none, solid",
		`{"font_bold":"perhaps"}`:         "expected true or false",
		`{}`:                              "style is required",
		`{"number_format":"0;0;0;0;0"}`:   "at most four sections",
		`{"border_left":{"style":"fat"}}`: "expected one of none, thin",
	} {
		_, _, err := tryApply(t, nil, `[{"op":"ensure_sheet","sheet":"A"},{"op":"set_style","sheet":"A","range":"A1","style":`+style+`}]`)
		require.ErrorContains(t, err, want, style)
		require.ErrorContains(t, err, "operation 2 (set_style)")
	}
	for op, want := range map[string]string{
		`{"op":"set_style","sheet":"Nope","range":"A1","style":{"font_bold":true}}`:           "unknown sheet: Nope",
		`{"op":"set_style","sheet":"Sheet1","style":{"font_bold":true}}`:                      "range is required",
		`{"op":"set_style","sheet":"Sheet1","range":"A1:ZZ5000","style":{"font_bold":true}}`:  "whole columns such as A:ZZ",
		`{"op":"set_style","sheet":"Sheet1","range":"A1:B2,oops","style":{"font_bold":true}}`: "invalid range: oops",
	} {
		_, _, err := tryApply(t, nil, `[`+op+`]`)
		require.ErrorContains(t, err, want, op)
	}
}

// corpusOp runs an op on each corpus workbook's first worksheet and holds the
// result against the schema; parts not named by touched keep their bytes.
func corpusOp(t *testing.T, touched func(name string) bool, op func(sheet string) string) {
	t.Helper()
	for n, path := range formatstest.Sample(t, "xlsx") {
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
			out, rep, err := tryApply(t, in, op(jsonString(wb.Sheets[i].Name)))
			if !typedError(t, err) {
				return
			}
			for _, r := range rep.Ops {
				for _, w := range r.Warnings {
					t.Log(w)
				}
			}
			before, after := formatstest.Parts(t, in), formatstest.Parts(t, out)
			for name, want := range before {
				if name != wb.Sheets[i].Part && !touched(name) {
					require.Equal(t, string(want), string(after[name]), name)
				}
			}
			made := formatstest.Write(t, "out.xlsx", out)
			formatstest.Validate(t, made, path)
			if !testing.Short() && n%8 == 0 {
				formatstest.LibreOfficeOpens(t, made)
			}
			d1, d2 := dump(t, in), dump(t, out)
			for at, v := range d2 {
				require.Equal(t, d1[at], v, at)
				delete(d1, at)
			}
			require.Empty(t, d1)
		})
	}
}

func TestCorpusStyle(t *testing.T) {
	corpusOp(t, func(name string) bool { return strings.Contains(strings.ToLower(name), "styles") },
		func(sheet string) string {
			return fmt.Sprintf(`[{"op":"set_style","sheet":%s,"range":"A1:C20,E:F,30:31","style":{"font_bold":true,"fill_color":"DDEEFF","border_bottom":"thin","h_align":"right"}}]`, sheet)
		})
}

func TestProtectedSheetsAreNamed(t *testing.T) {
	in := raw(t, nil, `<sheetData/><sheetProtection sheet="1"/>`)
	_, rep := apply(t, in, `[{"op":"set_style","sheet":"S1","range":"A1","style":{"font_bold":true}}]`)
	require.Equal(t, []string{`the sheet "S1" is protected; it was edited all the same`}, rep.Warnings)
}
