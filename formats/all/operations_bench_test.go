package all

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// BenchmarkOperations applies one operation of each name to a large document, at places
// that the tests of reviews use too. Operations for which the document has no place,
// such as those on an object that it lacks, are skipped.
func BenchmarkOperations(b *testing.B) {
	set := Formats(Options{CacheDir: formatstest.Cache})
	for _, large := range []struct {
		file string
		kind formats.Kind
	}{{"big_100k.xlsx", formats.KindXlsx}, {"doc_300p.docx", formats.KindDocx}, {"deck_100.pptx", formats.KindPptx}} {
		b.Run(large.file, func(b *testing.B) {
			data, err := os.ReadFile(formatstest.Bench(b, large.file))
			require.NoError(b, err)
			src := formats.FromBytes(large.file, data)
			f, err := set.Detect(b.Context(), src)
			require.NoError(b, err)
			opt := formats.ApplyOptions{Calculate: true, Open: func(_ context.Context, name string) (formats.SourceCloser, error) {
				content := data
				if name == "a.png" {
					content = dot(b)
				}
				return closer{formats.FromBytes(name, content)}, nil
			}}
			for _, name := range opNames(large.kind) {
				b.Run(name, func(b *testing.B) { benchmarkOperation(b, f.Editor, src, opt, large.kind, name, data) })
			}
		})
	}
}

func benchmarkOperation(b *testing.B, ed formats.Editor, src formats.Source, opt formats.ApplyOptions, kind formats.Kind, name string, data []byte) {
	for seed := range uint64(20) {
		p := benchPlaces(b, kind, data, rand.New(rand.NewPCG(seed, 1)))
		ops := []json.RawMessage{json.RawMessage(p.op(kind, name))}
		if _, err := ed.Apply(b.Context(), src, io.Discard, ops, opt); err != nil {
			continue
		}
		b.ReportAllocs()
		for b.Loop() {
			_, err := ed.Apply(b.Context(), src, io.Discard, ops, opt)
			require.NoError(b, err)
		}
		return
	}
	b.Skip("the document has no place for it")
}

// benchPlaces is placesOf without reading a million cells into a tree.
func benchPlaces(b *testing.B, kind formats.Kind, data []byte, r *rand.Rand) *place {
	if kind != formats.KindXlsx {
		return placesOf(b, kind, data, r)
	}
	p := &place{r: r, sheets: []string{"Data"}, cells: map[string][]string{}, other: "other.xlsx", words: []string{"north", "note"}}
	for row := 2; row < 60; row++ {
		for col := 1; col <= 10; col++ {
			p.cells["Data"] = append(p.cells["Data"], fmt.Sprintf("%s%d", columnName(col), row))
		}
	}
	return p
}
