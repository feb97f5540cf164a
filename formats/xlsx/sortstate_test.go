package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// A sorted filter or table says by what it is sorted; the state moves with its rows,
// and goes where only some of them are sorted.
func TestSortState(t *testing.T) {
	const sheet = "xl/worksheets/sheet1.xml"
	rows := `{"op":"set_range","sheet":"S","start":"A1","values":[["Name","Sum"],["b",2],["c",3],["a",1]]}`
	in, _ := apply(t, nil, `[`+rows+`,{"op":"autofilter","sheet":"S","range":"A1:B4"}]`)
	out, _ := apply(t, in, `[{"op":"sort_range","sheet":"S","range":"A2:B4","by":[{"column":"B","descending":true},{"column":"A"}]}]`)
	require.Contains(t, part(t, out, sheet), `<autoFilter ref="A1:B4"><sortState ref="A2:B4"><sortCondition descending="1" ref="B2:B4"/><sortCondition ref="A2:A4"/></sortState></autoFilter>`)
	require.Contains(t, read(t, out, formats.Selector{Include: []string{formats.IncludeRules}}), "A1:B4: sorted by column B descending, column A")
	formatstest.Validate(t, formatstest.Write(t, "sorted.xlsx", out), "")
	require.Equal(t, "filter buttons, sorted by column B descending, column A", diffOf(t, in, out).Facts[0].New)
	moved, _ := apply(t, out, `[{"op":"insert_rows","sheet":"S","row":1}]`)
	require.Contains(t, part(t, moved, sheet), `<sortState ref="A3:B5"><sortCondition descending="1" ref="B3:B5"/>`)
	some, _ := apply(t, out, `[{"op":"sort_range","sheet":"S","range":"A2:B3","by":[{"column":"A"}]}]`)
	require.NotContains(t, part(t, some, sheet), "sortState")
	plain, _ := apply(t, nil, `[`+rows+`,{"op":"sort_range","sheet":"S","range":"A2:B4","by":[{"column":"A"}]}]`)
	require.NotContains(t, part(t, plain, sheet), "sortState")

	table, _ := apply(t, nil, `[`+rows+`,{"op":"add_table","sheet":"S","range":"A1:B4","name":"T"}]`)
	out, _ = apply(t, table, `[{"op":"sort_range","sheet":"S","range":"A2:B4","by":[{"column":"A"}]}]`)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `<autoFilter ref="A1:B4"/><sortState ref="A2:B4"><sortCondition ref="A2:A4"/></sortState><tableColumns`)
	formatstest.Validate(t, formatstest.Write(t, "sorted.xlsx", out), "")
	again, _ := apply(t, out, `[{"op":"sort_range","sheet":"S","range":"A2:B4","by":[{"column":"A","descending":true}]}]`)
	require.Contains(t, part(t, again, "xl/tables/table1.xml"), `<sortState ref="A2:B4"><sortCondition descending="1" ref="A2:A4"/></sortState>`)
	require.NotEmpty(t, diffOf(t, table, out).Facts)
	require.Contains(t, read(t, out, formats.Selector{Include: []string{formats.IncludeRules}}), "A2:B4 of the table T: sorted by column A")
}
