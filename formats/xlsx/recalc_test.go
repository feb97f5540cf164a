package xlsx

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func TestRecalculateTakesOnlyValues(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1" s="0"><f>A1*21</f><v>7</v></c><c r="C1" t="n"><f>"a"&amp;"&lt;"</f></c><c r="D1" t="str"><f>A1&gt;1</f><v>x</v></c><c r="E1"><f>A1/8</f><v>0.25</v></c><c r="F1"><f>NOSUCH(A1)</f><v>5</v></c></row></sheetData>`)
	if _, err := exec.LookPath("soffice"); err != nil {
		_, _, err := tryApply(t, in, `[{"op":"recalculate"}]`)
		require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
		require.ErrorContains(t, err, "LibreOffice is not installed")
		t.Skip("LibreOffice is absent: install libreoffice-calc; the rest is left out")
	}
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	out, rep := apply(t, in, `[{"op":"recalculate"}]`)
	require.Equal(t, 3, rep.Ops[0].Cells)
	require.Len(t, rep.Ops[0].Warnings, 1)
	require.Equal(t, `<row r="1"><c r="A1"><v>2</v></c><c r="B1" s="0"><f>A1*21</f><v>42</v></c><c r="C1" t="str"><f>"a"&amp;"&lt;"</f><v>a&lt;</v></c><c r="D1" t="b"><f>A1&gt;1</f><v>1</v></c><c r="E1"><f>A1/8</f><v>0.25</v></c><c r="F1"><f>NOSUCH(A1)</f><v>5</v></c></row>`, sheetData(t, out))
	formatstest.SameParts(t, in, out, sheet1)
	after, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":10}]},{"op":"recalculate"}]`)
	require.Contains(t, sheetData(t, after), `<f>A1*21</f><v>210</v>`)
}

func TestRecalculateWithoutLibreOffice(t *testing.T) {
	t.Setenv("PATH", "")
	_, _, err := tryApply(t, nil, `[{"op":"recalculate"}]`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	require.ErrorContains(t, err, "LibreOffice is not installed")
}
