package xlsx

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

func TestWrappedLines(t *testing.T) {
	for _, c := range []struct {
		s     string
		width float64
		want  int
	}{{"", 8, 1}, {"1111", 8, 1}, {"1111 1111", 8, 2}, {"1111 1111", 10, 1}, {"a\nb\n", 8, 3}, {strings.Repeat("1", 17), 8, 3}, {"11 " + strings.Repeat("1", 9), 8, 3}, {"11", 0, 2}} {
		require.Equal(t, c.want, wrappedLines(c.s, c.width), "%q in %v", c.s, c.width)
	}
}

// Rows are as high as their wrapped text needs; programs may fit them again.
func TestFitRowHeights(t *testing.T) {
	long := strings.Repeat("word ", 12) // 60 characters
	in, _ := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[["`+long+`","x"],["`+long+`"],["short"],["big"],[null,"merged `+long+`"]],"style":{"wrap_text":true}},
		{"op":"set_style","sheet":"S","range":"A2","style":{"wrap_text":false}},{"op":"set_style","sheet":"S","range":"A4","style":{"font_size":20}},{"op":"merge_cells","sheet":"S","range":"B5:C5"},
		{"op":"set_column_widths","sheet":"S","columns":[{"column":"A,C:D","width":20}]},{"op":"set_row_heights","sheet":"S","rows":[{"row":3,"height":90}]}]`)
	require.Contains(t, part(t, in, "xl/worksheets/sheet1.xml"), `<col width="20" customWidth="1" min="3" max="4"/>`)
	out, rep := apply(t, in, `[{"op":"set_row_heights","sheet":"S","rows":[{"row":"1:3,4:9","height":"auto"}]}]`)
	data := sheetData(t, out)
	for _, row := range []string{`<row r="1" ht="60">`, `<row r="2" ht="15">`, `<row r="3" ht="15">`, `<row r="4" ht="26.25">`} {
		require.Contains(t, data, row)
	}
	require.Contains(t, data, `<row r="5">`, "merged cells do not count")
	require.Equal(t, 4, rep.Ops[0].Hits)
	require.Empty(t, rep.Ops[0].Warnings)

	// What is set later counts; so does text of the same call.
	out, _ = apply(t, in, `[{"op":"set_row_heights","sheet":"S","rows":[{"row":"2:3","height":40}]},{"op":"set_cells","sheet":"S","cells":[{"cell":"A8","value":"a\nb\nc","style":{"wrap_text":true}}]},{"op":"set_row_heights","sheet":"S","rows":[{"row":"1:9","height":"auto"}]},{"op":"set_row_heights","sheet":"S","rows":[{"row":1,"height":33}]}]`)
	for _, row := range []string{`<row r="1" ht="33" customHeight="1">`, `<row r="2" ht="15">`, `<row r="8" ht="45">`} {
		require.Contains(t, sheetData(t, out), row)
	}
	_, rep = apply(t, in, `[{"op":"set_row_heights","sheet":"S","rows":[{"row":"100:120","height":"auto"}]}]`)
	require.Equal(t, []string{"the rows are empty, so their heights stay"}, rep.Ops[0].Warnings)
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A9","value":"`+strings.Repeat(long, 20)+`","style":{"wrap_text":true,"text_rotation":45}}]},{"op":"set_row_heights","sheet":"S","rows":[{"row":"9","height":"auto"}]}]`)
	require.Equal(t, []string{"1 row would need more than the 409 points that a row can have; make their columns wider", "text that is turned was measured as if it were not: S!A9"}, rep.Ops[1].Warnings)
	for op, want := range map[string]string{`"rows":[]`: "rows is required", `"rows":[{"row":"1:200001","height":5}]`: "name only the rows that hold something", `"rows":[{"row":"1:2","height":500}]`: "expected 0 to 409", `"rows":[{"row":1,"height":"high"}]`: "or auto"} {
		_, _, err := tryApply(t, in, `[{"op":"set_row_heights","sheet":"S",`+op+`}]`)
		require.ErrorContains(t, err, want)
	}
}

func TestFitRowHeightsOverTheCorpus(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if err != nil || len(wb.Sheets) == 0 || !wb.Sheets[0].Worksheet() || len(in) > 1<<20 {
				t.Skip("it has no first worksheet, or is large")
			}
			out, _ := apply(t, in, `[{"op":"set_row_heights","sheet":`+jsonString(wb.Sheets[0].Name)+`,"rows":[{"row":"1:200","height":"auto"}]}]`)
			formatstest.SameParts(t, in, out, wb.Sheets[0].Part)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			require.Equal(t, dump(t, in), dump(t, out))
		})
	}
}
