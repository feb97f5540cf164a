package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// hiddenRowsOf are the rows that the workbook hides, as excelize reads them.
func hiddenRowsOf(t testing.TB, b []byte, sheet string, last int) (out []int) {
	t.Helper()
	f := excel(t, b)
	for r := 1; r <= last; r++ {
		visible, err := f.GetRowVisible(sheet, r)
		require.NoError(t, err)
		if !visible {
			out = append(out, r)
		}
	}
	return out
}

// filterBook is a list of texts, numbers with a currency, dates and blanks, with a
// sum of the visible rows beside it.
func filterBook(t testing.TB) []byte {
	return fixture(t, func(f *excelize.File) {
		rows := [][]any{
			{"Region", "Net", "When", "Note"},
			{"North", 1500, 46000, "a*b"},
			{"South", 900.5, 46031, nil},
			{"north", 2500, 46031.75, "axb"},
			{"East", nil, 46400, "10"},
			{"West", 1000, 46062, nil},
		}
		for i, row := range rows {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
		}
		money, date := `#,##0.00 "€"`, "yyyy-mm-dd"
		for _, s := range []struct{ from, to, code string }{{"B2", "B6", money}, {"C2", "C6", date}} {
			id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &s.code})
			require.NoError(t, err)
			require.NoError(t, f.SetCellStyle("Sheet1", s.from, s.to, id))
		}
		require.NoError(t, f.SetCellFormula("Sheet1", "F1", "SUBTOTAL(9,B2:B6)"))
	})
}

// Each kind of criterion hides the rows that do not meet it.
func TestFilterRowsKinds(t *testing.T) {
	in := filterBook(t)
	for criteria, want := range map[string][]int{
		`{"column":"A","values":["North"]}`:                                                           {3, 5, 6},
		`{"column":"region","values":["north","West"]}`:                                               {3, 5},
		`{"column":1,"operator":"<>","value":"north"}`:                                                {2, 4},
		`{"column":"A","operator":"contains","value":"T"},{"column":"B","operator":">","value":1000}`: {3, 5, 6},
		`{"column":"A","operator":"begins_with","value":"n"}`:                                         {3, 5, 6},
		`{"column":"A","operator":"not_contains","value":"st"}`:                                       {5, 6},
		`{"column":"A","operator":"ends_with","value":"ST"}`:                                          {2, 3, 4},
		`{"column":"B","values":[1500,"900.50 €"]}`:                                                   {4, 5, 6},
		`{"column":"B","operator":"between","value":900.5,"value2":"1500"}`:                           {4, 5},
		`{"column":"B","operator":"<","value":950,"operator2":">","value2":2000,"or":true}`:           {2, 5, 6},
		`{"column":"B","operator":"blank"}`:                                                           {2, 3, 4, 6},
		`{"column":"B","operator":"not_blank"}`:                                                       {5},
		`{"column":"B","values":[1000],"blanks":true}`:                                                {2, 3, 4},
		`{"column":"B","operator":"top","value":2}`:                                                   {3, 5, 6},
		`{"column":"B","operator":"bottom","value":1}`:                                                {2, 4, 5, 6},
		`{"column":"B","operator":"top_percent","value":50}`:                                          {3, 5, 6},
		`{"column":"B","operator":"above_average"}`:                                                   {3, 5, 6},
		`{"column":"B","operator":"below_average"}`:                                                   {2, 4, 5},
		`{"column":"C","values":["2026-01"]}`:                                                         {2, 5, 6},
		`{"column":"C","values":["2026-01-09","2024"]}`:                                               {2, 5, 6},
		`{"column":"C","operator":">=","value":"2026-02-01"}`:                                         {2, 3, 4},
		`{"column":"D","operator":"=","value":"a~*b"}`:                                                {3, 4, 5, 6},
		`{"column":"D","operator":"=","value":"a*b"}`:                                                 {3, 5, 6},
		`{"column":"D","operator":"contains","value":"a*b"}`:                                          {3, 4, 5, 6},
	} {
		out, rep := apply(t, in, `[{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6","criteria":[`+criteria+`]}]`)
		require.Equal(t, want, hiddenRowsOf(t, out, "Sheet1", 6), criteria)
		require.Equal(t, "Sheet1!A1:D6", rep.Ops[0].Made)
		require.Equal(t, fmt.Sprintf("%s shown, %d of the filter hidden", formats.Count(5-len(want), "row is", "rows are"), len(want)), rep.Ops[0].Notes[0], criteria)
		valid(t, out, in)
		require.NotContains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<f>SUBTOTAL(9,B2:B6)</f><v>`, "its value is that of the visible rows")

		back, _ := apply(t, out, `[{"op":"filter_rows","sheet":"Sheet1","clear":true}]`)
		require.Empty(t, hiddenRowsOf(t, back, "Sheet1", 6))
		plain, _ := apply(t, in, `[{"op":"autofilter","sheet":"Sheet1","range":"A1:D6"}]`)
		require.Equal(t, cellsOf(t, plain), cellsOf(t, back))
		require.NotContains(t, part(t, back, "xl/worksheets/sheet1.xml"), "filterMode")
	}
}

// Criteria of the columns that an operation does not name stay; a value that no
// cell shows is told; the same again changes nothing.
func TestFilterRowsAddUp(t *testing.T) {
	in := filterBook(t)
	one, _ := apply(t, in, `[{"op":"filter_rows","sheet":"Sheet1","range":"A:D","criteria":[{"column":"A","values":["north"]}]}]`)
	two, rep := apply(t, one, `[{"op":"filter_rows","sheet":"Sheet1","criteria":[{"column":"Net","operator":">","value":2000}]}]`)
	require.Equal(t, []int{2, 3, 5, 6}, hiddenRowsOf(t, two, "Sheet1", 6))
	require.Contains(t, part(t, two, sheet1), `<autoFilter ref="A1:D6"><filterColumn colId="0"><filters><filter val="North"/></filters></filterColumn><filterColumn colId="1"><customFilters><customFilter operator="greaterThan" val="2000"/></customFilters></filterColumn></autoFilter>`)
	require.Equal(t, []string{"1 row is shown, 4 of the filter hidden"}, rep.Ops[0].Notes)

	same, rep := apply(t, two, `[{"op":"filter_rows","sheet":"Sheet1","criteria":[{"column":"B","operator":">","value":2000}]}]`)
	require.Equal(t, two, same)
	require.True(t, rep.Ops[0].Unchanged)

	three, _ := apply(t, two, `[{"op":"filter_rows","sheet":"Sheet1","criteria":[{"column":"A","operator":"all"}]}]`)
	require.Equal(t, []int{2, 3, 5, 6}, hiddenRowsOf(t, three, "Sheet1", 6))
	require.NotContains(t, part(t, three, sheet1), `colId="0"`)

	none, rep := apply(t, two, `[{"op":"filter_rows","sheet":"Sheet1","clear":true,"criteria":[{"column":"A","values":["Mars"]}]}]`)
	require.Equal(t, []int{2, 3, 4, 5, 6}, hiddenRowsOf(t, none, "Sheet1", 6))
	require.Equal(t, []string{`no cell of column A shows Mars`, "no row meets the criteria, so all are hidden"}, rep.Ops[0].Warnings)
}

// A table is filtered in its own part, without its totals; the sheet gets no mark.
func TestFilterRowsOfATable(t *testing.T) {
	in := tabledBook(t)
	for _, where := range []string{``, `"range":"fruit",`, `"range":"B2:D5",`, `"range":"B2:D4",`} {
		out, rep := apply(t, in, `[{"op":"filter_rows","sheet":"S1",`+where+`"criteria":[{"column":"Kind","values":["fig"]}]}]`)
		require.Equal(t, "S1!B2:D4", rep.Ops[0].Made)
		require.Contains(t, part(t, out, table1), `<autoFilter ref="B2:D4"><filterColumn colId="0"><filters><filter val="fig"/></filters></filterColumn></autoFilter>`)
		require.Equal(t, []int{3}, hiddenRowsOf(t, out, "S1", 5))
		require.NotContains(t, part(t, out, sheet1), "filterMode")
		require.Contains(t, part(t, out, sheet1), `<f>SUBTOTAL(109,Fruit[Kilos])</f></c>`)
		back, _ := apply(t, out, `[{"op":"filter_rows","sheet":"S1","clear":true}]`)
		require.Equal(t, part(t, in, table1), part(t, back, table1))
	}
	noFilter := edited(t, in, table1, swap(`<autoFilter ref="B2:D4"/>`, ``))
	out, _ := apply(t, noFilter, `[{"op":"filter_rows","sheet":"S1","criteria":[{"column":"C","operator":">","value":1}]}]`)
	require.Contains(t, part(t, out, table1), `totalsRowCount="1"><autoFilter ref="B2:D4"><filterColumn colId="1">`)
	require.Equal(t, []int{4}, hiddenRowsOf(t, out, "S1", 5))
}

// The values of formulas over visible rows follow the filter.
func TestFilterRowsCalculates(t *testing.T) {
	var out writtenBook
	_, err := Format().Editor.Apply(t.Context(), src(filterBook(t)), &out, ops(t, `[{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6","criteria":[{"column":"A","values":["north"]}]}]`), formats.ApplyOptions{Calculate: true})
	require.NoError(t, err)
	v, err := excel(t, out).GetCellValue("Sheet1", "F1")
	require.NoError(t, err)
	require.Equal(t, "4000", v)
}

func TestFilterRowsRefuse(t *testing.T) {
	in := filterBook(t)
	with := func(criteria string) string {
		return `{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6","criteria":[` + criteria + `]}`
	}
	runRefusals(t, in, []refusal{
		{`{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6"}`, formats.CodeInvalid, "criteria is required"},
		{`{"op":"filter_rows","sheet":"Sheet1","criteria":[{"column":"A","values":["x"]}]}`, formats.CodeInvalid, "range is required: the sheet has no filter and no table"},
		{with(`{"values":["x"]}`), formats.CodeInvalid, "column is required"},
		{with(`{"column":"Z","values":["x"]}`), formats.CodeInvalid, `is neither a column of the filter A1:D6 nor the text of one of its headers`},
		{with(`{"column":"A"}`), formats.CodeInvalid, "a criterion needs values"},
		{with(`{"column":"A","values":["x"],"operator":">"}`), formats.CodeInvalid, "not both"},
		{with(`{"column":"A","values":[null]}`), formats.CodeInvalid, "empty cells are kept with blanks:true"},
		{with(`{"column":"A","operator":"like","value":"x"}`), formats.CodeInvalid, "unknown operator like"},
		{with(`{"column":"A","operator":">"}`), formats.CodeInvalid, "needs a value"},
		{with(`{"column":"A","operator":"between","value":1}`), formats.CodeInvalid, "between needs value and value2"},
		{with(`{"column":"A","operator":"top","value":501}`), formats.CodeInvalid, "from 1 to 500"},
		{with(`{"column":"A","operator":"=","value":1,"value2":2}`), formats.CodeInvalid, "value2 needs operator2"},
		{with(`{"column":"A","values":["x"]},{"column":"Region","values":["y"]}`), formats.CodeInvalid, "column A is named twice"},
		{`{"op":"filter_rows","sheet":"Sheet1","range":"A6:D6","clear":true}`, formats.CodeInvalid, "no rows below its header"},
	})
	color := edited(t, ruledBook(t), sheet1, swap(`<filters><filter val="a"/></filters>`, `<colorFilter dxfId="0"/>`))
	runRefusals(t, color, []refusal{
		{`{"op":"filter_rows","sheet":"S1","criteria":[{"column":"B","operator":">","value":2}]}`, formats.CodeUnsupported, "such as by colour; give clear:true"},
	})
	out, _ := apply(t, color, `[{"op":"filter_rows","sheet":"S1","criteria":[{"column":"A","operator":"all"},{"column":"B","operator":">","value":3}]}]`)
	require.Equal(t, []int{2, 3}, hiddenRowsOf(t, out, "S1", 5))
	two := edited(t, tabledBook(t), sheet1, swap(`<tableParts`, `<autoFilter ref="H2:I5"/><tableParts`))
	runRefusals(t, two, []refusal{
		{`{"op":"filter_rows","sheet":"S1","clear":true}`, formats.CodeInvalid, "the sheet has several filters and tables: H2:I5, Fruit"},
		{`{"op":"filter_rows","sheet":"S1","range":"C2:E5","clear":true}`, formats.CodeInvalid, "give its name as range"},
	})
}

// Rules of the file are read as they are written.
func TestFilterRulesReadBack(t *testing.T) {
	for _, c := range []FilterCriterion{
		{Values: []any{"a", "b\nc", "_x0041_"}, Blanks: true}, {Operator: "<>", Value: "x"}, {Operator: "between", Value: "1", Value2: "2"},
		{Operator: "top_percent", Value: "10"}, {Operator: "bottom", Value: "3"}, {Operator: "above_average"}, {Operator: "not_blank"},
		{Operator: "contains", Value: "<&\">"},
	} {
		r, err := c.rule(3, false)
		require.NoError(t, err)
		r.decide()
		r.dates = append(r.dates, dateGroup{2026, 1, 2}, dateGroup{2025, 3, 0}, dateGroup{2024, 0, 0})
		xml := r.xml("")
		tag, ok := firstTag([]byte(xml))
		require.True(t, ok)
		again, known := readFilterRule(tag, []byte(xml))
		require.True(t, known)
		again.limit = r.limit
		require.Equal(t, xml, again.xml(""))
		require.True(t, strings.HasPrefix(r.xml("x:"), `<x:filterColumn colId="3"`))
	}
}

// LibreOffice, which works the filter out again, hides the same rows, and a read
// says what is kept.
func TestFilterRowsInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	in := filterBook(t)
	for _, criteria := range []string{
		`{"column":"A","values":["North","West"]}`, `{"column":"B","values":[1500,1000]}`, `{"column":"B","operator":">","value":1000}`, `{"column":"A","operator":"begins_with","value":"n"}`,
		`{"column":"B","operator":"top","value":2}`, `{"column":"C","values":["2026-01"]}`, `{"column":"C","operator":">=","value":"2026-02-01"}`, `{"column":"B","operator":"not_blank"}`,
		`{"column":"B","operator":"between","value":900,"value2":1200},{"column":"A","operator":"<>","value":"West"}`,
	} {
		out, _ := apply(t, in, `[{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6","criteria":[`+criteria+`]}]`)
		made := load(t, formatstest.LibreOffice(t, formatstest.Write(t, "f.xlsx", out), "xlsx"))
		require.Equal(t, hiddenRowsOf(t, out, "Sheet1", 6), hiddenRowsOf(t, made, "Sheet1", 6), criteria)
	}
}

func TestFiltersAreRead(t *testing.T) {
	out, _ := apply(t, filterBook(t), `[{"op":"filter_rows","sheet":"Sheet1","range":"A1:D6","criteria":[{"column":"B","operator":"between","value":900,"value2":1200},{"column":"A","values":["west"]}]}]`)
	text := read(t, out, formats.Selector{Sheet: "Sheet1", Include: []string{formats.IncludeRules}})
	require.Contains(t, text, "A1:D6: column 1 is West, column 2 >= 900, and column 2 <= 1200")
	out, _ = apply(t, tabledBook(t), `[{"op":"filter_rows","sheet":"S1","criteria":[{"column":"C","operator":"top","value":1}]}]`)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "S1", Include: []string{formats.IncludeRules}}), "B2:D4 of the table Fruit: column 2 top 1")
}

// A criterion on the first cells of each workbook, and none again, leave the other
// parts as they are.
func TestFilterRowsOverTheCorpus(t *testing.T) {
	campaign.Slow(t)
	n := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in := load(t, path)
		wb, err := open(t.Context(), src(in))
		if !typedError(t, err) {
			continue
		}
		for _, s := range wb.Sheets[:min(len(wb.Sheets), 2)] {
			op := `{"op":"filter_rows","sheet":` + jsonString(s.Name) + `,"range":"A1:C50",`
			out, rep, err := tryApply(t, in, `[`+op+`"criteria":[{"column":"A","operator":"not_blank"}]}]`)
			if !typedError(t, err) {
				continue
			}
			n++
			var except []string
			for _, s := range wb.Sheets {
				except = append(except, s.Part)
			}
			formatstest.SameParts(t, in, out, append(except, wb.Main)...)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			require.NotEmpty(t, rep.Ops[0].Made)
			if rows := hiddenRowsOf(t, out, s.Name, 1); len(rows) > 0 {
				require.Equal(t, hiddenRowsOf(t, in, s.Name, 1), rows, path)
			}
			_, rep, err = tryApply(t, out, `[`+op+`"clear":true}]`)
			require.NoError(t, err, path)
			require.NotContains(t, strings.Join(rep.Ops[0].Notes, ""), " 0 rows are shown")
		}
	}
	t.Log(n, "sheets")
	require.Greater(t, n, 20)
}
