package calc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A row of a sheet that is filled from the beginning takes memory once, and a short row
// after a long one does not make the rows after it large.
func TestRowsAreReservedOnce(t *testing.T) {
	var g grid
	fill := func(row, cells int) {
		for col := range cells {
			g.put(row, col+1)
		}
	}
	fill(1, 12)
	for row := 2; row <= 100; row++ {
		fill(row, 12)
		require.Equal(t, 12, cap(g.rows[row-1].cells), "row %d", row)
	}
	fill(101, 1)
	fill(102, 1)
	require.Equal(t, 1, cap(g.rows[101].cells))

	// A row that is put in between is found, and is not longer than it was made.
	fill(200, 3)
	fill(150, 5)
	require.NotNil(t, g.find(150, 5))
	require.Nil(t, g.find(150, 6))
	require.NotNil(t, g.find(200, 3))
	require.Nil(t, g.find(200, 4))
}
