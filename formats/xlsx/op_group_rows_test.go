package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Groups come, collapse, expand and go.
func TestGroups(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "group_rows", ops: `{"op":"group_rows","sheet":"S1","range":"2:3,6"}`,
			rep: formats.OpReport{Hits: 3, Notes: []string{"group 2:3, level 1", "group 6:6, level 1"}},
			swap: map[string][]string{sheet1: {
				`<sheetData>`, `<sheetFormatPr defaultRowHeight="15" outlineLevelRow="1"/><sheetData>`,
				`<row r="2">`, `<row r="2" outlineLevel="1">`, `<row r="3">`, `<row r="3" outlineLevel="1">`, `</sheetData>`, `<row r="6" outlineLevel="1"/></sheetData>`,
			}},
		},
		{
			name: "group_rows inside a group", in: raw(t, nil, `<sheetFormatPr defaultRowHeight="12" outlineLevelRow="1"/><sheetData><row r="2" outlineLevel="1"/><row r="3" outlineLevel="1"/></sheetData>`),
			ops: `{"op":"group_rows","sheet":"S1","row":3}`, rep: formats.OpReport{Hits: 1, Notes: []string{"group 3:3, level 2"}},
			swap: map[string][]string{sheet1: {`outlineLevelRow="1"`, `outlineLevelRow="2"`, `<row r="3" outlineLevel="1"/>`, `<row r="3" outlineLevel="2"/>`}},
		},
		{
			name: "group_rows collapses", in: raw(t, nil, `<sheetData><row r="2" outlineLevel="1"/><row r="3" outlineLevel="2"/><row r="4"/></sheetData>`),
			ops: `{"op":"group_rows","sheet":"S1","row":2,"action":"collapse"}`, rep: formats.OpReport{Hits: 3},
			swap: map[string][]string{sheet1: {`<sheetData>`, `<sheetFormatPr defaultRowHeight="15" outlineLevelRow="2"/><sheetData>`, `<row r="2" outlineLevel="1"/>`, `<row r="2" hidden="1" outlineLevel="1"/>`, `<row r="3" outlineLevel="2"/>`, `<row r="3" hidden="1" outlineLevel="2"/>`, `<row r="4"/>`, `<row r="4" collapsed="1"/>`}},
		},
		{
			name: "group_rows expands, but for what is collapsed inside", in: raw(t, nil, `<sheetFormatPr defaultRowHeight="15" outlineLevelRow="2"/><sheetData><row r="2" outlineLevel="1" hidden="1"/><row r="3" outlineLevel="2" hidden="1"/><row r="4" outlineLevel="1" hidden="1" collapsed="1"/><row r="5" collapsed="1"/></sheetData>`),
			ops: `{"op":"group_rows","sheet":"S1","range":"2:4","action":"expand"}`, rep: formats.OpReport{Hits: 3},
			swap: map[string][]string{sheet1: {`<row r="2" outlineLevel="1" hidden="1"/>`, `<row r="2" outlineLevel="1"/>`, `<row r="4" outlineLevel="1" hidden="1" collapsed="1"/><row r="5" collapsed="1"/>`, `<row r="4" outlineLevel="1" collapsed="1"/><row r="5"/>`}},
		},
		{
			name: "group_rows with totals above", in: raw(t, nil, `<sheetPr><tabColor rgb="FF00FF00"/><pageSetUpPr fitToPage="1"/></sheetPr><sheetFormatPr defaultRowHeight="15" outlineLevelRow="1"/><sheetData><row r="2"/><row r="3" outlineLevel="1"/></sheetData>`),
			ops: `{"op":"group_rows","sheet":"S1","row":3,"action":"collapse","summary":"above"}`, rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{sheet1: {`<pageSetUpPr`, `<outlinePr summaryBelow="0"/><pageSetUpPr`, `<row r="2"/>`, `<row r="2" collapsed="1"/>`, `<row r="3" outlineLevel="1"/>`, `<row r="3" hidden="1" outlineLevel="1"/>`}},
		},
		{
			name: "group_rows dissolves a collapsed group", in: raw(t, nil, `<sheetFormatPr defaultRowHeight="15" outlineLevelRow="1"/><sheetData><row r="2" outlineLevel="1" hidden="1"/><row r="3" collapsed="1"/></sheetData>`),
			ops: `{"op":"group_rows","sheet":"S1","range":"1:3","action":"ungroup"}`, rep: formats.OpReport{Hits: 2, Notes: []string{"1 collapsed group was shown first"}},
			swap: map[string][]string{sheet1: {` outlineLevelRow="1"`, ``, `<row r="2" outlineLevel="1" hidden="1"/>`, `<row r="2"/>`, `<row r="3" collapsed="1"/>`, `<row r="3"/>`}},
		},
		{
			name: "group_rows of none", ops: `{"op":"group_rows","sheet":"S1","row":2,"action":"ungroup"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`2:2 of sheet "S1" is so already; nothing was changed`}},
		},
		{
			name: "group_columns", in: raw(t, nil, `<cols><col min="1" max="3" width="12" customWidth="1"/></cols><sheetData/>`),
			ops: `{"op":"group_columns","sheet":"S1","range":"B:B,D:E"},{"op":"group_columns","sheet":"S1","column":"D","action":"collapse"}`,
			rep: formats.OpReport{Hits: 3},
			swap: map[string][]string{sheet1: {`<cols><col min="1" max="3" width="12" customWidth="1"/></cols>`,
				`<sheetFormatPr defaultRowHeight="15" outlineLevelCol="1"/><cols><col width="12" customWidth="1" min="1" max="1"/><col width="12" customWidth="1" outlineLevel="1" min="2" max="2"/><col width="12" customWidth="1" min="3" max="3"/><col width="9.140625" hidden="1" outlineLevel="1" min="4" max="5"/><col width="9.140625" collapsed="1" min="6" max="6"/></cols>`}},
		},
	})
	runRefusals(t, nil, []refusal{
		{`{"op":"group_rows","sheet":"S1","row":2,"action":"fold"}`, formats.CodeInvalid, "unknown action"},
		{`{"op":"group_rows","sheet":"S1","row":2,"summary":"left"}`, formats.CodeInvalid, "use below or above"},
		{`{"op":"group_rows","sheet":"S1","row":2,"action":"collapse"}`, formats.CodeInvalid, `no group is in 2:2 of sheet "S1"; make one first`},
		{`{"op":"group_rows","sheet":"S1","range":"1:200000"}`, formats.CodeTooLarge, "name only the rows that hold something"},
		{strings.Repeat(`{"op":"group_columns","sheet":"S1","column":"C"},`, 7) + `{"op":"group_columns","sheet":"S1","column":"C"}`, formats.CodeInvalid, "C:C is in 7 groups"},
	})
	in := movableBook(t)
	out, _ := apply(t, in, `[{"op":"group_rows","sheet":"S1","range":"2:3"},{"op":"group_columns","sheet":"S1","range":"B:C"},{"op":"group_columns","sheet":"S1","range":"B:C","action":"collapse"},{"op":"group_rows","sheet":"S1","row":2,"action":"collapse"}]`)
	valid(t, out, in)
	f := excel(t, out)
	m, _ := mapOf(t, out, formats.MapOptions{Sheet: "S1"})
	require.Equal(t, []string{"2:3", "B:C"}, m.Sheets[0].Groups)
	require.Equal(t, 2, m.Sheets[0].GroupCount)
	for row, level := range map[int]uint8{1: 0, 2: 1, 3: 1, 4: 0} {
		got, err := f.GetRowOutlineLevel("S1", row)
		require.NoError(t, err)
		require.Equal(t, level, got, row)
	}
	back, _ := apply(t, out, `[{"op":"group_rows","sheet":"S1","range":"2:3","action":"ungroup"},{"op":"group_columns","sheet":"S1","range":"B:C","action":"ungroup"}]`)
	require.ElementsMatch(t, seenBook(t, in), seenBook(t, back), "rules come in any order")
}
