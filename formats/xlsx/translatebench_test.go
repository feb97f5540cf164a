package xlsx

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// The workbook has 300,010 texts in 100,001 rows.

func benchmarkTexts(b *testing.B, fn func(b *testing.B, s formats.Source)) {
	s, err := formats.OpenFile(formatstest.Bench(b, "big_100k.xlsx"))
	require.NoError(b, err)
	defer s.Close()
	peak := watchHeap()
	b.ReportAllocs()
	for b.Loop() {
		forget()
		fn(b, s)
	}
	b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
}

func BenchmarkSegments(b *testing.B) {
	benchmarkTexts(b, func(b *testing.B, s formats.Source) {
		segs, err := Format().Segmenter.Segments(context.Background(), s, formats.SegmentOptions{})
		require.NoError(b, err)
		require.Greater(b, len(segs), 300_000)
	})
}

func BenchmarkReplace(b *testing.B) {
	s, err := formats.OpenFile(formatstest.Bench(b, "big_100k.xlsx"))
	require.NoError(b, err)
	segs, err := Format().Segmenter.Segments(context.Background(), s, formats.SegmentOptions{})
	require.NoError(b, err)
	require.NoError(b, s.Close())
	targets := make(map[string]string, len(segs))
	for _, g := range segs {
		targets[g.ID] = "[" + g.Text + "]"
	}
	segs = nil
	benchmarkTexts(b, func(b *testing.B, s formats.Source) {
		err := Format().Segmenter.Replace(context.Background(), s, io.Discard, targets, formats.ReplaceOptions{})
		require.NoError(b, err)
	})
}
