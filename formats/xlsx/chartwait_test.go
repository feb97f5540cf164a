package xlsx

import (
	"strings"
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

// Excel counts the points of a scatter chart whose x values are texts.
func TestScatterOverTexts(t *testing.T) {
	for _, c := range []struct {
		values, kind string
		warned       bool
	}{
		{`[["a","b"],["north",1],["south",2]]`, "scatter", true},
		{`[["a","b"],["north",1],[7,2]]`, "scatter_lines", true},
		{`[["a","b"],[5,1],[7,2]]`, "scatter", false},
		{`[["a","b"],["2026-11-22",1],["2026-11-23",2]]`, "scatter", false},
		{`[["a","b"],["north",1],["south",2]]`, "line", false},
	} {
		_, rep := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":`+c.values+`},{"op":"add_chart","sheet":"S","cell":"D1","type":"`+c.kind+`","range":"A1:B3"}]`)
		const want = "series 1: not all x values in 'S'!$A$2:$A$3 are numbers, so the points are at 1, 2, 3 and so on; line and column charts show texts as labels"
		if c.warned {
			require.Contains(t, rep.Ops[1].Warnings, want, c.values)
		} else {
			require.Empty(t, rep.Ops[1].Warnings, c.values)
		}
	}
}

// The same where a scatter chart gets texts later, as its range or as its kind.
func TestChangedToScatterOverTexts(t *testing.T) {
	const data = `{"op":"set_range","sheet":"S","start":"A1","values":[["a","b"],[5,1],[7,2],["x","y"],["north",3],["south",4]]},`
	for _, c := range []struct {
		kind, first, change string
		warned              bool
	}{
		{"scatter", "A1:B3", `"range":"A4:B6"`, true},
		{"scatter", "A1:B3", `"range":"A2:B3"`, false},
		{"column", "A4:B6", `"type":"scatter"`, true},
		{"column", "A1:B3", `"range":"A4:B6"`, false},
	} {
		_, rep := apply(t, nil, `[`+data+`{"op":"add_chart","sheet":"S","cell":"D1","type":"`+c.kind+`","range":"`+c.first+`"},{"op":"change_chart","sheet":"S","chart":1,`+c.change+`}]`)
		require.Equal(t, c.warned, strings.Contains(strings.Join(rep.Ops[2].Warnings, "\n"), "1, 2, 3"), "%v: %q", c, rep.Ops[2].Warnings)
	}
}
