package all

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/revert"
)

// BenchmarkRequires finds which changes go back together in large documents with 20
// edited places.
func BenchmarkRequires(b *testing.B) {
	set := Formats(Options{CacheDir: formatstest.Cache})
	for _, large := range []struct {
		file string
		kind formats.Kind
		op   func(i int) string
	}{
		{"big_100k.xlsx", formats.KindXlsx, func(i int) string {
			return fmt.Sprintf(`{"op":"set_cells","sheet":"Data","cells":[{"cell":"B%d","value":"edit %d"}]}`, 10+40*i, i)
		}},
		{"doc_300p.docx", formats.KindDocx, func(i int) string {
			return fmt.Sprintf(`{"op":"insert_paragraph","at":"p%d","text":"edit %d"}`, 3+8*i, i)
		}},
		{"deck_100.pptx", formats.KindPptx, func(i int) string {
			return fmt.Sprintf(`{"op":"add_text_box","index":%d,"text":"edit %d"}`, 1+3*i, i)
		}},
	} {
		b.Run(large.file, func(b *testing.B) {
			data, err := os.ReadFile(formatstest.Bench(b, large.file))
			require.NoError(b, err)
			f := set.Kind(large.kind)
			var ops []json.RawMessage
			for i := range 20 {
				ops = append(ops, json.RawMessage(large.op(i)))
			}
			var now bytes.Buffer
			_, err = f.Editor.Apply(b.Context(), formats.FromBytes(large.file, data), &now, ops, formats.ApplyOptions{})
			require.NoError(b, err)
			before, after := formats.FromBytes(large.file, data), formats.FromBytes(large.file, now.Bytes())
			for b.Loop() {
				plan, err := revert.NewPlan(b.Context(), f, before, after)
				require.NoError(b, err)
				require.Empty(b, plan.Rest)
				b.ReportMetric(float64(len(plan.Groups)), "groups")
			}
		})
	}
}
