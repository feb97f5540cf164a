package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// sortedSheet is the XML of a sheet after its rows were sorted.
func sortedSheet(t *testing.T, rows, op string) (string, formats.Report) {
	t.Helper()
	out, rep := apply(t, raw(t, nil, `<sheetData>`+rows+`</sheetData>`), `[`+op+`]`)
	return part(t, out, sheet1), rep
}

// Rows that the sheet does not have get cells, rows that it has twice get them once, and
// cells that are not in order come into order.
func TestSortOfOddRows(t *testing.T) {
	const op = `{"op":"sort_range","sheet":"S1","range":"A1:C5","by":[{"column":"A"}]}`
	got, rep := sortedSheet(t, `<row r="1"><c r="B1"><v>3</v></c><c r="A1"><v>9</v></c><c r="D1"><v>1</v></c></row><row r="3" ht="20"><c r="A3"><v>5</v></c></row><row r="3"><c r="B3" s="1"/></row><row r="5"><c r="A5"><v>1</v></c><c r="C5"/></row>`, op)
	require.Contains(t, got, `<row r="1"><c r="A1"><v>1</v></c><c r="D1"><v>1</v></c></row>`)
	require.Contains(t, got, `<row r="2"><c r="A2"><v>5</v></c><c r="B2" s="1"/></row>`)
	require.Contains(t, got, `<row r="3" ht="20"><c r="A3"><v>9</v></c><c r="B3"><v>3</v></c></row><row r="3"></row>`)
	require.Contains(t, got, `<row r="5"><c r="C5"/></row>`)
	require.Equal(t, 5, rep.Ops[0].Hits)

	// Cells without references are counted, so that those behind them stay.
	got, _ = sortedSheet(t, `<row><c><v>2</v></c><c><v>7</v></c><c/><c><v>8</v></c></row><row><c><v>1</v></c></row>`, op)
	require.Contains(t, got, `<row><c r="A1"><v>1</v></c><c r="B1"/><c/><c><v>8</v></c></row>`)
	require.Contains(t, got, `<row><c r="A2"><v>2</v></c><c r="B2"><v>7</v></c></row>`)
}

// Rows are sorted alike in memory and through the temporary file; an error of the file is
// told, and nothing is written.
func TestSortThroughAFile(t *testing.T) {
	var rows strings.Builder
	for r := 1; r <= 30_000; r++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="inlineStr"><is><t>text %d %s</t></is></c><c r="C%d"><f>A%d*2</f><v>1</v></c></row>`, r, r, r*7919%30_011, r, r, strings.Repeat("x", 90), r, r)
	}
	in := raw(t, nil, `<sheetData>`+rows.String()+`</sheetData>`)
	const op = `[{"op":"sort_range","sheet":"S1","range":"A1:C30000","by":[{"column":"A","descending":true},{"column":"B"}]}]`
	want, _ := apply(t, in, op)
	before := maxHeldChunks
	defer func() { maxHeldChunks = before }()
	maxHeldChunks = 1
	size := maxBucket
	defer func() { maxBucket = size }()
	maxBucket = 100_000
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	got, rep := apply(t, in, op)
	require.Equal(t, want, got)
	require.Greater(t, rep.Ops[0].Hits, 20_000)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	var out bytes.Buffer
	_, err = Format().Editor.Apply(t.Context(), formats.FromBytes("a.xlsx", in), &out, []json.RawMessage{json.RawMessage(op[1 : len(op)-1])}, formats.ApplyOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Zero(t, out.Len())
}

// Formulas move with their rows, those that share one and stay are written out.
func TestSortMovesFormulas(t *testing.T) {
	got, rep := sortedSheet(t, `<row r="1"><c r="A1"><v>3</v></c><c r="B1"><f t="shared" ref="B1:B4" si="0">A1*2</f><v>6</v></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c></row><row r="4"><c r="A4"><v>9</v></c><c r="B4"><f t="shared" si="0"/><v>18</v></c></row>`,
		`{"op":"sort_range","sheet":"S1","range":"A1:B2","by":[{"column":"A"}]}`)
	require.Contains(t, got, `<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f></c></row><row r="2"><c r="A2"><v>3</v></c><c r="B2"><f>A2*2</f></c></row>`)
	require.Contains(t, got, `<c r="B4"><f>A4*2</f><v>18</v></c>`)
	require.Equal(t, 4, rep.Ops[0].Cells)
}

// Packed cells come back as they were added, in the order of their columns, also those in
// the temporary file, which is gone afterwards.
func TestPackedRowsComeBack(t *testing.T) {
	before := maxHeldChunks
	defer func() { maxHeldChunks = before }()
	maxHeldChunks = 2
	size := maxBucket
	defer func() { maxBucket = size }()
	maxBucket = 40_000
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	spills := 0
	defer func() {
		require.Positive(t, spills)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}()
	rapid.Check(t, func(t *rapid.T) {
		m := &movedRows{block: cellref.Block(3, 1, 40, cellref.MaxCol), prefix: rapid.SampledFrom([]string{"", "x:"}).Draw(t, "prefix")}
		want := map[int]map[int]string{}
		for range rapid.IntRange(1, 60).Draw(t, "cells") {
			row, col := rapid.IntRange(3, 12).Draw(t, "row"), rapid.SampledFrom([]int{1, 2, 3, 63, 64, 200, cellref.MaxCol}).Draw(t, "column")
			style := rapid.SampledFrom([]int{0, 0, 7, 400}).Draw(t, "style")
			text := strings.Repeat(rapid.SampledFrom([]string{"", "5", "A1+1"}).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 50, packedChunk / 3}).Draw(t, "times"))
			s := ""
			if style > 0 {
				s = fmt.Sprintf(` s="%d"`, style)
			}
			if want[row] == nil {
				want[row] = map[int]string{}
			}
			if rapid.Bool().Draw(t, "formula") {
				require.NoError(t, m.addFormula(row, col, style, text))
				want[row][col] = fmt.Sprintf("%d=%s", style, text)
				continue
			}
			require.NoError(t, m.addValue(row, col, style, sheetml.TypeShared, []byte(text), nil))
			want[row][col] = s + "/>"
			if text != "" {
				want[row][col] = fmt.Sprintf(`%s t="s"><%sv>%s</%sv></%sc>`, s, m.prefix, text, m.prefix, m.prefix)
			}
		}
		check := func() {
			for row, cells := range want {
				last, n := 0, 0
				for _, c := range inOrder(m.unpack(nil, m.row(row))) {
					require.Greater(t, c.col, last)
					last = c.col
					n++
					got := string(c.text)
					if c.formula {
						got = fmt.Sprintf("%d=%s", c.style, c.text)
					}
					require.Equal(t, cells[c.col], got)
				}
				require.Equal(t, len(cells), n)
			}
		}
		check()
		for k := range m.rows.n - rapid.IntRange(0, 1).Draw(t, "unsorted") {
			m.from = append(m.from, int32(k))
		}
		m.from = rapid.Permutation(m.from).Draw(t, "from")
		require.NoError(t, m.arrange(context.Background()))
		check()
		require.NoError(t, m.failed())
		if m.spill.file != nil {
			spills++
		}
		require.NoError(t, m.Close())
	})
}

// Many columns to sort by over rows that are far apart are refused, not held.
func TestSortOfTooManyValues(t *testing.T) {
	by := strings.Repeat(`,{"column":"A"}`, 40)[1:]
	_, err := Format().Editor.Apply(t.Context(), formats.FromBytes("a.xlsx", raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c></row><row r="1048576"><c r="B1048576"><v>1</v></c></row></sheetData>`)), io.Discard,
		[]json.RawMessage{json.RawMessage(`{"op":"sort_range","sheet":"S1","range":"A:B","by":[` + by + `]}`)}, formats.ApplyOptions{})
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), err)
}
