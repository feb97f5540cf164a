package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
)

// Each benchmark runs on a workbook of 100,001 rows × 10 columns and on one of
// 1,000,000 × 10. Cold ones forget what earlier calls left; peak-MB is the
// most the heap held.

func benchmarkBooks(b *testing.B, cold bool, fn func(b *testing.B, s formats.Source, rows int)) {
	for _, book := range []struct {
		name string
		rows int
	}{{"100k", 100_001}, {"1M", 1_000_000}} {
		b.Run(book.name, func(b *testing.B) {
			path := ""
			if book.rows == 1_000_000 {
				path = million(b)
			} else {
				path = formatstest.Bench(b, "big_100k.xlsx")
			}
			s, err := formats.OpenFile(path)
			require.NoError(b, err)
			defer s.Close()
			forget()
			if !cold {
				fn(b, s, book.rows)
			}
			peak := watchHeap()
			for b.Loop() {
				if cold {
					forget()
				}
				fn(b, s, book.rows)
			}
			b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
		})
	}
}

// forget drops what calls leave for later ones.
func forget() {
	reader.MapCache.Clear()
	book.PartIndex.Clear()
}

// watchHeap samples the heap until the function it returns is called.
func watchHeap() (peak func() uint64) {
	done := make(chan struct{})
	var top uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(s)
			top = max(top, s[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	return func() uint64 { close(done); wg.Wait(); return top }
}

var millionOnce sync.Mutex

// million is the path of a workbook of 1,000,000 rows × 10 columns: 480 MB of
// sheet XML with numbers, dates, shared and inline strings.
func million(b *testing.B) string {
	millionOnce.Lock()
	defer millionOnce.Unlock()
	path := filepath.Join(os.TempDir(), "atelier-bench-1m.xlsx")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	f, err := os.CreateTemp(os.TempDir(), "atelier-bench-*.tmp")
	require.NoError(b, err)
	defer f.Close()
	in := raw(b, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `"><si><t>North</t></si><si><t>South</t></si></sst>`}, "SHEET")
	zr, err := zip.NewReader(bytes.NewReader(in), int64(len(in)))
	require.NoError(b, err)
	zw := zip.NewWriter(f)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) })
	for _, e := range zr.File {
		if e.Name != sheet1 {
			require.NoError(b, zw.Copy(e))
			continue
		}
		w, err := zw.Create(e.Name)
		require.NoError(b, err)
		writeMillion(bufio.NewWriterSize(w, 1<<20))
	}
	require.NoError(b, zw.Close())
	require.NoError(b, os.Rename(f.Name(), path))
	return path
}

func writeMillion(w *bufio.Writer) {
	fmt.Fprintf(w, `<worksheet xmlns="%s"><dimension ref="A1:J1000000"/><sheetData>`, sheetml.Namespace)
	x := uint64(1)
	for r := 1; r <= 1_000_000; r++ {
		fmt.Fprintf(w, `<row r="%d" spans="1:10">`, r)
		for c := 1; c <= 10; c++ {
			x = x*6364136223846793005 + 1442695040888963407
			switch c {
			case 1:
				fmt.Fprintf(w, `<c r="A%d"><v>%d</v></c>`, r, r)
			case 3:
				fmt.Fprintf(w, `<c r="C%d" t="s"><v>%d</v></c>`, r, x>>63)
			case 4:
				fmt.Fprintf(w, `<c r="D%d" t="inlineStr"><is><t>Note %d on it</t></is></c>`, r, x>>56)
			default:
				fmt.Fprintf(w, `<c r="%s%d" s="0"><v>%d.%d</v></c>`, cellref.ColumnName(c), r, x>>50, x>>57&63)
			}
		}
		w.WriteString("</row>")
	}
	w.WriteString("</sheetData></worksheet>")
	w.Flush()
}

func benchRead(b *testing.B, s formats.Source, rng string) {
	text, err := Format().Reader.Read(context.Background(), s, formats.Selector{Range: rng})
	require.NoError(b, err)
	require.Greater(b, len(text.Text), 500)
}

func BenchmarkMapCold(b *testing.B) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, _ int) {
		_, err := Format().Mapper.Map(context.Background(), s, formats.MapOptions{})
		require.NoError(b, err)
	})
}

func BenchmarkMapWarm(b *testing.B) {
	benchmarkBooks(b, false, func(b *testing.B, s formats.Source, _ int) {
		_, err := Format().Mapper.Map(context.Background(), s, formats.MapOptions{})
		require.NoError(b, err)
	})
}

func BenchmarkReadStartCold(b *testing.B) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, _ int) { benchRead(b, s, "A1:J50") })
}

func BenchmarkReadMiddleCold(b *testing.B) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, rows int) {
		benchRead(b, s, fmt.Sprintf("A%d:J%d", rows/2, rows/2+49))
	})
}

func BenchmarkReadMiddleWarm(b *testing.B) {
	benchmarkBooks(b, false, func(b *testing.B, s formats.Source, rows int) {
		benchRead(b, s, fmt.Sprintf("A%d:J%d", rows/2, rows/2+49))
	})
}

func BenchmarkSet10(b *testing.B) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, rows int) {
		wb, err := open(context.Background(), s)
		require.NoError(b, err)
		var ops []json.RawMessage
		for i := range 10 {
			ops = append(ops, json.RawMessage(fmt.Sprintf(`{"op":"set_cells","sheet":%q,"cells":[{"cell":"C%d","value":"new"}]}`, wb.Sheets[0].Name, i*rows/10+2)))
		}
		_, err = Format().Editor.Apply(context.Background(), s, io.Discard, ops, formats.ApplyOptions{})
		require.NoError(b, err)
	})
}

// BenchmarkCopySheet is the least an edit of the sheet can take: inflate it and
// deflate it again.
func BenchmarkCopySheet(b *testing.B) {
	benchmarkBooks(b, true, func(b *testing.B, s formats.Source, _ int) {
		wb, err := open(context.Background(), s)
		require.NoError(b, err)
		rc, err := wb.Package.Stream(context.Background(), wb.Sheets[0].Part)
		require.NoError(b, err)
		defer rc.Close()
		w, err := flate.NewWriter(io.Discard, -1)
		require.NoError(b, err)
		_, err = io.Copy(w, rc)
		require.NoError(b, err)
		require.NoError(b, w.Close())
	})
}

func BenchmarkStructural(b *testing.B) {
	for _, js := range []string{
		`{"op":"insert_rows","sheet":"SHEET","row":3,"count":2}`,
		`{"op":"insert_columns","sheet":"SHEET","column":"B"}`,
		`{"op":"sort_range","sheet":"SHEET","range":"A2:J100001","by":[{"column":"B"}]}`,
		`{"op":"replace_text","search":"a","replace":"b"}`,
		`{"op":"copy_sheet","sheet":"SHEET"}`,
	} {
		b.Run(js[7:17], func(b *testing.B) {
			s, err := formats.OpenFile(formatstest.Bench(b, "big_100k.xlsx"))
			require.NoError(b, err)
			defer s.Close()
			wb, err := open(context.Background(), s)
			require.NoError(b, err)
			op := []json.RawMessage{json.RawMessage(strings.ReplaceAll(js, "SHEET", wb.Sheets[0].Name))}
			peak := watchHeap()
			for b.Loop() {
				_, err := Format().Editor.Apply(context.Background(), s, io.Discard, op, formats.ApplyOptions{})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
		})
	}
}
