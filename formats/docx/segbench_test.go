package docx

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// BenchmarkTranslate300p takes the segments of 300 pages and writes them back
// changed, from right to left.
func BenchmarkTranslate300p(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
		require.NoError(b, err)
		targets := make(map[string]string, len(segs))
		for _, s := range segs {
			targets[s.ID] = "x" + s.Text
		}
		require.NoError(b, Format().Segmenter.Replace(ctx, src, io.Discard, targets, formats.ReplaceOptions{Language: "ar"}))
	}
}
