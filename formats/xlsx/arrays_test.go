package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/formula"
)

// {=…} becomes an array formula in its cell, which LibreOffice calculates as
// one and reads show with its braces.
func TestArrayFormulasAreWritten(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1,"{=SUM(IF(A1:A3>1,A1:A3))}"],[2,"{= SUM(A1:A3*A1:A3) }"],[3,"{=not one"]],"style":{"font_bold":true}},
		{"op":"set_cells","sheet":"S","cells":[{"cell":"C1","value":"{=1}","type":"text"},{"cell":"C2","value":"=SUM(IF(A1:A3>1,A1:A3))"}]}]`)
	require.Empty(t, rep.Warnings)
	require.Contains(t, sheetData(t, out), `<c r="B1" s="1"><f t="array" ref="B1">SUM(IF(A1:A3&gt;1,A1:A3))</f></c>`)
	require.Contains(t, part(t, out, "xl/workbook.xml"), "fullCalcOnLoad")
	require.Equal(t, "Sheet: S\nA1: 1, B1: {=SUM(IF(A1:A3>1,A1:A3))}, C1: {=1}\nA2: 2, B2: {=SUM(A1:A3*A1:A3)}, C2: =SUM(IF(A1:A3>1,A1:A3))\nA3: 3, B3: {=not one", read(t, out, formats.Selector{}))
	require.Equal(t, "1,5,{=1}\n2,14,5\n3,{=not one,\n", libreCSV(t, out))

	// It can be written over, moved and follows the names of columns.
	over, rep := apply(t, out, `[{"op":"insert_rows","sheet":"S","row":1},{"op":"set_cells","sheet":"S","cells":[{"cell":"B3","value":5}]}]`)
	require.Contains(t, sheetData(t, over), `<f t="array" ref="B2">SUM(IF(A2:A4&gt;1,A2:A4))</f>`)
	require.Contains(t, sheetData(t, over), `<c r="B3" s="1"><v>5</v></c>`)
	require.Equal(t, []string{"1 formula was overwritten or cleared: S!B3"}, rep.Warnings)
}

func TestArrayFormulasThatCannotBe(t *testing.T) {
	in := raw(t, nil, `<sheetData/><mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells>`)
	_, _, err := tryApply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"{=SUM(C1:C2)}"}]}]`)
	require.ErrorContains(t, err, `cell A1 of sheet "S1" lies in the merged cell A1:B2, which cannot hold an array formula`)
	for bad, want := range map[string]string{`{=SUM(A1}`: "a bracket is not closed", `{=}`: "it is empty", `=[@Price]*2`: "[@Column] needs the name of its table"} {
		_, _, err = tryApply(t, nil, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"D4","value":`+jsonString(bad)+`}]}]`)
		require.ErrorContains(t, err, "cell D4: ", bad)
		require.ErrorContains(t, err, want, bad)
	}
}

// [MS-XLSX] 2.2.3: what a file writes otherwise than a person types it.
func TestStoredFormulas(t *testing.T) {
	for typed, stored := range map[string]string{
		"AGGREGATE(9,6,A1:A9)":                     "_xlfn.AGGREGATE(9,6,A1:A9)",
		"sort(filter(A1:A9,B1:B9))":                "_xlfn._xlws.sort(_xlfn._xlws.filter(A1:A9,B1:B9))",
		"LET(a,B1,LAMBDA(b,a+b)(2))":               "_xlfn.LET(_xlpm.a,B1,_xlfn.LAMBDA(_xlpm.b,_xlpm.a+_xlpm.b)(2))",
		"LET(f,LAMBDA(n,n*2),f(3))":                "_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.n,_xlpm.n*2),_xlpm.f(3))",
		"REDUCE(0,A1:A9,LAMBDA(s,v,s+v))":          "_xlfn.REDUCE(0,A1:A9,_xlfn.LAMBDA(_xlpm.s,_xlpm.v,_xlpm.s+_xlpm.v))",
		"SUM(A1#)":                                 "SUM(_xlfn.ANCHORARRAY(A1))",
		"A1#/2+Data!$B$2#":                         "_xlfn.ANCHORARRAY(A1)/2+_xlfn.ANCHORARRAY(Data!$B$2)",
		"@A1:A9+@Rate":                             "A1:A9+Rate",
		"Sales[@Price]*Sales[@[Net value]]":        "Sales[[#This Row],[Price]]*Sales[[#This Row],[Net value]]",
		"SUM(Sales[Price])+A1+\"@#SORT(\"":         "SUM(Sales[Price])+A1+\"@#SORT(\"",
		"_xlfn.CONCAT(A1)&NETWORKDAYS.INTL(A1,B1)": "_xlfn.CONCAT(A1)&NETWORKDAYS.INTL(A1,B1)",
		"IF(A1=#N/A,1,#REF!)":                      "IF(A1=#N/A,1,#REF!)",
		"F.DIST(A1,1,1,1)+Z.TEST(A1:A3,1)":         "_xlfn.F.DIST(A1,1,1,1)+_xlfn.Z.TEST(A1:A3,1)",
	} {
		require.Equal(t, stored, formula.Stored(typed), typed)
		require.NotContains(t, formula.Shown(stored), "_xlfn.", typed)
		require.NotContains(t, formula.Shown(stored), "_xlpm.", typed)
	}
}
