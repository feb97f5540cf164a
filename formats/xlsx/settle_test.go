package xlsx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Cells that were written without an operation give new values to what depends on them,
// and nothing else changes.
func TestSettle(t *testing.T) {
	was, _ := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1,"=A1+1","=B1*10"],[5,"=A2+1"]]},{"op":"set_cells","sheet":"T","cells":[{"cell":"A1","value":"=S!C1"}]},{"op":"recalculate"}]`)
	sheet := part(t, was, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, "<v>20</v>")
	wb, err := open(t.Context(), src(was))
	require.NoError(t, err)
	ed := wb.Package.Edit()
	ed.Set(wb.Sheets[0].Part, []byte(strings.Replace(sheet, `<c r="A1"><v>1</v>`, `<c r="A1"><v>7</v>`, 1)))
	var now, out bytes.Buffer
	require.NoError(t, ed.Write(t.Context(), &now))
	n, err := editor{}.Settle(t.Context(), src(was), src(now.Bytes()), &out, formats.ApplyOptions{})
	require.NoError(t, err)
	require.Equal(t, 3, n)
	sheet = part(t, out.Bytes(), "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, "<v>8</v>")
	require.Contains(t, sheet, "<v>80</v>")
	require.Contains(t, sheet, "<v>6</v>", "it does not depend on the cell")
	require.Contains(t, part(t, out.Bytes(), "xl/worksheets/sheet2.xml"), "<v>80</v>")

	out.Reset()
	n, err = editor{}.Settle(t.Context(), src(was), src(was), &out, formats.ApplyOptions{})
	require.NoError(t, err)
	require.Zero(t, n)
	require.True(t, bytes.Equal(was, out.Bytes()))
}
