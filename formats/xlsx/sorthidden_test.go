package xlsx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// A sort of filtered rows leaves those shown that meet the filter, in a sheet's filter, in
// one of a table, beside other cells, and with array formulas among the rows; a row that a
// person hid stays hidden with its cells.
func TestSortKeepsRowsHidden(t *testing.T) {
	const rows = `{"op":"set_range","sheet":"S","start":"A1","values":[["Zone","Sum"],["N",3],["S",9],["N",1],["S",4],["N",8]]}`
	const filter = `{"op":"filter_rows","sheet":"S","range":"A1:B6","criteria":[{"column":"A","values":["N"]}]}`
	sort := func(ref string) string {
		return fmt.Sprintf(`{"op":"sort_range","sheet":"S","range":%q,"by":[{"column":"B"}]}`, ref)
	}
	for name, c := range map[string]struct {
		before string
		hidden []int
	}{
		"filter":         {filter, []int{4, 6}},
		"cells beside":   {`{"op":"set_cells","sheet":"S","cells":[{"cell":"D3","value":"beside"}]},` + filter, []int{4, 6}},
		"table":          {`{"op":"add_table","sheet":"S","range":"A1:B6","name":"T"},{"op":"set_cells","sheet":"S","cells":[{"cell":"D3","value":"beside"}]},` + filter, []int{4, 6}},
		"by hand":        {`{"op":"hide_rows","sheet":"S","row":3}`, []int{6}},
		"array formulas": {`{"op":"set_cells","sheet":"S","cells":[{"cell":"B5","value":"{=SUM(2,2)}"}]},` + filter, []int{5, 6}},
		"beside by hand": {`{"op":"set_cells","sheet":"S","cells":[{"cell":"D3","value":"beside"}]},{"op":"hide_rows","sheet":"S","row":3}`, []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			in, _ := apply(t, nil, "["+rows+","+c.before+"]")
			out, rep := apply(t, in, "["+sort("A2:B6")+"]")
			require.Contains(t, fmt.Sprint(rep.Ops[0].Warnings), "sorted too; ")
			require.Equal(t, c.hidden, hiddenRowsOf(t, out, "S", 6))
			if name != "by hand" && name != "beside by hand" {
				again, rep := apply(t, out, "["+filter+"]")
				require.Contains(t, fmt.Sprint(rep.Ops[0].Warnings), "has these criteria already")
				require.Equal(t, out, again, "the filter shows the same rows")
			}
			formatstest.Validate(t, formatstest.Write(t, "sorted.xlsx", out), "")
		})
	}
}
