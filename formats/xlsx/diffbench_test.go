package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// tenCells is a workbook of rows × 10 cells, texts and formulas among them, and
// one with ten cells of it changed.
func tenCells(t testing.TB, rows int) (before, after formats.Source) {
	t.Helper()
	ctx := context.Background()
	editor := Format().Editor
	values := make([][]any, rows)
	for r := range values {
		values[r] = []any{r + 1, fmt.Sprintf("item %d", r+1), "north", 12.5, float64(r) * 1.25, "2026-03-02", "pending", r % 7, fmt.Sprintf("note %d", r%500), fmt.Sprintf("=A%d*D%d", r+1, r+1)}
	}
	apply := func(src formats.Source, ops ...map[string]any) formats.Source {
		var raw []json.RawMessage
		for _, op := range ops {
			b, err := json.Marshal(op)
			require.NoError(t, err)
			raw = append(raw, b)
		}
		var out bytes.Buffer
		_, err := editor.Apply(ctx, src, &out, raw, formats.ApplyOptions{})
		require.NoError(t, err)
		return formats.FromBytes("big.xlsx", out.Bytes())
	}
	before = apply(nil, map[string]any{"op": "ensure_sheet", "sheet": "Data"}, map[string]any{"op": "set_range", "sheet": "Data", "start": "A1", "values": values},
		map[string]any{"op": "ensure_sheet", "sheet": "Other"}, map[string]any{"op": "set_range", "sheet": "Other", "start": "A1", "values": values[:rows/10]})
	var cells []any
	for i := range 10 {
		cells = append(cells, map[string]any{"cell": fmt.Sprintf("D%d", i*rows/10+3), "value": 99})
	}
	return before, apply(before, map[string]any{"op": "set_cells", "sheet": "Data", "cells": cells})
}

// RV-03: ten changed cells of a large sheet are ten changes.
func TestRV03TenCells(t *testing.T) {
	a, b := tenCells(t, 5000)
	d, err := Format().Differ.Diff(context.Background(), a, b, formats.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, "10 cells in 1 sheet", d.Summary)
	require.Len(t, d.Groups, 1)
	require.Len(t, d.Groups[0].Items, 10)
}

// BenchmarkDiff compares a workbook of 100,000 rows × 10 with itself but for
// ten cells.
func BenchmarkDiff(b *testing.B) {
	before, after := tenCells(b, 100_000)
	b.Logf("%d bytes", before.Size())
	b.ReportAllocs()
	b.ResetTimer()
	peak := watchHeap()
	for b.Loop() {
		d, err := Format().Differ.Diff(context.Background(), before, after, formats.DiffOptions{})
		if err != nil || d.Summary != "10 cells in 1 sheet" {
			b.Fatal(d, err)
		}
	}
	b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
}

// RV-03: a number that became text is a change, though it looks the same.
func TestRV03NumberToText(t *testing.T) {
	a := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetCellValue("Sheet1", "A1", 5))
		require.NoError(t, f.SetCellValue("Sheet1", "A2", 6))
	})
	b := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetCellValue("Sheet1", "A1", "5"))
		require.NoError(t, f.SetCellValue("Sheet1", "A2", 6))
	})
	d := diffOf(t, a, b)
	require.Equal(t, "1 cell in 1 sheet", d.Summary)
	require.Equal(t, []string{"number → text"}, d.Groups[0].Items[0].Notes)
	require.Equal(t, []string{"text → number"}, diffOf(t, b, a).Groups[0].Items[0].Notes)
}

// RV-03: a value that its format hides is compared all the same.
func TestRV03HiddenByFormat(t *testing.T) {
	book := func(v int) []byte {
		return fixture(t, func(f *excelize.File) {
			hidden := ";;;"
			st, err := f.NewStyle(&excelize.Style{CustomNumFmt: &hidden})
			require.NoError(t, err)
			require.NoError(t, f.SetCellValue("Sheet1", "A1", v))
			require.NoError(t, f.SetCellStyle("Sheet1", "A1", "A1", st))
		})
	}
	d := diffOf(t, book(100), book(900))
	require.Len(t, d.Groups, 1)
	require.Equal(t, "900", d.Groups[0].Items[0].New)
}

// RV-03: more changes than are listed are counted, in sheets of any size.
func TestRV03ManyChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("compares 60,000 rows: left out with -short")
	}
	book := func(text string) formats.Source {
		return src(fixture(t, func(f *excelize.File) {
			w, err := f.NewStreamWriter("Sheet1")
			require.NoError(t, err)
			for r := 1; r <= 60_000; r++ {
				require.NoError(t, w.SetRow(cellref.Name(r, 1), []any{text + " " + cellref.Name(r, 1)}))
			}
			require.NoError(t, w.Flush())
		}))
	}
	d, err := Format().Differ.Diff(context.Background(), book("old"), book("new"), formats.DiffOptions{MaxItems: 10})
	require.NoError(t, err)
	require.Equal(t, "60000 cells in 1 sheet", d.Summary)
	require.Len(t, d.Groups[0].Items, 10)
	require.Equal(t, 59_990, d.Omitted)
}
