package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/pdf"
)

// What is prepared waits for a pause between calls, happens once, and ends with
// the engine.
func TestPrepareInAPause(t *testing.T) {
	var done atomic.Int32
	var p preparing
	began := make(chan struct{}, 1)
	const after = 300 * time.Millisecond
	p.start(after, func(ctx context.Context) error {
		done.Add(1)
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	var longest time.Duration // between two calls
	for last, start := time.Now(), time.Now(); time.Since(start) < 3*after; {
		p.touch()
		longest, last = max(longest, time.Since(last)), time.Now()
		time.Sleep(10 * time.Millisecond)
	}
	busy := done.Load()
	select {
	case <-began:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was prepared")
	}
	if longest < after { // a busy machine may have made a pause
		require.Zero(t, busy)
	}
	p.stop()
	time.Sleep(50 * time.Millisecond)
	require.Equal(t, int32(1), done.Load())
	var none preparing
	none.touch()
	none.stop()
}

// The first read of a PDF in a data folder waits for nothing that the engine had
// time to do.
func TestPreparedPDF(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the PDF reader")
	}
	dir := t.TempDir()
	f := pdf.Format(pdf.Options{CacheDir: dir})
	set := formats.NewSet(f)
	require.NoError(t, set.Prepare(t.Context()))
	src := formats.FromBytes("a.pdf", formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET", ""))
	start := time.Now()
	text, err := f.Reader.Read(t.Context(), src, formats.Selector{})
	require.NoError(t, err)
	require.Contains(t, text.Text, "Dear sir")
	t.Log("the first read took", time.Since(start))
	start = time.Now()
	require.NoError(t, formats.NewSet(pdf.Format(pdf.Options{CacheDir: dir})).Prepare(t.Context()))
	require.Less(t, time.Since(start), 50*time.Millisecond, "it was prepared")
}
