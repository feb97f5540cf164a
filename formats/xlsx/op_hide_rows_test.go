package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// Ranges and conditions name the rows; neighbours are one run, and the operations of
// a call see each other.
func TestHideRowsInPlaces(t *testing.T) {
	in := filterBook(t)
	for ops, want := range map[string][]int{
		`{"op":"hide_rows","sheet":"Sheet1","range":"5,2:3, 4:4"}`:                                                                                                                                                                {2, 3, 4, 5},
		`{"op":"hide_rows","sheet":"Sheet1","range":"$2:$6"},{"op":"hide_rows","sheet":"Sheet1","range":"3:4","hidden":false}`:                                                                                                    {2, 5, 6},
		`{"op":"hide_rows","sheet":"Sheet1","row":2,"count":2},{"op":"hide_rows","sheet":"Sheet1","row":3,"count":2}`:                                                                                                             {2, 3, 4},
		`{"op":"hide_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"Region","values":["north"]}]}`:                                                                                                                    {2, 4},
		`{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B6","value":5000}]},{"op":"hide_rows","sheet":"Sheet1","range":"A:D","where":[{"column":"B","operator":">","value":2000}]}`:                                         {4, 6},
		`{"op":"hide_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"A","operator":"<>","value":"x"}]},{"op":"hide_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"B","operator":"blank"}],"hidden":false}`: {2, 3, 4, 6},
	} {
		out, rep := apply(t, in, `[`+ops+`]`)
		require.Equal(t, want, hiddenRowsOf(t, out, "Sheet1", 6), ops)
		require.Empty(t, rep.Warnings, ops)
		valid(t, out, in)
		require.NotContains(t, part(t, out, sheet1), "<f>SUBTOTAL(9,B2:B6)</f><v>")
	}
	_, rep := apply(t, in, `[{"op":"hide_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"A","values":["north"]},{"column":"B","operator":">","value":100}]}]`)
	require.Equal(t, []string{"2 rows meet the conditions: 2:2, 4:4"}, rep.Ops[0].Notes)
	same, rep := apply(t, in, `[{"op":"hide_rows","sheet":"Sheet1","range":"A1:D6","where":[{"column":"A","values":["Mars"]}]}]`)
	require.Equal(t, in, same)
	require.Equal(t, []string{"no cell of column A shows Mars", "no row of A1:D6 meets the conditions; nothing was changed"}, rep.Ops[0].Warnings)
	runRefusals(t, in, []refusal{
		{`{"op":"hide_rows","sheet":"Sheet1","row":1,"range":"2:3"}`, formats.CodeInvalid, "not both"},
		{`{"op":"hide_rows","sheet":"Sheet1","row":1,"where":[{"column":"A","values":["x"]}]}`, formats.CodeInvalid, "where needs range"},
		{`{"op":"hide_rows","sheet":"Sheet1","range":"A:B"}`, formats.CodeInvalid, "expected rows such as 3:5"},
		{`{"op":"hide_rows","sheet":"Sheet1","range":"A6:D6","where":[{"column":"A","values":["x"]}]}`, formats.CodeInvalid, "no rows below its header"},
		{`{"op":"ensure_sheet","sheet":"N"},{"op":"hide_rows","sheet":"N","range":"A1:B2","where":[{"column":"Q","values":["x"]}]}`, formats.CodeInvalid, "is neither a column"},
	})
}

// set_style formats the rows that meet conditions.
func TestSetStyleWhere(t *testing.T) {
	out, rep := apply(t, filterBook(t), `[{"op":"set_style","sheet":"Sheet1","range":"A1:D6","where":[{"column":"Net","operator":">=","value":1000}],"style":{"font_bold":true}}]`)
	f := excel(t, out)
	for r := 1; r <= 6; r++ {
		for _, col := range []string{"A", "D", "E"} {
			id, err := f.GetCellStyle("Sheet1", fmt.Sprintf("%s%d", col, r))
			require.NoError(t, err)
			s, err := f.GetStyle(id)
			require.NoError(t, err)
			require.Equal(t, col != "E" && (r == 2 || r == 4 || r == 6), s.Font != nil && s.Font.Bold, "%s%d", col, r)
		}
	}
	require.Equal(t, []string{"3 rows meet the conditions: 2:2, 4:4, 6:6"}, rep.Ops[0].Notes)
}

// scatteredBook has rows whose every ninth is hidden or formatted.
func scatteredBook(t testing.TB) []byte {
	return fixture(t, func(f *excelize.File) {
		for r := 1; r <= 2000; r++ {
			row := []any{r, "text", r * 2, "more"}
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", r), &row))
		}
	})
}

// scattered are 222 operations, each with its own place.
func scattered(op string) string {
	var out []string
	for i := range 222 {
		out = append(out, fmt.Sprintf(op, i*9+2))
	}
	return `[` + strings.Join(out, ",") + `]`
}

// BenchmarkScattered compares 222 places in operations of their own with one
// operation that names all of them.
func BenchmarkScattered(b *testing.B) {
	in := scatteredBook(b)
	var places, rows, columns []string
	for i := range 222 {
		places, rows, columns = append(places, fmt.Sprintf("A%[1]d:D%[1]d", i*9+2)), append(rows, fmt.Sprint(i*9+2)), append(columns, cellref.ColumnName(i*9+2))
	}
	for name, ops := range map[string]string{
		"hide_rows":         scattered(`{"op":"hide_rows","sheet":"Sheet1","row":%d}`),
		"set_style":         scattered(`{"op":"set_style","sheet":"Sheet1","range":"%[1]d:%[1]d","style":{"font_bold":true}}`),
		"one_set_style":     `[{"op":"set_style","sheet":"Sheet1","range":"` + strings.Join(places, ",") + `","style":{"font_bold":true}}]`,
		"delete_rows":       `[{"op":"delete_rows","sheet":"Sheet1","range":"` + strings.Join(rows, ",") + `"}]`,
		"insert_rows":       `[{"op":"insert_rows","sheet":"Sheet1","range":"` + strings.Join(rows, ",") + `"}]`,
		"one_hide_rows":     `[{"op":"hide_rows","sheet":"Sheet1","range":"` + strings.Join(rows, ",") + `"}]`,
		"hide_columns":      `[{"op":"hide_columns","sheet":"Sheet1","range":"` + strings.Join(columns, ",") + `"}]`,
		"hide_columns_each": scattered(`{"op":"hide_columns","sheet":"Sheet1","column":%d}`),
		"set_column_widths": `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"` + strings.Join(columns, ",") + `","width":9}]}]`,
		"set_row_heights":   `[{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":"` + strings.Join(rows, ",") + `","height":9}]}]`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				apply(b, in, ops)
			}
		})
	}
}

// Operations on many places share a pass: none of them reads the workbook anew.
func TestHideRowsShareAPass(t *testing.T) {
	in := scatteredBook(t)
	e := &edit{src: src(in), name: "book.xlsx", rep: formats.Report{}}
	defer e.close()
	var first *pass
	for i, raw := range ops(t, scattered(`{"op":"hide_rows","sheet":"Sheet1","row":%d}`)) {
		require.NoError(t, e.apply(t.Context(), i, raw))
		if first == nil {
			first = e.pass
		}
		require.Same(t, first, e.pass)
	}
	out, rep := apply(t, in, scattered(`{"op":"hide_rows","sheet":"Sheet1","row":%d}`))
	require.Len(t, hiddenRowsOf(t, out, "Sheet1", 2000), 222)
	require.Len(t, rep.Ops, 222)
}
