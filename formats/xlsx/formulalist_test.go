package xlsx

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// A list of formulas gives those that were added, also between additions.
func TestFormulaListGivesWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(-3, cellref.MaxRow)
		var list formulaList
		var want []book.FormulaCell
		for range rapid.IntRange(0, 30).Draw(t, "formulas") {
			fc := book.FormulaCell{Row: rapid.IntRange(1, cellref.MaxRow).Draw(t, "row"), Col: rapid.IntRange(1, cellref.MaxCol).Draw(t, "column")}
			fc.Text = strings.Repeat(rapid.SampledFrom([]string{"", "A1", "é+B2", "x\x00", "A1*$D$7+AB12", "Q1_2024+LOG10(B3)", "SUM($A$1:A1)", "A999999", "1E5+B0"}).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 3, 3000}).Draw(t, "times"))
			fc.Dynamic, fc.Blocked, fc.Table, fc.Master, fc.Cached = rapid.Bool().Draw(t, "d"), rapid.Bool().Draw(t, "b"), rapid.Bool().Draw(t, "t"), rapid.Bool().Draw(t, "m"), rapid.Bool().Draw(t, "c")
			if rapid.Bool().Draw(t, "grouped") {
				fc.Group = number.Draw(t, "group")
			}
			if rapid.Bool().Draw(t, "spills") {
				fc.Spill = cellref.Range{R1: number.Draw(t, "r1"), C1: number.Draw(t, "c1"), R2: number.Draw(t, "r2"), C2: number.Draw(t, "c2")}
			}
			if n := len(want); n > 0 && rapid.Bool().Draw(t, "filled down") {
				above := want[n-1-rapid.IntRange(0, min(2, n-1)).Draw(t, "which")]
				fc.Row, fc.Col = above.Row+rapid.IntRange(1, 3).Draw(t, "by"), above.Col
				fc.Text = formula.Move(above.Text, fc.Row-above.Row, 0)
			}
			list.add(fc)
			want = append(want, fc)
			require.Equal(t, want, slices.Collect(list.all()))
		}
		places := slices.Collect(list.places())
		require.Len(t, places, len(want))
		for i, fc := range want {
			fc.Text = places[i].Text // which may lack
			require.Equal(t, fc, places[i])
		}
		require.Equal(t, len(want), list.n)
	})
}

// A formula that is filled down takes a few bytes.
func TestFormulaListHoldsFilledFormulasOnce(t *testing.T) {
	var list formulaList
	for row := 1; row <= 100_000; row++ {
		for col, text := range []string{"A%d*$B$1+SUM($A$1:A%d)", "IF(Sheet2!C%d>3,LOG10(D%d),0)"} {
			list.add(book.FormulaCell{Row: row, Col: col + 5, Text: strings.ReplaceAll(text, "%d", strconv.Itoa(row)), Cached: true})
		}
	}
	size := 0
	for _, c := range list.chunks {
		size += c.Cap()
	}
	require.Less(t, size, 1<<20+formulaChunk)
	row := 0
	for fc := range list.all() {
		if fc.Col == 5 {
			row++
			require.Equal(t, "A"+strconv.Itoa(row)+"*$B$1+SUM($A$1:A"+strconv.Itoa(row)+")", fc.Text)
		}
	}
	require.Equal(t, 100_000, row)
}
