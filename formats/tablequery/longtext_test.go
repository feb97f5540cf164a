package tablequery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/textclip"
)

// A sample of a long text is its beginning, however long the text is; no text that long
// makes a row a total.
func TestLongTextsAreCutBeforeTheyAreLookedAt(t *testing.T) {
	for _, s := range []string{strings.Repeat("é", 30_000), strings.Repeat("a€😀", 9_000), strings.Repeat("x", 40), strings.Repeat("😀", 41)} {
		var c column
		c.addValue(&cell{kind: typed, b: []byte(s)})
		require.Equal(t, []string{textclip.Fit(s, sampleLen)}, c.Samples)
	}
	var sums totals
	sums.checkRow([]cell{{kind: typed, b: []byte("Total")}, {kind: raw, b: []byte("12,5")}})
	sums.checkRow([]cell{{kind: typed, b: []byte("Total " + strings.Repeat("x", 30_000))}, {kind: raw, b: []byte("12,5")}})
	require.Equal(t, 1, sums.rows)
}
