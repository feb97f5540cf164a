package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/ooxml/paragraph"
)

func applyRanges(old string, ranges []paragraph.Range) string {
	var sb strings.Builder
	pos := 0
	for _, r := range ranges {
		sb.WriteString(old[pos:r.Start] + r.New)
		pos = r.End
	}
	return sb.String() + old[pos:]
}

func TestDifference(t *testing.T) {
	require.Equal(t, []paragraph.Range{{Start: 2, End: 5, New: "two"}, {Start: 7, End: 8, New: "4"}}, difference("a one, 3 b", "a two, 4 b"))
}

// Property: the ranges are ascending, disjoint and make one text the other,
// also when insertions hold on to a character.
func TestDifferenceMakesTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.StringMatching(`([a-c]{1,2}[ ,\t\n]?|é ){0,12}`)
		old, now := gen.Draw(t, "old"), gen.Draw(t, "now")
		ranges := difference(old, now)
		require.Equal(t, now, applyRanges(old, ranges))
		if old == now {
			require.Empty(t, ranges)
		}
		if old == "" {
			return
		}
		held := anchored(old, append([]paragraph.Range(nil), ranges...))
		last := 0
		for _, r := range held {
			require.GreaterOrEqual(t, r.Start, last)
			require.Less(t, r.Start, r.End)
			last = r.End
		}
		require.Equal(t, now, applyRanges(old, held))
	})
}
