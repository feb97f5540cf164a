package xlsx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// dependantsBook has 100,000 rows of four numbers and one more column: numbers, formulas
// that all read A1, or a chain in which each formula reads the one above.
func dependantsBook(b *testing.B, kind string) []byte {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= 100_000; r++ {
		cell := fmt.Sprintf(`<c r="E%d"><v>%d</v></c>`, r, r)
		switch {
		case kind == "fan":
			cell = fmt.Sprintf(`<c r="E%d"><f>$A$1*B%d+SUM(B%d:D%d)</f><v>%d</v></c>`, r, r, r, r, r)
		case kind == "chain" && r > 1:
			cell = fmt.Sprintf(`<c r="E%d"><f>E%d+B%d+$A$1</f><v>%d</v></c>`, r, r-1, r, r)
		}
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>1</v></c><c r="B%d"><v>%d.25</v></c><c r="C%d"><v>%d</v></c><c r="D%d"><v>%d</v></c>%s</row>`, r, r, r, r*7%1000, r, r*31%977, r, r*13%10007, cell)
	}
	return xlsxtest.Raw(b, nil, sb.String()+"</sheetData>")
}

// BenchmarkDependants sets one cell on which no formula, or 100,000, depend.
func BenchmarkDependants(b *testing.B) {
	for _, kind := range []string{"none", "fan", "chain"} {
		b.Run(kind, func(b *testing.B) {
			in := formats.FromBytes("book.xlsx", dependantsBook(b, kind))
			op := []json.RawMessage{json.RawMessage(`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":3}]}`)}
			var out bytes.Buffer
			rep, err := editor{}.Apply(b.Context(), in, &out, op, formats.ApplyOptions{Calculate: true})
			require.NoError(b, err)
			require.Equal(b, map[string]int{"fan": 100_000, "chain": 99_999}[kind], rep.Calculated)
			from := cpuSeconds()
			for b.Loop() {
				_, err := editor{}.Apply(b.Context(), in, io.Discard, op, formats.ApplyOptions{Calculate: true})
				require.NoError(b, err)
			}
			b.ReportMetric((cpuSeconds()-from)/float64(b.N), "cpu-s/op")
		})
	}
}

// benchmarkEdit sets A1, on which a number of formulas depend.
func benchmarkEdit(b *testing.B, in []byte, depend int) {
	src := formats.FromBytes("book.xlsx", in)
	op := []json.RawMessage{json.RawMessage(`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":3}]}`)}
	b.ReportAllocs()
	for b.Loop() {
		rep, err := editor{}.Apply(b.Context(), src, io.Discard, op, formats.ApplyOptions{Calculate: true})
		require.NoError(b, err)
		require.Equal(b, depend, rep.Calculated)
	}
}
