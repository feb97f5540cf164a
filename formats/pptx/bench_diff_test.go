package pptx

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// BenchmarkDiff compares a deck of 100 slides with one in which a title
// changed.
func BenchmarkDiff(b *testing.B) {
	src := benchDeck(b)
	file, err := os.ReadFile(formatstest.Bench(b, "deck_100.pptx"))
	require.NoError(b, err)
	now := formats.FromBytes("b.pptx", edit(b, file, `{"op":"set_slide_text","index":50,"title":"Neu"}`))
	for b.Loop() {
		_, err := differ{}.Diff(ctx, src, now, formats.DiffOptions{})
		require.NoError(b, err)
	}
}
