package xlsx_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx"
)

func applied(t *testing.T, src formats.Source, ops ...string) formats.Source {
	t.Helper()
	var raw []json.RawMessage
	for _, op := range ops {
		raw = append(raw, json.RawMessage(op))
	}
	var out bytes.Buffer
	_, err := xlsx.Format().Editor.Apply(context.Background(), src, &out, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return formats.FromBytes("t.xlsx", out.Bytes())
}

func allRows(t *testing.T, src formats.Source, sheet, rng string) [][]xlsx.Value {
	t.Helper()
	r, err := xlsx.Rows(context.Background(), src, sheet, rng)
	require.NoError(t, err)
	defer r.Close()
	var out [][]xlsx.Value
	for {
		row, err := r.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		out = append(out, append([]xlsx.Value(nil), row...))
	}
}

func TestTableRowsTypes(t *testing.T) {
	src := applied(t, nil,
		`{"op":"set_range","sheet":"S","start":"B2","literal":true,"values":[["n","d","t"],[1.5,45000,"=1+1"],[null,45000.5,true]]}`,
		`{"op":"set_cells","sheet":"S","cells":[{"cell":"E3","value":"=SUM(1,2)"}]}`,
		`{"op":"set_style","sheet":"S","range":"C3:C4","style":{"number_format":"yyyy-mm-dd hh:mm"}}`)
	text := func(s string) xlsx.Value { return xlsx.Value{Kind: xlsx.TextValue, Text: s} }
	num := func(f float64) xlsx.Value { return xlsx.Value{Kind: xlsx.NumberValue, Number: f} }
	date := func(s string, f float64) xlsx.Value { return xlsx.Value{Kind: xlsx.DateValue, Text: s, Number: f} }
	want := [][]xlsx.Value{
		{{}, text("n"), text("d"), text("t")},
		{{}, num(1.5), date("2023-03-15", 45000), text("=1+1"), {Kind: xlsx.Uncalculated}},
		{{}, {}, date("2023-03-15T12:00:00", 45000.5), {Kind: xlsx.BoolValue, Number: 1}},
	}
	require.Equal(t, want, allRows(t, src, "", ""))
	require.Equal(t, [][]xlsx.Value{{num(1.5), date("2023-03-15", 45000)}, {{}, date("2023-03-15T12:00:00", 45000.5)}}, allRows(t, src, "S", "B3:C9"))
	_, err := xlsx.Rows(context.Background(), src, "X", "")
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
	_, err = xlsx.Rows(context.Background(), src, "S", "A1,B2")
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	for _, s := range []string{"2023-03-15", "2023-03-15T12:00:00", "2023-03-15 12:00:00", "12:00:00"} {
		_, ok := xlsx.Serial(s, false)
		require.True(t, ok, s)
	}
	v, _ := xlsx.Serial("2023-03-15T12:00:00", false)
	require.Equal(t, 45000.5, v)
	_, ok := xlsx.Serial("1900-01-01", false)
	require.False(t, ok)
	v, _ = xlsx.Serial("2023-03-15", true)
	require.Equal(t, 45000.0-1462, v)
	n := 0
	require.NoError(t, xlsx.Filled(context.Background(), src, "S", func(int, int) error { n++; return nil }))
	require.Equal(t, 9, n)
}

// peers.md: CSV text starting with = becomes a live formula.
func TestPeerTextBecomesFormula(t *testing.T) {
	src := applied(t, nil, `{"op":"set_range","sheet":"S","start":"A1","literal":true,"values":[["=1+1","-2","+3","@x",7]]}`)
	part := string(formatstest.Parts(t, readAll(t, src))["xl/worksheets/sheet1.xml"])
	require.NotContains(t, part, "<f>")
	require.Equal(t, 4, strings.Count(part, `t="inlineStr"`)+strings.Count(part, `t="s"`), part)
}

func readAll(t *testing.T, src formats.Source) []byte {
	b, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	return b
}

// Every workbook of the corpus that opens can be read as typed rows.
func TestTableRowsCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole corpus: left out with -short")
	}
	for _, path := range formatstest.Sample(t, "xlsx") {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		r, err := xlsx.Rows(context.Background(), src, "", "")
		for n := 0; err == nil && n < 100_000; n++ {
			_, err = r.Next()
		}
		if r != nil {
			r.Close()
		}
		if err != nil && err != io.EOF {
			require.NotEmpty(t, formats.CodeOf(err), "%s: %v", path, err)
		}
		src.Close()
	}
}
