package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The thresholds of colour scales are formulas too: none names a sheet that is
// gone, whether it was deleted or renamed.
func TestThresholdsFollowTheirSheet(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><conditionalFormatting sqref="A1:A9"><cfRule type="colorScale" priority="1"><colorScale><cfvo type="formula" val="S2!$A$1"/><cfvo type="max"/><color rgb="FFFFFFFF"/><color rgb="FFFF0000"/></colorScale></cfRule></conditionalFormatting>`,
		`<sheetData><row r="1"><c r="A1"><v>4</v></c></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"delete_sheet","sheet":"S2"}]`)
	require.Contains(t, part(t, out, sheet1), `<cfvo type="formula" val="#REF!"/>`)
	out, _ = apply(t, in, `[{"op":"rename_sheet","sheet":"S2","new_name":"Limits"}]`)
	require.Contains(t, part(t, out, sheet1), `<cfvo type="formula" val="Limits!$A$1"/>`)
}
