package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A chart over formulas just written is not said to have no numbers.
func TestChartOverFormulasWithoutValues(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["Day","Sum"],["2026-11-22","=1+1"],["2026-11-23","=2+2"]]},
		{"op":"add_chart","sheet":"S","cell":"D1","type":"column","range":"A1:B3"}]`)
	require.Equal(t, []string{"series 1: the formulas in B2:B3 have no values yet, so the chart shows them once they are calculated: when the file is opened, or by recalculate"}, rep.Ops[1].Warnings)
	require.Contains(t, part(t, out, "xl/charts/chart1.xml"), "yyyy-mm-dd", "the labels are dates")
	_, rep = apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["a","b"],["x","y"]]},{"op":"add_chart","sheet":"S","cell":"D1","type":"column","range":"A1:B2"}]`)
	require.Contains(t, rep.Ops[1].Warnings, "series 1: there are no numbers in 'S'!$B$2")
}
