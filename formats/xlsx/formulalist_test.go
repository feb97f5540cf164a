package xlsx

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// A list of formulas gives those that were added, also between additions.
func TestFormulaListGivesWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(-3, cellref.MaxRow)
		var list formulaList
		var want []book.FormulaCell
		for range rapid.IntRange(0, 30).Draw(t, "formulas") {
			fc := book.FormulaCell{Row: rapid.IntRange(1, cellref.MaxRow).Draw(t, "row"), Col: rapid.IntRange(1, cellref.MaxCol).Draw(t, "column")}
			fc.Text = strings.Repeat(rapid.SampledFrom([]string{"", "A1", "é+B2", "x\x00"}).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 3, 3000}).Draw(t, "times"))
			fc.Dynamic, fc.Blocked, fc.Table, fc.Master, fc.Cached = rapid.Bool().Draw(t, "d"), rapid.Bool().Draw(t, "b"), rapid.Bool().Draw(t, "t"), rapid.Bool().Draw(t, "m"), rapid.Bool().Draw(t, "c")
			if rapid.Bool().Draw(t, "grouped") {
				fc.Group = number.Draw(t, "group")
			}
			if rapid.Bool().Draw(t, "spills") {
				fc.Spill = cellref.Range{R1: number.Draw(t, "r1"), C1: number.Draw(t, "c1"), R2: number.Draw(t, "r2"), C2: number.Draw(t, "c2")}
			}
			list.add(fc)
			want = append(want, fc)
			require.Equal(t, want, slices.Collect(list.all()))
		}
		require.Equal(t, len(want), list.n)
	})
}
