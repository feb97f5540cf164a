package xlsx

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

const sst = "xl/sharedStrings.xml"

// sheetData is what stands between the tags of sheetData.
func sheetData(t testing.TB, b []byte) string {
	t.Helper()
	_, s, _ := strings.Cut(part(t, b, sheet1), "<sheetData>")
	s, _, _ = strings.Cut(s, "</sheetData>")
	return s
}

func TestCopyRangeTakesFormatsAndShiftsFormulas(t *testing.T) {
	in := raw(t, map[string]string{sst: `<sst xmlns="` + sheetml.Namespace + `"><si><t>x</t></si></sst>`}, `<sheetData><row r="1"><c r="A1" s="2" t="s"><v>0</v></c><c r="B1"><f>A1*$A$1+S2!C3</f><v>5</v></c></row><row r="2"><c r="B2" t="str"><f>A2&amp;"&lt;"</f><v>a&lt;</v></c></row><row r="5"><c r="D5"><v>9</v></c><c r="E6" s="1"/></row></sheetData>`, `<sheetData/>`)
	out, rep := apply(t, in, `[{"op":"copy_range","sheet":"S1","range":"A1:B2","target":"D4"}]`)
	require.Equal(t, "S1!D4:E5", rep.Ops[0].Made)
	require.Contains(t, sheetData(t, out), `<row r="4"><c r="D4" s="2" t="s"><v>0</v></c><c r="E4"><f>D4*$A$1+S2!F6</f></c></row><row r="5"><c r="E5"><f>D5&amp;&quot;&lt;&quot;</f></c>`)
	out, _ = apply(t, in, `[{"op":"copy_range","sheet":"S1","range":"A:B","target":"B1","target_sheet":"s2","values_only":true}]`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<row r="1"><c r="B1" s="2" t="s"><v>0</v></c><c r="C1"><v>5</v></c></row><row r="2"><c r="C2" t="inlineStr"><is><t>a&lt;</t></is></c></row>`)
	for js, want := range map[string]string{
		`{"op":"copy_range","sheet":"S1","range":"A1"}`:                                   "target is required",
		`{"op":"copy_range","sheet":"S1","target":"A1"}`:                                  "range is required",
		`{"op":"copy_range","sheet":"S1","range":"A1:B2","target":"XFD1"}`:                "beyond the sheet",
		`{"op":"copy_range","sheet":"S1","range":"A1","target":"B1","target_sheet":"S9"}`: "unknown sheet: S9",
		`{"op":"fill","sheet":"S1","range":"A1:B2"}`:                                      "direction is required",
		`{"op":"fill","sheet":"S1","range":"A1:B1","direction":"down"}`:                   "only what would be filled from",
		`{"op":"fill","sheet":"S1","range":"A:XFD","direction":"down"}`:                   "more than",
		`{"op":"clear_range","sheet":"S1","range":"A1","what":"colour"}`:                  "values, formats or all",
		`{"op":"sort_range","sheet":"S1","range":"A1:B2"}`:                                "by is required",
		`{"op":"sort_range","sheet":"S1","range":"A1:B2","by":[{"column":"C"}]}`:          "not in the range",
		`{"op":"replace_text","replace":"x"}`:                                             "search is required",
		`{"op":"replace_text","search":"x"}`:                                              "replace is required",
		`{"op":"replace_text","search":"(","replace":"","regex":true}`:                    "no regular expression",
		`{"op":"define_name","name":"A1","refers_to":"S1!$A$1"}`:                          "invalid name",
		`{"op":"define_name","name":"Rate","refers_to":"$A$1"}`:                           "needs the sheet",
		`{"op":"define_name","name":"Rate","refers_to":"Gone!$A$1"}`:                      "unknown sheet: Gone",
		`{"op":"define_name","name":"Rate"}`:                                              "refers_to is required",
		`{"op":"delete_name","name":"Rate"}`:                                              "no name Rate",
		`{"op":"define_name","refers_to":"S1!$A$1"}`:                                      "name is required",
		`{"op":"define_name","name":"Rate","refers_to":"S1!$A$1","scope":"S9"}`:           "unknown sheet: S9",
	} {
		_, _, err := tryApply(t, in, "["+js+"]")
		require.ErrorContains(t, err, want, js)
		require.Contains(t, []formats.Code{formats.CodeInvalid, formats.CodeNotFound, formats.CodeTooLarge}, formats.CodeOf(err))
	}
}

func TestFillAndClear(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1" s="3"><f>B1+$C$1</f><v>1</v></c><c r="B1"><v>7</v></c></row><row r="2"><c r="A2"><v>5</v></c><c r="C2"><f>A2</f><v>5</v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"fill","sheet":"S1","range":"A1:B3","direction":"down"}]`)
	require.Equal(t, 4, rep.Ops[0].Cells)
	require.Equal(t, `<row r="1"><c r="A1" s="3"><f>B1+$C$1</f><v>1</v></c><c r="B1"><v>7</v></c></row><row r="2"><c r="A2" s="3"><f>B2+$C$1</f></c><c r="B2"><v>7</v></c><c r="C2"><f>A2</f></c></row><row r="3"><c r="A3" s="3"><f>B3+$C$1</f></c><c r="B3"><v>7</v></c></row>`, sheetData(t, out))
	right, _ := apply(t, in, `[{"op":"fill","sheet":"S1","range":"A1:C1","direction":"Right"}]`)
	require.Contains(t, sheetData(t, right), `<c r="B1" s="3"><f>C1+$C$1</f></c><c r="C1" s="3"><f>D1+$C$1</f></c>`)

	values, _ := apply(t, in, `[{"op":"clear_range","sheet":"S1","range":"A1:A2"}]`)
	require.Equal(t, `<row r="1"><c r="A1" s="3"/><c r="B1"><v>7</v></c></row><row r="2"><c r="C2"><f>A2</f></c></row>`, sheetData(t, values))
	formatsOnly, rep := apply(t, in, `[{"op":"clear_range","sheet":"S1","range":"A1:B2","what":"formats"}]`)
	require.Equal(t, 1, rep.Ops[0].Cells)
	require.Contains(t, sheetData(t, formatsOnly), `<c r="A1"><f>B1+$C$1</f><v>1</v></c>`)
	all, _ := apply(t, in, `[{"op":"clear_range","sheet":"S1","range":"1:1","what":"all"}]`)
	require.Contains(t, sheetData(t, all), `<row r="1"></row>`)
	_, rep = apply(t, in, `[{"op":"clear_range","sheet":"S1","range":"Z1:Z9"}]`)
	require.NotEmpty(t, rep.Ops[0].Warnings)
}

func TestSortRangeMovesWholeRows(t *testing.T) {
	in := raw(t, map[string]string{sst: `<sst xmlns="` + sheetml.Namespace + `"><si><t>pear</t></si><si><t>Apple</t></si></sst>`}, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>N</t></is></c></row><row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="4"><v>3</v></c><c r="C2"><f>B2*2+$Z$1</f><v>6</v></c></row><row r="3"><c r="B3"><v>9</v></c></row><row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4"><v>5</v></c><c r="C4"><f>B4*2+$Z$1</f><v>10</v></c></row><row r="5"><c r="A5"><v>12</v></c><c r="B5" t="b"><v>1</v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"sort_range","sheet":"S1","range":"A1:C5","by":[{"column":"A"}],"has_header":true}]`)
	require.Equal(t, 4, rep.Ops[0].Hits)
	require.Equal(t, `<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>N</t></is></c></row><row r="2"><c r="A2"><v>12</v></c><c r="B2" t="b"><v>1</v></c></row><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>5</v></c><c r="C3"><f>B3*2+$Z$1</f></c></row><row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" s="4"><v>3</v></c><c r="C4"><f>B4*2+$Z$1</f></c></row><row r="5"><c r="B5"><v>9</v></c></row>`, sheetData(t, out))
	down, _ := apply(t, in, `[{"op":"sort_range","sheet":"S1","range":"A2:C5","by":[{"column":2,"descending":true}]}]`)
	require.Regexp(t, `r="B2" t="b".*r="B3"><v>9.*r="B4"><v>5.*r="B5" s="4"><v>3`, sheetData(t, down))
	merged := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A2:B3"/></mergeCells>`)
	_, _, err := tryApply(t, merged, `[{"op":"sort_range","sheet":"S1","range":"A1:C5","by":[{"column":"A"}]}]`)
	require.ErrorContains(t, err, "merged cell A2:B3")
	array := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:A2">B1:B2</f><v>1</v></c></row></sheetData>`)
	_, _, err = tryApply(t, array, `[{"op":"sort_range","sheet":"S1","range":"A1:C5","by":[{"column":"A"}]}]`)
	require.ErrorContains(t, err, "array formula in A1:A2")
}

func TestSortRangeSortsAndKeepsRowsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 15).Draw(rt, "rows")
		vals := rapid.SliceOfN(rapid.IntRange(0, 9), n, n).Draw(rt, "values")
		in := fixture(t, func(f *excelize.File) {
			for i, v := range vals {
				require.NoError(rt, f.SetSheetRow("Sheet1", cellref.Name(i+1, 1), &[]any{v, fmt.Sprint("row ", i)}))
			}
		})
		out, _ := apply(t, in, fmt.Sprintf(`[{"op":"sort_range","sheet":"Sheet1","range":"A1:B%d","by":[{"column":"A"}]}]`, n))
		rows, err := excel(t, out).GetRows("Sheet1")
		require.NoError(rt, err)
		idx := make([]int, n)
		for i := range idx {
			idx[i] = i
		}
		sort.SliceStable(idx, func(i, j int) bool { return vals[idx[i]] < vals[idx[j]] })
		for i, k := range idx {
			require.Equal(rt, []string{fmt.Sprint(vals[k]), fmt.Sprint("row ", k)}, rows[i])
		}
	})
}

// TestPeerFlattensRichText: others write a replaced text back as one run.
func TestPeerFlattensRichText(t *testing.T) {
	strs := `<sst xmlns="` + sheetml.Namespace + `"><si><r><rPr><b/></rPr><t xml:space="preserve">Old price </t></r><r><t>and old</t></r><r><rPr><i/></rPr><t xml:space="preserve"> cost</t></r></si><si><t>keep</t></si><si><t>Old</t></si></sst>`
	in := raw(t, map[string]string{sst: strs}, `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>old &amp; gold</t></is></c><c r="D1"><f>"old"&amp;A1</f><v>1</v></c></row></sheetData>`, `<sheetData><row r="1"><c r="A1" t="s"><v>2</v></c><c r="B1" t="s"><v>0</v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"replace_text","search":"old","replace":"new"}]`)
	require.Equal(t, []int{7, 4}, []int{rep.Ops[0].Hits, rep.Ops[0].Cells})
	require.Equal(t, strings.NewReplacer("Old price", "new price", "and old", "and new", "<t>Old</t>", "<t>new</t>").Replace(strs), part(t, out, sst))
	require.Contains(t, sheetData(t, out), `<is><t>new &amp; gnew</t></is>`)
	require.Contains(t, sheetData(t, out), `<f>"old"&amp;A1</f></c>`, "a formula keeps its text, and loses a value that is out of date")

	out, rep = apply(t, in, `[{"op":"replace_text","sheet":"S2","search":"old price and OLD","replace":"<1>"}]`)
	require.Equal(t, 1, rep.Ops[0].Cells)
	require.Equal(t, strs, part(t, out, sst), "the other sheet shows the string too")
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<c r="B1" t="inlineStr"><is><r><rPr><b/></rPr><t>&lt;1&gt;</t></r><r><rPr><i/></rPr><t xml:space="preserve"> cost</t></r></is></c>`)

	out, _ = apply(t, in, `[{"op":"replace_text","search":"^(o)ld( & )?","replace":"$1$1$2","regex":true,"match_case":true,"in_formulas":true,"sheet":"S1"}]`)
	require.Contains(t, sheetData(t, out), `<is><t>oo &amp; gold</t></is>`)
	out, rep = apply(t, in, `[{"op":"replace_text","search":"old","replace":"new","whole_cell":true},{"op":"replace_text","search":"\"old\"","replace":"\"x\"","in_formulas":"true"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, sheetData(t, out), `<f>&quot;x&quot;&amp;A1</f>`)
	_, rep = apply(t, in, `[{"op":"replace_text","search":"absent","replace":""}]`)
	require.Equal(t, []string{`"absent" was not found; nothing was replaced`}, rep.Ops[0].Warnings)
}

func TestDefineAndDeleteName(t *testing.T) {
	in := rich(t)
	out, rep := apply(t, in, `[{"op":"define_name","name":"Rate","refers_to":"=Data!$C$2"},{"op":"define_name","name":"total","refers_to":"SUM(Data!$C$2:$C$9)"},{"op":"define_name","name":"Rate","refers_to":"Use!$A$1","scope":"use"},{"op":"set_cells","sheet":"Use","cells":[{"cell":"J1","value":"=Rate"}]}]`)
	require.Equal(t, "Rate", rep.Ops[0].Made)
	got := map[string]string{}
	for _, n := range excel(t, out).GetDefinedName() {
		got[n.Scope+"!"+n.Name] = n.RefersTo
	}
	require.Equal(t, map[string]string{"Workbook!Rate": "Data!$C$2", "Workbook!Total": "SUM(Data!$C$2:$C$9)", "Use!Rate": "Use!$A$1", "Data!_xlnm.Print_Area": "Data!$A$1:$C$9"}, got)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
	less, rep := apply(t, out, `[{"op":"delete_name","name":"Rate","scope":"Use"},{"op":"delete_name","name":"RATE"},{"op":"delete_name","name":"Total"}]`)
	require.Contains(t, rep.Ops[1].Warnings[0], "#NAME?")
	require.Len(t, excel(t, less).GetDefinedName(), 1)
	plain := raw(t, nil, `<sheetData/>`)
	one, _ := apply(t, plain, `[{"op":"define_name","name":"Größe_1","refers_to":"S1!$A$1"}]`)
	require.Contains(t, part(t, one, "xl/workbook.xml"), `</sheets><definedNames><definedName name="Größe_1">S1!$A$1</definedName></definedNames>`)
	back, _ := apply(t, one, `[{"op":"delete_name","name":"Größe_1"}]`)
	formatstest.SameParts(t, plain, back)
	_, _, err := tryApply(t, in, `[{"op":"define_name","name":"Tab","refers_to":"Data!$A$1"}]`)
	require.ErrorContains(t, err, "table named")
}
