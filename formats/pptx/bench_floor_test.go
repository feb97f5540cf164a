package pptx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// BenchmarkReplaceFloor replaces a word on each of 400 slides. "×floor" is its
// time against the least that it can take: inflating and deflating the slides.
func BenchmarkReplaceFloor(b *testing.B) {
	var list []json.RawMessage
	for i := range 400 {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"op":"add_slide","title":"Slide %d","body":%q}`, i, strings.Repeat("the words of a body\n", 20))))
	}
	var made bytes.Buffer
	_, err := editor{}.Apply(ctx, nil, &made, list, formats.ApplyOptions{})
	require.NoError(b, err)
	src := formats.FromBytes("deck.pptx", made.Bytes())
	var own, floor time.Duration
	for b.Loop() {
		start := time.Now()
		_, err := editor{}.Apply(ctx, src, io.Discard, ops(`{"op":"replace_text","search":"the","replace":"THE"}`), formats.ApplyOptions{})
		require.NoError(b, err)
		own += time.Since(start)
		b.StopTimer()
		start = time.Now()
		pkg, err := opc.Open(ctx, src)
		require.NoError(b, err)
		e := pkg.Edit()
		for i := range 400 {
			name := fmt.Sprintf("ppt/slides/slide%d.xml", i+1)
			doc, err := pkg.Read(ctx, name)
			require.NoError(b, err)
			e.Set(name, doc)
		}
		require.NoError(b, e.Write(ctx, io.Discard))
		floor += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(own)/float64(floor), "×floor")
}
