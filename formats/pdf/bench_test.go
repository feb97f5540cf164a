package pdf

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func benchPages(b *testing.B, pages string) {
	data, err := os.ReadFile(formatstest.Bench(b, "doc_200p.pdf"))
	require.NoError(b, err)
	src := formats.FromBytes("doc_200p.pdf", data)
	_, err = shared.Reader.Read(context.Background(), src, formats.Selector{Pages: "1"})
	require.NoError(b, err)
	for b.Loop() {
		text, err := shared.Reader.Read(context.Background(), src, formats.Selector{Pages: pages})
		require.NoError(b, err)
		require.NotEmpty(b, text.Text)
	}
}

func BenchmarkAllPages(b *testing.B) { benchPages(b, "") }
func BenchmarkOnePage(b *testing.B)  { benchPages(b, "100") }

func BenchmarkMap(b *testing.B) {
	data, err := os.ReadFile(formatstest.Bench(b, "doc_200p.pdf"))
	require.NoError(b, err)
	for b.Loop() {
		_, err := shared.Mapper.Map(context.Background(), formats.FromBytes("doc_200p.pdf", data), formats.MapOptions{})
		require.NoError(b, err)
	}
}
