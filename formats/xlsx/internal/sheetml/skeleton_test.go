package sheetml

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

// TestColumnValues: the last definition of a column counts, and many that overlap take
// no more time than their number.
func TestColumnValues(t *testing.T) {
	odd := func(c ColumnRange) (int, bool) { n := len(c.Tag); return n, n%2 == 1 }
	tag := func(n int) []byte { return make([]byte, n) }
	got := ColumnValues([]ColumnRange{{1, 5, tag(1)}, {3, 4, tag(2)}, {4, 8, tag(3)}, {5, 5, tag(5)}}, odd)
	require.Equal(t, map[int]int{1: 1, 2: 1, 3: 1, 4: 3, 5: 5, 6: 3, 7: 3, 8: 3}, got)

	rapid.Check(t, func(t *rapid.T) {
		want := map[int]int{}
		var cols []ColumnRange
		for range rapid.IntRange(0, 30).Draw(t, "definitions") {
			from := rapid.IntRange(cellref.MaxCol-40, cellref.MaxCol).Draw(t, "from")
			c := ColumnRange{from, rapid.IntRange(from, cellref.MaxCol).Draw(t, "to"), tag(rapid.IntRange(0, 9).Draw(t, "value"))}
			cols = append(cols, c)
			if v, ok := odd(c); ok {
				for col := c.From; col <= c.To; col++ {
					want[col] = v
				}
			}
		}
		require.Equal(t, want, ColumnValues(cols, odd))
	})
}
