package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func big(b *testing.B) formats.Source {
	s, err := formats.OpenFile(formatstest.Bench(b, "big_100k.xlsx"))
	require.NoError(b, err)
	b.Cleanup(func() { s.Close() })
	b.ReportAllocs()
	return s
}

func BenchmarkMap100k(b *testing.B) {
	s := big(b)
	for b.Loop() {
		_, err := Format().Mapper.Map(context.Background(), s, formats.MapOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkRead100k(b *testing.B) {
	s := big(b)
	for b.Loop() {
		text, err := Format().Reader.Read(context.Background(), s, formats.Selector{Range: "A1:J50"})
		require.NoError(b, err)
		require.NotNil(b, text.Chunk)
	}
}

// BenchmarkReadEnd100k reads the last rows, so the whole sheet is scanned.
func BenchmarkReadEnd100k(b *testing.B) {
	s := big(b)
	for b.Loop() {
		_, err := Format().Reader.Read(context.Background(), s, formats.Selector{Range: "A99990:J100001"})
		require.NoError(b, err)
	}
}

func BenchmarkSet100k(b *testing.B) {
	s := big(b)
	wb, err := open(context.Background(), s)
	require.NoError(b, err)
	var ops []json.RawMessage
	for i := range 10 {
		ops = append(ops, json.RawMessage(fmt.Sprintf(`{"op":"set_cells","sheet":%q,"cells":[{"cell":"C%d","value":"new"}]}`, wb.sheets[0].name, i*9000+2)))
	}
	for b.Loop() {
		_, err := Format().Editor.Apply(context.Background(), s, io.Discard, ops, formats.ApplyOptions{})
		require.NoError(b, err)
	}
}
