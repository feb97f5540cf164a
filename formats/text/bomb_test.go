package text

import (
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// What used to take time by the square of the length: each must simply end,
// and writing the same texts back must keep every byte.
func TestLongRepeats(t *testing.T) {
	campaign.Slow(t)
	sizes := []int{30_000, 200_000}
	if campaign.Small() {
		sizes = []int{30_000, 60_000}
	}
	for _, piece := range []string{"*a ", "[", "`a ``b ", "<a ", "**a _b ", "![", "[a](", "| ", "> ", "- ", "a\n", "\\", "*", "h", "<!--", "$$\n", "[x]: \n", "1. ", "~~a ", "```\n", "#", "\"", ",\"", "\"a\n", "|-", "é"} {
		for _, name := range []string{"a.md", "a.csv", "a.txt"} {
			for _, size := range sizes {
				s := strings.Repeat(piece, size/len(piece))
				same := map[string]string{}
				for _, seg := range segments(t, name, s) {
					same[seg.ID] = seg.Text
				}
				got, err := replace(t, name, s, same)
				require.NoError(t, err)
				require.True(t, s == got, "%s of %q", name, piece)
			}
		}
	}
}
