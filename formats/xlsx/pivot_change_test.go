package xlsx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

const regionPivot = `{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region"],"column_fields":["Product"],"value_fields":["Amount"]}`

// rowOf is the row of a sheet that begins with a text.
func rowOf(t *testing.T, b []byte, sheet, first string) []string {
	for _, r := range excelRows(t, b, sheet) {
		if len(r) > 0 && r[0] == first {
			return r
		}
	}
	require.Fail(t, "no row", first)
	return nil
}

// A new pivot table has a whole cache, and its values stand in the cells.
func TestAddPivot(t *testing.T) {
	out, rep := apply(t, pivotBook(t), "["+regionPivot+"]")
	require.Equal(t, "pivot table PivotTable1 at P!A3:E9", rep.Ops[0].Made)
	require.Equal(t, []string{"East", "80.5", "90", "30.75", "201.25"}, rowOf(t, out, "P", "East"))
	require.Equal(t, []string{"Grand Total", "201", "270.2", "196.85", "668.05"}, rowOf(t, out, "P", "Grand Total"))
	pivots, err := excel(t, out).GetPivotTables("P")
	require.NoError(t, err)
	require.Len(t, pivots, 1)
	require.Equal(t, "Data!A1:E13", pivots[0].DataRange)
	require.Equal(t, "Region", pivots[0].Rows[0].Data)
	require.Contains(t, part(t, out, "xl/pivotCache/pivotCacheRecords1.xml"), `count="12"`)
	cache := part(t, out, "xl/pivotCache/pivotCacheDefinition1.xml")
	require.Contains(t, cache, `<sharedItems count="3"><s v="Pear"/><s v="Apple"/><s v="Fig"/></sharedItems>`, "apple and Apple are one item")
	require.Contains(t, cache, `<sharedItems containsSemiMixedTypes="0" containsNonDate="0" containsDate="1" containsString="0" minDate="2024-01-15T00:00:00"`)
	text := read(t, out, formats.Selector{Sheet: "P", Include: []string{"pivots"}})
	require.Contains(t, text, "PivotTable1 at A3:E9, from 'Data'!A1:E13\n  rows: Region; columns: Product; values: sum of Amount")
	require.NotContains(t, text, "empty")
}

// A second program's totals of random data are those of the pivot table.
func TestPivotOfRandomData(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		sums, counts := map[string]float64{}, map[string]int{}
		in := fixture(t, func(f *excelize.File) {
			require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"K", "L", "V"}))
			for i := range 60 {
				k, l, v := fmt.Sprintf("k%d", rnd.IntN(5)), fmt.Sprintf("l%d", rnd.IntN(4)), float64(rnd.IntN(2000)-500)/4
				require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{k, l, v}))
				for _, key := range []string{k + l, k, l, ""} {
					sums[key] += v
					counts[key]++
				}
			}
		})
		out, _ := apply(t, in, `[{"op":"add_pivot","source":"Sheet1!A:C","sheet":"P","row_fields":["K"],"column_fields":["L","(values)"],"value_fields":["V",{"field":"V","function":"count"}],"subtotals":false}]`)
		rows := excelRows(t, out, "P")
		cols := rows[3][1:]
		for _, r := range rows[5:] {
			k := strings.TrimPrefix(r[0], "Grand Total")
			for c := 1; c < len(r); c++ {
				l := ""
				if c <= len(cols) {
					l = cols[c-1]
				}
				if c%2 == 0 {
					l = cols[c-2]
				}
				l = map[bool]string{true: "", false: l}[strings.HasPrefix(l, "Total")]
				want := sums[k+l]
				if c%2 == 0 {
					want = float64(counts[k+l])
				}
				if counts[k+l] > 0 {
					require.InDelta(t, want, numbersOf([]string{r[c]})[0], 1e-9, "%d %q %q", seed, k, l)
				}
			}
		}
	}
}

// A refresh follows the source; without a change of it the file stays byte for byte.
func TestRefreshPivot(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	same, rep := apply(t, in, `[{"op":"refresh_pivot"}]`)
	require.Equal(t, in, same)
	require.True(t, rep.Ops[0].Unchanged)

	stale, rep := apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"A13","value":"South"},{"cell":"D2","value":1000}]}]`)
	require.Equal(t, []string{`1 pivot table shows the values from before this change: PivotTable1 on sheet "P"; op refresh_pivot calculates them anew`}, rep.Warnings)
	require.Equal(t, "668.05", rowOf(t, stale, "P", "Grand Total")[4])
	now, rep := apply(t, stale, `[{"op":"refresh_pivot","name":"pivottable1"}]`)
	require.Equal(t, []string{"pivot table PivotTable1 at P!A3:E9: 12 cells changed"}, rep.Ops[0].Notes)
	require.Equal(t, []string{"South", "", "", "5", "5"}, rowOf(t, now, "P", "South"))
	require.Equal(t, "1657.55", rowOf(t, now, "P", "Grand Total")[4])
	require.Contains(t, part(t, now, "xl/pivotCache/pivotCacheDefinition1.xml"), `<s v="West"/><s v="East"/><s v="North"/><m/><s v="South"/>`, "items keep their numbers")
	require.Contains(t, part(t, now, "xl/pivotTables/pivotTable1.xml"), `<item m="1" x="3"/>`)

	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D2","value":1000}]},{"op":"refresh_pivot"}]`)
	require.Empty(t, rep.Warnings, "it is refreshed in the same call")
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"H2","value":1000}]}]`)
	require.Empty(t, rep.Warnings, "no cell of the source")
	_, rep = apply(t, in, `[{"op":"delete_rows","sheet":"Data","row":3}]`)
	require.Contains(t, strings.Join(rep.Warnings, "\n"), "PivotTable1")
}

// A pivot table shrinks and grows with its items; old cells are cleared.
func TestRefreshPivotOfAnotherSize(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	small, _ := apply(t, in, `[{"op":"set_range","sheet":"Data","start":"A2","values":[["One"],["One"],["One"],["One"],["One"],["One"],["One"],["One"],["One"],["One"],["One"],["One"]]},{"op":"refresh_pivot"}]`)
	require.Len(t, excelRows(t, small, "P"), 6)
	require.Contains(t, part(t, small, "xl/pivotTables/pivotTable1.xml"), `ref="A3:E6"`)
	large, _ := apply(t, small, `[{"op":"set_range","sheet":"Data","start":"A2","values":[["a"],["b"],["c"],["d"],["e"],["f"],["g"],["h"]]},{"op":"refresh_pivot"}]`)
	require.Equal(t, []string{"Grand Total", "201", "270.2", "196.85", "668.05"}, rowOf(t, large, "P", "Grand Total"))
	blocked, _ := apply(t, small, `[{"op":"set_cells","sheet":"P","cells":[{"cell":"B8","value":"mine"}]},{"op":"set_range","sheet":"Data","start":"A2","values":[["a"],["b"],["c"],["d"],["e"],["f"],["g"],["h"]]}]`)
	_, _, err := tryApply(t, blocked, `[{"op":"refresh_pivot","name":"PivotTable1"}]`)
	require.ErrorContains(t, err, "1 cell is filled: P!B8")
	_, rep := apply(t, blocked, `[{"op":"refresh_pivot"}]`)
	require.Contains(t, rep.Ops[0].Warnings[0], "left as it was")
}

func TestChangePivot(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	out, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Product",{"field":"Date","group":"years"}],"column_fields":[],"value_fields":["Amount",{"field":"Units","function":"max"}],"filter_fields":[{"field":"Region","item":"West"}],"layout":"tabular"}]`)
	require.Equal(t, []string{"Region", "West"}, excelRows(t, out, "P")[2])
	require.Equal(t, []string{"Pear", "2024", "10.5", "1"}, rowOf(t, out, "P", "Pear"))
	require.Equal(t, []string{"Pear Total", "", "110.6", "10"}, rowOf(t, out, "P", "Pear Total"))
	require.Contains(t, read(t, out, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), "rows: Product, Date; columns: (values); filters: Region = West; values: sum of Amount, max of Units")
	back, _ := apply(t, out, `[{"op":"change_pivot","name":"PivotTable1","filter_fields":[],"value_fields":["Amount"]},{"op":"refresh_pivot"}]`)
	require.Equal(t, "668.05", rowOf(t, back, "P", "Grand Total")[2])
	d, err := Format().Differ.Diff(t.Context(), src(in), src(out), formats.DiffOptions{})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(d.Facts), "rows: Region; columns: Product; values: sum of Amount pivot table PivotTable1 of 'Data'!A1:E13, rows: Product, Date;")
}

// A field is grouped otherwise, or no more, by the member group; its cache follows.
func TestChangePivotGroups(t *testing.T) {
	change := func(b []byte, rows string) []byte {
		out, _ := apply(t, b, `[{"op":"change_pivot","name":"PivotTable1","column_fields":[],"row_fields":[`+rows+`]}]`)
		same, _ := apply(t, out, `[{"op":"refresh_pivot"}]`)
		require.Equal(t, out, same)
		return out
	}
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	plain := change(in, `{"field":"Date"}`)
	months := change(plain, `{"field":"Date","group":["years","months"]}`)
	require.Equal(t, []string{"2024", "452.75"}, rowOf(t, months, "P", "2024"))
	quarters := change(months, `{"field":"Date","group":"quarters"}`)
	require.Equal(t, []string{"Qtr1", "241.05"}, rowOf(t, quarters, "P", "Qtr1"))
	cache := part(t, quarters, "xl/pivotCache/pivotCacheDefinition1.xml")
	require.NotContains(t, cache, "Years", "the field that grouped it is gone")
	require.Contains(t, cache, `groupBy="quarters"`)
	require.Equal(t, excelRows(t, plain, "P"), excelRows(t, change(quarters, `{"field":"Date","group":"none"}`), "P"))
	_, _, err := tryApply(t, months, `[{"op":"change_pivot","name":"PivotTable1","column_fields":[{"field":"Date","group":"quarters"}]}]`)
	require.ErrorContains(t, err, "is there already")
	_, _, err = tryApply(t, months, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Years"],"column_fields":[{"field":"Date","group":"quarters"}]}]`)
	require.ErrorContains(t, err, "the field Years groups Date and is in the table")
}

// What stands for empty values and errors, where subtotals are and which labels are
// repeated is kept by other changes.
func TestPivotTexts(t *testing.T) {
	in, _ := apply(t, pivotBook(t), `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D13","value":"=1/0"}]},{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region","Product"],"column_fields":[{"field":"Date","group":"years"}],"value_fields":[{"field":"Amount","function":"sum"}],"layout":"outline","subtotals_at":"bottom","repeat_labels":true,"empty_text":"0","error_text":"wrong"}]`)
	check := func(b []byte) {
		t.Helper()
		rows := excelRows(t, b, "P")
		require.Contains(t, rows, []string{"East", "Pear", "30.75", "0", "30.75"})
		require.Contains(t, rows, []string{"East Total", "", "201.25", "0", "201.25"})
		require.Contains(t, rows, []string{"(blank)", "Pear", "0", "wrong", "wrong"})
		same, _ := apply(t, b, `[{"op":"refresh_pivot"}]`)
		require.Equal(t, b, same)
	}
	check(in)
	formatstest.Validate(t, formatstest.Write(t, "texts.xlsx", in), "")
	out, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","pivot_style":"PivotStyleMedium2"}]`)
	check(out)
	none, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","empty_text":"","error_text":"","repeat_labels":false}]`)
	require.Contains(t, excelRows(t, none, "P"), []string{"", "Pear", "", "#DIV/0!", "#DIV/0!"})
	_, _, err := tryApply(t, in, `[{"op":"change_pivot","name":"PivotTable1","layout":"compact","repeat_labels":true}]`)
	require.ErrorContains(t, err, "repeat_labels is for the layouts outline and tabular")
	_, _, err = tryApply(t, in, `[{"op":"change_pivot","name":"PivotTable1","subtotals_at":"left"}]`)
	require.ErrorContains(t, err, "unknown subtotals_at left")
}

// Charts of a pivot table whose size or layout changes are told.
func TestPivotChartsAreTold(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+`,{"op":"add_chart","sheet":"P","cell":"H3","type":"bar","range":"A4:D8"}]`)
	in = edited(t, in, "xl/charts/chart1.xml", func(s string) string {
		return strings.Replace(s, "<c:chart>", `<c:pivotSource><c:name>[book.xlsx]P!PivotTable1</c:name><c:fmtId val="0"/></c:pivotSource><c:chart>`, 1)
	})
	_, rep := apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D2","value":1000}]},{"op":"refresh_pivot"}]`)
	require.Empty(t, rep.Ops[1].Warnings, "the table has the same place, and the chart its cells")
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"A2","value":"South"}]},{"op":"refresh_pivot"}]`)
	require.Equal(t, []string{"1 pivot chart of the pivot table PivotTable1 still shows the cells of when the table was at A3:E9; a spreadsheet program draws anew when it refreshes the table"}, rep.Ops[1].Warnings)
	_, rep = apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Units"]}]`)
	require.Contains(t, strings.Join(rep.Ops[0].Warnings, " "), "1 pivot chart of the pivot table")
}

// Columns of a new sheet are as wide as the values in their number formats, with the
// totals, which are the longest.
func TestPivotColumnsFitFormattedTotals(t *testing.T) {
	for _, format := range []string{"#,##0.00", "[$EUR] #,##0.000 \\x", "0.00E+00", "0%", "General"} {
		out, _ := apply(t, pivotBook(t), `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D2","value":1234567.125}]},{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":["Region"],"value_fields":[{"field":"Amount","number_format":`+jsonString(format)+`}]}]`)
		f := excel(t, out)
		width, err := f.GetColWidth("P", "B")
		require.NoError(t, err)
		longest := 0
		for row := 4; row <= 8; row++ {
			shown, err := f.GetCellValue("P", fmt.Sprintf("B%d", row))
			require.NoError(t, err)
			longest = max(longest, len(shown))
		}
		require.Greater(t, longest, 2, format)
		require.GreaterOrEqual(t, width, float64(longest)*1.1+1, "%s: the column is %.1f wide", format, width)
		require.LessOrEqual(t, width, max(float64(longest)*1.1+4, 17), "no wider than it needs to be")
	}
}

// On a sheet that was there, columns without a width of their own get one, and others
// keep theirs.
func TestPivotColumnsOfAnExistingSheet(t *testing.T) {
	out, _ := apply(t, pivotBook(t), `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D2","value":1234567.125}]},{"op":"set_cells","sheet":"P","cells":[{"cell":"A1","value":"x"}]},{"op":"set_column_widths","sheet":"P","columns":[{"column":"A","width":5}]},{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","cell":"A3","row_fields":["Region"],"value_fields":[{"field":"Amount","number_format":"[$EUR] #,##0.000"}]}]`)
	f := excel(t, out)
	width, err := f.GetColWidth("P", "A")
	require.NoError(t, err)
	require.Equal(t, 5.0, width)
	width, err = f.GetColWidth("P", "B")
	require.NoError(t, err)
	require.Greater(t, width, 17.0)
}

// A copied sheet has a table of the same name, over the same cache.
func TestPivotsOfOneName(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+`,{"op":"copy_sheet","sheet":"P","new_name":"Q"}]`)
	_, _, err := tryApply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Product"]}]`)
	require.ErrorContains(t, err, "give the sheet too, such as Q!PivotTable1")
	out, _ := apply(t, in, `[{"op":"change_pivot","name":"Q!PivotTable1","row_fields":["Units"],"column_fields":[]}]`)
	require.Equal(t, excelRows(t, in, "P"), excelRows(t, out, "P"))
	require.Equal(t, []string{"12", "5"}, rowOf(t, out, "Q", "12"))
	again, rep := apply(t, out, `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D13","value":6}]},{"op":"refresh_pivot","name":"P!PivotTable1"}]`)
	require.Len(t, rep.Ops[1].Notes, 2, "both tables of the cache")
	require.Equal(t, []string{"12", "6"}, rowOf(t, again, "Q", "12"))
	_, _, err = tryApply(t, in, `[{"op":"change_pivot","name":"Q!PivotTable1","row_fields":[{"field":"Date","group":["years","months"]}]}]`)
	require.ErrorContains(t, err, "1 other pivot table shares the values")
	less, _ := apply(t, in, `[{"op":"delete_pivot","name":"Q!PivotTable1"},{"op":"refresh_pivot"}]`)
	require.Equal(t, excelRows(t, in, "P"), excelRows(t, less, "P"))
	require.Contains(t, strings.Join(partNames(t, less), " "), "pivotCacheDefinition1")
}

func TestDeletePivot(t *testing.T) {
	in, _ := apply(t, pivotBook(t), `[{"op":"ensure_sheet","sheet":"P"}]`)
	with, _ := apply(t, in, "["+regionPivot+"]")
	out, _ := apply(t, with, `[{"op":"delete_pivot","name":"PivotTable1"}]`)
	require.Empty(t, excelRows(t, out, "P"))
	require.NotContains(t, strings.Join(partNames(t, out), " "), "pivot")
	require.Equal(t, part(t, in, "xl/workbook.xml"), part(t, out, "xl/workbook.xml"))
	require.Equal(t, part(t, in, sheetPart(t, in, "Data")), part(t, out, sheetPart(t, out, "Data")))
	kept, _ := apply(t, with, `[{"op":"delete_pivot","name":"PivotTable1","keep_values":true}]`)
	require.Equal(t, excelRows(t, with, "P"), excelRows(t, kept, "P"))
}

// partNames are the names of the parts of a package.
func partNames(t *testing.T, b []byte) []string {
	wb, err := open(t.Context(), src(b))
	require.NoError(t, err)
	return wb.Package.Names()
}

// The source of a pivot table follows the rows, columns and names of its sheet.
func TestPivotSourceFollows(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	out, _ := apply(t, in, `[{"op":"insert_rows","sheet":"Data","row":1,"count":2},{"op":"insert_columns","sheet":"Data","column":"A"},{"op":"rename_sheet","sheet":"Data","new_name":"My data"},{"op":"refresh_pivot"}]`)
	require.Contains(t, part(t, out, "xl/pivotCache/pivotCacheDefinition1.xml"), `ref="B3:F15" sheet="My data"`)
	require.Equal(t, excelRows(t, in, "P"), excelRows(t, out, "P"))
}

// Formulas of the source that have no value yet are calculated.
func TestPivotOfFormulas(t *testing.T) {
	out, _ := apply(t, pivotBook(t), `[{"op":"set_cells","sheet":"Data","cells":[{"cell":"D2","value":"=E2*1000"}]},`+regionPivot+`]`)
	require.Equal(t, "1657.55", rowOf(t, out, "P", "Grand Total")[4])
}

func TestPivotRefusals(t *testing.T) {
	in, _ := apply(t, pivotBook(t), "["+regionPivot+"]")
	add := func(s string) string { return `{"op":"add_pivot","source":"Data!A1:E13",` + s + `}` }
	for _, c := range [][2]string{
		{add(`"sheet":"P","cell":"C8","row_fields":["Region"],"value_fields":["Units"]`), "would overlap the pivot table PivotTable1"},
		{add(`"sheet":"Data","cell":"G1","row_fields":["Region"],"value_fields":["Units"],"name":"pivottable1"`), "there is a pivot table pivottable1 already"},
		{add(`"sheet":"Data","cell":"C2","row_fields":["Region"],"value_fields":["Units"]`), "overlap its source Data!A1:E13"},
		{add(`"sheet":"Q","row_fields":["Nowhere"],"value_fields":["Units"]`), "row_fields: there is no field Nowhere; the fields are Region, Product, Date, Amount, Units"},
		{add(`"sheet":"Q","row_fields":["Region"],"column_fields":["Region"],"value_fields":["Units"]`), "the field Region is there already"},
		{add(`"sheet":"Q","row_fields":["Region"],"value_fields":[{"field":"Units","function":"median"}]`), "unknown function median; use sum, count"},
		{add(`"sheet":"Q","row_fields":["Region"],"value_fields":[{"field":"Units","name":"Units"}]`), "a field is named Units already"},
		{add(`"sheet":"Q","row_fields":[{"field":"Region","group":"months"}],"value_fields":["Units"]`), `cannot be grouped by dates: record 1 has "West"`},
		{add(`"sheet":"Q","row_fields":[{"field":"Region","hide":["West","East","North",null]}],"value_fields":["Units"]`), "all items of Region would be hidden"},
		{add(`"sheet":"Q","row_fields":["Region"],"filter_fields":[{"field":"Product","item":"Plum"}],"value_fields":["Units"]`), "the field Product has no item Plum; it has Pear, Apple, Fig"},
		{add(`"sheet":"Q","layout":"wide","row_fields":["Region"]`), "unknown layout wide"},
		{add(`"sheet":"Q"`), "needs row_fields, column_fields or value_fields"},
		{`{"op":"add_pivot","source":"Data!A1:H13","sheet":"Q","row_fields":["Region"]}`, "F1 is empty"},
		{`{"op":"add_pivot","source":"Data!A1:E1","sheet":"Q","row_fields":["Region"]}`, "has no row below its header"},
		{`{"op":"add_pivot","source":"Nothing","sheet":"Q","row_fields":["Region"]}`, "neither a range with its sheet"},
		{`{"op":"change_pivot","name":"Other","row_fields":["Region"]}`, "there is no pivot table Other; there are PivotTable1"},
		{`{"op":"delete_pivot","name":"Other"}`, "there is no pivot table Other"},
	} {
		_, _, err := tryApply(t, in, "["+c[0]+"]")
		require.ErrorContains(t, err, c[1], c[0])
	}
	_, _, err := tryApply(t, pivotBook(t), `[{"op":"refresh_pivot"}]`)
	require.ErrorContains(t, err, "no pivot table")
}

// What would take too long or too much memory is refused before.
func TestHostilePivots(t *testing.T) {
	campaign.Slow(t)
	var sb strings.Builder
	sb.WriteString(`<row r="1"><c r="A1" t="inlineStr"><is><t>K</t></is></c><c r="B1" t="inlineStr"><is><t>V</t></is></c></row>`)
	for i := 2; i <= 1<<20; i++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d"><v>1</v></c></row>`, i)
	}
	in := edited(t, fixture(t, func(*excelize.File) {}), "xl/worksheets/sheet1.xml", func(s string) string {
		return s[:strings.Index(s, "<sheetData")] + "<sheetData>" + sb.String() + "</sheetData></worksheet>"
	})
	_, _, err := tryApply(t, in, `[{"op":"add_pivot","source":"Sheet1!A:B","sheet":"P","row_fields":["K"],"value_fields":["V"]}]`)
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.ErrorContains(t, err, "more than 100000 different values")
	out, _ := apply(t, in, `[{"op":"add_pivot","source":"Sheet1!A:B","sheet":"P","row_fields":[{"field":"K","step":100000,"start":0}],"value_fields":["V"]}]`)
	require.Equal(t, []string{"Grand Total", "1048575"}, rowOf(t, out, "P", "Grand Total"))

	_, _, err = tryApply(t, in, `[{"op":"add_pivot","source":"Sheet1!A1:CV1048576","sheet":"P","row_fields":["K"]}]`)
	require.Error(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Format().Editor.Apply(ctx, src(in), &strings.Builder{}, ops(t, `[{"op":"add_pivot","source":"Sheet1!A:B","sheet":"P","row_fields":["K"]}]`), formats.ApplyOptions{})
	require.ErrorIs(t, err, context.Canceled)
}
