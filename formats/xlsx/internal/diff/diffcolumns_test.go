package diff_test

import (
	"fmt"
	"strings"
	"testing"
)

// wide is a table of n rows with the given columns: each cell is the column's
// letter and the row, but for "=", which is a formula of the row.
func wide(t testing.TB, n int, columns string) []byte {
	var rows []string
	for r := 1; r <= n; r++ {
		var cells []string
		for _, c := range strings.Split(columns, "") {
			switch c {
			case " ":
				cells = append(cells, "")
			case "=":
				cells = append(cells, fmt.Sprintf("=A%d*2→%d", r, r))
			default:
				cells = append(cells, fmt.Sprintf("%s%d value", c, r))
			}
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	return grid(t, rows...)
}

func TestColumnsThatChanged(t *testing.T) {
	list := func(c string) string {
		var out []string
		for r := 1; r <= 12; r++ {
			out = append(out, fmt.Sprintf("%s%d value", c, r))
		}
		return strings.Join(out, ", ")
	}
	runPlanted(t, []planted{
		{"inserted", wide(t, 12, "abc"), wide(t, 12, "axbc"), []string{"S1!column B added:  → " + list("x"), "columns added S1!B:B:  → 1 column inserted"}},
		{"deleted", wide(t, 12, "abcd"), wide(t, 12, "acd"), []string{"S1!column B removed: " + list("b") + " → ", "columns removed S1!B:B: 1 column deleted → "}},
		{"two inserted", wide(t, 12, "abc"), wide(t, 12, "axybc"), []string{"S1!column B added:  → " + list("x"), "S1!column C added:  → " + list("y"), "columns added S1!B:C:  → 2 columns inserted"}},
		{"a blank one inserted", wide(t, 12, "abc"), wide(t, 12, "a bc"), []string{"columns added S1!B:B:  → 1 blank column inserted"}},
		{"formulas inserted", wide(t, 12, "abc"), wide(t, 12, "a=bc"), []string{"S1!column B added:  → =A1*2…", "columns added S1!B:B:  → 1 column inserted"}},
		{"appended", wide(t, 3, "ab"), wide(t, 3, "abc"), []string{"S1!C1 added:  → c1 value", "S1!C2 added:  → c2 value", "S1!C3 added:  → c3 value"}},
	})
}
