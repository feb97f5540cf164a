package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Fields show items without records on request, within each item over them; hidden and
// filtered items stay away. A definition without the attribute showAll means the same.
func TestPivotShowsEmptyItems(t *testing.T) {
	rows := func(b []byte) string {
		var out []string
		for _, r := range excelRows(t, b, "P")[3:] {
			out = append(out, strings.TrimSpace(strings.Join(r, " ")))
		}
		return strings.Join(out, "; ")
	}
	make := func(fields string) []byte {
		out, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[`+fields+`],"value_fields":["Units"],"grand_totals":"none"}]`)
		same, _ := apply(t, out, `[{"op":"refresh_pivot"}]`)
		require.Equal(t, out, same)
		formatstest.Validate(t, formatstest.Write(t, "empty.xlsx", out), "")
		return out
	}
	out := make(`{"field":"Region","hide":["East","West"]},{"field":"Product","show_empty":true}`)
	require.Equal(t, "North 24; Apple 8; Fig 11; Pear 5; (blank) 12; Apple; Fig; Pear 12", rows(out))
	require.NotContains(t, part(t, out, "xl/pivotTables/pivotTable1.xml"), `showAll="0"><items count="4"><item x="1"/>`)
	require.Equal(t, "(blank) 12; Pear 12", rows(make(`{"field":"Region","show":[null]},{"field":"Product"}`)))
	require.Equal(t, "(blank) 12; Fig; Pear 12", rows(make(`{"field":"Region","show":[null]},{"field":"Product","show_empty":true,"filter":{"condition":">=","value":"Fig"}}`)))
	months := rows(make(`{"field":"Date","group":"months","show_empty":true}`))
	require.Contains(t, months, "Jan 11; Feb 13; Mar; Apr 15", "a month without records")
	_, _, err := tryApply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Region","show_empty":true},"Product"],"value_fields":["Units"]}]`)
	require.ErrorContains(t, err, `the pivot table PivotTable1 shows items without data of the field "Region", but not of "Product" within it`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}
