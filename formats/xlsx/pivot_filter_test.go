package xlsx

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// filteredRows are the rows of a pivot table of pivotBook under its header; a refresh
// reads the filter back and changes no byte, and the file has no error of the schema.
func filteredRows(t *testing.T, design string) string {
	t.Helper()
	out, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P",`+design+`}]`)
	same, _ := apply(t, out, `[{"op":"refresh_pivot"}]`)
	require.Equal(t, out, same, design)
	formatstest.Validate(t, formatstest.Write(t, "filtered.xlsx", out), "")
	var rows []string
	for _, r := range excelRows(t, out, "P")[3:] {
		rows = append(rows, strings.TrimSpace(strings.Join(r, " ")))
	}
	return strings.Join(rows, "; ")
}

// Items are kept by their labels; case does not count, and * and ? stand for others.
func TestPivotLabelFilters(t *testing.T) {
	// Region: East 20, North 24, West 22, blank 12; Product: Apple 20, Fig 27, Pear 31
	for filter, want := range map[string]string{
		`"condition":"begins_with","value":"e"`:               "East 20; Grand Total 20",
		`"condition":"not_begins_with","value":"E"`:           "North 24; West 22; (blank) 12; Grand Total 58",
		`"condition":"ends_with","value":"ST"`:                "East 20; West 22; Grand Total 42",
		`"condition":"contains","value":"or"`:                 "North 24; Grand Total 24",
		`"condition":"not_contains","value":"s"`:              "North 24; (blank) 12; Grand Total 36",
		`"condition":"equals","value":"?est"`:                 "West 22; Grand Total 22",
		`"condition":"not_equals","value":"west"`:             "East 20; North 24; (blank) 12; Grand Total 56",
		`"condition":"between","value":"F","value2":"Norway"`: "North 24; Grand Total 24",
		`"condition":">=","value":"North"`:                    "North 24; West 22; Grand Total 46",
		`"condition":"equals","value":"no such"`:              "",
	} {
		got := filteredRows(t, `"row_fields":[{"field":"Region","filter":{`+filter+`}}],"value_fields":["Units"]`)
		require.Equal(t, want, strings.TrimPrefix(got, "Grand Total"), filter)
	}
	require.Equal(t, "5 50.5; 6 60.25; 7 70; Grand Total 180.75", filteredRows(t, `"row_fields":[{"field":"Units","filter":{"condition":"between","value":5,"value2":"7"}}],"value_fields":["Amount"]`), "labels that are numbers")
}

// Items are kept by a value: within the item over them, and by what earlier filters let
// through.
func TestPivotValueFilters(t *testing.T) {
	region := func(filter string) string {
		return filteredRows(t, `"row_fields":[{"field":"Region","filter":`+filter+`}],"value_fields":["Units",{"field":"Amount","function":"max","name":"Largest"}]`)
	}
	require.Equal(t, "North 24 110.2; West 22 100.1; Grand Total 46 110.2", region(`{"condition":"top","value":2,"by":"Sum of Units"}`))
	require.Equal(t, "(blank) 12 5; Grand Total 12 5", region(`{"condition":"bottom","value":1,"by":"Largest"}`))
	require.Equal(t, "East 20 90; West 22 100.1; Grand Total 42 100.1", region(`{"condition":"between","value":20,"value2":22,"by":"Units"}`))
	require.Equal(t, "North 24 110.2; West 22 100.1; Grand Total 46 110.2", region(`{"condition":"top_percent","value":50,"by":"Units"}`))
	require.Equal(t, "North 24 110.2; West 22 100.1; Grand Total 46 110.2", region(`{"condition":"top_sum","value":46,"by":"Units"}`))
	require.Equal(t, "West 22 100.1; Grand Total 22 100.1", region(`[{"condition":"ends_with","value":"st"},{"condition":"top","value":1,"by":"Units"}]`), "of those that a label keeps")
	require.Equal(t, "East 9; Fig 9; North 11; Fig 11; West 11; Pear 11; (blank) 12; Pear 12; Grand Total 43", filteredRows(t, `"row_fields":["Region",{"field":"Product","filter":{"condition":"top","value":1}}],"value_fields":["Units"]`), "the first of each region")
}

// Items that are dates are kept by bounds or by stretches of the calendar.
func TestPivotDateFilters(t *testing.T) {
	dates := func(filter string) string {
		return filteredRows(t, `"row_fields":[{"field":"Date","filter":`+filter+`}],"value_fields":["Units"]`)
	}
	require.Equal(t, "45700 11; 45750 12; Grand Total 23", dates(`{"condition":"after","value":"2025-01-15"}`))
	require.Equal(t, "45306 1; Grand Total 1", dates(`{"condition":"before","value":"2024-02-15"}`))
	require.Equal(t, "45306 1; 45337 2; Grand Total 3", dates(`{"condition":"between","value":"2024-01-15","value2":"2024-02-15"}`))
	require.Equal(t, "45306 1; 45337 2; 45672 10; 45700 11; Grand Total 24", dates(`{"condition":"q1"}`))
	require.Equal(t, "45306 1; 45672 10; Grand Total 11", dates(`{"condition":"m1"}`))

	out, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Date","filter":{"condition":"before","value":"2024-02-15"}}],"value_fields":["Units"]}]`)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), "rows: Date (only dates that are before 2024-02-15)")

	now := time.Date(2025, 1, 20, 23, 0, 0, 0, time.UTC)
	last := func(condition string, now time.Time) string {
		var out strings.Builder
		_, err := Format().Editor.Apply(t.Context(), src(pivotBook(t)), &out, ops(t, `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Date","filter":{"condition":"`+condition+`"}}],"value_fields":["Units"]}]`), formats.ApplyOptions{Now: now})
		require.NoError(t, err)
		return rowOf(t, []byte(out.String()), "P", "Grand Total")[1]
	}
	require.Equal(t, "33", last("this_year", now))
	require.Equal(t, "45", last("last_year", now))
	require.Equal(t, "10", last("this_month", now))
	require.Equal(t, "10", last("last_week", now))
	require.Equal(t, "10", last("year_to_date", now))
	require.Equal(t, "17", last("last_quarter", now))
	require.Equal(t, "10", last("yesterday", now.AddDate(0, 0, -4)))
}

// The top items of random data are those that a second calculation finds.
func TestPivotTopOfRandomData(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 7))
		sums := map[string]int{}
		in := fixture(t, func(f *excelize.File) {
			require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"K", "V"}))
			for i := range 80 {
				k, v := fmt.Sprintf("k%02d", r.IntN(20)), r.IntN(50)
				require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{k, v}))
				sums[k] += v
			}
		})
		n := 1 + r.IntN(10)
		out, _ := apply(t, in, fmt.Sprintf(`[{"op":"add_pivot","source":"Sheet1!A:B","sheet":"P","row_fields":[{"field":"K","filter":{"condition":"top","value":%d}}],"value_fields":["V"]}]`, n))
		var list []int
		for _, v := range sums {
			list = append(list, v)
		}
		sort.Sort(sort.Reverse(sort.IntSlice(list)))
		least := list[min(n, len(list))-1]
		shown, whole := 0, 0
		for _, row := range excelRows(t, out, "P")[3:] {
			if row[0] == "Grand Total" {
				require.Equal(t, fmt.Sprint(whole), row[1], "seed %d", seed)
				continue
			}
			require.Equal(t, fmt.Sprint(sums[row[0]]), row[1])
			require.GreaterOrEqual(t, sums[row[0]], least)
			whole += sums[row[0]]
			shown++
		}
		for _, v := range list {
			if v >= least {
				shown--
			}
		}
		require.Zero(t, shown, "seed %d", seed)
	}
}

// Filters stay when other members change, go with their fields, and stand in reviews.
func TestChangePivotFilters(t *testing.T) {
	in, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Region","filter":[{"condition":"ends_with","value":"st"},{"condition":"top","value":1}]}],"value_fields":["Units"]}]`)
	require.Contains(t, read(t, in, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), `rows: Region (only labels that end with "st", only the top 1 by Sum of Units)`)
	more, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","value_fields":["Amount","Units"],"layout":"tabular"}]`)
	require.Equal(t, []string{"West", "220.6", "22"}, rowOf(t, more, "P", "West"))
	require.Len(t, excelRows(t, more, "P"), 5)
	_, _, err := tryApply(t, in, `[{"op":"change_pivot","name":"PivotTable1","value_fields":["Amount"]}]`)
	require.ErrorContains(t, err, "the field Region is filtered by the value Sum of Units")
	gone, _ := apply(t, in, `[{"op":"change_pivot","name":"PivotTable1","row_fields":["Region"]}]`)
	require.NotContains(t, part(t, gone, "xl/pivotTables/pivotTable1.xml"), "<filter")
	d, err := Format().Differ.Diff(t.Context(), src(in), src(gone), formats.DiffOptions{})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(d.Facts), "only the top 1 by Sum of Units")
	for filter, want := range map[string]string{
		`{"condition":"like","value":"a"}`:                         "unknown condition like; use equals",
		`{"condition":"between","value":"a"}`:                      "value2 goes with between",
		`{"condition":"equals"}`:                                   "equals needs a value",
		`{"condition":"top","value":0}`:                            "top: 0 is no number of items above 0",
		`{"condition":"top","value":3,"by":"Amount"}`:              "by: the name of a value is needed; the values are Sum of Units",
		`{"condition":"begins_with","value":"a","by":"Units"}`:     "begins_with compares labels, not values",
		`{"condition":"this_year"}`:                                "this_year is for dates",
		`{"condition":"greater_than","value":"many","by":"Units"}`: "many is no number",
		`{"kind":"x"}`: "an object such as",
		`[{"condition":"equals","value":"a"},{"condition":"contains","value":"b"}]`: "one filter of labels or dates and one by a value",
	} {
		_, _, err := tryApply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P","row_fields":[{"field":"Region","filter":`+filter+`}],"value_fields":["Units"]}]`)
		require.ErrorContains(t, err, want, filter)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), filter)
	}
}
