package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Each of these took quadratic or exponential time in a naive implementation;
// they are here to run to their end at all.
func TestHostileSheets(t *testing.T) {
	edit := `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1}]}]`
	angle := raw(t, nil, `<sheetData><row r="1" x="`+strings.Repeat(">", 900<<10)+`"><c r="A1"><v>1</v></c></row></sheetData>`)
	require.Equal(t, "Sheet: S1\nA1: 1", read(t, angle, formats.Selector{}))

	names := ""
	for i := range 9 {
		names += fmt.Sprintf(`<definedName name="N_%d">%s</definedName>`, i, strings.Repeat(fmt.Sprintf("N_%d+", i+1), 400)+"1")
	}
	bomb := edited(t, raw(t, nil, `<sheetData><row r="1"><c r="B1"><f>N_0</f><v>1</v></c></row></sheetData>`), "xl/workbook.xml", swap("</sheets>", "</sheets><definedNames>"+names+"</definedNames>"))
	out, _ := apply(t, bomb, edit)
	require.Contains(t, part(t, out, sheet1), `<c r="B1"><f>N_0</f></c>`, "what it reads is unknown, so its value goes")

	arrays := ""
	for i := range 200 {
		arrays += fmt.Sprintf(`<row r="%d"><c r="B%d"><f t="array" ref="B1:XFD1048576">A1</f><v>1</v></c></row>`, i+1, i+1)
	}
	out, _ = apply(t, raw(t, nil, `<sheetData>`+arrays+`</sheetData>`), edit)
	require.NotContains(t, part(t, out, sheet1), `<f t="array" ref="B1:XFD1048576">A1</f><v>`)

	long := raw(t, nil, `<sheetData><row r="1"><c r="B1"><f>`+strings.Repeat("[", 900<<10)+`</f><v>1</v></c></row></sheetData>`)
	_, _ = apply(t, long, edit)
}
