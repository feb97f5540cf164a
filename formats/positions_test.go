package formats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Parts of an indexed text are those of the text without an index, whatever is in it.
func TestPartsOfIndexedTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"words and ", "\n", "\"", "é", "日本", "\U0001F600", "\xff", "\xe6\x97", "\u2028", "\x01", strings.Repeat("long ", 900), strings.Repeat("ü\n", 1500)}
	parts := 0
	for range 300 {
		var sb strings.Builder
		for range r.IntN(40) {
			sb.WriteString(pieces[r.IntN(len(pieces))])
		}
		plain := Text{Text: sb.String()}
		if r.IntN(2) == 0 {
			plain.Chunk = &ChunkInfo{ChunkIndex: 3, TotalChunks: 9, Range: "section 3 of 9"}
		}
		indexed := plain
		indexed.Index()
		sel := Selector{Section: "3", Limit: TextLimit{Whole: 5000, Part: 1 + r.IntN(9000)}}
		for {
			want, err := plain.cutToLimit(sel)
			require.NoError(t, err)
			got, err := indexed.cutToLimit(sel)
			require.NoError(t, err)
			require.Equal(t, want, got, "%d of %q", sel.Offset, plain.Text)
			if at, ok := byteOffset(plain.Text, sel.Offset); ok {
				require.Equal(t, JSONLen(plain.Text[at:]) > sel.Limit.Part, indexed.Continues(sel.Offset, sel.Limit.Part))
			}
			if got.Chunk == nil || !strings.Contains(got.Chunk.Next, "offset=") {
				break
			}
			sel.Offset += len([]rune(got.Text))
			parts++
		}
		for _, offset := range []int{-1, 1, 4096, len([]rune(plain.Text)), len([]rune(plain.Text)) + 1} {
			sel.Offset = offset
			want, wantErr := plain.cutToLimit(sel)
			got, err := indexed.cutToLimit(sel)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		}
	}
	require.Greater(t, parts, 1000)
}
