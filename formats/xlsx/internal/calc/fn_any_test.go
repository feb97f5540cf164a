package calc

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever its arguments are, a function ends with a value, an error value or a
// reason why it has none.
func TestFunctionsTakeAnything(t *testing.T) {
	b := sheetOf("1|2|x|TRUE", "-3|4.5||#N/A", "1E+300|0|7|'5")
	arguments := []string{
		"0", "1", "2", "3", "0.5", "-1", "1E+300", "-1E+300", "1E-300", "1E+15", "40000", "45000.5", `""`, `"x"`, `"12"`, "TRUE", "A1", "B2", "A1:A3",
		"A1:B3", "A1:D3", "{1,2;3,4}", "{1,2,3}", "{5}", "E9", "", "#N/A", "A1:B900", "1:1", "LAMBDA(x,x)", "(A1,B2)",
	}
	names := Functions()
	slices.Sort(names)
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range names {
		f := functions[name]
		most := f.Max
		if most < 0 {
			most = f.Min + 2
		}
		for range 15 {
			args := make([]string, f.Min+r.IntN(most-f.Min+1))
			for i := range args {
				args[i] = arguments[r.IntN(len(arguments))]
			}
			text := name + "(" + strings.Join(args, ",") + ")"
			form := &form{row: 50, col: 26, text: text, array: r.IntN(4) == 0}
			b.parseForm(form)
			v, err := NewEvaluator(t.Context(), b, english).calculateForm(At(0, 50, 26), form)
			require.NoError(t, err, text)
			if v.kind == Unknown {
				require.NotEmpty(t, v.Reason().Text, text)
			}
			require.NotEqual(t, RefKind, v.kind, text)
		}
	}
}
