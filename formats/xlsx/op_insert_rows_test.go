package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
)

// Several places in one operation come to the same as one operation for each
// of them, from the last to the first.
func TestPlacesAreThoseOfSeveralOperations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := randomBook(t, rapid.Int64().Draw(rt, "seed"))
		cols := rapid.Bool().Draw(rt, "columns")
		do := rapid.SampledFrom([]string{"insert", "delete"}).Draw(rt, "do")
		var places, each []string
		for at := rapid.IntRange(1, 3).Draw(rt, "first"); at < 12; at += rapid.IntRange(1, 3).Draw(rt, "gap") {
			n := rapid.IntRange(1, 2).Draw(rt, "n")
			places = append(places, runName(cols, at, at+n-1))
			where := fmt.Sprintf(`{"op":"%s_rows","sheet":"Sheet1","row":%d,"count":%d}`, do, at, n)
			if cols {
				where = fmt.Sprintf(`{"op":"%s_columns","sheet":"Sheet1","column":%d,"count":%d}`, do, at, n)
			}
			each = append([]string{where}, each...)
			at += n
		}
		axis := map[bool]string{false: "rows", true: "columns"}[cols]
		want, _, err := tryApply(t, in, "["+strings.Join(each, ",")+"]")
		require.NoError(rt, err)
		out, _, err := tryApply(t, in, fmt.Sprintf(`[{"op":"%s_%s","sheet":"Sheet1","range":"%s"}]`, do, axis, strings.Join(places, ",")))
		require.NoError(rt, err)
		require.Equal(rt, formulasOf(t, want), formulasOf(t, out))
	})
}

func TestDeleteRowsWhere(t *testing.T) {
	in := filterBook(t)
	out, rep := apply(t, in, `[{"op":"delete_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"Region","values":["north"]}]}]`)
	valid(t, out, in)
	require.Equal(t, []string{"2 rows meet the conditions: 2:2, 4:4"}, rep.Ops[0].Notes)
	require.Equal(t, 2, rep.Ops[0].Hits)
	want, _ := apply(t, in, `[{"op":"delete_rows","sheet":"Sheet1","range":"4,2:2"}]`)
	require.Equal(t, want, out)
	same, rep := apply(t, in, `[{"op":"delete_rows","sheet":"Sheet1","range":"A:D","where":[{"column":"Region","operator":"=","value":"Mars"}]}]`)
	require.Equal(t, in, same)
	require.True(t, rep.Ops[0].Unchanged)
	require.Contains(t, rep.Ops[0].Warnings, "no row of A1:D1048576 meets the conditions; nothing was changed")

	runRefusals(t, in, []refusal{
		{`{"op":"delete_rows","sheet":"Sheet1","range":"3:5","row":2}`, formats.CodeInvalid, "give row and count, or range, not both"},
		{`{"op":"delete_rows","sheet":"Sheet1","range":"3:5","count":2}`, formats.CodeInvalid, "count needs row"},
		{`{"op":"delete_rows","sheet":"Sheet1","row":2,"where":[{"column":"A","values":["x"]}]}`, formats.CodeInvalid, "where needs range"},
		{`{"op":"insert_rows","sheet":"Sheet1","range":"C:D"}`, formats.CodeInvalid, "expected rows such as 3:5"},
		{`{"op":"delete_columns","sheet":"Sheet1","range":"3:5"}`, formats.CodeInvalid, "expected columns such as C:E"},
		{`{"op":"hide_columns","sheet":"Sheet1","column":"B","range":"C"}`, formats.CodeInvalid, "not both"},
		{`{"op":"hide_columns","sheet":"Sheet1","range":"C","count":2}`, formats.CodeInvalid, "count needs column"},
		{`{"op":"insert_rows","sheet":"Sheet1","range":"2:1048500,1048501:1048575"}`, formats.CodeInvalid, "would push them off its end"},
		{`{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":"1:200000","height":20}]}`, formats.CodeTooLarge, "name only the rows that hold something"},
		{`{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":"x","height":20}]}`, formats.CodeInvalid, "expected rows such as 3:5"},
	})
}

// Inserted columns look like their neighbours, and a table names those inside it.
func TestPlacesInATable(t *testing.T) {
	in := raw(t, map[string]string{table1: strings.ReplaceAll(tableXML, "A1:B3", "B1:C3")},
		`<cols><col min="1" max="2" width="20" customWidth="1"/></cols><sheetData><row r="1"><c r="A1" s="1"/><c r="B1" s="1" t="inlineStr"><is><t>a</t></is></c><c r="C1" t="inlineStr"><is><t>b</t></is></c></row></sheetData>`)
	_, rep := apply(t, in, `[{"op":"insert_columns","sheet":"S1","range":"B:B,C:D"}]`)
	require.Equal(t, "S1!B:D", rep.Ops[0].Made, "neighbours are one run")
	out2, rep := apply(t, in, `[{"op":"insert_columns","sheet":"S1","range":"A,C:D,F"}]`)
	require.Equal(t, "S1!A:A, D:E, I:I", rep.Ops[0].Made)
	require.Contains(t, part(t, out2, table1), `ref="C1:F3"`)
	require.Contains(t, part(t, out2, table1), `<tableColumn id="1" name="a"/><tableColumn id="3" name="Column1"/><tableColumn id="4" name="Column2"/><tableColumn id="2" name="b"/>`)
	require.Contains(t, part(t, out2, sheet1), `<c r="C1" s="1" t="inlineStr"><is><t>a</t></is></c><c r="D1" s="1" t="inlineStr"><is><t>Column1</t></is></c><c r="E1" s="1" t="inlineStr"><is><t>Column2</t></is></c><c r="F1"`)
	require.Contains(t, part(t, out2, sheet1), `<col min="2" max="5" width="20"`)
	back, _ := apply(t, out2, `[{"op":"delete_columns","sheet":"S1","range":"A,D:E,I"}]`)
	require.Equal(t, part(t, in, table1), part(t, back, table1))
}

// Many places cost about as much as many places of set_style.
func TestManyPlacesShareAPass(t *testing.T) {
	in := scatteredBook(t)
	var rows []string
	for i := range 222 {
		rows = append(rows, fmt.Sprint(i*9+2))
	}
	out, rep := apply(t, in, `[{"op":"delete_rows","sheet":"Sheet1","range":"`+strings.Join(rows, ",")+`"}]`)
	require.Equal(t, 222, rep.Ops[0].Hits)
	require.Len(t, cellsOf(t, out), (2000-222)*4)
	valid(t, out, in)

	e := &edit{src: src(in), name: "book.xlsx", rep: formats.Report{}}
	defer e.close()
	for i, raw := range ops(t, `[{"op":"hide_columns","sheet":"Sheet1","column":"B"},{"op":"hide_columns","sheet":"Sheet1","range":"D:E,H"},{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A,C:D","width":12}]},{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":"2:3,9","height":30},{"row":4,"height":31}]}]`) {
		require.NoError(t, e.apply(t.Context(), i, raw))
	}
	require.Equal(t, 1, e.passes)
	out, _ = apply(t, in, `[{"op":"hide_columns","sheet":"Sheet1","column":"B"},{"op":"hide_columns","sheet":"Sheet1","range":"D:E,H"},{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A,C:D","width":12}]},{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":"2:3,9","height":30},{"row":4,"height":31}]}]`)
	valid(t, out, in)
	f := excel(t, out)
	for col, visible := range map[string]bool{"A": true, "B": false, "C": true, "D": false, "E": false, "F": true, "H": false} {
		got, err := f.GetColVisible("Sheet1", col)
		require.NoError(t, err)
		require.Equal(t, visible, got, col)
	}
	for row, want := range map[int]float64{1: 15, 2: 30, 3: 30, 4: 31, 5: 15, 9: 30} {
		got, err := f.GetRowHeight("Sheet1", row)
		require.NoError(t, err)
		require.Equal(t, want, got, row)
	}
	width, err := f.GetColWidth("Sheet1", "D")
	require.NoError(t, err)
	require.Equal(t, 12.0, width)
}
