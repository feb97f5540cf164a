package whatif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/whatif"
	"atelier/internal/campaign"
)

// In every workbook of the corpus, what a question answers is what an edit with the same
// change stores, and nothing is left of one scenario in the next.
func TestAnswersAreThoseOfAnEdit(t *testing.T) {
	campaign.Slow(t)
	books, cells := 0, 0
	for _, path := range formatstest.CorpusFiles(t, "xlsx/*.xls[xm]") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("book.xlsx", data)
		if opc.Locked(src) || len(data) > 4<<20 {
			continue
		}
		name := read(t, src)
		if name == "" {
			continue
		}
		n := checkEdit(t, filepath.Base(path), src, name)
		if n > 0 {
			books, cells = books+1, cells+n
		}
	}
	formatstest.Report(t, "whatif: %d values in %d workbooks are those of an edit", cells, books)
	require.Greater(t, books, 3)
}

// read returns a cell with a number that formulas read, "" where there is none.
func read(t *testing.T, src formats.Source) string {
	wb, err := book.Open(t.Context(), src)
	if err != nil {
		return ""
	}
	b, err := calc.Load(t.Context(), wb)
	if err != nil {
		return ""
	}
	if _, err := b.Recalculate(t.Context(), calc.Request{}); err != nil {
		return ""
	}
	found, tried := "", 0
	for i, s := range wb.Sheets {
		b.EachCell(calc.Area{Sheet: i, Range: cellref.WholeSheet}, func(at calc.Place, v calc.Value) bool {
			if tried > 500 || b.HasFormula(at) || v.Kind() != calc.Number {
				return tried <= 500
			}
			tried++
			trial, err := b.Try(t.Context(), calc.Options{}, []calc.Input{{At: at, Value: calc.Num(v.Num() + 1)}})
			require.NoError(t, err)
			n := 0
			trial.EachDependant(func(at calc.Place, was, now calc.Value) {
				if now.Kind() != calc.Unknown && was != now {
					n++
				}
			})
			trial.Close()
			if n > 0 && !trial.Resized {
				found = formula.QuoteSheet(s.Name) + "!" + cellref.Name(at.Row, at.Col)
			}
			return found == "" && !trial.Resized
		})
		if found != "" {
			break
		}
	}
	return found
}

// checkEdit compares the answer with what an edit stores, and returns how many values.
func checkEdit(t *testing.T, name string, src formats.Source, cell string) int {
	now := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	a, err := whatif.Ask(t.Context(), src, whatif.Question{Scenarios: []whatif.Scenario{{Name: "other", Set: map[string]any{cell: 3.5}}, {Name: "this", Set: map[string]any{cell: 7.25}}, {Name: "text", Set: map[string]any{cell: "x"}}, {Name: "again", Set: map[string]any{cell: 7.25}}}, Now: now})
	require.NoError(t, err, name)
	sheet, at, _ := cellref.CutSheet(cell)
	op, err := json.Marshal(map[string]any{"op": "set_cells", "sheet": sheet, "cells": []any{map[string]any{"cell": at, "value": 7.25}}})
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = xlsx.Format().Editor.Apply(t.Context(), src, &out, []json.RawMessage{op}, formats.ApplyOptions{Calculate: true, Now: now})
	if err != nil { // a workbook that refuses edits
		return 0
	}
	var list []string
	for _, c := range a.Cells {
		s, at, _ := cellref.CutSheet(c.At)
		list = append(list, formula.QuoteSheet(s)+"!"+at)
	}
	b, err := whatif.Ask(t.Context(), formats.FromBytes("book.xlsx", out.Bytes()), whatif.Question{Read: list, Now: now})
	require.NoError(t, err, name)
	n := 0
	for i, c := range a.Cells {
		would, ok := c.WouldBe.(map[string]any)
		if !ok || i >= len(b.Cells) {
			continue
		}
		require.Equal(t, c.At, b.Cells[i].At)
		if v, known := would["this"]; known {
			require.Equal(t, fmt.Sprint(v), fmt.Sprint(b.Cells[i].Now), "%s %s with %s", name, c.At, cell)
			require.True(t, reflect.DeepEqual(v, would["again"]), "%s %s", name, c.At)
			n++
		}
	}
	return n
}
