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
	"atelier/internal/cputime"
)

// BenchmarkReplaceFloor replaces a word on each of 400 slides. "×floor" is its
// processor time against the least that it can take: inflating and deflating the slides.
func BenchmarkReplaceFloor(b *testing.B) {
	src := floorDeck(b)
	var own, floor time.Duration
	for b.Loop() {
		own += cpuOf(b, src, `{"op":"replace_text","search":"the","replace":"THE"}`)
		b.StopTimer()
		floor += slidesFloor(b, src, 400)
		b.StartTimer()
	}
	b.ReportMetric(float64(own)/float64(floor), "×floor")
	b.ReportMetric(float64(own.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// BenchmarkReplaceOne replaces a word on one of 400 slides.
func BenchmarkReplaceOne(b *testing.B) {
	src := floorDeck(b)
	var own, floor time.Duration
	for b.Loop() {
		own += cpuOf(b, src, `{"op":"replace_text","search":"Slide 222","replace":"The slide"}`)
		b.StopTimer()
		floor += slidesFloor(b, src, 1)
		b.StartTimer()
	}
	b.ReportMetric(float64(own)/float64(floor), "×floor")
	b.ReportMetric(float64(own.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// floorDeck is a deck of 400 slides.
func floorDeck(b *testing.B) formats.Source {
	var list []json.RawMessage
	for i := range 400 {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"op":"add_slide","title":"Slide %d","body":%q}`, i, strings.Repeat("the words of a body\n", 20))))
	}
	var made bytes.Buffer
	_, err := editor{}.Apply(ctx, nil, &made, list, formats.ApplyOptions{})
	require.NoError(b, err)
	return formats.FromBytes("deck.pptx", made.Bytes())
}

// cpuOf returns the processor time that an operation takes.
func cpuOf(b *testing.B, src formats.Source, op string) time.Duration {
	start := cputime.Used()
	_, err := editor{}.Apply(ctx, src, io.Discard, ops(op), formats.ApplyOptions{})
	require.NoError(b, err)
	return cputime.Used() - start
}

// slidesFloor returns the processor time that inflating all slides and deflating the
// first of them takes.
func slidesFloor(b *testing.B, src formats.Source, written int) time.Duration {
	start := cputime.Used()
	pkg, err := opc.Open(ctx, src)
	require.NoError(b, err)
	e := pkg.Edit()
	for i := range 400 {
		name := fmt.Sprintf("ppt/slides/slide%d.xml", i+1)
		doc, err := pkg.Read(ctx, name)
		require.NoError(b, err)
		if i < written {
			e.Set(name, doc)
		}
	}
	require.NoError(b, e.Write(ctx, io.Discard))
	return cputime.Used() - start
}
