package xlsx

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// calculated applies operations and calculates what they left without a value.
func calculated(t *testing.T, in []byte, ops string) ([]byte, formats.Report) {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(ops), &list))
	var src formats.Source
	if in != nil {
		src = formats.FromBytes("book.xlsx", in)
	}
	var out bytes.Buffer
	opt := formats.ApplyOptions{Calculate: true, Now: time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)}
	rep, err := editor{}.Apply(t.Context(), src, &out, list, opt)
	require.NoError(t, err)
	return out.Bytes(), rep
}

// After an edit all dependants have their new values, in all sheets, and the answer
// says which changed from what; other cells keep their bytes.
func TestDependantsAreCalculated(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1" s="0"><f>A1*2</f><v>2</v></c><c r="C1" t="str"><f>IF(B1&gt;5,"big","small")</f><v>small</v></c><c r="D1"><f>Z9+1</f><v>1</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1"><f>SUM('S1'!A1:B1)</f><v>3</v></c><c r="B1"><f>1/(A1-18)</f><v>-6.6666666666666666E-2</v></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":6},{"cell":"E1","value":"=B1/8"}]}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>6</v></c><c r="B1" s="0"><f>A1*2</f><v>12</v></c><c r="C1" t="str"><f>IF(B1&gt;5,"big","small")</f><v>big</v></c><c r="D1"><f>Z9+1</f><v>1</v></c><c r="E1"><f>B1/8</f><v>1.5</v></c></row>`, sheetData(t, out))
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<c r="A1"><f>SUM('S1'!A1:B1)</f><v>18</v></c><c r="B1" t="e"><f>1/(A1-18)</f><v>#DIV/0!</v></c>`)
	require.Equal(t, []string{
		"calculated: S1!E1 = 1.5",
		`3 dependants changed: S1!B1 2 → 12, S1!C1 "small" → "big", S2!A1 3 → 18`,
	}, rep.Effects)
	require.Equal(t, []string{"1 formula gives an error now: S2!B1 -0.0666666666666667 → #DIV/0!"}, rep.Warnings)

	// What comes out as before is not told.
	_, rep = calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1}]}]`)
	require.Empty(t, append(rep.Warnings, rep.Effects...))

	// Nothing is calculated where no formula depends on the edit.
	same, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Y1","value":5}]}]`)
	plain, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Y1","value":5}]}]`)
	require.Empty(t, append(rep.Warnings, rep.Effects...))
	require.Equal(t, sheetData(t, plain), sheetData(t, same))
}

// Each reason is named, not only the first.
func TestEachReasonIsNamed(t *testing.T) {
	_, rep := calculated(t, raw(t, nil, `<sheetData/>`), `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=GETPIVOTDATA(\"a\",Z1)"},{"cell":"A2","value":"=REGEXTEST(\"a\",\"b\")"},{"cell":"A3","value":"=INFO(\"release\")"},{"cell":"A4","value":"=WEBSERVICE(\"x\")"},{"cell":"A5","value":"=CELL(\"width\")"}]}]`)
	require.Len(t, rep.Warnings, 1)
	for _, name := range []string{"S1!A1 (the function GETPIVOTDATA", "S1!A2 (the function REGEXTEST", "S1!A3 (the function INFO", "S1!A4 (the function WEBSERVICE", "S1!A5 (CELL"} {
		require.Contains(t, rep.Warnings[0], name)
	}
}

// What cannot be calculated stays without a value, with everything that reads it,
// and the answer names it with the reason.
func TestWhatIsNotKnownHasNoValue(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>IFERROR(MYMACRO(A1),7)</f><v>5</v></c><c r="C1"><f>B1+1</f><v>6</v></c><c r="D1"><f>A1+1</f><v>2</v></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":2}]}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>IFERROR(MYMACRO(A1),7)</f></c><c r="C1"><f>B1+1</f></c><c r="D1"><f>A1+1</f><v>3</v></c></row>`, sheetData(t, out))
	require.Equal(t, []string{"1 dependant changed: S1!D1 2 → 3"}, rep.Effects)
	require.Equal(t, []string{"2 formulas have no value: S1!B1:C1 (the function MYMACRO: it is of a macro or an add-in); spreadsheet programs calculate them when they open the file"}, rep.Warnings)
}

// Rows that were inserted move what formulas read; values follow, and what is told
// has the places of afterwards.
func TestMovedCellsAreCalculated(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="A3"><f>SUM(A1:A2)</f><v>3</v></c><c r="B3"><f>ROW()</f><v>3</v></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"insert_rows","sheet":"S1","row":2},{"op":"set_cells","sheet":"S1","cells":[{"cell":"A2","value":10}]}]`)
	require.Contains(t, sheetData(t, out), `<c r="A4"><f>SUM(A1:A3)</f><v>13</v></c><c r="B4"><f>ROW()</f><v>4</v></c>`)
	require.Equal(t, []string{"2 dependants changed: S1!A4 3 → 13, S1!B4 3 → 4"}, rep.Effects)
}

// A new workbook has the values of its formulas, and the date is that of the edit.
func TestNewWorkbookIsCalculated(t *testing.T) {
	out, rep := calculated(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["Item","Price"],["Tea",2.5],["Jam",4],["Total","=SUM(B2:B3)"],["Today","=TODAY()"],["Text","=UPPER(A2)&\" <&\""]]}]`)
	require.Equal(t, []string{`calculated: S!B4 = 6.5, S!B5 = 46056, S!B6 = "TEA <&"`}, rep.Effects)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "S", Range: "B4"}), "B4: 6.5")
	formatstest.Validate(t, formatstest.Write(t, "new.xlsx", out), "")
}

// Translated texts are read by formulas: their values follow, also behind renamed
// sheets, and what is told has old and new ones. Without Calculate they are dropped.
func TestDependantsOfTranslationsAreCalculated(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Hello</t></is></c><c r="B1"><f>LEN(A1)</f><v>5</v></c><c r="C1"><f>1+1</f><v>2</v></c><c r="D1"><f>MYMACRO(A1)</f><v>2</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1" t="str"><f>UPPER('S1'!A1)</f><v>HELLO</v></c></row></sheetData>`)
	for _, names := range []bool{false, true} {
		segs, err := segmenter{}.Segments(t.Context(), formats.FromBytes("book.xlsx", in), formats.SegmentOptions{SheetNames: names})
		require.NoError(t, err)
		targets := map[string]string{}
		for _, s := range segs {
			if s.Text == "Hello" {
				targets[s.ID] = "Salut à"
			} else if names {
				targets[s.ID] = "Feuille " + s.Text
			}
		}
		prefix := map[bool]string{true: "Feuille "}[names]
		var out bytes.Buffer
		var rep formats.Report
		require.NoError(t, segmenter{}.Replace(t.Context(), formats.FromBytes("book.xlsx", in), &out, targets, formats.ReplaceOptions{Calculate: true, Report: &rep}))
		require.Contains(t, sheetData(t, out.Bytes()), `<c r="B1"><f>LEN(A1)</f><v>7</v></c><c r="C1"><f>1+1</f><v>2</v></c><c r="D1"><f>MYMACRO(A1)</f></c>`)
		require.Contains(t, part(t, out.Bytes(), "xl/worksheets/sheet2.xml"), `<v>SALUT À</v>`)
		require.Equal(t, []string{`2 dependants changed: ` + prefix + `S1!B1 5 → 7, ` + prefix + `S2!A1 "HELLO" → "SALUT À"`}, rep.Effects)
		require.Equal(t, []string{"1 formula has no value: " + prefix + "S1!D1 (the function MYMACRO: it is of a macro or an add-in); spreadsheet programs calculate them when they open the file"}, rep.Warnings)
		require.Equal(t, 2, rep.Calculated)

		rep, out = formats.Report{}, bytes.Buffer{}
		require.NoError(t, segmenter{}.Replace(t.Context(), formats.FromBytes("book.xlsx", in), &out, targets, formats.ReplaceOptions{Report: &rep}))
		require.Contains(t, sheetData(t, out.Bytes()), `<f>LEN(A1)</f></c>`)
		require.Contains(t, rep.Warnings[0], "3 values of formulas that depend on the edit were dropped")
	}
}

// Formulas that had no value before an edit and do not depend on it stay as they are,
// unless a formula that is calculated reads them; recalculate fills them.
func TestBlankFormulasStayBlank(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f>9+1</f></c><c r="D1"><f>Z1+1</f></c><c r="E1"><f>A1+D1</f><v>0</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1"><f>1+1</f></c><c r="B1"><f t="array" ref="B1:B2">{1;2}*2</f></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":3},{"cell":"F1","value":"=1+2"}]}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>3</v></c><c r="B1"><f>A1*2</f><v>6</v></c><c r="C1"><f>9+1</f></c><c r="D1"><f>Z1+1</f><v>1</v></c><c r="E1"><f>A1+D1</f><v>4</v></c><c r="F1"><f>1+2</f><v>3</v></c></row>`, sheetData(t, out))
	require.Equal(t, part(t, in, "xl/worksheets/sheet2.xml"), part(t, out, "xl/worksheets/sheet2.xml"))
	require.Equal(t, []string{"calculated: S1!B1 = 6, S1!D1 = 1, S1!F1 = 3", "1 dependant changed: S1!E1 0 → 4"}, rep.Effects)
	require.Empty(t, rep.Warnings)
	require.Equal(t, 4, rep.Calculated)

	out, _ = calculated(t, in, `[{"op":"recalculate"}]`)
	require.Contains(t, sheetData(t, out), `<c r="C1"><f>9+1</f><v>10</v></c>`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<f>1+1</f><v>2</v>`)
}

// A workbook whose values show no language is calculated in the one that is said;
// what depends on it has no value without one. The values of a workbook come first.
func TestLanguageOfNewWorkbooks(t *testing.T) {
	list := func(js string) (out []json.RawMessage) {
		require.NoError(t, json.Unmarshal([]byte(js), &out))
		return out
	}
	const month = `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":46082},{"cell":"B1","value":"=TEXT(A1,\"mmmm\")"}]}]`
	var out bytes.Buffer
	rep, err := editor{}.Apply(t.Context(), nil, &out, list(month), formats.ApplyOptions{Calculate: true, Language: "en-US"})
	require.NoError(t, err)
	require.Equal(t, []string{`calculated: S!B1 = "March"`}, rep.Effects)
	spanish := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>46082</v></c><c r="B1" t="str"><f>TEXT(A1,"mmmm")</f><v>marzo</v></c><c r="C1" t="str"><f>TEXT(D1,"mmmm")</f><v>enero</v></c></row></sheetData>`)
	var kept bytes.Buffer
	rep, err = editor{}.Apply(t.Context(), formats.FromBytes("book.xlsx", spanish), &kept, list(`[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":46000}]}]`), formats.ApplyOptions{Calculate: true, Language: "en-US"})
	require.NoError(t, err)
	require.Contains(t, sheetData(t, kept.Bytes()), `<f>TEXT(A1,"mmmm")</f><v>diciembre</v>`, "the values of the workbook are of Spanish")

	for _, language := range []string{"", "de", "xx"} { // in German mmmm are minutes
		rep, err = editor{}.Apply(t.Context(), nil, &out, list(month), formats.ApplyOptions{Calculate: true, Language: language})
		require.NoError(t, err)
		require.Empty(t, rep.Effects)
		require.Contains(t, rep.Warnings[0], "1 formula has no value: S!B1")
	}
}

// A random formula gets a value when it has none, which the answer tells, and keeps the
// one that it has; what reads it is calculated from that.
func TestRandomValuesAreKept(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>RAND()</f><v>0.25</v></c><c r="C1"><f>A1*B1</f><v>0.5</v></c><c r="D1"><f>A1+RAND()</f><v>2.5</v></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":4},{"cell":"E1","value":"=RANDBETWEEN(7,7)"}]}]`)
	require.Contains(t, sheetData(t, out), `<c r="B1"><f>RAND()</f><v>0.25</v></c><c r="C1"><f>A1*B1</f><v>1</v></c><c r="D1"><f>A1+RAND()</f><v>4.`)
	require.Contains(t, sheetData(t, out), `<f>RANDBETWEEN(7,7)</f><v>7</v>`)
	require.Equal(t, "2 formulas have a random value, which spreadsheet programs draw anew: S1!D1:E1", rep.Effects[len(rep.Effects)-1])
	require.Empty(t, rep.Warnings)
	again, _ := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":4},{"cell":"E1","value":"=RANDBETWEEN(7,7)"}]}]`)
	require.Equal(t, out, again, "the same time draws the same numbers")
}

// A what-if data table follows an edit of what its formula reads, with what reads it.
func TestDataTablesFollowEdits(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><v>10</v></c><c r="D1"><f>A1*B1</f><v>20</v></c><c r="F1"><f>SUM(D2:D3)</f><v>70</v></c></row><row r="2"><c r="C2"><v>3</v></c><c r="D2"><f t="dataTable" ref="D2:D3" dt2D="0" dtr="0" r1="A1"/><v>30</v></c></row><row r="3"><c r="C3"><v>4</v></c><c r="D3" s="0"><v>40</v></c></row></sheetData>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":100}]}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>2</v></c><c r="B1"><v>100</v></c><c r="D1"><f>A1*B1</f><v>200</v></c><c r="F1"><f>SUM(D2:D3)</f><v>700</v></c></row><row r="2"><c r="C2"><v>3</v></c><c r="D2"><f t="dataTable" ref="D2:D3" dt2D="0" dtr="0" r1="A1"/><v>300</v></c></row><row r="3"><c r="C3"><v>4</v></c><c r="D3" s="0"><v>400</v></c></row>`, sheetData(t, out))
	require.Equal(t, []string{"4 dependants changed: S1!D1 20 → 200, S1!F1 70 → 700, S1!D2 30 → 300, S1!D3 40 → 400"}, rep.Effects)
	require.Empty(t, rep.Warnings)
	formatstest.Validate(t, formatstest.Write(t, "table.xlsx", out), "")
	back, _ := calculated(t, out, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":10}]}]`)
	require.Equal(t, sheetData(t, in), sheetData(t, back))
	same, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Z9","value":1}]}]`)
	require.Contains(t, sheetData(t, same), `r1="A1"/><v>30</v></c>`)
	require.Empty(t, append(rep.Effects, rep.Warnings...))
}

// In a workbook that iterates, circular formulas begin with their values and settle; what
// does not keeps its value, and the answer tells both.
func TestCirclesOfWorkbooksThatIterate(t *testing.T) {
	in := raw(t, map[string]string{bookPart: bookXML(`<calcPr iterate="1" iterateDelta="0.0001"/>`)}, `<sheetData><row r="1"><c r="A1"><v>1000</v></c><c r="B1"><f>A1+C1</f><v>1111.1111</v></c><c r="C1"><f>B1*0.1</f><v>111.11111</v></c><c r="D1"><f>D1+A1</f><v>5</v></c></row></sheetData>`, `<sheetData/>`)
	out, rep := calculated(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":2000}]}]`)
	require.Contains(t, sheetData(t, out), `<c r="B1"><f>A1+C1</f><v>2222.22`)
	require.Contains(t, sheetData(t, out), `<c r="D1"><f>D1+A1</f><v>5</v></c>`)
	require.Contains(t, rep.Effects[0], "2 dependants changed: S1!B1 1111.1111 → 2222.22")
	require.Equal(t, "2 formulas are circular or read one that is; repeated until no value changed by 0.0001: S1!B1:C1", rep.Effects[1])
	require.Equal(t, []string{"1 formula is circular or reads one that is and did not settle in 100 passes; the values of before stay: S1!D1; spreadsheet programs repeat them when they calculate"}, rep.Warnings)
	formatstest.Validate(t, formatstest.Write(t, "circle.xlsx", out), "")
}
