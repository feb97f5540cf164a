package diff

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

// A column behind the last pair is an inserted one when a column that went holds the
// same; of others nothing shows that they came.
func TestMovedToEnd(t *testing.T) {
	sketch := func(col int, hashes ...uint64) *colSketch { return &colSketch{col: col, hashes: hashes} }
	a := []*colSketch{sketch(1, 10, 11), sketch(2, 20, 21), sketch(3, 30, 31)}
	b := []*colSketch{sketch(1, 20, 21), sketch(2, 30, 31), sketch(3, 10, 11), sketch(4, 40, 41)}
	m := newLineMap(true, []linePair{{2, 1}, {3, 2}}, []int{1}, []int{3, 4})
	m.movedToEnd(a, b, []int{1}, []int{3, 4})
	require.Equal(t, []lineSpan{{3, 3}}, m.added)
	require.Equal(t, []lineSpan{{1, 1}}, m.deleted)
	require.Equal(t, []cellref.Shift{{Cols: true, At: 4, Count: 1}, {Cols: true, At: 1, Count: -1}}, m.shifts)
	_, came := m.from(3)
	require.False(t, came)
	from, ok := m.from(4)
	require.True(t, ok)
	require.Equal(t, 4, from)
	last := m.segs[len(m.segs)-1]
	require.Equal(t, cellref.MaxCol, last.a+last.n, "one column is pushed off the sheet")
	m.leaveMoved([]linePair{{1, 3}})
	require.Empty(t, m.added)
	require.Empty(t, m.deleted)
}
