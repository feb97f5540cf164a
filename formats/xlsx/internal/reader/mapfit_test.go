package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
)

// largeMap has n of everything on each of a number of sheets.
func largeMap(sheets, n int) *Map {
	m := &Map{Sheets: []SheetMap{}, ChunkRows: chunkRows}
	heads := func() (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("header %d", i))
		}
		return out
	}
	for i := range sheets {
		s := SheetMap{Name: fmt.Sprintf("Sheet number %d", i)}
		for j := range n {
			s.Regions = append(s.Regions, RegionMap{Range: "A1:B2", HeaderRow: 1, Headers: heads()})
			s.Tables = append(s.Tables, TableMap{Name: fmt.Sprintf("Table%d", j), Headers: heads()})
			s.Charts, s.Pivots = append(s.Charts, ChartMap{Title: "c"}), append(s.Pivots, PivotMap{Name: "p"})
			s.Merged, s.HiddenAt = append(s.Merged, "A1:B2"), append(s.HiddenAt, "1:2")
		}
		m.Sheets = append(m.Sheets, s)
	}
	for i := range n {
		m.Names = append(m.Names, NameMap{Name: fmt.Sprintf("Name%d", i), RefersTo: "A!$A$1"})
	}
	return m
}

// Whatever is in a map, it fits, and what it has and what it left out come to
// what there was.
func TestMapsFit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sheets, n := rapid.IntRange(1, 40).Draw(rt, "sheets"), rapid.IntRange(0, 9).Draw(rt, "n")
		opt := formats.MapOptions{Detail: rapid.Bool().Draw(rt, "detail")}
		if sheets == 1 && rapid.Bool().Draw(rt, "one") {
			opt.Sheet = "x"
		}
		m := largeMap(sheets, n)
		small := m.Size() < formats.MaxMap
		m.fit(opt)
		require.LessOrEqual(rt, m.Size(), formats.MaxMap)
		require.Equal(rt, sheets, len(m.Sheets)+m.SheetsOmitted)
		require.Equal(rt, n, len(m.Names)+m.NamesOmitted)
		for _, s := range m.Sheets {
			require.Equal(rt, n, len(s.Regions)+s.RegionsOmitted)
			require.Equal(rt, n, len(s.Tables)+s.TablesOmitted)
			for _, r := range s.Regions {
				require.Equal(rt, n, len(r.Headers)+r.HeadersOmitted)
			}
			if (opt.Detail || opt.Sheet != "") && len(s.Charts) < n {
				require.True(rt, s.DetailsCut)
			}
		}
		if small && (opt.Detail || opt.Sheet != "") {
			require.Empty(rt, m.Note)
			require.Len(rt, m.Sheets[0].Regions, n)
		}
	})
}

func TestStepsOfFitting(t *testing.T) {
	m := largeMap(1, 8)
	m.fit(formats.MapOptions{})
	require.Equal(t, []int{6, 2, 8, 0}, []int{len(m.Sheets[0].Regions), m.Sheets[0].RegionsOmitted, len(m.Sheets[0].Tables), len(m.Sheets[0].Charts)}, "counts are enough without detail")
	require.Empty(t, m.Note)
	require.False(t, m.Sheets[0].DetailsCut)
	m = largeMap(1, 8)
	m.fit(formats.MapOptions{Sheet: "x"})
	require.Equal(t, []int{8, 8, 8}, []int{len(m.Sheets[0].Regions), len(m.Sheets[0].Charts), len(m.Sheets[0].HiddenAt)})
	m = largeMap(1, 60)
	m.fit(formats.MapOptions{Sheet: "x"})
	require.Equal(t, "not all of this sheet fits; read it by range", m.Note)
	m = largeMap(20, 20)
	m.fit(formats.MapOptions{})
	require.Equal(t, "map one sheet (sheet=NAME) for more about it", m.Note)
	m = &Map{}
	for i := range 400 {
		m.Sheets = append(m.Sheets, SheetMap{Name: fmt.Sprintf("%d %s", i, strings.Repeat("n", 28))})
	}
	m.fit(formats.MapOptions{})
	require.Equal(t, 400, m.SheetCount)
	require.Equal(t, "0 "+strings.Repeat("n", 28), m.Sheets[0].Name, "the first are kept")
	require.Greater(t, len(m.Sheets), 80)
}

func TestCutHeaders(t *testing.T) {
	for _, c := range []struct{ n, omitted, keep, left, out int }{{3, 0, 3, 3, 0}, {3, 2, 2, 2, 3}, {3, 0, 0, 0, 3}, {0, 1, 5, 0, 1}} {
		h, omitted := cutHeaders(make([]string, c.n), c.omitted, c.keep)
		require.Equal(t, []int{c.left, c.out}, []int{len(h), omitted}, "%+v", c)
	}
}
