package pptx

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func benchDeck(b *testing.B) formats.Source {
	file, err := os.ReadFile(formatstest.Bench(b, "deck_100.pptx"))
	require.NoError(b, err)
	b.ReportAllocs()
	return formats.FromBytes("deck_100.pptx", file)
}

func BenchmarkMap(b *testing.B) {
	src := benchDeck(b)
	for b.Loop() {
		_, err := mapper{}.Map(ctx, src, formats.MapOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkRead(b *testing.B) {
	src := benchDeck(b)
	for b.Loop() {
		_, err := reader{}.Read(ctx, src, formats.Selector{})
		require.NoError(b, err)
	}
}

func BenchmarkSetSlideText(b *testing.B) {
	src := benchDeck(b)
	list := ops(`{"op":"set_slide_text","index":50,"title":"Neu","body":"eins\n\tzwei\ndrei"}`)
	for b.Loop() {
		_, err := editor{}.Apply(ctx, src, io.Discard, list, formats.ApplyOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkAddSlide(b *testing.B) {
	src := benchDeck(b)
	list := ops(`{"op":"add_slide","title":"Neu","body":"eins"}`)
	for b.Loop() {
		var buf bytes.Buffer
		_, err := editor{}.Apply(ctx, src, &buf, list, formats.ApplyOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkMapSlide(b *testing.B) {
	src, i := benchDeck(b), 50
	for b.Loop() {
		_, err := mapper{}.Map(ctx, src, formats.MapOptions{SlideIndex: &i})
		require.NoError(b, err)
	}
}

func benchApply(b *testing.B, texts ...string) {
	src := benchDeck(b)
	list := ops(texts...)
	for b.Loop() {
		_, err := editor{}.Apply(ctx, src, io.Discard, list, formats.ApplyOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkReplaceText(b *testing.B) {
	benchApply(b, `{"op":"replace_text","search":"the","replace":"THE"}`)
}

func BenchmarkReplaceNothing(b *testing.B) {
	benchApply(b, `{"op":"replace_text","search":"zzzzzz","replace":"x"}`)
}

func BenchmarkDuplicateSlide(b *testing.B) {
	benchApply(b, `{"op":"duplicate_slide","index":50}`)
}

func BenchmarkDeleteSlide(b *testing.B) {
	benchApply(b, `{"op":"delete_slide","index":50}`)
}
