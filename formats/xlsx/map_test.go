package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
)

func mapOf(t testing.TB, in []byte, opt formats.MapOptions) (*reader.Map, string) {
	t.Helper()
	m, err := Format().Mapper.Map(context.Background(), src(in), opt)
	require.NoError(t, err)
	js, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(js), formats.MaxMap)
	return m.(*reader.Map), string(js)
}

func TestMap(t *testing.T) { // W-33
	in := fixture(t, func(f *excelize.File) {
		f.SetCellValue("Sheet1", "A1", "Name")
		f.SetCellValue("Sheet1", "C7", 1)
		f.SetCellFormula("Sheet1", "B2", "C7")
		f.MergeCell("Sheet1", "A9", "B9")
		f.AddTable("Sheet1", &excelize.Table{Range: "A1:B2", Name: "T"})
		f.NewSheet("Hid")
		f.SetSheetVisible("Hid", false)
		f.SetDefinedName(&excelize.DefinedName{Name: "N", RefersTo: "Sheet1!$A$1"})
		f.AddChart("Hid", "A1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Values: "Sheet1!$A$1"}}})
	})
	_, js := mapOf(t, in, formats.MapOptions{})
	require.JSONEq(t, `{"chunk_rows":50,"sheets":[
		{"name":"Sheet1","row_count":7,"col_count":3,"used_range":"A1:C7","chunk_count":1,"formula_count":1,"formulas_without_value":1,"merged_count":1,
		 "regions":[{"range":"A1:B2","header_row":1,"headers":["Name","Column2"]},{"range":"C7"}],
		 "tables":[{"name":"T","range":"A1:B2","headers":["Name","Column2"]}]},
		{"name":"Hid","row_count":0,"col_count":0,"hidden":"hidden","has_charts":true,"chart_count":1}],
		"read_include":["charts"],
		"defined_names":[{"name":"N","refers_to":"Sheet1!$A$1"}]}`, js)
}

func TestMapSaysWhatHangsOnASheet(t *testing.T) { // W-33
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Data")
		f.SetSheetRow("Data", "A1", &[]any{"Sales of the year"})
		f.SetSheetRow("Data", "A2", &[]any{"Region", "Product", 2023, 2024})
		for r := range 20 {
			f.SetSheetRow("Data", fmt.Sprintf("A%d", r+3), &[]any{"North", "Tea", r, r * 2})
		}
		f.SetCellValue("Data", "G5", "apart")
		f.AutoFilter("Data", "A2:D22", nil)
		f.SetPanes("Data", &excelize.Panes{Freeze: true, XSplit: 1, YSplit: 2, TopLeftCell: "B3", ActivePane: "bottomRight"})
		f.SetRowVisible("Data", 7, false)
		f.SetRowVisible("Data", 8, false)
		f.SetColVisible("Data", "C", false)
		f.ProtectSheet("Data", &excelize.SheetProtectionOptions{Password: "x"})
		f.AddComment("Data", excelize.Comment{Cell: "A3", Author: "Ann", Text: "look"})
		f.AddDataValidation("Data", func() *excelize.DataValidation { d := excelize.NewDataValidation(true); d.SetSqref("D3:D9"); return d }())
		f.SetConditionalFormat("Data", "C3:C9", []excelize.ConditionalFormatOptions{{Type: "data_bar", Criteria: "=", MinType: "min", MaxType: "max", BarColor: "#638EC6"}})
		f.AddChart("Data", "H2", &excelize.Chart{Type: excelize.Col, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Growth"}}}, Series: []excelize.ChartSeries{{Values: "Data!$C$3:$C$9"}}})
		f.NewSheet("P")
		f.SetCalcProps(&excelize.CalcPropsOptions{CalcMode: ptr("manual"), FullCalcOnLoad: ptr(true)})
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Data!A2:D22", PivotTableRange: "P!A3:F20", Rows: []excelize.PivotTableField{{Data: "Region"}}, Data: []excelize.PivotTableField{{Data: "Product", Subtotal: "Count"}}}))
	})
	m, js := mapOf(t, in, formats.MapOptions{Sheet: "data"})
	require.Len(t, m.Sheets, 1)
	s := m.Sheets[0]
	require.Equal(t, 2, m.SheetCount)
	require.Equal(t, "manual", m.CalcMode)
	require.True(t, m.CalcOnLoad)
	require.Equal(t, []reader.RegionMap{
		{Range: "A1:D22", Label: "Sales of the year", HeaderRow: 2, Headers: []string{"Region", "Product", "2023", "2024"}},
		{Range: "G5", Label: "apart"}}, s.Regions, js)
	require.Equal(t, "A2:D22", s.AutoFilter)
	require.Equal(t, "B3", s.Frozen)
	require.True(t, s.Protected)
	require.Equal(t, []int{2, 1, 1, 1, 1}, []int{s.HiddenRows, s.HiddenCols, s.Comments, s.Validations, s.Conditional})
	require.Equal(t, []string{"7:8", "C:C"}, s.HiddenAt)
	require.Len(t, s.Charts, 1)
	require.Equal(t, "Growth", s.Charts[0].Title)
	require.Equal(t, []string{"column"}, s.Charts[0].Types)
	require.True(t, strings.HasPrefix(s.Charts[0].Anchor, "H2:"), s.Charts[0].Anchor)
	m, js = mapOf(t, in, formats.MapOptions{Detail: true})
	require.Len(t, m.Sheets[1].Pivots, 1, js)
	require.Equal(t, "'Data'!A2:D22", m.Sheets[1].Pivots[0].Source)
	m, _ = mapOf(t, in, formats.MapOptions{})
	require.Equal(t, 1, m.Sheets[0].ChartCount)
	require.Empty(t, m.Sheets[0].Charts, "without detail the count is enough")
	_, err := Format().Mapper.Map(context.Background(), src(in), formats.MapOptions{Sheet: "none"})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

func ptr[T any](v T) *T { return &v }

// TestPeerMapsGrowWithTheFile: whatever the file, at most 8 KiB, and what is
// left out is counted.
func TestPeerMapsGrowWithTheFile(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		for i := range 300 {
			f.NewSheet(fmt.Sprintf("A sheet of some name %d", i))
		}
	})
	m, _ := mapOf(t, in, formats.MapOptions{})
	require.Equal(t, 301, len(m.Sheets)+m.SheetsOmitted)

	in = fixture(t, func(f *excelize.File) {
		for i := range 300 {
			f.SetCellValue("Sheet1", cellref.Name(3*i+1, 1), strings.Repeat("ä", 100))
			f.SetDefinedName(&excelize.DefinedName{Name: fmt.Sprintf("N%d", i), RefersTo: "Sheet1!$A$1"})
		}
		for i := range 1000 {
			f.SetCellValue("Sheet1", cellref.Name(2000, i+1), fmt.Sprintf("some header %d", i))
			f.SetCellValue("Sheet1", cellref.Name(2001, i+1), i)
		}
	})
	for _, opt := range []formats.MapOptions{{}, {Detail: true}, {Sheet: "Sheet1"}} {
		m, js := mapOf(t, in, opt)
		require.Equal(t, 301, len(m.Sheets[0].Regions)+m.Sheets[0].RegionsOmitted, js)
		require.Equal(t, 300, len(m.Names)+m.NamesOmitted)
	}
}

// TestIslands compares the streaming search with components of the cells.
func TestIslands(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		cells := map[cellref.Cell]bool{}
		for range 1 + rnd.IntN(6) {
			r, c := 1+rnd.IntN(30), 1+rnd.IntN(20)
			for i := range 1 + rnd.IntN(5) {
				for j := range 1 + rnd.IntN(5) {
					cells[cellref.At(r+i, c+j)] = true
				}
			}
		}
		g := &reader.Islands{}
		for r := 1; r < 50; r++ {
			for c := 1; c < 50; c++ {
				if cells[cellref.At(r, c)] {
					g.Add(r, c, nil)
				}
			}
		}
		got, omitted := g.Finish()
		require.Zero(t, omitted)
		n := 0
		for i, a := range got {
			n += a.Cells
			for _, b := range got[i+1:] {
				require.False(t, a.Meets(b.Range), "%v %v", a.Range, b.Range)
			}
		}
		require.Equal(t, len(cells), n)
		for at := range cells {
			hits := 0
			for _, a := range got {
				if a.Has(at.Row, at.Col) {
					hits++
					for _, n := range []cellref.Cell{cellref.At(at.Row+1, at.Col), cellref.At(at.Row, at.Col+1), cellref.At(at.Row+1, at.Col+1)} {
						require.True(t, !cells[n] || a.Has(n.Row, n.Col), "neighbours are of one island")
					}
				}
			}
			require.Equal(t, 1, hits)
		}
	}
}

// TestX18IslandsAreBounded: cells against all order, and a checkerboard.
func TestX18IslandsAreBounded(t *testing.T) {
	g := &reader.Islands{}
	for r := 1; r < 400; r += 2 {
		for c := 1; c <= 2000; c += 2 {
			g.Add(r, c, &reader.HeadCell{Col: c, Text: "x", Label: true})
		}
	}
	list, omitted := g.Finish()
	require.Equal(t, 200*1000, len(list)+omitted)
	require.LessOrEqual(t, len(list), reader.MaxIslands)
	g = &reader.Islands{}
	for i := range 200_000 {
		g.Add(1, 1+i%2*2, nil)
		require.LessOrEqual(t, len(g.Runs), cellref.MaxCol)
	}
	for i := range 100_000 {
		g.Add(100_000-i, i%5*3+1, nil)
	}
	list, _ = g.Finish()
	require.LessOrEqual(t, len(list), reader.MaxIslands)
}

// Rows that are compared with the forms of others give the map that their cells give.
func TestMapOfTheCorpusIsThatOfItsCells(t *testing.T) {
	t.Cleanup(func() { sheetml.CompareRows = true })
	for _, path := range formatstest.Corpus(t, "xlsx") {
		var got [2]string
		for i, compare := range []bool{false, true} {
			sheetml.CompareRows = compare
			m, err := Format().Mapper.Map(t.Context(), src(load(t, path)), formats.MapOptions{Detail: true})
			js, _ := json.Marshal(m)
			got[i] = fmt.Sprint(string(js), err)
		}
		require.Equal(t, got[0], got[1], filepath.Base(path))
	}
}

func TestMapOfTheCorpusWithDetail(t *testing.T) {
	pivots, threads, charts := 0, 0, 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		m, err := Format().Mapper.Map(context.Background(), src(load(t, path)), formats.MapOptions{Detail: true})
		if !typedError(t, err) {
			continue
		}
		js, err := json.Marshal(m)
		require.NoError(t, err)
		require.LessOrEqual(t, len(js), formats.MaxMap, filepath.Base(path))
		for _, s := range m.(*reader.Map).Sheets {
			pivots += s.PivotCount
			threads += s.Comments
			charts += s.ChartCount
		}
	}
	require.NotZero(t, pivots)
	require.NotZero(t, threads)
	require.NotZero(t, charts)
}
