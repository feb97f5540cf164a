package xlsx

import (
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/need"
)

// needsLibreOffice skips where a test has nothing to calculate with.
func needsLibreOffice(t *testing.T) {
	t.Helper()
	need.Program(t, "soffice", need.LibreOffice)
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
}

// What has a value keeps it, also where LibreOffice calculates another, and
// what is calculated reads it: a month by its Spanish name stays Spanish.
func TestRecalculateTouchesOnlyCellsWithoutAValue(t *testing.T) {
	campaign.Slow(t)
	needsLibreOffice(t)
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>46348</v></c><c r="B1" t="str"><f>TEXT(A1,"mmmm")</f><v>noviembre</v></c><c r="C1"><f>B1&amp;"&lt;"</f></c><c r="D1" s="0"><f>A1*2</f><v>7</v></c><c r="E1" t="n"><f>D1&gt;6</f><v/></c><c r="F1"><f>A1/8</f><v>0.25</v></c><c r="G1"><f>RAND()</f><v>0.5</v></c><c r="H1"><f>G1*4</f></c><c r="I1"><f>1/0</f></c><c r="J1" t="str"><f>""</f><v></v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>46348</v></c><c r="B1" t="str"><f>TEXT(A1,"mmmm")</f><v>noviembre</v></c><c r="C1" t="str"><f>B1&amp;"&lt;"</f><v>noviembre&lt;</v></c><c r="D1" s="0"><f>A1*2</f><v>7</v></c><c r="E1" t="b"><f>D1&gt;6</f><v>1</v></c><c r="F1"><f>A1/8</f><v>0.25</v></c><c r="G1"><f>RAND()</f><v>0.5</v></c><c r="H1"><f>G1*4</f><v>2</v></c><c r="I1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="J1" t="str"><f>""</f><v></v></c></row>`, sheetData(t, out))
	require.Equal(t, 4, rep.Ops[0].Cells)
	require.Equal(t, []string{`calculated: S1!C1 = "noviembre<", S1!E1 = TRUE, S1!H1 = 2`}, rep.Ops[0].Notes)
	require.Equal(t, []string{"1 formula gives an error now: S1!I1 #DIV/0!"}, rep.Ops[0].Warnings)
	formatstest.SameParts(t, in, out, sheet1)

	again, rep := apply(t, out, `[{"op":"recalculate"}]`)
	require.Equal(t, out, again)
	require.Len(t, rep.Ops[0].Warnings, 1)
	require.Contains(t, rep.Ops[0].Warnings[0], "every formula has a value")
	after, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":10}]},{"op":"recalculate"}]`)
	require.Contains(t, sheetData(t, after), `<f>A1*2</f><v>20</v>`)
}

// A result is not taken where neither we nor LibreOffice know a function, nor what
// was calculated from such a cell: IFERROR would hide that.
func TestRecalculateLeavesWhatItCannotKnow(t *testing.T) {
	needsLibreOffice(t)
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>IFERROR(NOSUCH(A1),5)</f></c><c r="C1"><f>B1+1</f></c><c r="D1"><f>IFERROR(_xlfn._xlws.NOSUCHEITHER(A1),5)</f></c><c r="E1"><f>A1*3</f></c><c r="F1"><f>"a"+1</f></c><c r="G1"><f>IFERROR(F1,9)</f></c><c r="H1"><f>NoName*2</f></c><c r="I1"><f>_xlfn.CONCAT("a",A1)</f></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.Equal(t, strings.NewReplacer(`<c r="E1"><f>A1*3</f></c>`, `<c r="E1"><f>A1*3</f><v>6</v></c>`, `<c r="F1"><f>"a"+1</f></c><c r="G1"><f>IFERROR(F1,9)</f></c><c r="H1"><f>NoName*2</f></c>`, `<c r="F1" t="e"><f>"a"+1</f><v>#VALUE!</v></c><c r="G1"><f>IFERROR(F1,9)</f><v>9</v></c><c r="H1" t="e"><f>NoName*2</f><v>#NAME?</v></c>`, `<c r="I1"><f>_xlfn.CONCAT("a",A1)</f></c>`, `<c r="I1" t="str"><f>_xlfn.CONCAT("a",A1)</f><v>a2</v></c>`).Replace(sheetData(t, in)), sheetData(t, out))
	require.Equal(t, []string{`calculated: S1!E1 = 6, S1!G1 = 9, S1!I1 = "a2"`}, rep.Ops[0].Notes)
	require.Equal(t, []string{
		"2 formulas give an error now: S1!F1 #VALUE!, S1!H1 #NAME?",
		`still without a value: S1!B1 (LibreOffice does not know NOSUCH), S1!C1 (it may depend on one of these), S1!D1 (LibreOffice does not know NOSUCHEITHER); Excel calculates when it opens the file`,
	}, rep.Ops[0].Warnings)
}

// Groups, blocks of arrays and subtotals are calculated as in the whole file.
func TestRecalculateGroupsArraysAndSubtotals(t *testing.T) {
	needsLibreOffice(t)
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*10</f><v>10</v></c><c r="C1"><f t="array" ref="C1:C3">A1:A3*2</f></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/></c><c r="C2"/></row><row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/></c><c r="C3" s="0"></c></row><row r="4"><c r="A4"><f>SUBTOTAL(9,A1:A3)</f><v>6</v></c><c r="B4"><f>SUBTOTAL(9,A1:A4)</f></c><c r="C4"><f>_xlfn.ISFORMULA(A4)</f></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.Equal(t, `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*10</f><v>10</v></c><c r="C1"><f t="array" ref="C1:C3">A1:A3*2</f><v>2</v></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>20</v></c><c r="C2"><v>4</v></c></row><row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/><v>30</v></c><c r="C3" s="0"><v>6</v></c></row><row r="4"><c r="A4"><f>SUBTOTAL(9,A1:A3)</f><v>6</v></c><c r="B4"><f>SUBTOTAL(9,A1:A4)</f><v>6</v></c><c r="C4" t="b"><f>_xlfn.ISFORMULA(A4)</f><v>1</v></c></row>`, sheetData(t, out))
	require.Equal(t, 7, rep.Ops[0].Cells)
}

// Without LibreOffice what is not known here stays without a value, and is named.
func TestRecalculateWithoutLibreOffice(t *testing.T) {
	t.Setenv("PATH", "")
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>NOSUCH(A1)</f></c><c r="C1"><f>A1*3</f></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.Contains(t, sheetData(t, out), `<c r="B1"><f>NOSUCH(A1)</f></c><c r="C1"><f>A1*3</f><v>6</v></c>`)
	require.Equal(t, []string{"calculated: S1!C1 = 6"}, rep.Ops[0].Notes)
	require.Equal(t, []string{"1 formula has no value: S1!B1 (the function NOSUCH: it is of a macro or an add-in); spreadsheet programs calculate them when they open the file"}, rep.Ops[0].Warnings)

	_, rep = apply(t, out, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":null}]},{"op":"recalculate"}]`)
	require.Len(t, rep.Ops[1].Warnings, 1)
	require.Contains(t, rep.Ops[1].Warnings[0], "nothing was calculated")
}

// What LibreOffice knows and we do not is calculated by it, in the same operation.
func TestRecalculateElsewhere(t *testing.T) {
	needsLibreOffice(t)
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f></c><c r="C1"><f>ASC(CHAR(64+A1))&amp;B1</f></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.False(t, rep.Ops[0].Unchanged)
	require.Contains(t, sheetData(t, out), `<c r="B1"><f>A1*3</f><v>6</v></c><c r="C1" t="str"><f>ASC(CHAR(64+A1))&amp;B1</f><v>B6</v></c>`)
}
