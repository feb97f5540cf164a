package xlsx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// TestX25MixedOperations: operations of all kinds in any order in one call
// give a valid workbook, or a typed error.
func TestX25MixedOperations(t *testing.T) {
	in := sales(t)
	pool := []string{
		`{"op":"set_style","sheet":"Sheet1","range":"A1:C4,E:F,2:3","style":{"font_bold":true,"fill_color":"DDEEFF"}}`,
		`{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B2","value":7,"style":{"number_format":"0.0"}},{"cell":"D4","value":"=SUM(B2:C4)"}]}`,
		`{"op":"merge_cells","sheet":"Sheet1","range":"H1:I2"}`,
		`{"op":"unmerge_cells","sheet":"Sheet1","range":"A:Z"}`,
		`{"op":"add_table","sheet":"Sheet1","range":"A1:C4"}`,
		`{"op":"add_chart","sheet":"Sheet1","cell":"K2","type":"line","range":"A1:C4"}`,
		`{"op":"add_image","sheet":"Sheet1","cell":"K30","path":"p"}`,
		`{"op":"conditional_format","sheet":"Sheet1","range":"B2:C4","rule":{"type":"icon_set"}}`,
		`{"op":"conditional_format","sheet":"Sheet1","range":"B2:B9","rule":{"type":"cell","operator":">","value":"=$B$2"}}`,
		`{"op":"data_validation","sheet":"Sheet1","range":"E2:E9","type":"whole","operator":">","value":"=$B2"}`,
		`{"op":"add_comment","sheet":"Sheet1","cell":"B3","text":"Why?"}`,
		`{"op":"delete_comment","sheet":"Sheet1","cell":"B3"}`,
		`{"op":"set_hyperlink","sheet":"Sheet1","cell":"A3","url":"https://example.com/"}`,
		`{"op":"autofilter","sheet":"Sheet1","range":"P1:Q9"}`,
		`{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A:D","width":"auto"}]}`,
		`{"op":"copy_styles","source":"Sheet1!A1:B2","sheet":"Sheet1","range":"M1:O5"}`,
		`{"op":"insert_rows","sheet":"Sheet1","row":3,"count":2}`,
		`{"op":"delete_rows","sheet":"Sheet1","row":2}`,
		`{"op":"insert_columns","sheet":"Sheet1","column":"B"}`,
		`{"op":"delete_columns","sheet":"Sheet1","column":"H"}`,
		`{"op":"copy_sheet","sheet":"Sheet1","new_name":"Twin"}`,
		`{"op":"copy_sheet_from","path":"other","sheet":"Look","new_name":"Look here"}`,
	}
	other := template(t)
	runs := 12
	if !testing.Short() {
		runs = 60
	}
	done := 0
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		var ops []string
		for range 2 + r.IntN(6) {
			ops = append(ops, pool[r.IntN(len(pool))])
		}
		js := "[" + strings.Join(ops, ",\n") + "]"
		out, _, err := applyWith(t, in, map[string][]byte{"p": picture(t), "other": other}, js)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%v\n%s", err, js)
			continue
		}
		done++
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { valid(t, out, in) }) {
			t.Log(js)
		}
	}
	require.Greater(t, done, runs/3)
}
